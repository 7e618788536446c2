"""A vector table for each shelf and fit: one serves queries while the next is filled.

A long text has several vectors, one for each chunk. The row of a vector holds both: the item's row
in the upper bits, the chunk's place in the lower ones. Tables are partitioned by the sort of scope,
so that the nearest of one are found however many others there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import apsw
import numpy as np

from postil.storage.rows import Row
from postil.storage.store import Matrix, Shelf

_CHUNK_BITS = 12
MAX_CHUNKS = 1 << _CHUNK_BITS
# sqlite-vec answers with at most 4,096 neighbours.
_MOST_NEIGHBOURS = 4_000
# Rows that sqlite-vec keeps together, and how many it compares while one is read alone.
_ROWS_OF_CHUNK = 1_024
_WORTH_A_SCAN = 600


def name(shelf: Shelf, fit: int) -> str:
    """The table of a shelf's vectors under a fit."""
    return f"{shelf.value}_vectors_{int(fit)}"


def exists(db: apsw.Connection, shelf: Shelf, fit: int) -> bool:
    """Whether there is such a table."""
    return bool(db.execute("select 1 from sqlite_master where name = ?", (name(shelf, fit),)).get)


def create(db: apsw.Connection, shelf: Shelf, fit: int, dimension: int) -> None:
    """Make an empty table for unit vectors of this dimension."""
    db.execute(
        f"create virtual table {name(shelf, fit)} using vec0"
        f" (scope text partition key, embedding float[{dimension}] distance_metric=cosine)"
    )


def put(db: apsw.Connection, table: str, item: int, scope: str, vectors: Sequence[bytes]) -> None:
    """Store an item's vectors in place of those it has."""
    remove(db, table, item)
    for place, vector in enumerate(vectors[:MAX_CHUNKS]):
        db.execute(
            f"insert into {table} (rowid, scope, embedding) values (?, ?, ?)",
            (item << _CHUNK_BITS | place, scope, vector),
        )


def remove(db: apsw.Connection, table: str, item: int) -> None:
    """Remove an item's vectors; sqlite-vec overwrites what it removes."""
    rows = db.execute(
        f"select rowid from {table}_rowids where rowid between ? and ?",
        (item << _CHUNK_BITS, (item + 1 << _CHUNK_BITS) - 1),
    ).fetchall()
    for (row,) in rows:
        db.execute(f"delete from {table} where rowid = ?", (row,))


def remove_everywhere(db: apsw.Connection, shelf: Shelf, item: int) -> None:
    """Remove an item's vectors of all fits."""
    fits: list[Row] = db.execute("select number from vector_model").fetchall()
    for (fit,) in fits:
        if exists(db, shelf, fit):
            remove(db, name(shelf, fit), item)


def nearest(
    db: apsw.Connection, table: str, vector: bytes, scopes: Sequence[str], limit: int
) -> dict[int, float]:
    """The nearest items in these sorts of scope, each by its best chunk, by cosine similarity."""
    best: dict[int, float] = {}
    for scope in scopes:
        for row, distance in db.execute(
            f"select rowid, distance from {table} where embedding match ? and k = ? and scope = ?",
            (vector, limit, scope),
        ):
            item = row >> _CHUNK_BITS
            if distance is not None and distance == distance:  # nothing is near a zero vector
                best[item] = max(1.0 - distance, best.get(item, -1.0))
    return best


