"""What the memory core asks of a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from postil.model import Entity, Episode, Event, Fact, Memory, Scope, Suggestion, Verdict
from postil.storage.reads import Mirrored, Reading
from postil.storage.values import (
    Around,
    Changes,
    Cursor,
    Dismissal,
    Filters,
    Fit,
    Keys,
    Matrix,
    Pending,
    Postings,
    Progress,
    Scores,
    Shelf,
    Sizes,
    Standing,
)

__all__ = [
    "Around",
    "Changes",
    "Cursor",
    "Dismissal",
    "Filters",
    "Fit",
    "Keys",
    "Matrix",
    "Pending",
    "Postings",
    "Progress",
    "Reading",
    "Scores",
    "Shelf",
    "Sizes",
    "Standing",
    "Store",
]


class Memories(Protocol):
    """Memories by id, by scope, by place."""

    def insert_memory(self, memory: Memory, keys: Keys) -> Memory:
        """Store a new memory with its words and anchors; its id is changed if it is taken."""
        ...

    def replace_memory(self, memory: Memory, keys: Keys) -> None:
        """Write a memory over the one with its id; words, anchors and vectors follow."""
        ...

    def memory(self, memory_id: str) -> Memory | None:
        """The memory with this id, whatever its status."""
        ...

    def with_content(self, content_key: str) -> Memory | None:
        """The active or proposed memory of this content."""
        ...

    def memories(self, rowids: Sequence[int]) -> dict[int, Memory]:
        """Memories by row."""
        ...

    def list_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """Memories by importance and age, pinned ones first, those of the future last."""
        ...

    def newest_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """Memories by the time they were written, the newest first."""
        ...

    def tied_to(
        self,
        path: str,
        symbols: Sequence[str],
        hashes: Sequence[str],
        places: Sequence[tuple[str, str]],
        scopes: Sequence[Scope],
    ) -> list[Memory]:
        """Active memories with an anchor at this path, on such a symbol or of such a content.

        Also those with an anchor at one of `places` (path and symbol).
        """
        ...

    def with_pattern(self, scopes: Sequence[Scope]) -> list[Memory]:
        """Active rules that can be checked."""
        ...

    def with_anchors(self, scopes: Sequence[Scope]) -> list[Memory]:
        """Active memories that are tied to code."""
        ...

    def anchored(self) -> list[tuple[str, str]]:
        """The places (path and symbol) that memories are tied to."""
        ...

    def holding(self, text: str) -> list[Memory]:
        """All memories, of any status and scope, in which this text stands (case ignored)."""
        ...

    def counts(self, scopes: Sequence[Scope]) -> dict[str, int]:
        """Active memories by kind, and `episode`."""
        ...

    def scopes(self) -> list[Scope]:
        """The scopes that memories lie in."""
        ...

    def row_counts(self) -> dict[Shelf, int]:
        """The searchable rows of each shelf, of all scopes."""
        ...

    def session_totals(self, session: str, author: str) -> tuple[int, int]:
        """How many changes an author made in a session, and how many characters they wrote.

        Without a session, those of the last day count.
        """
        ...

    def every_memory(self) -> Iterator[Memory]:
        """All memories in the order they were stored, a batch at a time."""
        ...

    def twins(self) -> list[tuple[str, ...]]:
        """Ids of active memories that have the same text, scope, kind and reason."""
        ...


class Episodes(Protocol):
    """Turns of conversations."""

    def add_episodes(self, episodes: Sequence[Episode], cursor: Cursor | None) -> int:
        """Store turns and how far was read, together; the number of turns that were new."""
        ...

    def cursor(self, path: str) -> Cursor:
        """How far this transcript has been read; the beginning when it is new."""
        ...

    def last_turn(self, session: str, role: str) -> Episode | None:
        """A session's newest turn of a role."""
        ...

    def episodes(self, rowids: Sequence[int]) -> dict[int, Episode]:
        """Episodes by row."""
        ...

    def episode(self, episode_id: str) -> Episode | None:
        """The episode with this id."""
        ...

    def turns_around(self, session: str, ordinal: int, count: int) -> list[Episode]:
        """A turn of a session with so many before and after it, in their order."""
        ...

    def turns_holding(self, text: str) -> list[Episode]:
        """All turns in which this text stands (case ignored)."""
        ...

    def every_episode(self) -> Iterator[Episode]:
        """All turns in the order they were stored."""
        ...

    def cursors(self) -> list[Cursor]:
        """How far each known transcript was read."""
        ...


