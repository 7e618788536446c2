"""What the memory core asks of a store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from postil.model import Episode, Kind, Memory, Status


class Shelf(Enum):
    """The two searchable collections, kept apart so that neither drowns the other."""

    MEMORY = "memory"
    EPISODE = "episode"


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript has been read: the next byte."""

    path: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Fit:
    """A fit of the static embedder to a store: its token counts and mean, as raw arrays."""

    number: int
    name: str
    dimension: int
    fitted_rows: int
    counts: bytes
    mean: bytes


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories take part. Empty fields do not restrict."""

    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    statuses: tuple[Status, ...] = (Status.ACTIVE,)


@dataclass(frozen=True, slots=True)
class Pending:
    """A row whose vector is missing or of an older fit."""

    shelf: Shelf
    rowid: int
    text: str


Scores = dict[int, float]


class Store(Protocol):
    """A store of memories and episodes. Each method is one short transaction; StoreError."""

    def add_memory(self, memory: Memory, content_key: str) -> tuple[Memory, bool]:
        """Store a memory; (the memory, True), or (the one with this key already there, False)."""
        ...

    def set_status(self, memory_id: str, status: Status, superseded_by: str, at: float) -> bool:
        """Change a memory's status; False when there is no such memory."""
        ...

    def memory(self, memory_id: str) -> Memory | None:
        """The memory with this id."""
        ...

    def memories(self, rowids: Sequence[int]) -> dict[int, Memory]:
        """Memories by row."""
        ...

    def list_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """Memories by importance and age, pinned ones first."""
        ...

    def tied_to(self, path: str, symbols: Sequence[str], hashes: Sequence[str]) -> list[Memory]:
        """Active memories with an anchor at this path, on such a symbol or of such a content."""
        ...

    def counts(self) -> dict[str, int]:
        """Active memories by kind, and `episode`."""
        ...

    def add_episodes(self, episodes: Sequence[Episode], cursor: Cursor | None) -> int:
        """Store turns and how far was read, together; the number of turns that were new."""
        ...

    def cursor(self, path: str) -> Cursor:
        """How far this transcript has been read; the beginning when it is new."""
        ...

    def last_turn(self, session: str, role: str) -> str:
        """The text of a session's newest turn of a role; "" when there is none."""
        ...

    def episodes(self, rowids: Sequence[int]) -> dict[int, Episode]:
        """Episodes by row."""
        ...

    def neighbours(self, rowids: Sequence[int]) -> dict[int, list[int]]:
        """For each episode row, the rows of the turns just before and after it."""
        ...

    def match_words(self, shelf: Shelf, terms: list[str], filters: Filters, limit: int) -> Scores:
        """Rows that hold any of the terms, by BM25 (higher is better)."""
        ...

    def match_vector(self, shelf: Shelf, vector: bytes, fit: int, limit: int) -> Scores:
        """The nearest rows of this fit, by cosine similarity (higher is better)."""
        ...

    def passing(self, rowids: Sequence[int], filters: Filters) -> set[int]:
        """The memory rows among `rowids` that the filters let through."""
        ...

    def current_fit(self) -> Fit | None:
        """The fit that queries are compared under."""
        ...

    def fitting(self) -> AbstractContextManager[bool]:
        """The right to fit this store, True, or False while another process or thread has it."""
        ...

    def add_fit(self, fit: Fit) -> int:
        """Store a fit, not yet current, with room for its vectors; its number."""
        ...

    def make_current(self, number: int) -> None:
        """Let queries use this fit and its vectors; other fits and their vectors go."""
        ...

    def rows_after(self, shelf: Shelf, rowid: int, limit: int) -> list[Pending]:
        """The rows of a shelf after a row, in order."""
        ...

    def without_vector(self, limit: int) -> list[Pending]:
        """Rows that have no vector of the current fit."""
        ...

    def sample_texts(self, limit: int) -> list[str]:
        """The newest texts, for fitting."""
        ...

    def put_vectors(self, fit: int, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Store vectors (raw float32) of this fit; nothing when it is no longer there."""
        ...

    def change_counter(self) -> int:
        """A number that moves when another process has written."""
        ...

    def integrity(self) -> str:
        """`ok`, or what the database's own check found."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
