"""A reader of a store that keeps what it reads in memory, and follows what changes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice

import numpy as np

from postil.memory.mirror.near import Near
from postil.memory.mirror.words import Words
from postil.memory.query import Term
from postil.memory.reading import (
    SAME_START,
    Extents,
    Matches,
    StoreReader,
    Weighed,
    affordable,
    first_passing,
    in_order,
    narrow_rows,
    near_spellings,
    nothing,
    of_term,
    weighed,
)
from postil.memory.vectors import Encoded
from postil.storage.store import Around, Changes, Filters, Scores, Shelf, Store

# Rows that the words of one query may bring: reading them from memory is cheap, ranking is not.
_BUDGET = 60_000
# So many changes are taken over while a query waits; for more it asks the file meanwhile.
_ON_THE_WAY = 100
_LOOKED_AT = 5_000
# What changed is searched row by row: when it is this much, everything is made anew.
_LEAST_TAIL = 5_000
_TAIL_SHARE = 20
# The best matches are put in order first: of many, the others are seldom asked for.
_FIRST = 1_000
# Of the nearest rows some are not for the asker to see.
_SPARE = 50
# The first of what 8 bits found are compared in full precision, so many of them.
_RESCORED = 30


class Mirror:
    """Reads a store from memory once it is made; until then, and when it lags, from the file.

    `refresh` belongs to one thread that has time for it; queries come from any.
    """

    def __init__(self, store: Store) -> None:
        self._file = StoreReader(store)
        self._extents = Extents(store)
        self._lock = threading.RLock()
        self._words: dict[Shelf, Words] = {}
        self._near: dict[Shelf, Near] = {}
        self._fit = 0
        self._at = Changes(0, -1, 0)

    @property
    def store(self) -> Store:
        """See `Reader.store`."""
        return self._file.store

    def refresh(self) -> None:
        """Take over what changed, however much it is."""
        now = self.store.changes()
        fit = self.store.current_fit()
        number = fit.number if fit is not None else 0
        if not self._follows(now) or self._is_long(now):
            self._make(now, number)
        elif number != self._fit:
            self._make_near(number)
        self._follow(1 << 60)

    def weigh(self, shelf: Shelf, terms: Sequence[Term]) -> list[Weighed]:
        """See `Reader.weigh`."""
        with self._lock:
            words = self._current(shelf)
            if words is None:
                return self._file.weigh(shelf, terms)
            total, _ = self._extents.of(shelf)
            return [
                weighed(term, {form: words.frequency(form) for form in term.forms}, total)
                for term in terms
            ]

    def spelled_like(self, shelf: Shelf, term: str) -> list[str]:
        """See `Reader.spelled_like`."""
        with self._lock:
            words = self._current(shelf)
            if words is None:
                return self._file.spelled_like(shelf, term)
            return near_spellings(term, words.terms_from(term[:SAME_START], _LOOKED_AT))

    def words(
        self, shelf: Shelf, terms: Sequence[Weighed], filters: Filters, limit: int
    ) -> Matches:
        """See `Reader.words`."""
        with self._lock:
            words = self._current(shelf)
            if words is None:
                return self._file.words(shelf, terms, filters, limit)
            postings = {
                place: of_term(terms[place].term, words.postings)
                for place in affordable(terms, _BUDGET)
            }
            if not postings:
                return nothing()
            every = words.scored(terms, postings, self._extents.of(shelf)[1])
        found = first_passing(self.store, shelf, in_order(every, _FIRST), filters, limit)
        if len(found.rows) < limit and len(every.rows) > _FIRST:
            found = first_passing(self.store, shelf, in_order(every), filters, limit)
        return found

    def nearest(self, shelf: Shelf, vector: Encoded, filters: Filters, limit: int) -> Scores:
        """See `Reader.nearest`."""
        few = narrow_rows(self.store, shelf, filters)
        if few is not None:
            return self.similar(shelf, few, vector)
        asked = np.frombuffer(vector.chunks[0], np.float32)
        for most in (limit + _SPARE, 10 * (limit + _SPARE)):
            with self._lock:
                near = self._current_near(shelf, vector)
                if near is None:
                    return self._file.nearest(shelf, vector, filters, limit)
                found = near.nearest(asked, most)
            allowed = self.store.passing(shelf, list(found), filters)
            passing = {row: at for row, at in found.items() if row in allowed}
            if len(passing) >= limit or len(found) < most:
                break
        else:  # nearly all that is near is for others to see: the file keeps scopes apart
            passing |= self._file.nearest(shelf, vector, filters, limit)
        if near is not None and not near.is_exact:
            passing |= self._file.similar(shelf, list(passing)[:_RESCORED], vector)
            passing = dict(sorted(passing.items(), key=lambda one: (-one[1], one[0])))
        return dict(islice(passing.items(), limit))

    def similar(self, shelf: Shelf, rows: Sequence[int], vector: Encoded) -> Scores:
        """See `Reader.similar`."""
        with self._lock:
            near = self._current_near(shelf, vector)
            if near is None:
                return self._file.similar(shelf, rows, vector)
            return near.similar(rows, np.frombuffer(vector.chunks[0], np.float32))

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """See `Reader.around`."""
        return self.store.around(rows, distance)

    def _current(self, shelf: Shelf) -> Words | None:
        """The words, once they say what the file says; None while they do not."""
        return self._words[shelf] if self._follow(_ON_THE_WAY) else None

    def _current_near(self, shelf: Shelf, vector: Encoded) -> Near | None:
        return self._near[shelf] if self._follow(_ON_THE_WAY) and vector.fit == self._fit else None

    def _follows(self, now: Changes) -> bool:
        at = self._at
        return (
            bool(self._words) and now.epoch == at.epoch and now.forgotten <= at.number <= now.number
        )

    def _is_long(self, now: Changes) -> bool:
        """Whether so much has changed that reading it row by row takes longer than making anew."""
        changed = now.number - self._at.number
        changed += max((words.changed for words in self._words.values()), default=0)
        rows = max(self._extents.of(shelf)[0] for shelf in Shelf)
        return changed > max(_LEAST_TAIL, rows // _TAIL_SHARE)

    def _make(self, now: Changes, fit: int) -> None:
        """Make everything anew beside what serves, and let it serve then."""
        store = self.store
        words = {
            shelf: Words(store.every_posting(shelf), store.every_length(shelf)) for shelf in Shelf
        }
        near = {shelf: Near(store.every_vector(shelf, fit)) for shelf in Shelf}
        with self._lock:
            self._words, self._near, self._fit, self._at = words, near, fit, now

    def _make_near(self, fit: int) -> None:
        near = {shelf: Near(self.store.every_vector(shelf, fit)) for shelf in Shelf}
        with self._lock:
            self._near, self._fit = near, fit

    def _follow(self, most: int) -> bool:
        """Take over the rows that changed, unless they are more than `most`; whether all were."""
        with self._lock:
            now = self.store.changes()
            if not self._follows(now) or now.number - self._at.number > most:
                return False
            if now.number > self._at.number:
                changed = self.store.changed_since(self._at.number)
                for shelf in Shelf:
                    self._take(shelf, [row for one, row in changed if one is shelf])
                self._at = now
            return True

    def _take(self, shelf: Shelf, rows: list[int]) -> None:
        if not rows:
            return
        store = self.store
        self._words[shelf].change(rows, store.words_of(shelf, rows), store.lengths(shelf, rows))
        if self._fit:
            self._near[shelf].change(rows, *store.vectors_of(shelf, rows, self._fit))
