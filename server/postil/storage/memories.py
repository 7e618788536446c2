"""The table of memories: by id, by scope, by place."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace

import apsw

from postil.model import Anchor, Memory, Scope, new_id
from postil.storage import vector_tables
from postil.storage.connect import Tables
from postil.storage.filtering import condition, in_scopes
from postil.storage.rows import MEMORY_COLUMNS, Row, memory_values, memory_words, to_memory
from postil.storage.store import Filters, Keys, Shelf

_BATCH = 500
# Seconds by which the clocks of two machines may differ.
_CLOCKS_DIFFER = 86_400
_LOOKED_AT = 5_000


class MemoryTable(Tables):
    """See `Memories`."""

    def insert_memory(self, memory: Memory, keys: Keys) -> Memory:
        """See `Memories.insert_memory`."""
        with self._db.write() as db:
            # Ids are short, to be cited: of many made in one second two may be the same.
            while db.execute("select 1 from memory where id = ?", (memory.id,)).get:
                memory = replace(memory, id=new_id("m"))
            values = memory_values(memory, keys)
            places = ", ".join(f":{name}" for name in values)
            db.execute(f"insert into memory ({', '.join(values)}) values ({places})", values)
            _enter_places_and_words(db, db.last_insert_rowid(), memory)
        return memory

    def replace_memory(self, memory: Memory, keys: Keys) -> None:
        """See `Memories.replace_memory`."""
        with self._db.write() as db:
            rowid = db.execute("select rowid from memory where id = ?", (memory.id,)).get
            values = memory_values(memory, keys)
            pairs = ", ".join(f"{name} = :{name}" for name in values)
            db.execute(f"update memory set {pairs}, vector_model = 0 where id = :id", values)
            db.execute("delete from anchor where memory = ?", (rowid,))
            db.execute("delete from memory_words where rowid = ?", (rowid,))
            # Its text may be another; and what is closed is not found by meaning.
            vector_tables.remove_everywhere(db, Shelf.MEMORY, rowid)
            _enter_places_and_words(db, rowid, memory)

    def memory(self, memory_id: str) -> Memory | None:
        """See `Memories.memory`."""
        return self._one("id = ?", memory_id)

    def with_content(self, content_key: str) -> Memory | None:
        """See `Memories.with_content`."""
        return self._one("content_key = ? and status in ('active', 'proposed')", content_key)

    def row_of(self, memory_id: str) -> int:
        """See `Search.row_of`."""
        with self._db.read() as db:
            return db.execute("select rowid from memory where id = ?", (memory_id,)).get or 0

    def memories(self, rowids: Sequence[int]) -> dict[int, Memory]:
        """See `Memories.memories`."""
        with self._db.read() as db:
            return memories_by_row(db, rowids)

    def list_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """See `Memories.list_memories`."""
        # What is dated in the future comes last: a wrong clock puts no row on top for years.
        order = "pinned desc, importance desc, created_at * (created_at <= ?) desc, rowid desc"
        return self._listed(filters, order, limit)

    def newest_memories(self, filters: Filters, limit: int) -> list[Memory]:
        """See `Memories.newest_memories`."""
        return self._listed(filters, "created_at * (created_at <= ?) desc, rowid desc", limit)

    def tied_to(
        self,
        path: str,
        symbols: Sequence[str],
        hashes: Sequence[str],
        places: Sequence[tuple[str, str]],
        scopes: Sequence[Scope],
    ) -> list[Memory]:
        """See `Memories.tied_to`."""
        where, values = in_scopes(scopes)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {MEMORY_COLUMNS} from memory where status = 'active' and {where}"
                " and rowid in (select memory from anchor where path = ?"
                " union select memory from anchor where symbol in (select value from json_each(?))"
                " union select memory from anchor where content_hash in"
                " (select value from json_each(?))"
                " union select memory from json_each(?) as place join anchor"
                " on anchor.path = place.value ->> 0 and anchor.symbol = place.value ->> 1)"
                " order by rowid",
                (*values, path, *map(json.dumps, (symbols, hashes, places))),
            ).fetchall()
            return list(_with_anchors(db, rows).values())

    def with_pattern(self, scopes: Sequence[Scope]) -> list[Memory]:
        """See `Memories.with_pattern`."""
        return self._active("pattern != ''", scopes)

    def with_anchors(self, scopes: Sequence[Scope]) -> list[Memory]:
        """See `Memories.with_anchors`."""
        return self._active("rowid in (select memory from anchor)", scopes)

    def _active(self, clause: str, scopes: Sequence[Scope]) -> list[Memory]:
        where, values = in_scopes(scopes)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {MEMORY_COLUMNS} from memory where status = 'active' and {where}"
                f" and {clause} order by rowid",
                values,
            ).fetchall()
            return list(_with_anchors(db, rows).values())

    def anchored(self) -> list[tuple[str, str]]:
        """See `Memories.anchored`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute("select distinct path, symbol from anchor").fetchall()
        return [(path, symbol) for path, symbol in rows]

    def holding(self, text: str) -> list[Memory]:
        """See `Memories.holding`."""
        return [one for one in self.every_memory() if _stands_in(text, one)]

    def counts(self, scopes: Sequence[Scope]) -> dict[str, int]:
        """See `Memories.counts`."""
        where, values = in_scopes(scopes)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select kind, count(*) from memory where status = 'active' and {where}"
                " group by kind order by kind",
                values,
            ).fetchall()
            counts: dict[str, int] = dict(rows)
            if Scope.PROJECT in scopes:
                counts["episode"] = db.execute("select count(*) from episode").get
        return counts

    def scopes(self) -> list[Scope]:
        """See `Memories.scopes`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute("select distinct scope from memory").fetchall()
        return [Scope.parse(row[0]) for row in rows]

    def row_counts(self) -> dict[Shelf, int]:
        """See `Memories.row_counts`."""
        with self._db.read() as db:
            memories = db.execute(
                "select count(*) from memory where status in ('active', 'proposed')"
            ).get
            return {
                Shelf.MEMORY: memories,
                Shelf.EPISODE: db.execute("select count(*) from episode").get,
            }

    def session_totals(self, session: str, author: str) -> tuple[int, int]:
        """See `Memories.session_totals`."""
        with self._db.read() as db:
            # Each change is an event, and each change of a text keeps the one before.
            rows: list[Row] = db.execute(
                "select (select count(*) from event where session = ?1 and author = ?2"
                " and number > ?4 and (session != '' or at > ?3)),"
                " (select coalesce(sum(size), 0) from"
                " (select length(what) + length(why) + length(how) as size from memory"
                " where session = ?1 and author = ?2 and (session != '' or created_at > ?3)"
                " union all select length(object) from fact"
                " where session = ?1 and author = ?2 and (session != '' or recorded_at > ?3)"
                " union all select length(before) from event where session = ?1 and author = ?2"
                " and before is not null and number > ?4 and (session != '' or at > ?3)))",
                (session, author, time.time() - 86_400, 0 if session else _newest(db)),
            ).fetchall()
        return rows[0][0], rows[0][1]

    def every_memory(self) -> Iterator[Memory]:
        """See `Memories.every_memory`."""
        last = 0
        while True:
            with self._db.read() as db:
                rows: list[Row] = db.execute(
                    f"select {MEMORY_COLUMNS} from memory where rowid > ? order by rowid limit ?",
                    (last, _BATCH),
                ).fetchall()
                found = _with_anchors(db, rows)
            yield from found.values()
            if len(rows) < _BATCH:
                return
            last = rows[-1][0]

    def twins(self) -> list[tuple[str, ...]]:
        """See `Memories.twins`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select json_group_array(id order by rowid) from memory where status = 'active'"
                " group by scope, kind, trim(what), trim(why) having count(*) > 1"
            ).fetchall()
        return [tuple(json.loads(row[0])) for row in rows]

    def _listed(self, filters: Filters, order: str, limit: int) -> list[Memory]:
        where, values = condition(filters)
        with self._db.read() as db:
            # Chosen by an index alone, so that no text is read but of the few.
            rows: list[Row] = db.execute(
                f"select rowid from memory where {where} order by {order} limit ?",
                (*values, time.time() + _CLOCKS_DIFFER, limit),
            ).fetchall()
            found = memories_by_row(db, [row for (row,) in rows])
        return [found[row] for (row,) in rows]

    def _one(self, where: str, value: str) -> Memory | None:
        with self._db.read() as db:
            row = db.execute(f"select {MEMORY_COLUMNS} from memory where {where}", (value,)).get
            return _with_anchors(db, [row])[row[0]] if row else None


