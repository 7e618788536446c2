"""How files enter the code map: in place of what was known; rows that can stay do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw

# The words of a symbol as they are searched: name, owner, documentation, its whole text.
Words = tuple[str, str, str, str]
# A symbol as it is stored, without its file. Plain, since it comes from other processes.
SymbolRow = tuple[str, str, str, int, int, int, str, str, str]
ImportRow = tuple[str, int, str]
_INSERT = (
    "insert into symbol (file, name, qualified, kind, line, end_line, column_byte, signature, doc,"
    " content_hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_WORDS = "insert into symbol_words (rowid, name, owner, doc, body) values (?, ?, ?, ?, ?)"
# What is cheaper to build once than to keep while a whole tree is entered.
_INDEXES = {
    "symbol_by_file": "symbol (file, line)",
    "symbol_by_name": "symbol (name)",
    "symbol_by_hash": "symbol (content_hash)",
    "symbol_without_vector": "symbol (has_vector) where has_vector = 0",
    "import_by_file": "import (file)",
}


class MappedFile(NamedTuple):
    """A parsed file, ready to be entered: `words` of its symbols, `identifiers` of all of it."""

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    symbols: Sequence[SymbolRow] = ()
    imports: Sequence[ImportRow] = ()
    words: Sequence[Words] = ()
    identifiers: str = ""
    has_errors: bool = False


def enter(db: apsw.Connection, one: MappedFile) -> int:
    """Enter a file; its row.

    A symbol that is still there keeps its row, and its vector when it still says the same.
    """
    file = db.execute("select rowid from file where path = ?", (one.path,)).get
    values = (one.language, one.content_hash, one.size, one.mtime_ns, int(one.has_errors))
    if file is None:
        db.execute(
            "insert into file (language, content_hash, size, mtime_ns, errors, path)"
            " values (?, ?, ?, ?, ?, ?)",
            (*values, one.path),
        )
        file = db.last_insert_rowid()
        _insert(db, file, one.symbols, one.words)
    else:
        db.execute(
            "update file set language = ?, content_hash = ?, size = ?, mtime_ns = ?, errors = ?,"
            " uses_read = 0 where rowid = ?",
            (*values, file),
        )
        db.execute("delete from import where file = ?", (file,))
        db.execute("delete from link where file = ?", (file,))
        db.execute("delete from use where file = ?", (file,))
        db.execute("delete from file_words where rowid = ?", (file,))
        _merge(db, file, one)
    db.executemany(
        "insert into import (file, module, line, statement) values (?, ?, ?, ?)",
        [(file, *imported) for imported in one.imports],
    )
    db.execute("insert into file_words (rowid, words) values (?, ?)", (file, one.identifiers))
    return int(file)


def drop(db: apsw.Connection, path: str) -> None:
    """Forget a file and all that was known of it."""
    file = db.execute("select rowid from file where path = ?", (path,)).get
    if file is None:
        return
    rows = [row for (row,) in db.execute("select rowid from symbol where file = ?", (file,))]
    _drop_symbols(db, rows)
    db.execute("delete from file_words where rowid = ?", (file,))
    db.execute("delete from file where rowid = ?", (file,))


def put_off_indexes(db: apsw.Connection) -> None:
    """Do without the indexes of an empty map, until `make_indexes`."""
    if db.execute("select exists (select 1 from file)").get:
        return
    for name in _INDEXES:
        db.execute(f"drop index if exists {name}")


def make_indexes(db: apsw.Connection) -> None:
    """Make the indexes that are not there."""
    for name, columns in _INDEXES.items():
        db.execute(f"create index if not exists {name} on {columns}")


def has_vectors(db: apsw.Connection) -> bool:
    """Whether vectors of symbols were ever made."""
    return bool(db.execute("select 1 from sqlite_master where name = 'symbol_vectors'").get)


def _merge(db: apsw.Connection, file: int, one: MappedFile) -> None:
    """Replace the symbols of a file; what is still called the same keeps its row."""
    known: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    rows: list[tuple[Any, ...]] = db.execute(
        "select qualified, kind, rowid, content_hash, doc, signature from symbol where file = ?"
        " order by line, rowid",
        (file,),
    ).fetchall()
    for qualified, kind, *rest in rows:
        known.setdefault((qualified, kind), []).append(tuple(rest))
    new: list[SymbolRow] = []
    new_words: list[Words] = []
    for symbol, words in zip(one.symbols, one.words, strict=True):
        _, qualified, kind, _, _, _, signature, doc, digest = symbol
        same = known.get((qualified, kind))
        if not same:
            new.append(symbol)
            new_words.append(words)
            continue
        exact = (digest, doc, signature)
        place = next((n for n, row in enumerate(same) if row[1:] == exact), 0)
        rowid, *before = same.pop(place)
        _update(db, rowid, symbol)
        if tuple(before) != exact:
            db.execute("delete from symbol_words where rowid = ?", (rowid,))
            db.execute(_INSERT_WORDS, (rowid, *words))
            if has_vectors(db):
                db.execute("delete from symbol_vectors where rowid = ?", (rowid,))
            db.execute("update symbol set has_vector = 0 where rowid = ?", (rowid,))
    _drop_symbols(db, [row[0] for rows in known.values() for row in rows])
    _insert(db, file, new, new_words)


def _update(db: apsw.Connection, rowid: int, symbol: SymbolRow) -> None:
    db.execute(
        "update symbol set line = ?, end_line = ?, column_byte = ?, signature = ?, doc = ?,"
        " content_hash = ? where rowid = ?",
        (*symbol[3:], rowid),
    )


def _insert(
    db: apsw.Connection,
    file: int,
    symbols: Sequence[SymbolRow],
    words: Sequence[Words],
) -> None:
    if not symbols:
        return
    first = (db.execute("select seq from sqlite_sequence where name = 'symbol'").get or 0) + 1
    db.executemany(_INSERT, [(file, *one) for one in symbols])
    db.executemany(
        _INSERT_WORDS,
        [(first + place, *one) for place, one in enumerate(words)],
    )


def _drop_symbols(db: apsw.Connection, rows: Iterable[int]) -> None:
    listed = [(row,) for row in rows]
    if not listed:
        return
    db.executemany("delete from symbol_words where rowid = ?", listed)
    if has_vectors(db):
        db.executemany("delete from symbol_vectors where rowid = ?", listed)
    db.executemany("delete from symbol where rowid = ?", listed)
