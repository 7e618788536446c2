"""Where recall reads: words by BM25, vectors by cosine, and what stands beside what.

A `Reader` is one store as one process sees it: straight from the file (`StoreReader`), or from a
mirror in memory. Both rank by the same formula, so that the same question has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from postil.memory.query import Term
from postil.memory.vectors import Encoded
from postil.storage.store import Around, Changes, Filters, Postings, Scores, Shelf, Store

# Held out on LoCoMo, these saturate and normalise better than SQLite's own 1.2 and 0.75.
_K1, _B = 0.9, 0.4
# Rows that the words of one query may bring from the file: each costs some 2 microseconds there.
# The commonest words are left out first, they say least.
MATCH_BUDGET = 12_000
# So few rows are compared one by one: the nearest of all may all be others.
NARROW = 2_000
BITS = 32
# Beyond so many rows comparing them all takes longer than anybody waits: a process that has no
# mirror of them then compares only what shares words with the question.
SCANNED = 250_000
# A slip of the keyboard seldom hits the first letters; short words are too near to each other.
SAME_START = 2
_LONG_TERM = 8
_SPELLINGS = 4
_LOOKED_AT = 5_000

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows that hold terms of a question, the best first: their scores, and which terms (bits)."""

    rows: Rows
    scores: NDArray[np.float64]
    bits: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A term with what it says: the rarer, the more. `idf` is 0 when nobody wrote it.

    It stands in `count` of `total` rows; reading all its forms brings `rows`.
    """

    term: Term
    count: int
    total: int
    rows: int
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

    def spelled_like(self, shelf: Shelf, term: str) -> list[str]:
        """Terms of the index that somebody who wrote `term` may have meant."""
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
        self._extents = Extents(store)

    @property
    def store(self) -> Store:
        """See `Reader.store`."""
        return self._store

    def weigh(self, shelf: Shelf, terms: Sequence[Term]) -> list[Weighed]:
        """See `Reader.weigh`."""
        forms = dict.fromkeys(form for term in terms for form in term.forms)
        counts = self._store.frequencies(shelf, list(forms))
        total, _ = self._extents.of(shelf)
        return [weighed(term, counts, total) for term in terms]

    def spelled_like(self, shelf: Shelf, term: str) -> list[str]:
        """See `Reader.spelled_like`."""
        low = term[:SAME_START]
        known = self._store.terms_between(shelf, low, low + "\U0010ffff", _LOOKED_AT)
        return near_spellings(term, known)

    def words(
        self, shelf: Shelf, terms: Sequence[Weighed], filters: Filters, limit: int
    ) -> Matches:
        """See `Reader.words`."""
        _, typical = self._extents.of(shelf)
        postings: dict[int, Postings] = {}
        for place in affordable(terms, MATCH_BUDGET):
            postings[place] = of_term(
                terms[place].term, lambda form: self._store.postings(shelf, form)
            )
        if not postings:
            return nothing()
        rows = np.unique(np.concatenate([one.rows for one in postings.values()]))
        lengths = self._store.lengths(shelf, rows.tolist())
        # Every matched row is there: words and rows are written in one transaction.
        sizes = np.array([lengths.get(row, 0) for row in rows.tolist()], np.float64)
        found = bm25(rows, sizes / typical, terms, postings)
        return first_passing(self._store, shelf, found, filters, limit)

    def nearest(self, shelf: Shelf, vector: Encoded, filters: Filters, limit: int) -> Scores:
        """See `Reader.nearest`."""
        few = narrow_rows(self._store, shelf, filters)
        if few is not None:
            return self.similar(shelf, few, vector)
        if self._extents.of(shelf)[0] > SCANNED:
            return {}
        return self._store.match_vector(shelf, vector.chunks[0], vector.fit, filters, limit)

    def similar(self, shelf: Shelf, rows: Sequence[int], vector: Encoded) -> Scores:
        """See `Reader.similar`."""
        return self._store.similar(shelf, rows, vector.chunks[0], vector.fit)

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """See `Reader.around`."""
        return self._store.around(rows, distance)


class Extents:
    """How many rows a shelf has and how long they are, looked up once after each change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Replaced as a whole: several threads read at once.
        self._known: tuple[Changes | None, dict[Shelf, tuple[int, float]]] = (None, {})

    def of(self, shelf: Shelf) -> tuple[int, float]:
        """The highest row of a shelf, and the typical length of its rows in characters."""
        now = self._store.changes()
        at, known = self._known
        if at != now:
            known = {}
        if shelf not in known:
            known = {**known, shelf: self._store.extent(shelf)}
            self._known = (now, known)
        return known[shelf]


