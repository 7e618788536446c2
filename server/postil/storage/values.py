"""The values that a store takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.model import Kind, Scope, ScopeKind, Status, Tier


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
    """Which memories take part. `scopes` is what the asker may see: none, and nothing is found.

    The other fields do not restrict when they are empty. Episodes belong to the project.
    `valid_at` leaves out what had ceased to hold by that instant (0: nothing). `created`,
    `updated` and `held` are [since, until) in seconds, 0 for an open end; turns have only the
    first of them.
    """

    scopes: tuple[Scope, ...]
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    valid_at: float = 0.0
    tiers: tuple[Tier, ...] = ()
    authors: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    created: tuple[float, float] = (0.0, 0.0)
    updated: tuple[float, float] = (0.0, 0.0)
    held: tuple[float, float] = (0.0, 0.0)

    @property
    def is_narrow(self) -> bool:
        """Whether they leave out more than usual scopes, status and time of validity do."""
        own = (ScopeKind.SESSION, ScopeKind.DIARY)
        return (
            self.of_memories or any(self.created) or all(scope.kind in own for scope in self.scopes)
        )

    @property
    def of_memories(self) -> bool:
        """Whether they ask for what only memories have."""
        lists = (self.kinds, self.tags, self.path, self.tiers, self.authors, self.about)
        return any(lists) or any(self.updated) or any(self.held)

    @property
    def scope_kinds(self) -> tuple[ScopeKind, ...]:
        """The sorts of scope among `scopes`."""
        return tuple(dict.fromkeys(scope.kind for scope in self.scopes))


@dataclass(frozen=True, slots=True)
class Pending:
    """A row whose vectors are missing or of an older fit."""

    shelf: Shelf
    rowid: int
    text: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Digests by which a statement is known again: with kind and reason, and by its text alone."""

    content: str
    text: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a store: its file, its log, and the pages of the file that hold nothing."""

    main: int
    log: int
    free: int


@dataclass(frozen=True, slots=True)
class Postings:
    """The rows in which a term stands, in order, and how often (weighted by column)."""

    rows: NDArray[np.int64]
    counts: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Around:
    """A turn near another one: its row, session and place in it."""

    row: int
    session: str
    ordinal: int


Matrix = NDArray[Any]
"""Numbers in rows; what they are is said where they are given."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Terms in order, and where they stand: those of term `i` are [ends[i - 1], ends[i])."""

    terms: list[str]
    ends: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Changes:
    """How far the searchable rows have changed: `number` grows with each change.

    `epoch` is another one once the whole content was replaced. Changes up to `forgotten` are no
    longer known one by one.
    """

    epoch: int
    number: int
    forgotten: int


Scores = dict[int, float]
Progress = Callable[[int, int], None]
"""Called with what is done and how much there is."""


@dataclass(frozen=True, slots=True)
class Dismissal:
    """That a rule may be broken by one line of a file, and why.

    `line` is a digest of the line's text, so that it moves with it and ends when it is changed; ""
    is the file as a whole.
    """

    memory: str
    path: str
    line: str
    reason: str
    author: str
    at: float
