"""What a piece of code is known by when its name, its place or some of its text has changed. Pure.

A fingerprint holds no code: digests of its tokens, and a few words that its identifiers consist of.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from postil.words import STOP_WORDS, identifier_parts

# Digests kept of one piece: the error of their estimate of likeness is about 1/sqrt(96) = 0.1
# at most (Broder 1997, bottom-k), and short pieces are compared as a whole.
_DIGESTS = 96
# Tokens that make one digest: three neighbours tell order, and survive an edit beside them.
_RUN = 3
_WORDS = 12
_BESIDE = 12
_TOKEN = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\d[\w.]*|[^\s\w,;'\"`]")
_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_NAME_BYTES = frozenset(b"_$") | frozenset(range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of a piece's token runs; words it is found by; hashes of what was alike beside it."""

    digests: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """As an anchor keeps it."""
        raw = b"".join(one.to_bytes(4, "big") for one in sorted(self.digests))
        return ":".join(
            ("1", b64encode(raw).decode(), ",".join(self.words), ",".join(sorted(self.beside)))
        )

    @classmethod
    def parse(cls, text: str) -> Fingerprint | None:
        """The fingerprint that an anchor keeps; None when it has none, or one not known here."""
        parts = text.split(":")
        if len(parts) != 4 or parts[0] != "1":
            return None
        try:
            raw = b64decode(parts[1], validate=True)
        except (NoBase64, ValueError):
            return None
        digests = (int.from_bytes(raw[at : at + 4], "big") for at in range(0, len(raw), 4))
        words, beside = (tuple(filter(None, part.split(","))) for part in parts[2:])
        return cls(frozenset(digests), words, frozenset(beside))


def fingerprint(text: bytes, qualified: str, beside: Iterable[str] = ()) -> Fingerprint:
    """The fingerprint of a definition's text; `beside` are hashes of others that are like it."""
    kept = sorted(set(beside))[:_BESIDE]
    return Fingerprint(digests_of(text, qualified), _words(text, qualified), frozenset(kept))


def digests_of(text: bytes, qualified: str) -> frozenset[int]:
    """The smallest digests of all runs of tokens, its own names left out."""
    own = {part.encode(): b"\0%d" % place for place, part in enumerate(_parts(qualified))}
    tokens = [own.get(token, token) for token in _TOKEN.findall(text)]
    runs = {
        zlib.crc32(b" ".join(tokens[at : at + _RUN]))
        for at in range(max(1, len(tokens) - _RUN + 1))
    }
    return frozenset(sorted(runs)[:_DIGESTS])


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of token runs that two pieces have in common, 0..1, by their digests."""
    union = sorted(one | other)
    if len(one) >= _DIGESTS or len(other) >= _DIGESTS:
        union = union[:_DIGESTS]
    both = one & other
    return sum(digest in both for digest in union) / len(union) if union else 0.0


def without_names(text: bytes, qualified: str) -> bytes:
    """A definition's text with its own name and those around it left open."""
    for place, part in enumerate(reversed(qualified.encode().split(b"."))):
        at = text.find(part) if part else -1
        if at >= 0:
            text = _replaced(text, part, at, b"\0%d" % place)
    return text


def _parts(qualified: str) -> Sequence[str]:
    """The parts of a qualified name, the innermost first."""
    return [part for part in reversed(qualified.split(".")) if part]


def _replaced(text: bytes, name: bytes, at: int, mark: bytes) -> bytes:
    """`name`, found first at `at`, replaced where it stands as a whole token."""
    if text.find(name, at + 1) < 0:  # the usual case: it stands there once
        end = at + len(name)
        inside = (at and _goes_on(text[at - 1])) or (end < len(text) and _goes_on(text[end]))
        return text if inside else text[:at] + mark + text[end:]
    pieces: list[bytes] = []
    done, size, last = 0, len(name), len(text)
    while at >= 0:
        end = at + size
        if not (at and _goes_on(text[at - 1])) and not (end < last and _goes_on(text[end])):
            pieces += (text[done:at], mark)
            done = end
        at = text.find(name, end)
    pieces.append(text[done:])
    return b"".join(pieces)


def _goes_on(byte: int) -> bool:
    """Whether a byte is part of an identifier."""
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57 or byte in _NAME_BYTES


def _words(text: bytes, qualified: str) -> tuple[str, ...]:
    """The longest words that its identifiers consist of: by them a search finds it again.

    Only plain words: nothing that could be a key or a token of somebody.
    """
    found: dict[str, None] = {}
    for raw in (qualified.encode(), *_NAME.findall(text)):
        name = raw.decode("utf-8", "replace")
        for piece in name.split("_"):
            for part in identifier_parts(piece) or [piece.lower()]:
                if 4 <= len(part) <= 16 and part.isalpha() and part not in STOP_WORDS:
                    found[part] = None
    return tuple(sorted(found, key=lambda part: (-len(part), part))[:_WORDS])
