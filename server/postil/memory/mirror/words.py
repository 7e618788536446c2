"""The word index of one shelf in memory: where each term stands, and how long rows are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from postil.memory.reading import Matches, Weighed, gain, norm_of
from postil.storage.store import Matrix, Postings, Standing


class Words:
    """Terms with their rows as they were when this was made, and what changed since.

    A row that changed is dead where it stood, and stands in the tail as it is now.
    """

    def __init__(self, parts: Iterable[Standing], lengths: Matrix) -> None:
        terms: list[str] = []
        ends, rows, counts = [np.zeros(1, np.int64)], [], []
        for part in parts:
            terms += part.terms
            ends.append(part.ends + ends[-1][-1])
            rows.append(part.rows)
            counts.append(part.counts)
        self._places = {term: place for place, term in enumerate(terms)}
        self._terms = terms
        self._ends = np.concatenate(ends)
        self._rows = np.concatenate(rows) if rows else np.empty(0, np.int32)
        self._counts = np.concatenate(counts) if counts else np.empty(0, np.float32)
        highest = int(lengths[:, 0].max()) if len(lengths) else 0
        self._lengths = np.zeros(highest + 1, np.int32)
        self._lengths[lengths[:, 0]] = lengths[:, 1]
        self._dead = np.zeros(highest + 1, bool)
        self._has_dead = False
        self._tail: dict[str, dict[int, float]] = {}
        self._tail_terms: dict[int, Sequence[str]] = {}

    @property
    def changed(self) -> int:
        """How many rows changed since."""
        return len(self._tail_terms)

    def change(
        self,
        rows: Sequence[int],
        words: Mapping[int, Mapping[str, float]],
        lengths: Mapping[int, int],
    ) -> None:
        """Take over rows as they are now; those without words are gone."""
        for row in rows:
            self._grow(row)
            self._dead[row] = True
            self._has_dead = True
            for term in self._tail_terms.get(row, ()):
                del self._tail[term][row]
            self._tail_terms[row] = tuple(words.get(row, ()))
            for term, count in words.get(row, {}).items():
                self._tail.setdefault(term, {})[row] = count
            self._lengths[row] = lengths.get(row, 0)

    def postings(self, term: str) -> Postings:
        """Where a term stands."""
        place = self._places.get(term)
        start, end = (0, 0) if place is None else self._ends[place : place + 2]
        rows = self._rows[start:end].astype(np.int64)
        counts = self._counts[start:end]
        if self._has_dead:
            alive = ~self._dead[rows]
            rows, counts = rows[alive], counts[alive]
        new = self._tail.get(term)
        if new:
            rows = np.concatenate([rows, np.fromiter(new.keys(), np.int64, len(new))])
            counts = np.concatenate([counts, np.fromiter(new.values(), np.float32, len(new))])
            order = np.argsort(rows)
            rows, counts = rows[order], counts[order]
        return Postings(rows, counts)

    def frequency(self, term: str) -> int:
        """In how many rows a term stands."""
        place = self._places.get(term)
        count = 0
        if place is not None:
            start, end = self._ends[place : place + 2]
            count = int(end - start)
            if self._has_dead:
                count -= int(np.count_nonzero(self._dead[self._rows[start:end]]))
        return count + len(self._tail.get(term, ()))

    def terms_from(self, start: str, limit: int) -> list[str]:
        """The terms that begin so, in order, as many as `limit` of them."""
        place = bisect_left(self._terms, start)
        found = []
        while place < len(self._terms) and self._terms[place].startswith(start):
            found.append(self._terms[place])
            place += 1
        found += [term for term in self._tail if term.startswith(start) and self._tail[term]]
        return sorted(term for term in set(found) if self.frequency(term))[:limit]

    def scored(
        self, terms: Sequence[Weighed], postings: Mapping[int, Postings], typical: float
    ) -> Matches:
        """The rows of some postings with their scores (BM25), by row.

        A number for each row there is: adding to it is faster than looking for rows among others.
        """
        scores = np.zeros(len(self._lengths), np.float64)
        bits = np.zeros(len(self._lengths), np.uint32)
        for place, one in sorted(postings.items()):
            norm = norm_of(self._lengths[one.rows].astype(np.float64) / typical)
            scores[one.rows] += gain(terms[place], one.counts, norm)
            bits[one.rows] |= np.uint32(1 << place)
        rows = np.flatnonzero(bits)
        return Matches(rows, scores[rows], bits[rows])

    def _grow(self, row: int) -> None:
        if row >= len(self._lengths):
            more = max(row + 1 - len(self._lengths), len(self._lengths) // 4, 256)
            self._lengths = np.append(self._lengths, np.zeros(more, np.int32))
            self._dead = np.append(self._dead, np.zeros(more, bool))