def memories_by_row(db: apsw.Connection, rowids: Sequence[int]) -> dict[int, Memory]:
    """Memories by row, of any status."""
    rows: list[Row] = db.execute(
        f"select {MEMORY_COLUMNS} from memory where rowid in (select value from json_each(?))",
        (json.dumps(list(rowids)),),
    ).fetchall()
    return _with_anchors(db, rows)


def _newest(db: apsw.Connection) -> int:
    """The event after which changes without a session are counted: all of them may be many."""
    return int(db.execute("select coalesce(max(number), 0) from event").get) - _LOOKED_AT


def _stands_in(text: str, memory: Memory) -> bool:
    wanted = text.casefold()
    texts = [memory.what, memory.why, memory.who, memory.how, memory.source]
    texts += [*memory.tags, *memory.about]
    texts += [text for anchor in memory.anchors for text in (anchor.path, anchor.symbol)]
    return any(wanted in one.casefold() for one in texts)


def _with_anchors(db: apsw.Connection, rows: Sequence[Row]) -> dict[int, Memory]:
    anchors: dict[int, list[Anchor]] = {}
    for rowid, *fields in db.execute(
        "select memory, path, symbol, symbol_kind, content_hash, commit_id, fingerprint from anchor"
        " where memory in (select value from json_each(?)) order by rowid",
        (json.dumps([row[0] for row in rows]),),
    ):
        anchors.setdefault(rowid, []).append(Anchor(*fields))
    return {row[0]: to_memory(row, anchors.get(row[0], ())) for row in rows}


def _enter_places_and_words(db: apsw.Connection, rowid: int, memory: Memory) -> None:
    for one in memory.anchors:
        db.execute(
            "insert or ignore into anchor (memory, path, symbol, symbol_kind, content_hash,"
            " commit_id, fingerprint) values (?, ?, ?, ?, ?, ?, ?)",
            (rowid, *astuple(one)),
        )
    db.execute(
        "insert into memory_words (rowid, what, why, extra) values (?, ?, ?, ?)",
        (rowid, *memory_words(memory)),
    )
