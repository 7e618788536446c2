"""The code map's own file: rebuilt from the source at any time, never mixed with memories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from postil.model import Import, ImportHit, Skip, Symbol
from postil.storage.codeenter import (
    MappedFile,
    drop,
    enter,
    has_vectors,
    make_indexes,
    put_off_indexes,
)
from postil.storage.codegraph import SYMBOL, CodeGraph, among
from postil.storage.codehistory import CodeHistory
from postil.storage.connect import Database
from postil.words import match_expression

# Where a word stands says how much it tells: names most, then documentation
# (name, owner, documentation, text).
# Below 1 on the whole: FTS5 lets a word that comes often count little more than once otherwise.
_WEIGHTS = "2.4, 1.2, 1.8, 1.2"
# A row as apsw returns it.
Row = tuple[Any, ...]


class FileRow(NamedTuple):
    """What the map knows of a file before reading it."""

    rowid: int
    content_hash: str
    size: int
    mtime_ns: int


class CodeIndex:
    """Files, symbols and imports of one working tree in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = Database(path, "index", derived=True)
        self.graph = CodeGraph(self._db)
        self.history = CodeHistory(self._db)
        self._entered = 0

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileRow]:
        """These mapped files, or all, by path."""
        chosen, values = among(paths)
        with self._db.read() as db:
            rows = db.execute(
                f"select path, rowid, content_hash, size, mtime_ns from file where {chosen}", values
            )
            return {path: FileRow(*rest) for path, *rest in rows}

    def apply(self, files: Iterable[MappedFile], removed: Iterable[str]) -> None:
        """Enter files in place of what was known of them, and drop the removed ones."""
        with self._db.write() as db:
            for path in removed:
                drop(db, path)
            for one in files:
                enter(db, one)
        self._entered += 1

    @contextmanager
    def entering(self) -> Iterator[None]:
        """Around the entering of many files: a map that was empty gets its indexes at the end."""
        with self._db.write() as db:
            put_off_indexes(db)
        try:
            yield
        finally:
            with self._db.write() as db:
                make_indexes(db)

    def touch(self, rows: Iterable[tuple[str, int, int]]) -> None:
        """Note a new size and time of files whose content is unchanged."""
        with self._db.write() as db:
            for path, size, mtime_ns in rows:
                db.execute(
                    "update file set size = ?, mtime_ns = ? where path = ?", (size, mtime_ns, path)
                )

    def set_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of files that are not mapped."""
        with self._db.write() as db:
            db.execute("delete from skip")
            db.executemany(
                "insert or replace into skip (path, reason) values (?, ?)",
                [(skip.path, skip.reason) for skip in skips],
            )

    def skips(self) -> list[Skip]:
        """The files that are not mapped, with reasons."""
        with self._db.read() as db:
            return [Skip(*row) for row in db.execute("select path, reason from skip order by path")]

    def skip_counts(self) -> tuple[tuple[str, int], ...]:
        """How many files are not mapped, by reason, the commonest first."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select reason, count(*) from skip group by reason order by 2 desc, 1"
            ).fetchall()
            return tuple(rows)

    def meta(self, key: str) -> str:
        """A note of the map itself; "" when there is none."""
        with self._db.read() as db:
            return db.execute("select value from meta where key = ?", (key,)).get or ""

    def set_meta(self, key: str, value: str) -> None:
        """Write a note of the map itself."""
        with self._db.write() as db:
            db.execute("insert or replace into meta (key, value) values (?, ?)", (key, value))

    def totals(self) -> tuple[int, int]:
        """How many files and symbols are mapped."""
        with self._db.read() as db:
            return (
                db.execute("select count(*) from file").get,
                db.execute("select count(*) from symbol").get,
            )

    def symbols_in(self, path: str) -> list[Symbol]:
        """The symbols of a file, or of all files below a folder, in order."""
        below = path.rstrip("/") + "/"
        clause, values = (
            ("1", ())
            if path in ("", ".")
            else ("file.path = ? or substr(file.path, 1, ?) = ?", (path, len(below), below))
        )
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SYMBOL} from symbol join file on file.rowid = symbol.file"
                f" where {clause} order by file.path, line, symbol.rowid",
                values,
            ).fetchall()
            return [_to_symbol(row)[1] for row in rows]

    def imports_of(self, path: str) -> list[Import]:
        """The imports of a file, in order."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select module, import.line, statement, coalesce(other.path, '') from import"
                " join file on file.rowid = import.file"
                " left join link on link.file = import.file and link.line = import.line"
                " left join file as other on other.rowid = link.target"
                " where file.path = ? order by import.line, import.rowid, other.path",
                (path,),
            ).fetchall()
            return [Import(*row) for row in rows]

    def imports_like(self, terms: Sequence[str], limit: int) -> list[ImportHit]:
        """Imports whose module, statement or target holds the terms; those that hold most first."""
        if not terms:
            return []
        text = "lower(module || ' ' || statement || ' ' || coalesce(other.path, ''))"
        held = " + ".join(f"(instr({text}, ?) > 0)" for _ in terms)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select file.path, import.line, module, coalesce(other.path, ''),"
                f" {held} as held from import join file on file.rowid = import.file"
                " left join link on link.file = import.file and link.line = import.line"
                " left join file as other on other.rowid = link.target"
                " where held > 0 order by held desc, file.rank desc, file.path, import.line"
                " limit ?",
                (*terms, limit),
            ).fetchall()
        return [ImportHit(*row[:4]) for row in rows]

    def find(self, qualified: str) -> list[Symbol]:
        """Symbols of this qualified name, or whose qualified name ends in it."""
        name = qualified.rsplit(".", 1)[-1]
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SYMBOL} from symbol join file on file.rowid = symbol.file"
                " where name = ? and (qualified = ?"
                " or substr(qualified, -length(?) - 1) = '.' || ?)"
                " order by file.path, line",
                (name, qualified, qualified, qualified),
            ).fetchall()
            return [_to_symbol(row)[1] for row in rows]

    def with_hash(self, content_hash: str) -> list[Symbol]:
        """Symbols whose text has this digest."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SYMBOL} from symbol join file on file.rowid = symbol.file"
                " where symbol.content_hash = ? order by file.path, line",
                (content_hash,),
            ).fetchall()
            return [_to_symbol(row)[1] for row in rows]

    def files_with_hash(self, content_hash: str) -> list[str]:
        """Mapped files whose content has this digest."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select path from file where content_hash = ? order by path", (content_hash,)
            ).fetchall()
        return [path for (path,) in rows]

    def file_holding(self, hashes: Iterable[str]) -> tuple[str, int]:
        """The file that holds most symbols of these hashes, and how many; "" when none does."""
        with self._db.read() as db:
            row = db.execute(
                "select path, count(distinct symbol.content_hash) as held from symbol"
                " join file on file.rowid = symbol.file where symbol.content_hash in"
                " (select value from json_each(?)) group by file order by held desc, path limit 1",
                (json.dumps(list(hashes)),),
            ).fetchone()
        return row or ("", 0)

    def missing(self, places: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of these places (path and qualified symbol, "" the file) that are not mapped."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select value ->> 0, value ->> 1 from json_each(?) where not exists ("
                "  select 1 from file left join symbol on symbol.file = file.rowid"
                "   and qualified = value ->> 1 where path = value ->> 0"
                "   and (value ->> 1 = '' or symbol.rowid is not null))",
                (json.dumps(list(places)),),
            ).fetchall()
        return [(path, symbol) for path, symbol in rows]

    def with_errors(self) -> list[str]:
        """Mapped files whose syntax has errors as far as the grammar sees."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select path from file where errors = 1 order by path"
            ).fetchall()
        return [path for (path,) in rows]

    def file_hash(self, path: str) -> str:
        """The digest of a mapped file's content; "" when it is not mapped."""
        with self._db.read() as db:
            return db.execute("select content_hash from file where path = ?", (path,)).get or ""

    def knows(self, path: str) -> bool:
        """Whether there was such a file, mapped or skipped, when the tree was last compared."""
        with self._db.read() as db:
            return bool(
                db.execute(
                    "select exists (select 1 from file where path = ?1)"
                    " or exists (select 1 from skip where path = ?1 and reason != 'deleted')",
                    (path,),
                ).get
            )

    def paths_ending(self, name: str, limit: int = 5) -> list[str]:
        """Mapped files whose path ends in this name."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select path from file where path = ?1 or substr(path, -length(?1) - 1) = '/' || ?1"
                " order by path limit ?2",
                (name, limit),
            ).fetchall()
        return [row[0] for row in rows]

    def match_words(self, terms: list[str], limit: int) -> dict[int, float]:
        """Symbol rows that hold any of the terms, by weighted BM25 (higher is better)."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select rowid, -bm25(symbol_words, {_WEIGHTS}) as score from symbol_words"
                " where symbol_words match ? order by score desc, rowid limit ?",
                (match_expression(terms), limit),
            ).fetchall()
            return dict(rows)

    def match_vector(
        self, vector: bytes, limit: int, others: Iterable[int] = ()
    ) -> dict[int, float]:
        """The nearest symbol rows by cosine similarity, and that of `others`; int8 in."""
        with self._db.read() as db:
            if not has_vectors(db):
                return {}
            rows: list[Row] = db.execute(
                "select rowid, 1.0 - distance from symbol_vectors"
                " where embedding match vec_int8(?) and k = ?",
                (vector, limit),
            ).fetchall()
            near: dict[int, float] = dict(rows)
            rows = db.execute(
                "select rowid, 1.0 - vec_distance_cosine(embedding, vec_int8(?))"
                " from symbol_vectors where rowid in (select value from json_each(?))",
                (vector, json.dumps([row for row in others if row not in near])),
            ).fetchall()
            return near | dict(rows)

    def symbols(self, rowids: Sequence[int]) -> dict[int, Symbol]:
        """Symbols by row."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SYMBOL} from symbol join file on file.rowid = symbol.file"
                " where symbol.rowid in (select value from json_each(?))",
                (json.dumps(list(rowids)),),
            ).fetchall()
            return dict(map(_to_symbol, rows))

    def nested(self, rowids: Iterable[int]) -> set[int]:
        """Those of these symbols that lie inside a function."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select symbol.rowid from symbol join symbol as around"
                " on around.file = symbol.file and around.kind in ('function', 'method')"
                " and around.qualified = substr(symbol.qualified, 1,"
                "  length(symbol.qualified) - length(symbol.name) - 1)"
                " where symbol.rowid in (select value from json_each(?))",
                (json.dumps(list(rowids)),),
            ).fetchall()
        return {row for (row,) in rows}

    def use_vectors(self, model: str, dimension: int) -> None:
        """Make room for vectors of this model; those of another model go."""
        with self._db.write() as db:
            if has_vectors(db):
                if db.execute("select value from meta where key = 'vectors'").get == model:
                    return
                db.execute("drop table symbol_vectors")
                db.execute("update symbol set has_vector = 0")
            db.execute(
                "create virtual table symbol_vectors using vec0"
                f" (embedding int8[{dimension}] distance_metric=cosine)"
            )
            db.execute("insert or replace into meta values ('vectors', ?)", (model,))

    def without_vector(self, limit: int) -> dict[int, Symbol]:
        """Symbols that have no vector yet."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SYMBOL} from symbol join file on file.rowid = symbol.file"
                " where has_vector = 0 limit ?",
                (limit,),
            ).fetchall()
            return dict(map(_to_symbol, rows))

    def put_vectors(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Store vectors (int8) of symbols that are still there."""
        with self._db.write() as db:
            for rowid, vector in rows:
                # Somebody else may have embedded it meanwhile.
                db.execute(
                    "update symbol set has_vector = 1 where rowid = ? and has_vector = 0", (rowid,)
                )
                if db.changes():
                    db.execute(
                        "insert into symbol_vectors (rowid, embedding) values (?, vec_int8(?))",
                        (rowid, vector),
                    )

    def change_counter(self) -> int:
        """A number that moves when another process has written."""
        return self._db.change_counter()

    @property
    def version(self) -> tuple[int, int]:
        """Two numbers, of which one moves when anybody has entered or dropped files."""
        return self._db.change_counter(), self._entered

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _to_symbol(row: Row) -> tuple[int, Symbol]:
    return row[0], Symbol(*row[1:])
