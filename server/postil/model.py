"""The words Postil thinks in: plain frozen values. Nothing here reads, writes or serialises."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, NamedTuple

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


class ScopeKind(StrEnum):
    """The sorts of scope, the one that counts most among equals first."""

    SESSION = "session"
    TEAM = "team"
    PROJECT = "project"
    USER = "user"
    DIARY = "diary"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a memory holds: `project`, `user`, `team`, `session:ID` or `diary:AGENT`."""

    kind: ScopeKind
    name: str = ""

    PROJECT: ClassVar[Scope]
    USER: ClassVar[Scope]
    TEAM: ClassVar[Scope]

    @classmethod
    def parse(cls, text: str) -> Scope:
        """The scope that `text` names; UsageError names the choices."""
        head, _, name = text.strip().partition(":")
        try:
            kind: ScopeKind | None = ScopeKind(head.strip().lower())
        except ValueError:
            kind = None
        needs_name = kind in (ScopeKind.SESSION, ScopeKind.DIARY)
        if kind is None or needs_name != bool(name) or not set(name) <= _NAME_CHARACTERS:
            raise UsageError(
                f"unknown scope {text!r:.80}",
                hint="one of: project, user, team, session:ID, diary:AGENT",
            )
        return cls(kind, name[:80])

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind.value


# A name ends up in queries, file names and lines of text: it can break none of them.
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@")
Scope.PROJECT = Scope(ScopeKind.PROJECT)
Scope.USER = Scope(ScopeKind.USER)
Scope.TEAM = Scope(ScopeKind.TEAM)


class Status(StrEnum):
    """Whether a memory holds now."""

    ACTIVE = "active"
    PROPOSED = "proposed"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"

    @property
    def is_live(self) -> bool:
        """Whether it holds, or would once a person says so."""
        return self in (Status.ACTIVE, Status.PROPOSED)


