"""Words and vectors: which rows a query nominates, and keeping the vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from filelock import FileLock, Timeout

from postil.model import Scope
from postil.storage import vector_tables
from postil.storage.connect import Tables
from postil.storage.filtering import seen
from postil.storage.rows import Row
from postil.storage.store import Filters, Fit, Pending, Scores, Shelf

_TEXT_OF = {
    Shelf.MEMORY: "select rowid, trim(what || ' ' || why || ' ' || (select"
    " coalesce(group_concat(value, ' '), '') from json_each(tags))) from memory",
    Shelf.EPISODE: "select rowid, text from episode",
}
# SQLite would take an index on the status, which nearly all rows share.
_PENDING = {
    Shelf.MEMORY: "indexed by memory_by_vector where status in ('active', 'proposed') and",
    Shelf.EPISODE: "where",
}
_IN_ORDER = {Shelf.MEMORY: "where +status in ('active', 'proposed') and", Shelf.EPISODE: "where"}
_SCOPE_OF = {
    Shelf.MEMORY: "select case instr(scope, ':') when 0 then scope"
    " else substr(scope, 1, instr(scope, ':') - 1) end from memory where rowid = ?"
    " and status in ('active', 'proposed')",
    Shelf.EPISODE: "select 'project' from episode where rowid = ?",
}


class SearchTables(Tables):
    """See `Search`."""

    _fit: tuple[tuple[int, int, int], Fit] | None = None

    def match_vector(
        self, shelf: Shelf, vector: bytes, fit: int, filters: Filters, limit: int
    ) -> Scores:
        """See `Search.match_vector`."""
        scopes = [kind.value for kind in filters.scope_kinds]
        if shelf is Shelf.EPISODE:
            scopes = ["project"] if Scope.PROJECT in filters.scopes else []
        with self._db.read() as db:
            if not vector_tables.exists(db, shelf, fit):
                return {}
            table = vector_tables.name(shelf, fit)
            near = vector_tables.nearest(db, table, vector, scopes, limit)
            # A partition holds all sessions and all diaries: which one is asked here, in SQL.
            allowed = self.passing(shelf, list(near), filters)
        return {row: score for row, score in near.items() if row in allowed}

    def passing(self, shelf: Shelf, rowids: Sequence[int], filters: Filters) -> set[int]:
        """See `Search.passing`."""
        if not rowids:
            return set()
        where, values = seen(shelf, filters)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                # The few rows come first: an index over what is asked of them reads far more.
                f"select item.rowid from (select value as wanted from json_each(?)) cross join"
                f" {shelf.value} item on item.rowid = wanted where {where}",
                (json.dumps(list(rowids)), *values),
            ).fetchall()
        return {row[0] for row in rows}

    def current_fit(self) -> Fit | None:
        """See `Search.current_fit`."""
        with self._db.read() as db:
            number = db.execute("select max(number) from vector_model where is_current = 1").get
            if not number:
                return None
            known = self._fit
            # A fit never changes, and numbers are not used twice but after a restore.
            mark = db.execute(
                "select fitted_rows, (select epoch from change_epoch) from vector_model"
                " where number = ?",
                (number,),
            ).get
            if known is None or known[0] != (number, *mark):
                row = db.execute(
                    "select number, name, dimension, fitted_rows, counts, mean from vector_model"
                    " where number = ?",
                    (number,),
                ).get
                known = self._fit = ((number, *mark), Fit(*row))
        return known[1]

    def unfinished_fit(self) -> Fit | None:
        """See `Search.unfinished_fit`."""
        with self._db.read() as db:
            row = db.execute(
                "select number, name, dimension, fitted_rows, counts, mean from vector_model"
                " where is_current = 0 order by number desc limit 1"
            ).get
            known = row and all(vector_tables.exists(db, shelf, row[0]) for shelf in Shelf)
        return Fit(*row) if known else None

    def filled_up_to(self, shelf: Shelf, fit: int) -> int:
        """See `Search.filled_up_to`."""
        with self._db.read() as db:
            return vector_tables.last_item(db, vector_tables.name(shelf, fit))

    @contextmanager
    def fitting(self) -> Iterator[bool]:
        """See `Search.fitting`."""
        try:
            with FileLock(self.path.with_suffix(".fit.lock"), timeout=0, mode=0o600):
                yield True
        except Timeout:
            yield False

    def add_fit(self, fit: Fit) -> int:
        """See `Search.add_fit`."""
        with self._db.write() as db:
            # What a fit that was broken off left behind; only one fits at a time.
            current = db.execute("select number from vector_model where is_current = 1").get or 0
            db.execute("delete from vector_model where number != ?", (current,))
            vector_tables.drop_all_but(db, current)
            db.execute(
                "insert into vector_model (name, dimension, fitted_rows, counts, mean)"
                " values (?, ?, ?, ?, ?)",
                (fit.name, fit.dimension, fit.fitted_rows, fit.counts, fit.mean),
            )
            number = db.last_insert_rowid()
            for shelf in Shelf:
                vector_tables.create(db, shelf, number, fit.dimension)
        return number

    def make_current(self, number: int) -> None:
        """See `Search.make_current`."""
        with self._db.write() as db:
            db.execute("update vector_model set is_current = (number = ?)", (number,))
            db.execute("delete from vector_model where number != ?", (number,))
            for shelf in Shelf:
                filled = vector_tables.filled(db, vector_tables.name(shelf, number))
                db.execute(
                    f"update {shelf.value} set vector_model = ? where rowid in"
                    " (select value from json_each(?))",
                    (number, json.dumps(filled)),
                )
            vector_tables.drop_all_but(db, number)

    def rows_after(self, shelf: Shelf, rowid: int, limit: int) -> list[Pending]:
        """See `Search.rows_after`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"{_TEXT_OF[shelf]} {_IN_ORDER[shelf]} rowid > ? order by rowid limit ?",
                (rowid, limit),
            ).fetchall()
        return [Pending(shelf, *row) for row in rows]

    def without_vector(self, limit: int) -> list[Pending]:
        """See `Search.without_vector`."""
        found: list[Pending] = []
        with self._db.read() as db:
            fit = db.execute("select number from vector_model where is_current = 1").get
            for shelf in Shelf if fit else ():
                rows: list[Row] = db.execute(
                    f"{_TEXT_OF[shelf]} {_PENDING[shelf]} vector_model < ? limit ?",
                    (fit, limit - len(found)),
                ).fetchall()
                found += [Pending(shelf, *row) for row in rows]
        return found

    def sample_texts(self, limit: int) -> list[str]:
        """See `Search.sample_texts`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select text from (select what || ' ' || why as text, created_at as at from memory"
                " where status in ('active', 'proposed')"
                " union all select text, at from episode) order by at desc limit ?",
                (limit,),
            ).fetchall()
        return [row[0] for row in rows]

    def put_vectors(self, fit: int, rows: Sequence[tuple[Pending, Sequence[bytes]]]) -> None:
        """See `Search.put_vectors`."""
        with self._db.write() as db:
            is_current = db.execute(
                "select is_current from vector_model where number = ?", (fit,)
            ).get
            if is_current is None:
                return
            for pending, chunks in rows:
                shelf, row = pending.shelf, pending.rowid
                scope = db.execute(_SCOPE_OF[shelf], (row,)).get
                if scope is None:  # gone or closed meanwhile
                    continue
                vector_tables.put(db, vector_tables.name(shelf, fit), row, scope, chunks)
                if is_current:
                    db.execute(
                        f"update {shelf.value} set vector_model = ? where rowid = ?", (fit, row)
                    )
