"""The words Postil thinks in: plain frozen values. Nothing here reads, writes or serialises."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from enum import StrEnum

from postil.errors import UsageError

# Crockford's base 32: no letters that look alike, so that a citation can be read out and typed.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(prefix: str) -> str:
    """A short sortable id such as `m-01k3h9x2v7qa`: 35 bits of seconds, 25 bits of chance."""
    number = (int(time.time()) & ((1 << 35) - 1)) << 25 | secrets.randbits(25)
    digits = [_ALPHABET[number >> shift & 31] for shift in range(55, -5, -5)]
    return f"{prefix}-{''.join(digits)}"


class Kind(StrEnum):
    """What sort of statement a memory is."""

    DECISION = "decision"
    FACT = "fact"
    RULE = "rule"
    PREFERENCE = "preference"
    PLAN = "plan"
    LESSON = "lesson"
    SNIPPET = "snippet"
    SUMMARY = "summary"
    NOTE = "note"

    @classmethod
    def parse(cls, text: str) -> Kind:
        """The kind named by `text`; UsageError names the choices."""
        try:
            return cls(text.strip().lower())
        except ValueError:
            choices = ", ".join(cls)
            raise UsageError(f"unknown kind {text!r}", hint=f"one of: {choices}") from None


class Scope(StrEnum):
    """Where a memory holds."""

    PROJECT = "project"
    USER = "user"

    @classmethod
    def parse(cls, text: str) -> Scope:
        """The scope named by `text`; UsageError names the choices."""
        try:
            return cls(text.strip().lower())
        except ValueError:
            raise UsageError(f"unknown scope {text!r}", hint="one of: project, user") from None


class Status(StrEnum):
    """Whether a memory holds now."""

    ACTIVE = "active"
    PROPOSED = "proposed"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Ties a memory to code: by content, never by a row id, so that a new map loses nothing.

    `path` is relative to the project root with `/`; `symbol` is the qualified name or "" for the
    whole file; `content_hash` is the hash of the symbol's (or file's) text when it was attached.
    """

    path: str
    symbol: str = ""
    symbol_kind: str = ""
    content_hash: str = ""
    commit: str = ""


class AnchorState(StrEnum):
    """What became of an anchor's code since the memory was attached."""

    EXACT = "exact"
    MOVED = "moved"
    DRIFTED = "drifted"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ResolvedAnchor:
    """An anchor with what it points to now. `line` is 1-based, 0 when the code is gone."""

    anchor: Anchor
    state: AnchorState
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """A statement worth keeping. Times are seconds since the epoch, UTC; importance is 0..1."""

    id: str
    what: str
    kind: Kind = Kind.NOTE
    scope: Scope = Scope.PROJECT
    why: str = ""
    tags: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    importance: float = 0.5
    pinned: bool = False
    status: Status = Status.ACTIVE
    author: str = ""
    client: str = ""
    session: str = ""
    source: str = ""
    created_at: float = 0.0
    updated_at: float = 0.0
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """One turn of a conversation as it happened, already redacted. `id` makes it idempotent.

    `start` and `end` are the byte range of `transcript` it was read from; the store numbers the
    turns of a session in the order they come (`ordinal`).
    """

    id: str
    session: str
    role: str
    text: str
    ordinal: int = -1
    client: str = ""
    at: float = 0.0
    transcript: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory or an episode found by recall; `score` is comparable within one answer only."""

    score: float
    memory: Memory | None = None
    episode: Episode | None = None
    anchors: tuple[ResolvedAnchor, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def id(self) -> str:
        """The citation: the id of the memory or the episode."""
        item = self.memory or self.episode
        assert item is not None
        return item.id


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a recall: what fits the budget, and what was left out."""

    hits: tuple[Hit, ...]
    omitted: int = 0
    searched: int = 0
    vectors: bool = False


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition in the code. Lines are 1-based and inclusive, columns 0-based in bytes."""

    path: str
    name: str
    qualified: str
    kind: str
    line: int
    end_line: int
    column: int = 0
    signature: str = ""
    doc: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement: the module as written, and the line it stands on (1-based)."""

    module: str
    line: int


@dataclass(frozen=True, slots=True)
class Skip:
    """A file that was not indexed, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A symbol found by `index_search`; `score` is comparable within one answer only."""

    symbol: Symbol
    score: float
    memories: int = 0


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the code map lags behind the working tree; `behind` is None when nobody looked."""

    indexed_head: str
    head: str
    files: int
    symbols: int
    behind: int | None
    skipped: tuple[tuple[str, int], ...] = field(default=())
