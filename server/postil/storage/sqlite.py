"""The memory store in one SQLite file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import apsw
from filelock import FileLock, Timeout

from postil.model import Anchor, Episode, Memory, Status, new_id
from postil.storage import vector_tables
from postil.storage.connect import Database
from postil.storage.rows import (
    EPISODE_COLUMNS,
    MEMORY_COLUMNS,
    Row,
    memory_values,
    memory_words,
    to_episode,
    to_memory,
)
from postil.storage.store import Cursor, Filters, Fit, Pending, Scores, Shelf
from postil.words import clean, indexable, match_expression

# FTS5 costs some 2 microseconds for each row that matches, so the commonest terms of a query are
# left out once the rarer ones account for this many rows.
MATCH_BUDGET = 12_000
_TEXT_OF = {
    Shelf.MEMORY: "select rowid, trim(what || ' ' || why || ' ' || (select"
    " coalesce(group_concat(value, ' '), '') from json_each(tags))) from memory",
    Shelf.EPISODE: "select rowid, text from episode",
}
_WEIGHTS = {Shelf.MEMORY: "1.0, 0.8, 0.6", Shelf.EPISODE: "1.0"}


class SqliteStore:
    """A `Store` in the file `path`; made when it is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = Database(path, "memory")

    def add_memory(self, memory: Memory, content_key: str) -> tuple[Memory, bool]:
        """See `Store.add_memory`."""
        with self._db.write() as db:
            known = db.execute(
                f"select {MEMORY_COLUMNS} from memory where content_key = ?"
                " and status in ('active', 'proposed')",
                (content_key,),
            ).get
            if known is not None:
                _add_to(db, known[0], _with_anchors(db, [known])[known[0]], memory)
                again: list[Row] = db.execute(
                    f"select {MEMORY_COLUMNS} from memory where rowid = ?", (known[0],)
                ).fetchall()
                return _with_anchors(db, again)[known[0]], False
            # Ids are short, to be cited: of many made in one second two may be the same.
            while db.execute("select 1 from memory where id = ?", (memory.id,)).get:
                memory = replace(memory, id=new_id("m"))
            values = memory_values(memory, content_key)
            places = ", ".join(f":{name}" for name in values)
            db.execute(f"insert into memory ({', '.join(values)}) values ({places})", values)
            rowid = db.last_insert_rowid()
            _enter_places_and_words(db, rowid, memory)
        return memory, True

    def set_status(self, memory_id: str, status: Status, superseded_by: str, at: float) -> bool:
        """See `Store.set_status`."""
        with self._db.write() as db:
            db.execute(
                "update memory set status = ?, superseded_by = ?, updated_at = ? where id = ?",
                (status.value, superseded_by, at, memory_id),
            )
            return db.changes() > 0

    def memory(self, memory_id: str) -> Memory | None:
        """See `Store.memory`."""
        with self._db.read() as db:
            row = db.execute(f"select {MEMORY_COLUMNS} from memory where id = ?", (memory_id,)).get
            return _with_anchors(db, [row])[row[0]] if row else None

    def memories(self, rowids: Sequence[int]) -> dict[int, Memory]:
        """See `Store.memories`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {MEMORY_COLUMNS} from memory where rowid in (select value from"
                " json_each(?))",
                (json.dumps(list(rowids)),),
            ).fetchall()
            return _with_anchors(db, rows)

    def list_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """See `Store.list_memories`."""
        where, values = _where(filters)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {MEMORY_COLUMNS} from memory where {where}"
                " order by pinned desc, importance desc, created_at desc, rowid desc limit ?",
                (*values, limit),
            ).fetchall()
            found = _with_anchors(db, rows)
        return [found[row[0]] for row in rows]

    def tied_to(self, path: str, symbols: Sequence[str], hashes: Sequence[str]) -> list[Memory]:
        """See `Store.tied_to`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {MEMORY_COLUMNS} from memory where status = 'active' and rowid in ("
                "select memory from anchor where path = ?"
                " union select memory from anchor where symbol in (select value from json_each(?))"
                " union select memory from anchor where content_hash in"
                " (select value from json_each(?))) order by rowid",
                (path, json.dumps(list(symbols)), json.dumps(list(hashes))),
            ).fetchall()
            return list(_with_anchors(db, rows).values())

    def counts(self) -> dict[str, int]:
        """See `Store.counts`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select kind, count(*) from memory where status = 'active' group by kind"
                " order by kind"
            ).fetchall()
            counts: dict[str, int] = dict(rows)
            counts["episode"] = db.execute("select count(*) from episode").get
        return counts

    def add_episodes(self, episodes: Sequence[Episode], cursor: Cursor | None) -> int:
        """See `Store.add_episodes`."""
        added = 0
        with self._db.write() as db:
            for episode in episodes:
                added += _insert_episode(db, episode)
            if cursor is not None:
                db.execute(
                    "insert or replace into transcript_cursor (path, offset) values (?, ?)",
                    (cursor.path, cursor.offset),
                )
        return added

    def cursor(self, path: str) -> Cursor:
        """See `Store.cursor`."""
        with self._db.read() as db:
            offset = db.execute("select offset from transcript_cursor where path = ?", (path,)).get
        return Cursor(path, offset or 0)

    def last_turn(self, session: str, role: str) -> str:
        """See `Store.last_turn`."""
        with self._db.read() as db:
            text = db.execute(
                "select text from episode where session = ? and role = ? order by ordinal desc"
                " limit 1",
                (session, role),
            ).get
        return text or ""

    def episodes(self, rowids: Sequence[int]) -> dict[int, Episode]:
        """See `Store.episodes`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {EPISODE_COLUMNS} from episode where rowid in (select value from"
                " json_each(?))",
                (json.dumps(list(rowids)),),
            ).fetchall()
        return {row[0]: to_episode(row) for row in rows}

    def neighbours(self, rowids: Sequence[int]) -> dict[int, list[int]]:
        """See `Store.neighbours`."""
        beside: dict[int, list[int]] = {}
        with self._db.read() as db:
            for rowid, other in db.execute(
                "select one.rowid, other.rowid from episode one join episode other"
                " on other.session = one.session"
                " and other.ordinal in (one.ordinal - 1, one.ordinal + 1)"
                " where one.rowid in (select value from json_each(?))",
                (json.dumps(list(rowids)),),
            ):
                beside.setdefault(rowid, []).append(other)
        return beside

    def match_words(self, shelf: Shelf, terms: list[str], filters: Filters, limit: int) -> Scores:
        """See `Store.match_words`."""
        words = f"{shelf.value}_words"
        where, values = _where(filters) if shelf is Shelf.MEMORY else ("1", ())
        with self._db.read() as db:
            terms = _affordable(db, shelf, terms)
            if not terms:
                return {}
            rows: list[Row] = db.execute(
                f"select {words}.rowid, -bm25({words}, {_WEIGHTS[shelf]}) as score from {words}"
                f" join {shelf.value} item on item.rowid = {words}.rowid"
                f" where {words} match ? and {where} order by score desc, item.rowid limit ?",
                (match_expression(terms), *values, limit),
            ).fetchall()
        return dict(rows)

    def match_vector(self, shelf: Shelf, vector: bytes, fit: int, limit: int) -> Scores:
        """See `Store.match_vector`."""
        with self._db.read() as db:
            if not vector_tables.exists(db, shelf, fit):
                return {}
            rows: list[Row] = db.execute(
                f"select rowid, 1.0 - distance from {vector_tables.name(shelf, fit)}"
                " where embedding match ? and k = ?",
                (vector, limit),
            ).fetchall()
        return dict(rows)

    def passing(self, rowids: Sequence[int], filters: Filters) -> set[int]:
        """See `Store.passing`."""
        where, values = _where(filters)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select rowid from memory item where rowid in (select value from json_each(?))"
                f" and {where}",
                (json.dumps(list(rowids)), *values),
            ).fetchall()
        return {row[0] for row in rows}

    def current_fit(self) -> Fit | None:
        """See `Store.current_fit`."""
        with self._db.read() as db:
            row = db.execute(
                "select number, name, dimension, fitted_rows, counts, mean from vector_model"
                " where is_current = 1 order by number desc limit 1"
            ).get
        return Fit(*row) if row else None

    @contextmanager
    def fitting(self) -> Iterator[bool]:
        """See `Store.fitting`."""
        try:
            with FileLock(self.path.with_suffix(".fit.lock"), timeout=0, mode=0o600):
                yield True
        except Timeout:
            yield False

    def add_fit(self, fit: Fit) -> int:
        """See `Store.add_fit`."""
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
        """See `Store.make_current`."""
        with self._db.write() as db:
            db.execute("update vector_model set is_current = (number = ?)", (number,))
            db.execute("delete from vector_model where number != ?", (number,))
            for shelf in Shelf:
                db.execute(
                    f"update {shelf.value} set vector_model = ? where rowid in"
                    f" (select rowid from {vector_tables.name(shelf, number)})",
                    (number,),
                )
            vector_tables.drop_all_but(db, number)

    def rows_after(self, shelf: Shelf, rowid: int, limit: int) -> list[Pending]:
        """See `Store.rows_after`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"{_TEXT_OF[shelf]} where rowid > ? order by rowid limit ?", (rowid, limit)
            ).fetchall()
        return [Pending(shelf, *row) for row in rows]

    def without_vector(self, limit: int) -> list[Pending]:
        """See `Store.without_vector`."""
        found: list[Pending] = []
        with self._db.read() as db:
            fit = db.execute("select number from vector_model where is_current = 1").get
            for shelf in Shelf if fit else ():
                rows: list[Row] = db.execute(
                    f"{_TEXT_OF[shelf]} where vector_model != ? limit ?",
                    (fit, limit - len(found)),
                ).fetchall()
                found += [Pending(shelf, *row) for row in rows]
        return found

    def sample_texts(self, limit: int) -> list[str]:
        """See `Store.sample_texts`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select text from (select what || ' ' || why as text, created_at as at from memory"
                " union all select text, at from episode) order by at desc limit ?",
                (limit,),
            ).fetchall()
        return [row[0] for row in rows]

    def put_vectors(self, fit: int, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """See `Store.put_vectors`."""
        with self._db.write() as db:
            is_current = db.execute(
                "select is_current from vector_model where number = ?", (fit,)
            ).get
            if is_current is None:
                return
            for pending, vector in rows:
                shelf, table = pending.shelf.value, vector_tables.name(pending.shelf, fit)
                if not db.execute(f"select 1 from {shelf} where rowid = ?", (pending.rowid,)).get:
                    continue
                db.execute(f"delete from {table} where rowid = ?", (pending.rowid,))
                db.execute(
                    f"insert into {table} (rowid, embedding) values (?, ?)",
                    (pending.rowid, vector),
                )
                if is_current:
                    db.execute(
                        f"update {shelf} set vector_model = ? where rowid = ?",
                        (fit, pending.rowid),
                    )

    def change_counter(self) -> int:
        """See `Store.change_counter`."""
        return self._db.change_counter()

    def integrity(self) -> str:
        """See `Store.integrity`."""
        with self._db.read() as db:
            return str(db.execute("pragma integrity_check").get)

    def close(self) -> None:
        """See `Store.close`."""
        self._db.close()


def _with_anchors(db: apsw.Connection, rows: Sequence[Row]) -> dict[int, Memory]:
    anchors: dict[int, list[Anchor]] = {}
    for rowid, *fields in db.execute(
        "select memory, path, symbol, symbol_kind, content_hash, commit_id from anchor"
        " where memory in (select value from json_each(?)) order by rowid",
        (json.dumps([row[0] for row in rows]),),
    ):
        anchors.setdefault(rowid, []).append(Anchor(*fields))
    return {row[0]: to_memory(row, anchors.get(row[0], ())) for row in rows}


def _enter_places_and_words(db: apsw.Connection, rowid: int, memory: Memory) -> None:
    for one in memory.anchors:
        db.execute(
            "insert or ignore into anchor (memory, path, symbol, symbol_kind, content_hash,"
            " commit_id) values (?, ?, ?, ?, ?, ?)",
            (rowid, one.path, one.symbol, one.symbol_kind, one.content_hash, one.commit),
        )
    db.execute(
        "insert into memory_words (rowid, what, why, extra) values (?, ?, ?, ?)",
        (rowid, *memory_words(memory)),
    )


def _add_to(db: apsw.Connection, rowid: int, known: Memory, again: Memory) -> None:
    """What a second write of the same statement brings: places and tags."""
    tags = tuple(dict.fromkeys((*known.tags, *again.tags)))
    places = tuple(dict.fromkeys((*known.anchors, *again.anchors)))
    if (tags, places) == (known.tags, known.anchors):
        return
    db.execute(
        "update memory set tags = ?, updated_at = ?, vector_model = 0 where rowid = ?",
        (json.dumps(list(tags), ensure_ascii=False), again.updated_at, rowid),
    )
    db.execute("delete from memory_words where rowid = ?", (rowid,))
    _enter_places_and_words(db, rowid, replace(known, tags=tags, anchors=places))


def _insert_episode(db: apsw.Connection, episode: Episode) -> int:
    db.execute(
        "insert or ignore into episode (id, session, ordinal, role, text, client, at, transcript,"
        " start_byte, end_byte) values (?1, ?2,"
        " (select coalesce(max(ordinal) + 1, 0) from episode where session = ?2),"
        " ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (
            episode.id,
            episode.session,
            episode.role,
            clean(episode.text),
            episode.client,
            episode.at,
            episode.transcript,
            episode.start,
            episode.end,
        ),
    )
    if not db.changes():
        return 0
    db.execute(
        "insert into episode_words (rowid, text) values (?, ?)",
        (db.last_insert_rowid(), indexable(clean(episode.text))),
    )
    return 1