def similar(
    db: apsw.Connection, table: str, vector: bytes, items: Sequence[int]
) -> dict[int, float]:
    """The cosine similarity of each of these items, by its best chunk; those without are left out.

    Few are read one by one. Many are asked for as neighbours of the vector among themselves: that
    reads the whole table, but compares many vectors at once.
    """
    size = db.execute(f"select count(*) from {table}_chunks").get * _ROWS_OF_CHUNK
    if len(items) * _WORTH_A_SCAN < size:
        return _compared(vector, *of_items(db, table, items))
    rows: list[Row] = db.execute(
        f"select r.rowid from json_each(?) one join {table}_rowids r on r.rowid"
        f" between one.value << {_CHUNK_BITS} and (one.value + 1 << {_CHUNK_BITS}) - 1",
        (json.dumps(list(items)),),
    ).fetchall()
    best: dict[int, float] = {}
    for start in range(0, len(rows), _MOST_NEIGHBOURS):
        part = [row[0] for row in rows[start : start + _MOST_NEIGHBOURS]]
        for row, distance in db.execute(
            f"select rowid, distance from {table} where embedding match ? and k = ?"
            " and rowid in (select value from json_each(?))",
            (vector, len(part), json.dumps(part)),
        ):
            item = row >> _CHUNK_BITS
            if distance is not None and distance == distance:
                best[item] = max(1.0 - distance, best.get(item, -1.0))
    return best


def _compared(vector: bytes, owners: Matrix, matrix: Matrix) -> dict[int, float]:
    if not len(owners):
        return {}
    length = np.linalg.norm(matrix, axis=1)
    scores = matrix @ np.frombuffer(vector, np.float32) / np.maximum(length, 1e-9)
    best: dict[int, float] = {}
    for item, score, size in zip(owners.tolist(), scores.tolist(), length.tolist(), strict=True):
        if size > 0:  # nothing is near a zero vector
            best[item] = max(score, best.get(item, -1.0))
    return best


def every(db: apsw.Connection, table: str) -> Iterator[tuple[Matrix, Matrix]]:
    """All items and their vectors, a part at a time, as sqlite-vec keeps them: 1,024 together."""
    for rowids, validity, vectors in db.execute(
        f"select c.rowids, c.validity, v.vectors from {table}_chunks c"
        f" join {table}_vector_chunks00 v on v.rowid = c.rowid"
    ):
        used = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
        items = np.frombuffer(rowids, np.int64)[: len(used)][used] >> _CHUNK_BITS
        matrix = np.frombuffer(vectors, np.float32).reshape(len(used), -1)[used]
        if len(items):
            yield items, matrix


def of_items(db: apsw.Connection, table: str, items: Sequence[int]) -> tuple[Matrix, Matrix]:
    """Some items, once for each of their chunks, and their vectors."""
    found: list[Row] = db.execute(
        f"select r.rowid >> {_CHUNK_BITS}, (select embedding from {table} where rowid = r.rowid)"
        f" from json_each(?) one join {table}_rowids r on r.rowid"
        f" between one.value << {_CHUNK_BITS} and (one.value + 1 << {_CHUNK_BITS}) - 1",
        (json.dumps(list(items)),),
    ).fetchall()
    if not found:
        return np.empty(0, np.int64), np.empty((0, 0), np.float32)
    matrix = np.frombuffer(b"".join(vector for _, vector in found), np.float32)
    return np.array([item for item, _ in found], np.int64), matrix.reshape(len(found), -1)


def filled(db: apsw.Connection, table: str) -> list[int]:
    """The items that have vectors in this table."""
    rows: list[Row] = db.execute(
        f"select distinct rowid >> {_CHUNK_BITS} from {table}_rowids"
    ).fetchall()
    return [row[0] for row in rows]


def last_item(db: apsw.Connection, table: str) -> int:
    """The highest item that has vectors in this table; 0 when none has."""
    return int(db.execute(f"select max(rowid) >> {_CHUNK_BITS} from {table}_rowids").get or 0)


def drop_all_but(db: apsw.Connection, fit: int) -> None:
    """Drop the tables of all other fits."""
    tables = [
        str(row[0])
        for row in db.execute(
            "select name from sqlite_master where sql like 'create virtual table%vec0%'"
        ).fetchall()
    ]
    for table in tables:
        match = re.fullmatch(r"(?:memory|episode)_vectors_(\d+)", table)
        if match and int(match[1]) != fit:
            db.execute(f"drop table {table}")