class Sessions(Protocol):
    """What each session was told already."""

    def injected(self, session: str) -> dict[str, float]:
        """The marks of a session (ids of memories among them) and when they were set, by time."""
        ...

    def note_injected(self, session: str, marks: Iterable[str], at: float) -> None:
        """Set marks of a session; those of sessions long over go."""
        ...

    def forget_injected(self, session: str) -> None:
        """Take away all marks of a session: what it was told is not before it any more."""
        ...


class Search(Protocol):
    """Words and vectors."""

    def match_vector(
        self, shelf: Shelf, vector: bytes, fit: int, filters: Filters, limit: int
    ) -> Scores:
        """The nearest rows of this fit in the filters' scopes, by cosine similarity."""
        ...

    def passing(self, shelf: Shelf, rowids: Sequence[int], filters: Filters) -> set[int]:
        """The rows among `rowids` that the filters let through."""
        ...

    def current_fit(self) -> Fit | None:
        """The fit that queries are compared under."""
        ...

    def fitting(self) -> AbstractContextManager[bool]:
        """The right to fit this store, True, or False while another process or thread has it."""
        ...

    def unfinished_fit(self) -> Fit | None:
        """The fit that was begun and is not current yet."""
        ...

    def filled_up_to(self, shelf: Shelf, fit: int) -> int:
        """The last row of a shelf that has a vector of this fit; 0 when none has."""
        ...

    def add_fit(self, fit: Fit) -> int:
        """Store a fit, not yet current, with room for its vectors; its number."""
        ...

    def make_current(self, number: int) -> None:
        """Let queries use this fit and its vectors; other fits and their vectors go."""
        ...

    def rows_after(self, shelf: Shelf, rowid: int, limit: int) -> list[Pending]:
        """The searchable rows of a shelf after a row, in order."""
        ...

    def without_vector(self, limit: int) -> list[Pending]:
        """Searchable rows that have no vector of the current fit."""
        ...

    def sample_texts(self, limit: int) -> list[str]:
        """The newest texts, for fitting."""
        ...

    def put_vectors(self, fit: int, rows: Sequence[tuple[Pending, Sequence[bytes]]]) -> None:
        """Store each row's vectors (raw float32, one a chunk); nothing when the fit is gone."""
        ...

    def row_of(self, memory_id: str) -> int:
        """The row of a memory; 0 when there is none."""
        ...


class Journal(Protocol):
    """What was done, what must not come back, what waits for a person."""

    def add_event(self, event: Event) -> None:
        """Note a change."""
        ...

    def events_of(self, target: str) -> list[Event]:
        """What was done to a memory or fact, oldest first."""
        ...

    def events_in(self, session: str) -> list[Event]:
        """What a session did, oldest first."""
        ...

    def every_event(self) -> Iterator[Event]:
        """All changes, oldest first."""
        ...

    def add_tombstone(self, key: str, target: str, at: float) -> None:
        """Let nothing with this key come in again."""
        ...

    def tombstone(self, key: str) -> tuple[str, float] | None:
        """What bore this key and when it went; None when the key is free."""
        ...

    def lift_tombstones(self, target: str) -> None:
        """Let what this memory said come in again."""
        ...

    def tombstones(self) -> list[tuple[str, str, float]]:
        """All keys, with what bore them and when it went."""
        ...

    def is_gone(self, target: str) -> bool:
        """Whether the record of this id was erased: a tombstone is all that is left."""
        ...

    def has_event(self, event: Event) -> bool:
        """Whether this change is noted already."""
        ...

    def request(self, key: str) -> tuple[str, str] | None:
        """The digest and the memory of a write that came under this name."""
        ...

    def add_request(self, key: str, digest: str, target: str, at: float) -> None:
        """Note that a write came under this name."""
        ...

    def add_suggestion(self, suggestion: Suggestion) -> bool:
        """Put a pair before a person; False when it is there already."""
        ...

    def suggestions(self) -> list[Suggestion]:
        """The pairs that are open, oldest first."""
        ...

    def judge_suggestion(self, suggestion_id: str, verdict: Verdict, opinion: str) -> None:
        """Note what a judge said of an open pair."""
        ...

    def close_suggestions(self, ids: Sequence[str]) -> None:
        """Take pairs off the list."""
        ...

    def add_preview(self, digest: str, action: str, selection: str, expires_at: float) -> None:
        """Keep a selection until it is confirmed or its time is over."""
        ...

    def take_preview(self, digest: str, now: float) -> tuple[str, str] | None:
        """A selection's action and rows, once; None when it is unknown, taken or expired."""
        ...


