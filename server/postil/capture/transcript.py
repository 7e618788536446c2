"""Reads what was added to a transcript since the last time, line by line, by byte offset."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from postil.times import parse_instant

# A longer line holds images or tool output; nothing of it is conversation.
MAX_LINE = 8_000_000


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as a transcript tells it. `id` is the client's own.

    `at` is UTC seconds, 0 unknown; `offset` the minutes east of UTC where it was taken.
    """

    id: str
    role: str
    text: str
    session: str = ""
    at: float = 0.0
    start: int = 0
    end: int = 0
    offset: int = 0


@dataclass(slots=True)
class Reading:
    """The state of one reading: the offset after the last whole line, and what was passed over."""

    offset: int
    malformed: int = 0
    oversized: int = 0


Parse = Callable[[dict[str, object]], Turn | None]


def read_since(path: Path, reading: Reading, parse: Parse) -> Iterator[tuple[Turn, int, int]]:
    """Turns after `reading.offset` with their byte ranges; `reading` is moved along.

    A half-written last line is left for the next time. A file that has become shorter was
    rewritten and is read from its beginning: the ids of turns keep them from counting twice.
    """
    with path.open("rb") as file:
        if path.stat().st_size < reading.offset:
            reading.offset = 0
        file.seek(reading.offset)
        while line := file.readline(MAX_LINE):
            start = reading.offset
            if not line.endswith(b"\n"):
                if len(line) < MAX_LINE:
                    return
                rest = _skip_line(file.readline)
                if rest is None:
                    return
                reading.oversized += 1
                reading.offset += len(line) + rest
                continue
            reading.offset += len(line)
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                reading.malformed += 1
                continue
            turn = parse(row) if isinstance(row, dict) else None
            if turn is not None:
                # A format without ids: the place in its file tells one turn from another.
                yield turn if turn.id else replace(turn, id=f"@{start}"), start, reading.offset


def text_of_blocks(content: object, kinds: frozenset[str] | None) -> str:
    """The text of a message: as it is, or of its blocks of these types (None: of any)."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        str(one.get("text") or "")
        for one in parts
        if isinstance(one, dict) and (kinds is None or one.get("type") in kinds)
    ]
    return "\n".join(text for text in texts if text)


def instant(stamp: object) -> tuple[float, int]:
    """When a line was written: UTC seconds and minutes east; zeros when it does not say."""
    try:
        return parse_instant(str(stamp))
    except (ValueError, OverflowError, OSError):
        return 0.0, 0


def _skip_line(readline: Callable[[int], bytes]) -> int | None:
    """The length of the rest of a line; None when the file ends before it does."""
    length = 0
    while part := readline(MAX_LINE):
        length += len(part)
        if part.endswith(b"\n"):
            return length
    return None
