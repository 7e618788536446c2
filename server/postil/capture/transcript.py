"""Reads what was added to a transcript since the last time, line by line, by byte offset."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
                yield turn, start, reading.offset


def _skip_line(readline: Callable[[int], bytes]) -> int | None:
    """The length of the rest of a line; None when the file ends before it does."""
    length = 0
    while part := readline(MAX_LINE):
        length += len(part)
        if part.endswith(b"\n"):
            return length
    return None
