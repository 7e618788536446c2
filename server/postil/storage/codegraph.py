"""What leads where in the code map: links between files, uses of names, and who is central."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from postil.model import Symbol
from postil.storage.connect import Database

# Rows as apsw returns them.
Rows = list[tuple[Any, ...]]
SYMBOL = (
    "symbol.rowid, file.path, symbol.name, qualified, symbol.kind, symbol.line, end_line,"
    " column_byte, signature, doc, symbol.content_hash"
)


@dataclass(frozen=True, slots=True)
class UseRow:
    """A use as it is stored: where, by which symbol (0 at file level), of which name."""

    path: str
    caller: int
    kind: str
    name: str
    line: int
    receiver: str


class ImportRow(NamedTuple):
    """An import that is to be resolved."""

    file: int
    path: str
    language: str
    module: str
    line: int
    statement: str


class CodeGraph:
    """The edges of one code map, in its file."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def imports(self, paths: Iterable[str] | None = None) -> list[ImportRow]:
        """The imports of these files, or of all."""
        chosen, values = among(paths)
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select file, path, language, module, line, statement from import"
                f" join file on file.rowid = import.file where {chosen}",
                values,
            ).fetchall()
        return [ImportRow(*row) for row in rows]

    def set_links(self, files: Sequence[int], links: Iterable[tuple[int, int, str]]) -> None:
        """Replace the links of these files by (file, line, path of the target)."""
        with self._db.write() as db:
            db.executemany("delete from link where file = ?", [(one,) for one in files])
            known: Rows = db.execute("select path, rowid from file").fetchall()
            rows = {path: rowid for path, rowid in known}
            db.executemany(
                "insert or ignore into link (file, line, target) values (?, ?, ?)",
                [(file, line, rows[target]) for file, line, target in links if target in rows],
            )

    def links(self) -> set[tuple[int, int]]:
        """All links between files, by their rows."""
        with self._db.read() as db:
            rows: Rows = db.execute("select distinct file, target from link").fetchall()
        return {(file, target) for file, target in rows}

    def set_ranks(self, ranks: Iterable[tuple[float, int]]) -> None:
        """Note how central files are."""
        with self._db.write() as db:
            db.execute("update file set rank = 0")
            db.executemany("update file set rank = ? where rowid = ?", ranks)

    def linked(self, path: str, outgoing: bool) -> list[tuple[str, int]]:
        """The files that `path` imports (or that import it), with the line of the import."""
        here, there = ("file", "target") if outgoing else ("target", "file")
        with self._db.read() as db:
            rows: Rows = db.execute(
                f"select other.path, min(line) from link join file on file.rowid = link.{here}"
                f" join file as other on other.rowid = link.{there}"
                " where file.path = ? group by other.path order by 2, 1",
                (path,),
            ).fetchall()
            return rows

    def files_using(self, name: str, limit: int) -> list[str]:
        """Files that hold this identifier, the most central first."""
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select path from file_words join file on file.rowid = file_words.rowid"
                " where file_words match ? order by file.rank desc, path limit ?",
                ('"' + name.replace('"', '""') + '"', limit),
            ).fetchall()
        return [path for (path,) in rows]

    def without_uses(self, paths: Iterable[str] | None, limit: int) -> list[tuple[str, str, str]]:
        """Path, language and digest of files (of these, or of all) whose uses were not read."""
        chosen, values = among(paths)
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select path, language, content_hash from file where uses_read = 0"
                f" and {chosen} limit ?",
                (*values, limit),
            ).fetchall()
            return rows

    def put_uses(
        self, path: str, digest: str, uses: Iterable[tuple[str, int, str, str, int, str]]
    ) -> None:
        """Store the uses of a file: caller, its line, kind, name, line, receiver.

        Left out when the file has changed since it was read.
        """
        with self._db.write() as db:
            file = db.execute(
                "select rowid from file where path = ? and content_hash = ?", (path, digest)
            ).get
            if file is None:
                return
            callers: dict[tuple[str, int], int] = {
                (qualified, line): rowid
                for rowid, qualified, line in db.execute(
                    "select rowid, qualified, line from symbol where file = ?", (file,)
                )
            }
            first: dict[str, int] = {}
            for (qualified, _), rowid in callers.items():
                first.setdefault(qualified, rowid)
            db.execute("delete from use where file = ?", (file,))
            db.executemany(
                "insert into use (file, caller, kind, name, line, receiver)"
                " values (?, ?, ?, ?, ?, ?)",
                [
                    (file, callers.get((caller, at)) or first.get(caller), *rest)
                    for caller, at, *rest in uses
                ],
            )
            db.execute("update file set uses_read = 1 where rowid = ?", (file,))

    def uses_of(self, name: str) -> list[UseRow]:
        """The uses of a name that were read."""
        return self._uses("use.name = ?", name)

    def uses_by(self, rowid: int) -> list[UseRow]:
        """What a symbol uses."""
        return self._uses("use.caller = ?", rowid)

    def _uses(self, clause: str, value: str | int) -> list[UseRow]:
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select path, coalesce(caller, 0), kind, name, line, receiver from use"
                f" join file on file.rowid = use.file where {clause} order by path, line",
                (value,),
            ).fetchall()
        return [UseRow(*row) for row in rows]

    def named(self, name: str) -> list[tuple[int, str, Symbol]]:
        """The symbols of this name: row, language, symbol; the most central file first."""
        with self._db.read() as db:
            rows: Rows = db.execute(
                f"select file.language, {SYMBOL} from symbol join file on file.rowid = symbol.file"
                " where symbol.name = ? order by file.rank desc, path, symbol.line",
                (name,),
            ).fetchall()
        return [(row[1], row[0], Symbol(*row[2:])) for row in rows]

    def rowid_of(self, symbol: Symbol) -> int:
        """The row of a symbol; 0 when it is not there any more."""
        with self._db.read() as db:
            return (
                db.execute(
                    "select symbol.rowid from symbol join file on file.rowid = symbol.file"
                    " where path = ? and qualified = ? and line = ?",
                    (symbol.path, symbol.qualified, symbol.line),
                ).get
                or 0
            )

    def statements(self, path: str) -> list[tuple[str, list[str]]]:
        """The import statements of a file, each with the files that it leads to."""
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select statement, other.path from import join file on file.rowid = import.file"
                " left join link on link.file = import.file and link.line = import.line"
                " left join file as other on other.rowid = link.target where file.path = ?"
                " order by import.line",
                (path,),
            ).fetchall()
        found: dict[str, list[str]] = {}
        for statement, target in rows:
            found.setdefault(statement, []).extend([target] if target else [])
        return list(found.items())

    def language_of(self, path: str) -> str:
        """The language of a mapped file; "" when it is not mapped."""
        with self._db.read() as db:
            return db.execute("select language from file where path = ?", (path,)).get or ""

    def ranks(self, paths: Iterable[str]) -> dict[str, float]:
        """How central these files are, 0..1."""
        with self._db.read() as db:
            rows: Rows = db.execute(
                "select path, rank from file where path in (select value from json_each(?))",
                (json.dumps(list(paths)),),
            ).fetchall()
        return {path: rank for path, rank in rows}


def among(paths: Iterable[str] | None) -> tuple[str, tuple[str, ...]]:
    """A condition on files: these, or all; and its values."""
    if paths is None:
        return "1", ()
    return "path in (select value from json_each(?))", (json.dumps(list(paths)),)
