"""Transactions, erasure, copies and the size of a store's file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from postil.storage import vector_tables
from postil.storage.connect import Tables, copy_database, transfer, translated
from postil.storage.rows import Row
from postil.storage.store import Progress, Shelf, Sizes

# Share of free pages above which rewriting the file is worth it, and the bytes below which not.
_FREE_SHARE = 0.25
_FREE_LEAST = 1_000_000


class UpkeepTables(Tables):
    """See `Upkeep`."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Upkeep.transaction`."""
        with self._db.write():
            yield

    def erase_rows(self, ids: Sequence[str], texts: Sequence[str], at: float) -> int:
        """See `Upkeep.erase_rows`."""
        with self._db.write() as db:
            for shelf in Shelf:
                rows: list[Row] = db.execute(
                    f"select rowid from {shelf.value} where id in (select value from json_each(?))",
                    (json.dumps(list(ids)),),
                ).fetchall()
                for (rowid,) in rows:
                    vector_tables.remove_everywhere(db, shelf, rowid)
                    db.execute(f"delete from {shelf.value}_words where rowid = ?", (rowid,))
                    db.execute(f"delete from {shelf.value} where rowid = ?", (rowid,))
            for one in ids:
                db.execute("delete from fact where id = ?", (one,))
                db.execute("update event set before = null where target = ?", (one,))
                db.execute("delete from suggestion where ? in (new_memory, old_memory)", (one,))
                db.execute("delete from request where target = ?", (one,))
                db.execute("delete from preview where instr(selection, ?)", (one,))
            for text in texts:
                _erase_traces(db, text.casefold())
            db.execute(
                "insert into erasure (at, targets) values (?, ?)", (at, json.dumps(list(ids)))
            )
            return db.last_insert_rowid()

    def scrub(self) -> bool:
        """See `Upkeep.scrub`."""
        with translated(self.path):
            db = self._db.connection()
            # A deleted row stays in its segment of a word index until segments are merged.
            for shelf in Shelf:
                words = f"{shelf.value}_words"
                db.execute(f"insert into {words} ({words}) values ('optimize')")
            db.execute("vacuum")
            return not db.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]

    def erasures(self) -> list[tuple[int, tuple[str, ...]]]:
        """See `Upkeep.erasures`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select number, targets from erasure order by number"
            ).fetchall()
        return [(number, tuple(json.loads(targets))) for number, targets in rows]

    def end_erasure(self, number: int) -> None:
        """See `Upkeep.end_erasure`."""
        with self._db.write() as db:
            db.execute("delete from erasure where number = ?", (number,))

    def backup_to(self, target: Path, progress: Progress | None = None) -> None:
        """See `Upkeep.backup_to`."""
        part = target.with_name(f"{target.name}.part")
        with translated(target):
            try:
                copy_database(self._db.connection(), part, progress)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
        with self._db.write() as db:
            db.execute(
                "insert or replace into backup (path, at) values (?, cast(strftime('%s') as real))",
                (str(target.absolute()),),
            )

    def restore_from(self, source: Path, progress: Progress | None = None) -> None:
        """See `Upkeep.restore_from`."""
        with translated(source):
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            copy = apsw.Connection(f"{source.absolute().as_uri()}?immutable=1", flags=flags)
            try:
                with translated(self.path):
                    transfer(copy, self._db.connection(), progress)
            finally:
                copy.close()

    def backups(self) -> list[Path]:
        """See `Upkeep.backups`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute("select path from backup order by at, path").fetchall()
        aside = sorted(self.path.parent.glob(f"{self.path.stem}.v*.bak"))
        return [*(Path(row[0]) for row in rows), *aside]

    def sizes(self) -> Sizes:
        """See `Upkeep.sizes`."""
        log = Path(f"{self.path}-wal")
        with translated(self.path):
            db = self._db.connection()
            free = int(db.pragma("freelist_count")) * int(db.pragma("page_size"))
        return Sizes(
            main=self.path.stat().st_size, log=log.stat().st_size if log.exists() else 0, free=free
        )

    def compact(self) -> None:
        """See `Upkeep.compact`."""
        with translated(self.path):
            db = self._db.connection()
            for shelf in Shelf:
                words = f"{shelf.value}_words"
                db.execute(f"insert into {words} ({words}) values ('optimize')")
            sizes = self.sizes()
            if sizes.free > max(_FREE_LEAST, _FREE_SHARE * sizes.main):
                db.execute("vacuum")
            db.pragma("optimize")
            db.execute("pragma wal_checkpoint(truncate)").fetchall()

    def change_counter(self) -> int:
        """See `Upkeep.change_counter`."""
        return self._db.change_counter()

    def integrity(self) -> str:
        """See `Upkeep.integrity`."""
        with self._db.read() as db:
            return str(db.execute("pragma integrity_check").get)

    def close(self) -> None:
        """See `Upkeep.close`."""
        self._db.close()


def _holds(value: object, text: str) -> bool:
    if isinstance(value, str):
        return text in value.casefold()
    if isinstance(value, dict):
        return any(_holds(one, text) for one in value.values())
    return isinstance(value, list) and any(_holds(one, text) for one in value)


def _erase_traces(db: apsw.Connection, text: str) -> None:
    """Take a text out of the history of what stays, and out of the names of things."""
    rows: list[Row] = db.execute(
        "select number, before from event where before is not null"
    ).fetchall()
    for number, before in rows:
        if _holds(json.loads(before), text):
            db.execute("update event set before = null where number = ?", (number,))
    rows = db.execute("select rowid, reason from suggestion").fetchall()
    for rowid, reason in rows:
        if text in reason.casefold():
            db.execute("delete from suggestion where rowid = ?", (rowid,))
    for table, column in (("entity", "name"), ("entity_alias", "alias")):
        rows = db.execute(f"select rowid, {column} from {table}").fetchall()
        for rowid, name in rows:
            if text in name.casefold():
                db.execute(f"delete from {table} where rowid = ?", (rowid,))
