"""Where recall reads: words by BM25, vectors by cosine, and what stands beside what.

A `Reader` is one store as one process sees it: straight from the file (`StoreReader`), or from a
mirror in memory. Both rank by the same formula, so that the same question has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.memory.query import Term
from postil.memory.vectors import Encoded
from postil.storage.store import Around, Filters, Postings, Scores, Shelf, Store

# Held out on LoCoMo, these saturate and normalise better than SQLite's own 1.2 and 0.75.
_K1, _B = 0.9, 0.4
# Rows that the words of one query may bring from the file: each costs some 2 microseconds there.
# The commonest words are left out first, they say least.
MATCH_BUDGET = 12_000
# So few rows are compared one by one: the nearest of all may all be others.
NARROW = 2_000
_BITS = 32

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows that hold terms of a question, the best first: their scores, and which terms (bits)."""

    rows: Rows
    scores: NDArray[np.float64]
    bits: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A term with what it says: the rarer, the more. `idf` is 0 when nobody wrote it."""

    term: Term
    idf: float


class Reader(Protocol):
    """One store as recall reads it."""

    @property
    def store(self) -> Store:
        """The store behind it."""
        ...

    def weigh(self, shelf: Shelf, terms: Sequence[Term]) -> list[Weighed]:
        """What each term says in this store."""
        ...

    def words(
        self, shelf: Shelf, terms: Sequence[Weighed], filters: Filters, limit: int
    ) -> Matches:
        """The rows that hold the terms, the best `limit` of those that the filters let through."""
        ...

    def nearest(self, shelf: Shelf, vector: Encoded, filters: Filters, limit: int) -> Scores:
        """The rows nearest to a vector, by cosine similarity."""
        ...

    def similar(self, shelf: Shelf, rows: Sequence[int], vector: Encoded) -> Scores:
        """The similarity of these rows to a vector; those without one are left out."""
        ...

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """Turns and those up to `distance` beside them, by session and place."""
        ...


class StoreReader:
    """Reads the file, a query at a time: for a process that is alone or begins."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def store(self) -> Store:
        """See `Reader.store`."""
        return self._store

    def weigh(self, shelf: Shelf, terms: Sequence[Term]) -> list[Weighed]:
        """See `Reader.weigh`."""
        forms = dict.fromkeys(form for term in terms for form in term.forms)
        counts = self._store.frequencies(shelf, list(forms))
        total, _ = self._store.extent(shelf)
        return [weighed(term, counts, total) for term in terms]

    def words(
        self, shelf: Shelf, terms: Sequence[Weighed], filters: Filters, limit: int
    ) -> Matches:
        """See `Reader.words`."""
        _, typical = self._store.extent(shelf)
        postings: dict[int, Postings] = {}
        for place in affordable(terms, self._count(shelf)):
            postings[place] = _of_term(terms[place].term, lambda form: self._store.postings(shelf, form))
        if not postings:
            return nothing()
        rows = np.unique(np.concatenate([one.rows for one in postings.values()]))
        lengths = self._store.lengths(shelf, rows.tolist())
        # Every matched row is there: words and rows are written in one transaction.
        sizes = np.array([lengths.get(row, 0) for row in rows.tolist()], np.float64)
        found = bm25(rows, sizes / typical, terms, postings)
        return self._passing(shelf, found, filters, limit)

    def nearest(self, shelf: Shelf, vector: Encoded, filters: Filters, limit: int) -> Scores:
        """See `Reader.nearest`."""
        if shelf is Shelf.MEMORY and filters.is_narrow:
            few = self._store.narrow(filters, NARROW)
            if few is not None:
                return self.similar(shelf, few, vector)
        return self._store.match_vector(shelf, vector.chunks[0], vector.fit, filters, limit)

    def similar(self, shelf: Shelf, rows: Sequence[int], vector: Encoded) -> Scores:
        """See `Reader.similar`."""
        return self._store.similar(shelf, rows, vector.chunks[0], vector.fit)

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """See `Reader.around`."""
        return self._store.around(rows, distance)

    def _count(self, shelf: Shelf) -> Callable[[Sequence[str]], dict[str, int]]:
        return lambda forms: self._store.frequencies(shelf, forms)

    def _passing(self, shelf: Shelf, found: Matches, filters: Filters, limit: int) -> Matches:
        return first_passing(self._store, shelf, found, filters, limit)


def weighed(term: Term, counts: dict[str, int], total: int) -> Weighed:
    """A term with its inverse document frequency (Robertson and Sparck Jones, never negative)."""
    count = max((counts.get(form, 0) for form in term.forms), default=0)
    idf = float(np.log1p((max(total - count, 0) + 0.5) / (count + 0.5))) if count else 0.0
    return Weighed(term, idf)


def affordable(
    terms: Sequence[Weighed], count: Callable[[Sequence[str]], dict[str, int]]
) -> list[int]:
    """The places of the terms that are read, the rarest first, within the budget of rows."""
    counts = count([form for one in terms for form in one.term.forms])
    cost = {
        place: sum(counts.get(form, 0) for form in one.term.forms)
        for place, one in enumerate(terms[:_BITS])
        if one.idf > 0
    }
    kept: list[int] = []
    spent = 0
    for place in sorted(cost, key=lambda place: (cost[place], place)):
        if kept and spent + cost[place] > MATCH_BUDGET:
            break
        spent += cost[place]
        kept.append(place)
    return kept


def bm25(
    rows: Rows, sizes: NDArray[np.float64], terms: Sequence[Weighed], postings: dict[int, Postings]
) -> Matches:
    """Score rows by BM25; `sizes` are their lengths in units of the typical one.

    Best first, ties by row.
    """
    scores = np.zeros(len(rows), np.float64)
    bits = np.zeros(len(rows), np.uint32)
    norm = _K1 * (1 - _B + _B * sizes)
    for place, one in sorted(postings.items()):
        at = np.searchsorted(rows, one.rows)
        counts = one.counts.astype(np.float64)
        scores[at] += terms[place].idf * counts * (_K1 + 1) / (counts + norm[at])
        bits[at] |= np.uint32(1 << place)
    order = np.lexsort((rows, -scores.round(9)))
    return Matches(rows[order], scores[order], bits[order])


def first_passing(
    store: Store, shelf: Shelf, found: Matches, filters: Filters, limit: int
) -> Matches:
    """The best `limit` matches that the filters let through."""
    kept: list[int] = []
    step = 2 * limit
    for start in range(0, len(found.rows), step):
        part = found.rows[start : start + step].tolist()
        allowed = store.passing(shelf, part, filters)
        kept += [start + place for place, row in enumerate(part) if row in allowed]
        if len(kept) >= limit:
            break
    at = np.array(kept[:limit], np.int64)
    return Matches(found.rows[at], found.scores[at], found.bits[at])


def nothing() -> Matches:
    """No match."""
    return Matches(np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.uint32))


def _of_term(term: Term, postings: Callable[[str], Postings]) -> Postings:
    """Where any form of a term stands, by its best form."""
    found = [(postings(form), weight) for form, weight in term.forms.items()]
    if len(found) == 1 and found[0][1] == 1.0:
        return found[0][0]
    rows = np.unique(np.concatenate([one.rows for one, _ in found]))
    counts = np.zeros(len(rows), np.float32)
    for one, weight in found:
        at = np.searchsorted(rows, one.rows)
        counts[at] = np.maximum(counts[at], one.counts * np.float32(weight))
    return Postings(rows, counts)