class Tier(StrEnum):
    """How long a memory is meant to serve: the core of a project, the long run, or a while."""

    CORE = "core"
    LONG = "long"
    SHORT = "short"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something: `person` or `agent:NAME`, with client and session where known."""

    author: str = "person"
    client: str = ""
    session: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person acts, who may approve, erase and change settings."""
        return self.author == "person"

    @property
    def agent(self) -> str:
        """The agent's name; "" for a person."""
        return self.author.partition("agent:")[2]

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What this actor sees unless told otherwise, the scope that counts most first."""
        seen = [Scope.TEAM, Scope.PROJECT, Scope.USER]
        if self.session:
            seen.insert(0, Scope(ScopeKind.SESSION, self.session))
        if self.agent:
            seen.append(Scope(ScopeKind.DIARY, self.agent))
        return tuple(seen)


@dataclass(frozen=True, slots=True)
class Anchor:
    """Ties a memory to code: by content, never by a row id, so that a new map loses nothing.

    `path` is relative to the project root with `/`; `symbol` is the qualified name or "" for the
    whole file; `content_hash` is the hash of the symbol's (or file's) text when it was attached,
    and `fingerprint` what it is known by once that text has changed.
    """

    path: str
    symbol: str = ""
    symbol_kind: str = ""
    content_hash: str = ""
    commit: str = ""
    fingerprint: str = ""


class AnchorState(StrEnum):
    """What became of an anchor's code since the memory was attached."""

    EXACT = "exact"
    MOVED = "moved"
    DRIFTED = "drifted"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ResolvedAnchor:
    """An anchor with what it points to now. `line` is 1-based, 0 when the code is gone.

    `symbol` is the qualified name that it has now.
    """

    anchor: Anchor
    state: AnchorState
    path: str = ""
    line: int = 0
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What breaks a rule: a line that `regex` finds, a node that `query` captures as `@match`.

    `query` is of tree-sitter, for `language`. `glob` (as in .gitignore) says in which files; alone
    it says that these files are not to be touched.
    """

    regex: str = ""
    query: str = ""
    language: str = ""
    glob: str = ""

    def __bool__(self) -> bool:
        """Whether there is anything to check."""
        return bool(self.regex or self.query or self.glob)


@dataclass(frozen=True, slots=True)
class Memory:
    """A statement worth keeping. Times are seconds since the epoch, UTC, 0 where not known.

    `when` is the time of what it tells of, `offset` the writer's minutes east of UTC. Importance is
    0..1 everywhere. `about` names entities, `anchors` say where. `sources` cites the episodes or
    memories it came from, `source` what else it came from (`comment:PATH`, `commit:SHA`, a URL).
    `pattern` is what breaks it, for a rule that can be checked.
    """

    id: str
    what: str
    kind: Kind = Kind.NOTE
    scope: Scope = Scope.PROJECT
    why: str = ""
    who: str = ""
    how: str = ""
    when: float = 0.0
    about: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    pattern: Pattern = Pattern()
    importance: float = 0.5
    tier: Tier = Tier.LONG
    pinned: bool = False
    status: Status = Status.ACTIVE
    valid_from: float = 0.0
    valid_until: float = 0.0
    author: str = ""
    client: str = ""
    session: str = ""
    source: str = ""
    sources: tuple[str, ...] = ()
    commit: str = ""
    created_at: float = 0.0
    updated_at: float = 0.0
    offset: int = 0
    version: int = 1
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""

    @property
    def is_foreign(self) -> bool:
        """Whether the text came from outside, so that nobody here answers for it."""
        return self.source.startswith(("http:", "https:", "web:"))


class Action(StrEnum):
    """What was done to a memory or a fact."""

    WRITE = "write"
    MERGE = "merge"
    UPDATE = "update"
    SUPERSEDE = "supersede"
    FORGET = "forget"
    RESTORE = "restore"
    ARCHIVE = "archive"
    APPROVE = "approve"
    REJECT = "reject"
    ERASE = "erase"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Event:
    """One change. `before` is the record as it was, None for a new one or once it is erased.

    Changes of one operation share a `batch`. `number` is the store's own, in the order of time.
    """

    target: str
    action: Action
    actor: Actor
    at: float
    batch: str
    before: Memory | Fact | None = None
    number: int = 0


class FactStatus(StrEnum):
    """Whether a fact counts. A replaced one still held in its time; an invalid one never did."""

    ASSERTED = "asserted"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, predicate, object, with the time in which it held: [valid_from, valid_until).

    `valid_until` is 0 while it holds. `recorded_at` is when it was written down.
    """

    id: str
    subject: str
    predicate: str
    object: str
    scope: Scope = Scope.PROJECT
    valid_from: float = 0.0
    valid_until: float = 0.0
    recorded_at: float = 0.0
    status: FactStatus = FactStatus.ASSERTED
    author: str = ""
    client: str = ""
    session: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that memories and facts are about, with the other names it goes by."""

    name: str
    scope: Scope = Scope.PROJECT
    aliases: tuple[str, ...] = ()


class Verdict(StrEnum):
    """What a new statement is to one that is there."""

    ADD = "add"
    DUPLICATE = "duplicate"
    UPDATE = "update"
    CONTRADICT = "contradict"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A pair for a person to judge: does `new` replace `old`, say the same, or hold beside it?"""

    id: str
    new: str
    old: str
    verdict: Verdict
    reason: str
    at: float
    opinion: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """One turn of a conversation as it happened, already redacted. `id` makes it idempotent.

    `at` is UTC, `offset` the minutes east of it where the turn was taken.
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
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory or an episode found by recall; `score` is comparable within one answer only.

    `parts` are the named numbers that the score is the sum of. `alike` are the ids of hits that say
    the same and are counted with this one.
    """

    score: float
    memory: Memory | None = None
    episode: Episode | None = None
    anchors: tuple[ResolvedAnchor, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The citation: the id of the memory or the episode."""
        item = self.memory or self.episode
        assert item is not None
        return item.id


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a recall: what fits the budget, and the ids of what was left out.

    `vectors` tells whether meaning was compared, `problem` why it could not be. Without hits
    nothing came near enough.
    """

    hits: tuple[Hit, ...]
    cut: tuple[str, ...] = ()
    vectors: bool = False
    problem: str = ""


class Symbol(NamedTuple):
    """A definition in the code. Lines are 1-based and inclusive, columns 0-based in bytes.

    `content_hash` is of its text as far as neither a formatter nor another name changes it.
    """

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
    """An import: the module as written, the line it stands on (1-based), the whole statement.

    `target` is the file of this project that it was resolved to, "" when none was found.
    """

    module: str
    line: int
    statement: str = ""
    target: str = ""


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
class FileHit:
    """A file found by `index_search`."""

    path: str
    score: float
    memories: int = 0


@dataclass(frozen=True, slots=True)
class ImportHit:
    """An import found by `index_search`; `target` is the file that it leads to, "" elsewhere."""

    path: str
    line: int
    module: str
    target: str


@dataclass(frozen=True, slots=True)
class CommitHit:
    """A commit found by `index_search`: `at` in seconds since the epoch, some of its files."""

    sha: str
    at: int
    subject: str
    files: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the code map lags behind the working tree; `behind` is None when nobody looked.

    `dirty` is how many files differed from HEAD when the tree was last compared, None outside git.
    """

    indexed_head: str
    head: str
    files: int
    symbols: int
    behind: int | None
    dirty: int | None = None
    skipped: tuple[tuple[str, int], ...] = field(default=())
