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


def take_out(name: str, text: bytes, original: bytes | None = None) -> Removed | None:
    """The file without the block and without the gap before it; None when there is no block.

    `original` is the file before the block came.
    """
    _check(name, text)
    found = _BLOCK.search(text)
    if found is None:
        return None
    # Latin-1 gives each byte a character and back.
    before, after = (
        part.decode("latin-1") for part in (text[: found.start()], text[found.end() :])
    )
    old = original.decode("latin-1") if original is not None else None
    return Removed(joined(before, after, old).encode("latin-1"), found.group(0))


def joined(before: str, after: str, original: str | None) -> str:
    """What stands before and after something that was taken out, without the gap made for it.

    `original` is the whole text before it came; None when that is not known.
    """
    breaks = 1 if original is None or original.endswith("\n") else 2
    if original is not None and not original.strip("\ufeff\xef\xbb\xbf"):
        breaks = 0
    # Where something follows, a line that had no end keeps the one it was given.
    breaks -= breaks == 2 and bool(after)
    for _ in range(breaks):
        if re.search(r"\n\r?\n\Z|\A\r?\n\Z", before) or breaks == 2:
            before = re.sub(r"\r?\n\Z", "", before)
    return before + after


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
