"""A marked block at the end of a text file that people and agents write too."""

from __future__ import annotations

import re
from dataclasses import dataclass

BEGIN = b"<!-- postil:begin (kept by `postil install`; edits in here are lost) -->"
END = b"<!-- postil:end -->"
_BLOCK = re.compile(rb"<!-- postil:begin[^\n]*-->.*?<!-- postil:end -->[^\S\n]*\r?\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Removed:
    """A file without the block, and the block as it was found."""

    text: bytes
    block: bytes


def put(text: bytes, lines: list[str]) -> bytes:
    """The file with the block, at its old place or at the end."""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    block = newline.join([BEGIN, *(line.encode() for line in lines), END, b""])
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    return text + _gap(text, newline) + block


def take_out(text: bytes) -> Removed | None:
    """The file without the block and without the gap before it; None when there is no block."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    before, after = text[: found.start()], text[found.end() :]
    if not after:
        # The gap that `put` made. A missing last newline is known only to the receipt.
        before = re.sub(rb"(\r?\n)\r?\n\Z", rb"\1", before) if before.strip() else before
    return Removed(before + after, found.group(0))


def _gap(text: bytes, newline: bytes) -> bytes:
    if not text or text in (b"\xef\xbb\xbf",):
        return b""
    return newline if text.endswith(b"\n") else newline * 2