def _where(filters: Filters) -> tuple[str, tuple[str, ...]]:
    """A condition on the table `memory` (or its alias) and its values."""
    clauses = [f"status in ({_places(filters.statuses)})"]
    values: list[str] = [status.value for status in filters.statuses]
    if filters.kinds:
        clauses.append(f"kind in ({_places(filters.kinds)})")
        values += [kind.value for kind in filters.kinds]
    for tag in filters.tags:
        clauses.append("exists (select 1 from json_each(tags) where value = ?)")
        values.append(tag)
    if filters.path:
        clauses.append(
            "id in (select m.id from memory m join anchor a on a.memory = m.rowid"
            " where a.path = ? or a.path like ? escape '\\')"
        )
        escaped = filters.path.rstrip("/").replace("\\", "\\\\")
        escaped = escaped.replace("%", "\\%").replace("_", "\\_")
        values += [filters.path, escaped + "/%"]
    return " and ".join(clauses), tuple(values)


def _places(items: Sequence[object]) -> str:
    return ", ".join("?" for _ in items)


def _affordable(db: apsw.Connection, shelf: Shelf, terms: list[str]) -> list[str]:
    """The terms, without the commonest ones where ranking all their rows would take too long."""
    total = db.execute(f"select count(*) from {shelf.value}").get
    if total <= MATCH_BUDGET:
        return terms
    frequency: dict[str, int] = {}
    for term in terms:
        count = db.execute(
            f"select count(*) from (select 1 from {shelf.value}_words where {shelf.value}_words"
            " match ? limit ?)",
            (match_expression([term]), MATCH_BUDGET),
        ).get
        frequency[term] = count
    kept: list[str] = []
    rows = 0
    for term in sorted(terms, key=lambda term: (frequency[term], term)):
        if kept and rows + frequency[term] > MATCH_BUDGET:
            break
        rows += frequency[term]
        kept.append(term)
    return kept