def narrow_rows(store: Store, shelf: Shelf, filters: Filters) -> list[int] | None:
    """The rows that narrow filters let through, where they are few."""
    if shelf is Shelf.EPISODE or not filters.is_narrow:
        return None
    return store.narrow(filters, NARROW)


def near_spellings(term: str, known: Sequence[str]) -> list[str]:
    """The terms that differ from `term` by one or two slips of the keyboard, the nearest first."""
    most = 1 if len(term) < _LONG_TERM else 2
    found = process.extract(
        term, known, scorer=DamerauLevenshtein.distance, score_cutoff=most, limit=_SPELLINGS
    )
    nearest = min((distance for _, distance, _ in found), default=0)
    return sorted(known_term for known_term, distance, _ in found if distance == nearest)


def weighed(term: Term, counts: Mapping[str, int], total: int) -> Weighed:
    """A term with its inverse document frequency (Robertson and Sparck Jones, never negative)."""
    count = max((counts.get(form, 0) for form in term.forms), default=0)
    rows = sum(counts.get(form, 0) for form in term.forms)
    return Weighed(term, count, total, rows, _idf(count, total))


def pooled(lists: Sequence[Sequence[Weighed]]) -> list[list[Weighed]]:
    """The terms of one question in several stores, each weighed by all stores together."""
    idf = [
        _idf(sum(one.count for one in same), sum(one.total for one in same))
        for same in zip(*lists, strict=True)
    ]
    return [
        [replace(one, idf=shared) for one, shared in zip(terms, idf, strict=True)]
        for terms in lists
    ]


def _idf(count: int, total: int) -> float:
    return math.log1p((max(total - count, 0) + 0.5) / (count + 0.5)) if count else 0.0


def affordable(terms: Sequence[Weighed], budget: int) -> list[int]:
    """The places of the terms that are read, the rarest first, within a budget of rows.

    One is read in any case.
    """
    found = [(one.rows, place) for place, one in enumerate(terms[:BITS]) if one.rows]
    kept: list[int] = []
    for rows, place in sorted(found):
        budget -= rows
        if kept and budget < 0:
            break
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
    norm = norm_of(sizes)
    for place, one in sorted(postings.items()):
        at = np.searchsorted(rows, one.rows)
        scores[at] += gain(terms[place], one.counts, norm[at])
        bits[at] |= np.uint32(1 << place)
    return in_order(Matches(rows, scores, bits))


def in_order(found: Matches, most: int = 0) -> Matches:
    """Matches best first, ties by row; of many only so many, and all that tie with the last."""
    scores = found.scores.round(9)
    if most and len(scores) > most:
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        few = np.flatnonzero(scores >= least)
        found = Matches(found.rows[few], found.scores[few], found.bits[few])
        scores = scores[few]
    order = np.lexsort((found.rows, -scores))
    return Matches(found.rows[order], found.scores[order], found.bits[order])


def gain(term: Weighed, counts: NDArray[np.float32], norm: NDArray[np.float64]) -> NDArray[Any]:
    """What a term adds to the scores of the rows it stands in (BM25)."""
    often = counts.astype(np.float64)
    return np.asarray(term.idf * often * (_K1 + 1) / (often + norm))


def norm_of(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much longer rows must say a thing more often; `sizes` in units of the typical length."""
    return _K1 * (1 - _B + _B * sizes)


def first_passing(
    store: Store, shelf: Shelf, found: Matches, filters: Filters, limit: int
) -> Matches:
    """The best `limit` matches that the filters let through."""
    kept: list[int] = []
    step = limit + limit // 4
    for start in range(0, len(found.rows), step):
        part = found.rows[start : start + step].tolist()
        allowed = store.passing(shelf, part, filters)
        kept += [start + place for place, row in enumerate(part) if row in allowed]
        if len(kept) >= limit:
            break
    at = np.array(kept[:limit], np.int64)
    return Matches(found.rows[at], found.scores[at], found.bits[at])


def weight_held(bits: NDArray[np.uint32], weights: Sequence[float]) -> NDArray[np.float64]:
    """What the terms that each row holds (`bits`) weigh together."""
    held = bits[:, None] >> np.arange(len(weights), dtype=np.uint32)[None, :] & 1
    return np.asarray(held @ np.array(weights, np.float64), np.float64)


def nothing() -> Matches:
    """No match."""
    return Matches(np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.uint32))


def of_term(term: Term, postings: Callable[[str], Postings]) -> Postings:
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
