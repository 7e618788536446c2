"""The vectors of one shelf in memory: exact while they are few, else 8 bits for each number.

Large shelves are cut into lists around centres (an inverted file), and a query looks into the
nearest lists only: what recall that costs is measured by `benchmarks`, as are all numbers here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.storage.store import Matrix, Scores

# So many vectors are kept as they are: half of the memory that a large shelf needs in 8 bits.
EXACT = 50_000
# From so many on, comparing all of them takes longer than choosing lists first.
LISTED_FROM = 200_000
_LISTS = 1_024
# Lists that a query looks into: recall at 10 of 0.99 against exact comparison.
_PROBED = 128
_SAMPLE = 40_000
_ROUNDS = 6
_AT_ONCE = 20_000

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Lists:
    """Centres of lists, and where each list's vectors end."""

    centres: Floats
    ends: NDArray[np.int64]


class Near:
    """Vectors by row as they were when this was made, and what changed since."""

    def __init__(self, parts: Iterable[tuple[Matrix, Matrix]]) -> None:
        rows, exact, coded = [], [], []
        for part_rows, vectors in parts:
            rows.append(part_rows.astype(np.int32))
            coded.append(_coded(vectors))
            if sum(map(len, rows)) <= EXACT:
                exact.append(vectors.copy())
        self._rows = np.concatenate(rows) if rows else np.empty(0, np.int32)
        codes = np.concatenate(coded) if coded else np.empty((0, 0), np.int8)
        del coded
        self.is_exact = len(self._rows) <= EXACT
        self._exact = np.concatenate(exact) if exact and self.is_exact else None
        self._lists: _Lists | None = None
        if len(self._rows) > LISTED_FROM:
            order, self._lists = _listed(codes)
            self._rows, codes = self._rows[order], codes[order]
        self._codes = codes if not self.is_exact else np.empty((0, 0), np.int8)
        self._places = _Places(self._rows)
        self._dead = np.zeros(int(self._rows.max()) + 1 if len(self._rows) else 1, bool)
        self._has_dead = False
        self._tail: dict[int, Floats] = {}

    @property
    def changed(self) -> int:
        """How many rows changed since."""
        return len(self._tail)

    def change(self, rows: Sequence[int], found: Matrix, vectors: Matrix) -> None:
        """Take over rows as they are now; those without a vector are gone."""
        for row in rows:
            if row < len(self._dead):
                self._dead[row] = True
                self._has_dead = True
            self._tail[row] = vectors[found == row] if len(found) else vectors[:0]

    def nearest(self, vector: Floats, limit: int) -> Scores:
        """The rows nearest to a unit vector, each by its best chunk, by cosine similarity."""
        rows, scores = self._compared(vector)
        if self._has_dead:
            alive = ~self._dead[rows]
            rows, scores = rows[alive], scores[alive]
        few = min(limit * 2, len(rows))  # a row may come by several of its chunks
        if few:
            first = np.argpartition(-scores, few - 1)[:few]
            rows, scores = rows[first], scores[first]
        order = np.lexsort((rows, -scores))
        best: Scores = {}
        for row, score in zip(rows[order].tolist(), scores[order].tolist(), strict=True):
            best.setdefault(row, score)
            if len(best) == limit:
                break
        tail = self._of_tail(vector)
        if not tail:
            return best
        return dict(sorted((best | tail).items(), key=lambda one: (-one[1], one[0]))[:limit])

    def similar(self, rows: Sequence[int], vector: Floats) -> Scores:
        """The similarity of these rows, each by its best chunk; those without are left out."""
        wanted = np.array([row for row in rows if row not in self._tail], np.int64)
        best: Scores = {}
        owners, places = self._places.of(wanted)
        if len(places):
            scores = self._scores(places, vector)
            for row, score in zip(owners.tolist(), scores.tolist(), strict=True):
                best[row] = max(score, best.get(row, -1.0))
        known = set(rows)
        return best | {row: at for row, at in self._of_tail(vector).items() if row in known}

    def _compared(self, vector: Floats) -> tuple[NDArray[np.int32], Floats]:
        if not len(self._rows):
            return self._rows, np.empty(0, np.float32)
        if self._exact is not None:
            return self._rows, self._exact @ vector
        code = _coded(vector[None])
        if self._lists is None:
            return self._rows, _cosine(code, self._codes)
        near = np.argsort(-(self._lists.centres @ vector), kind="stable")[:_PROBED]
        starts, ends = self._lists.ends[near], self._lists.ends[near + 1]
        spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        scores = [_cosine(code, self._codes[start:end]) for start, end in spans if end > start]
        rows = [self._rows[start:end] for start, end in spans if end > start]
        return np.concatenate(rows), np.concatenate(scores)

    def _scores(self, places: NDArray[np.int64], vector: Floats) -> Floats:
        if self._exact is not None:
            return np.asarray(self._exact[places] @ vector, np.float32)
        return _cosine(_coded(vector[None]), self._codes[places])

    def _of_tail(self, vector: Floats) -> Scores:
        found = [(row, chunks) for row, chunks in self._tail.items() if len(chunks)]
        if not found:
            return {}
        owners = np.repeat([row for row, _ in found], [len(chunks) for _, chunks in found])
        scores = np.concatenate([chunks for _, chunks in found]) @ vector
        best: Scores = {}
        for row, score in zip(owners.tolist(), scores.tolist(), strict=True):
            best[row] = max(score, best.get(row, -1.0))
        return best


class _Places:
    """Where the vectors of a row stand."""

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self._order = np.argsort(rows, kind="stable").astype(np.int32)
        self._sorted = rows[self._order]

    def of(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that have vectors, once for each, and the places of those."""
        starts = np.searchsorted(self._sorted, rows, "left")
        counts = np.searchsorted(self._sorted, rows, "right") - starts
        owners = np.repeat(rows, counts)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return owners, self._order[np.repeat(starts, counts) + within].astype(np.int64)


def _coded(vectors: Floats) -> NDArray[np.int8]:
    """Vectors in 8 bits, each on a scale of its own: cosine similarity does not depend on it."""
    scale = np.abs(vectors).max(axis=1, keepdims=True)
    return np.asarray(np.rint(vectors * (127.0 / np.maximum(scale, 1e-9))), np.int8)


def _cosine(code: NDArray[np.int8], codes: NDArray[np.int8]) -> Floats:
    import simsimd

    distances = simsimd.cdist(code, codes, "cosine")
    return 1.0 - np.asarray(distances, np.float32).reshape(-1)


def _listed(codes: NDArray[np.int8]) -> tuple[NDArray[np.int64], _Lists]:
    """The order that brings lists together, and the lists (spherical k-means on a sample)."""
    chance = np.random.default_rng(0)
    sample = _unit(codes[chance.choice(len(codes), min(_SAMPLE, len(codes)), replace=False)])
    centres = sample[: min(_LISTS, len(sample))]
    for _ in range(_ROUNDS):
        nearest = np.argmax(sample @ centres.T, axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, sample)
        empty = ~np.bincount(nearest, minlength=len(centres)).astype(bool)
        sums[empty] = centres[empty]
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    owner = np.empty(len(codes), np.int32)
    for start in range(0, len(codes), _AT_ONCE):
        part = _unit(codes[start : start + _AT_ONCE])
        owner[start : start + _AT_ONCE] = np.argmax(part @ centres.T, axis=1)
    order = np.argsort(owner, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(centres)))])
    return order, _Lists(centres.astype(np.float32), ends)


def _unit(codes: NDArray[np.int8]) -> Floats:
    vectors = codes.astype(np.float32)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-9), np.float32)
