"""What a mirror of the searchable rows in memory is made from, and how it follows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from postil.storage import vector_tables
from postil.storage.episodes import episodes_by_row
from postil.storage.memories import memories_by_row
from postil.storage.postings import COLUMNS, LENGTH, PostingTables
from postil.storage.rows import Row, episode_words, memory_words
from postil.storage.store import Changes, Matrix, Shelf, Standing

# Places of terms that are read at once: a mirror may be large, making it shall not be larger.
_AT_ONCE = 1_000_000


class MirroredTables(PostingTables):
    """See `Mirrored`."""

    def every_posting(self, shelf: Shelf) -> Iterator[Standing]:
        """See `Mirrored.every_posting`."""
        columns = list(COLUMNS[shelf])
        cases = " ".join(f"when '{name}' then {place}" for place, name in enumerate(columns))
        weights = np.array(list(COLUMNS[shelf].values()))
        with self._db.read() as db:
            places = chain.from_iterable(
                db.execute(f"select doc * 8 + case col {cases} end from {shelf.value}_places")
            )
            batch: list[Row] = []
            held = 0
            for row in db.execute(f"select term, cnt from {shelf.value}_terms"):
                batch.append(row)
                held += row[1]
                if held > _AT_ONCE:
                    yield _standing(batch, places, weights)
                    batch, held = [], 0
            if batch:
                yield _standing(batch, places, weights)

    def every_length(self, shelf: Shelf) -> Matrix:
        """See `Mirrored.every_length`."""
        with self._db.read() as db:
            flat = np.fromiter(
                chain.from_iterable(
                    db.execute(f"select rowid, {LENGTH[shelf]} from {shelf.value}")
                ),
                np.int64,
            )
        return flat.reshape(-1, 2)

    def every_vector(self, shelf: Shelf, fit: int) -> Iterator[tuple[Matrix, Matrix]]:
        """See `Mirrored.every_vector`."""
        with self._db.read() as db:
            if vector_tables.exists(db, shelf, fit):
                yield from vector_tables.every(db, vector_tables.name(shelf, fit))

    def vectors_of(self, shelf: Shelf, rows: Sequence[int], fit: int) -> tuple[Matrix, Matrix]:
        """See `Mirrored.vectors_of`."""
        with self._db.read() as db:
            if not rows or not vector_tables.exists(db, shelf, fit):
                return np.empty(0, np.int64), np.empty((0, 0), np.float32)
            return vector_tables.of_items(db, vector_tables.name(shelf, fit), rows)

    def words_of(self, shelf: Shelf, rows: Sequence[int]) -> dict[int, dict[str, float]]:
        """See `Mirrored.words_of`."""
        weights = list(COLUMNS[shelf].values())
        words: dict[int, tuple[str, ...]] = {}
        with self._db.read() as db:
            if shelf is Shelf.MEMORY:
                words = {row: memory_words(one) for row, one in memories_by_row(db, rows).items()}
            else:
                words = {row: episode_words(one) for row, one in episodes_by_row(db, rows).items()}
        found: dict[int, dict[str, float]] = {}
        for row, columns in words.items():
            counts: dict[str, float] = {}
            for text, weight in zip(columns, weights, strict=True):
                for term in self.stems(text):
                    counts[term] = counts.get(term, 0.0) + weight
            found[row] = counts
        return found

    def changes(self) -> Changes:
        """See `Mirrored.changes`."""
        with self._db.read() as db:
            row = db.execute(
                "select epoch, (select coalesce(max(number), 0) from change),"
                " (select coalesce(min(number), 1) - 1 from change) from change_epoch"
            ).get
        return Changes(*row)

    def changed_since(self, number: int) -> list[tuple[Shelf, int]]:
        """See `Mirrored.changed_since`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select distinct shelf, item from change where number > ?", (number,)
            ).fetchall()
        return [(Shelf(shelf), item) for shelf, item in rows]


def _standing(batch: list[Row], places: Iterator[int], weights: Matrix) -> Standing:
    """Terms and the rows that they stand in, from as many places as the terms have."""
    counts = np.array([count for _, count in batch], np.int64)
    flat = np.fromiter(islice(places, int(counts.sum())), np.int64, int(counts.sum()))
    terms = np.repeat(np.arange(len(batch)), counts)
    rows, columns = flat >> 3, flat & 7
    first = np.ones(len(flat), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (terms[1:] != terms[:-1])
    starts = np.flatnonzero(first)
    summed = np.add.reduceat(weights[columns], starts) if len(starts) else np.empty(0)
    ends = np.cumsum(np.bincount(terms[starts], minlength=len(batch)))
    return Standing(
        [term for term, _ in batch], ends, rows[starts].astype(np.int32), summed.astype(np.float32)
    )
