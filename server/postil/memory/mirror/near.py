"""The vectors of one shelf in memory: exact while they are few, else 8 bits for each number.

Of a large shelf the signs alone are compared first: of a million vectors that leaves the nearest
2,000 within some 10 ms, among which the 8 bits decide. Centred vectors have as many positive as
negative numbers, so that signs tell much. Cutting the shelf into lists (an inverted file) was
measured and lost: static vectors have no clusters, and for the same recall it took twice as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from postil.storage.store import Matrix, Scores

# So many vectors are kept as they are: half of the memory that a large shelf needs in 8 bits.
EXACT = 50_000
# The nearest by signs, among which the numbers decide: recall at 10 of 0.998 against exactness.
_BY_SIGNS = 2_000

# Vectors that are zero nearly everywhere (hashed ones) have no signs to speak of.
_DENSE, _LOOKED_AT = 0.8, 1_000

Floats = NDArray[np.float32]

_NO_CODES = np.empty((0, 0), np.int8)
_NO_SIGNS = np.empty((0, 0), np.uint8)


class Near:
    """Vectors by row as they were when this was made, and what changed since."""

    def __init__(self, parts: Iterable[tuple[Matrix, Matrix]]) -> None:
        rows, exact, coded, signs = [], [], [], []
        for part_rows, vectors in map(_of_length, parts):
            rows.append(part_rows.astype(np.int32))
            coded.append(_coded(vectors))
            signs.append(np.packbits(vectors > 0, axis=1))
            if sum(map(len, rows)) <= EXACT:
                exact.append(vectors.copy())
        self._rows = np.concatenate(rows) if rows else np.empty(0, np.int32)
        self.is_exact = len(self._rows) <= EXACT
        self._exact = np.concatenate(exact) if exact and self.is_exact else None
        self._codes, self._signs = _NO_CODES, _NO_SIGNS
        if not self.is_exact:
            self._codes = np.concatenate(coded)
            if np.count_nonzero(self._codes[:_LOOKED_AT]) > _DENSE * self._codes[:_LOOKED_AT].size:
                self._signs = np.concatenate(signs)
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
        found, vectors = _of_length((found, vectors))
        for row in rows:
            if row < len(self._dead):
                self._dead[row] = True
                self._has_dead = True
            self._tail[row] = vectors[found == row] if len(found) else vectors[:0]

    def nearest(self, vector: Floats, limit: int) -> Scores:
        """The rows nearest to a unit vector, each by its best chunk, by cosine similarity."""
        rows, scores = self._compared(vector, limit)
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

    def _compared(self, vector: Floats, limit: int) -> tuple[NDArray[np.int32], Floats]:
        """The rows that may be nearest, and their similarities."""
        if not len(self._rows):
            return self._rows, np.empty(0, np.float32)
        if self._exact is not None:
            return self._rows, self._exact @ vector
        if not len(self._signs):
            return self._rows, _cosine(_coded(vector[None]), self._codes)
        places = self._near_by_signs(vector, max(_BY_SIGNS, 8 * limit) + self.changed)
        return self._rows[places], self._scores(places, vector)

    def _near_by_signs(self, vector: Floats, most: int) -> NDArray[np.int64]:
        """The places whose signs differ least from the vector's: `most`, and all ties."""
        import simsimd

        signs = np.packbits(vector[None] > 0, axis=1)
        distances = simsimd.cdist(signs, self._signs, "hamming", dtype="bin8", out_dtype="float32")
        differ = np.asarray(distances).reshape(-1).astype(np.int16)
        up_to = np.cumsum(np.bincount(differ))
        return np.flatnonzero(differ <= np.searchsorted(up_to, min(most, len(differ))))

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


def _of_length(part: tuple[Matrix, Matrix]) -> tuple[Matrix, Matrix]:
    """Rows and vectors without those of length zero: nothing is near to them."""
    rows, vectors = part
    has_length = vectors.any(axis=1)
    return (rows, vectors) if has_length.all() else (rows[has_length], vectors[has_length])


def _coded(vectors: Floats) -> NDArray[np.int8]:
    """Vectors in 8 bits, each on a scale of its own: cosine similarity does not depend on it."""
    scale = np.abs(vectors).max(axis=1, keepdims=True)
    return np.asarray(np.rint(vectors * (127.0 / np.maximum(scale, 1e-9))), np.int8)


def _cosine(code: NDArray[np.int8], codes: NDArray[np.int8]) -> Floats:
    import simsimd

    distances = simsimd.cdist(code, codes, "cosine")
    return 1.0 - np.asarray(distances, np.float32).reshape(-1)
