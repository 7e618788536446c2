"""A marked block at the end of a text file that people and agents write too."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postil.errors import ClientFileError

BEGIN = b"<!-- postil:begin (kept by `postil install`; edits in here are lost) -->"
END = b"<!-- postil:end -->"
_BLOCK = re.compile(
    rb"<!-- postil:begin[^\n]*-->(?:(?!<!-- postil:begin).)*?<!-- postil:end -->[^\S\n]*\r?\n?",
    re.DOTALL,
)
_MARKERS = re.compile(rb"<!-- postil:(?:begin|end)\b")


@dataclass(frozen=True, slots=True)
class Removed:
    """A file without the block, and the block as it was found."""

    text: bytes
    block: bytes


def put(name: str, text: bytes, lines: list[str]) -> bytes:
    """The file with the block, at its old place or at the end.

    ClientFileError when a marker stands alone: where the block ends is then anybody's guess.
    """
    _check(name, text)
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    block = newline.join([BEGIN, *(line.encode() for line in lines), END, b""])
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    return text + _gap(text, newline) + block


def take_out(name: str, text: bytes) -> Removed | None:
    """The file without the block and without the gap before it; None when there is no block."""
    _check(name, text)
    found = _BLOCK.search(text)
    if found is None:
        return None
    before, after = text[: found.start()], text[found.end() :]
    if not after:
        # The gap that `put` made. A missing last newline is known only to the receipt.
        before = re.sub(rb"(\r?\n)\r?\n\Z", rb"\1", before) if before.strip() else before
    return Removed(before + after, found.group(0))


def _check(name: str, text: bytes) -> None:
    rest = _BLOCK.sub(b"", text, count=1)
    alone = _MARKERS.search(rest)
    if alone:
        line = rest[: alone.start()].count(b"\n") + 1
        raise ClientFileError(
            f"{name} holds a postil:begin or postil:end without its other half (about line {line})",
            hint="remove the lone marker line, then try again",
        )


def _gap(text: bytes, newline: bytes) -> bytes:
    if not text or text in (b"\xef\xbb\xbf",):
        return b""
    return newline if text.endswith(b"\n") else newline * 2
