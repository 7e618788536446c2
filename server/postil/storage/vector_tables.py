"""A vector table for each shelf and fit: one serves queries while the next is filled."""

from __future__ import annotations

import re

import apsw

from postil.storage.store import Shelf


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
        f" (embedding float[{dimension}] distance_metric=cosine)"
    )


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
