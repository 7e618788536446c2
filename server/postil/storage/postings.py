"""What recall reads from the file: terms and where they stand, lengths, places, similarities."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw
import numpy as np

from postil.storage import vector_tables
from postil.storage.connect import Tables
from postil.storage.filtering import condition, seen
from postil.storage.rows import Row
from postil.storage.store import Around, Filters, Postings, Shelf

# What a word counts for in each column of a word index.
COLUMNS = {Shelf.MEMORY: {"what": 1.0, "why": 0.8, "extra": 0.6}, Shelf.EPISODE: {"text": 1.0}}
LENGTH = {Shelf.MEMORY: "length(what) + length(why)", Shelf.EPISODE: "length(text)"}
_EVENT_AT = {Shelf.MEMORY: "coalesce(nullif(event_at, 0), created_at)", Shelf.EPISODE: "at"}
# The newest rows say how long rows are; all of them would be read for little.
_TYPICAL_ROWS = 500
_NO_ROWS = np.empty(0, np.int64)


class PostingTables(Tables):
    """See `Reading`."""

    def stems(self, text: str) -> list[str]:
        """See `Reading.stems`."""
        connection = self._db.connection()
        tokenizer = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        found = tokenizer(
            text.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_QUERY,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return [term for term in found if isinstance(term, str)]

    def frequencies(self, shelf: Shelf, terms: Sequence[str]) -> dict[str, int]:
        """See `Reading.frequencies`."""
        with self._db.read() as db:
            counts = {
                term: db.execute(f"select doc from {shelf.value}_terms where term = ?", (term,)).get
                for term in terms
            }
        return {term: count for term, count in counts.items() if count}

    def terms_between(self, shelf: Shelf, low: str, high: str, limit: int) -> list[str]:
        """See `Reading.terms_between`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select term from {shelf.value}_terms where term >= ? and term < ? limit ?",
                (low, high, limit),
            ).fetchall()
        return [row[0] for row in rows]

    def postings(self, shelf: Shelf, term: str) -> Postings:
        """See `Reading.postings`."""
        with self._db.read() as db:
            found: list[Row] = db.execute(
                f"select doc, col from {shelf.value}_places where term = ?", (term,)
            ).fetchall()
        if not found:
            return Postings(_NO_ROWS, np.empty(0, np.float32))
        weights = COLUMNS[shelf]
        rows, places = np.unique(np.array([row for row, _ in found], np.int64), return_inverse=True)
        counts = np.bincount(places, weights=[weights[column] for _, column in found])
        return Postings(rows, counts.astype(np.float32))

    def lengths(self, shelf: Shelf, rows: Sequence[int]) -> dict[int, int]:
        """See `Reading.lengths`."""
        with self._db.read() as db:
            found: list[Row] = db.execute(
                f"select rowid, {LENGTH[shelf]} from {shelf.value}"
                " where rowid in (select value from json_each(?))",
                (json.dumps(list(rows)),),
            ).fetchall()
        return dict(found)

    def extent(self, shelf: Shelf) -> tuple[int, float]:
        """See `Reading.extent`."""
        with self._db.read() as db:
            highest = db.execute(f"select max(rowid) from {shelf.value}").get or 0
            typical = db.execute(
                f"select avg(size) from (select {LENGTH[shelf]} as size from {shelf.value}"
                " order by rowid desc limit ?)",
                (_TYPICAL_ROWS,),
            ).get
        return highest, float(typical or 1.0)

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """See `Reading.around`."""
        with self._db.read() as db:
            found: list[Row] = db.execute(
                "select distinct other.rowid, other.session, other.ordinal"
                " from episode one join episode other on other.session = one.session"
                " and other.ordinal between one.ordinal - ?1 and one.ordinal + ?1"
                " where one.rowid in (select value from json_each(?2))"
                " order by other.session, other.ordinal",
                (distance, json.dumps(list(rows))),
            ).fetchall()
        return [Around(*row) for row in found]

    def similar(
        self, shelf: Shelf, rows: Sequence[int], vector: bytes, fit: int
    ) -> dict[int, float]:
        """See `Reading.similar`."""
        with self._db.read() as db:
            if not rows or not vector_tables.exists(db, shelf, fit):
                return {}
            return vector_tables.similar(db, vector_tables.name(shelf, fit), vector, rows)

    def dated(
        self, shelf: Shelf, since: float, until: float, filters: Filters, limit: int
    ) -> list[int]:
        """See `Reading.dated`."""
        where, values = seen(shelf, filters)
        at = _EVENT_AT[shelf]
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select rowid from {shelf.value} where {at} >= ? and {at} < ? and {where}"
                f" order by {at} desc, rowid limit ?",
                (since, until, *values, limit),
            ).fetchall()
        return [row[0] for row in rows]

    def narrow(self, filters: Filters, limit: int) -> list[int] | None:
        """See `Reading.narrow`."""
        where, values = condition(filters)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select rowid from memory item where {where} limit ?", (*values, limit + 1)
            ).fetchall()
        return [row[0] for row in rows] if len(rows) <= limit else None