class Dismissals(Protocol):
    """Where rules may be broken."""

    def add_dismissal(self, dismissal: Dismissal) -> None:
        """Let a rule be broken there; a reason given before is replaced."""
        ...

    def dismissals(self, memories: Sequence[str]) -> list[Dismissal]:
        """Where these rules may be broken, by time."""
        ...

    def remove_dismissal(self, dismissal: Dismissal) -> None:
        """Let the rule hold there again."""
        ...


class Facts(Protocol):
    """Facts and the things that they and the memories are about."""

    def put_fact(self, fact: Fact, subject_key: str, object_key: str) -> None:
        """Store a fact, or write over the one with its id."""
        ...

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id."""
        ...

    def facts(
        self, scopes: Sequence[Scope], subject_key: str = "", predicate: str = ""
    ) -> list[Fact]:
        """Facts of any status in these scopes by the time they began."""
        ...

    def every_fact(self) -> Iterator[Fact]:
        """All facts in the order they were stored."""
        ...

    def put_entity(self, entity: Entity, key: str, alias_keys: Sequence[tuple[str, str]]) -> bool:
        """Store an entity with its aliases (key, alias), or add aliases; whether any was new.

        Facts under an alias become facts of the entity.
        """
        ...

    def entities(self, scopes: Sequence[Scope]) -> list[Entity]:
        """The entities of these scopes by name."""
        ...

    def every_entity(self) -> Iterator[Entity]:
        """All entities in the order they were stored."""
        ...

    def names_of(self, keys: Sequence[str], scopes: Sequence[Scope]) -> dict[str, tuple[str, ...]]:
        """All names of the entities in these scopes that go by any of the keys, by that key."""
        ...

    def main_key(self, scope: Scope, key: str) -> str:
        """The key of the entity that goes by this key; `key` itself when there is none."""
        ...


class Upkeep(Protocol):
    """Transactions, files, health."""

    def reading(self) -> AbstractContextManager[None]:
        """All reads inside see one state of the store. Short, and nothing is written inside."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside happens together or not at all; may be nested. No model call inside."""
        ...

    def erase_rows(
        self, ids: Sequence[str], texts: Sequence[str], wholes: Sequence[str], at: float
    ) -> int:
        """Remove memories, turns and facts, and from the history what holds one of `texts`, or
        has a field that says just one of `wholes`.

        Part of a transaction; `scrub` must follow. Returns the number of the erasure.
        """
        ...

    def traces(self, text: str) -> int:
        """In how many earlier versions, names and suggestions a text stands."""
        ...

    def scrub(self) -> bool:
        """Leave nothing of erased rows in any page or log of the file. Not in a transaction.

        False while another process still reads an older state, which holds the log back.
        """
        ...

    def erasures(self) -> list[tuple[int, tuple[str, ...]]]:
        """Erasures whose files are not known to be clean yet, with what they removed."""
        ...

    def end_erasure(self, number: int) -> None:
        """Note that an erasure is complete."""
        ...

    def backup_to(self, target: Path, progress: Progress | None = None) -> None:
        """A consistent copy of the whole store, whoever writes meanwhile."""
        ...

    def restore_from(self, source: Path, progress: Progress | None = None) -> None:
        """Take over the content of a copy, in one step."""
        ...

    def note_backups(self, paths: Sequence[Path]) -> None:
        """Note copies of this store, so that an erasure reaches them."""
        ...

    def backups(self) -> list[Path]:
        """The copies that were made of this store."""
        ...

    def sizes(self) -> Sizes:
        """The bytes of the file, its log and its free pages."""
        ...

    def compact(self) -> None:
        """Give back free pages and the log."""
        ...

    def change_counter(self) -> int:
        """A number that moves when another process has written."""
        ...

    @property
    def reopened(self) -> int:
        """How often the store's file was found removed or replaced, and opened anew."""
        ...

    def integrity(self) -> str:
        """`ok`, or what the database's own check found."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Store(
    Memories,
    Episodes,
    Sessions,
    Dismissals,
    Search,
    Reading,
    Mirrored,
    Journal,
    Facts,
    Upkeep,
    Protocol,
):
    """A store of memories and episodes.

    Each method is one short transaction, or part of the one that `transaction` opened. Raises
    StoreError.
    """

    @property
    def path(self) -> Path:
        """The file, for messages and for what lies beside it."""
        ...
