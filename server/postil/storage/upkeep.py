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
    def reading(self) -> Iterator[None]:
        """See `Upkeep.reading`."""
        with self._db.read():
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Upkeep.transaction`."""
        with self._db.write():
            yield

    def erase_rows(
        self, ids: Sequence[str], texts: Sequence[str], wholes: Sequence[str], at: float
    ) -> int:
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
                db.execute("delete from dismissal where memory = ?", (one,))
                db.execute("delete from preview where instr(selection, ?)", (one,))
            _erase_traces(
                db, [text.casefold() for text in texts], {text.casefold() for text in wholes}
            )
            db.execute(
                "insert into erasure (at, targets) values (?, ?)", (at, json.dumps(list(ids)))
            )
            return db.last_insert_rowid()

    def traces(self, text: str) -> int:
        """See `Upkeep.traces`."""
        with self._db.read() as db:
            return sum(1 for _ in _traces(db, [text.casefold()], set()))

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
        self.note_backups([target])

    def note_backups(self, paths: Sequence[Path]) -> None:
        """See `Upkeep.note_backups`."""
        with self._db.write() as db:
            db.executemany(
                "insert or ignore into backup (path, at) values (?, cast(strftime('%s') as real))",
                [(str(path.absolute()),) for path in paths],
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
        with self._db.write() as db:
            # A copy of an older schema gets an epoch of its own when it is migrated.
            if db.execute("select 1 from sqlite_master where name = 'change_epoch'").get:
                db.execute("update change_epoch set epoch = random()")

    def backups(self) -> list[Path]:
        """See `Upkeep.backups`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute("select path from backup order by at, path").fetchall()
        # Whatever the list says: a store that was restored has an older one.
        folder = self.path.parent
        beside = [*folder.glob("backups/*.db"), *folder.glob(f"{self.path.stem}.v*.bak")]
        return list(dict.fromkeys([*(Path(row[0]) for row in rows), *sorted(beside)]))

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

    @property
    def reopened(self) -> int:
        """See `Upkeep.reopened`."""
        return self._db.reopened

    def integrity(self) -> str:
        """See `Upkeep.integrity`."""
        with self._db.read() as db:
            return str(db.execute("pragma integrity_check").get)

    def close(self) -> None:
        """See `Upkeep.close`."""
        self._db.close()


# What a record says; its ids, names of kinds and times say nothing.
_TELLING = (
    "what",
    "why",
    "how",
    "who",
    "tags",
    "about",
    "source",
    "anchors",
    "subject",
    "predicate",
    "object",
)


def _says(record: dict[str, object], texts: Sequence[str], wholes: set[str]) -> bool:
    """Whether a record as it was holds one of the texts, or says just one of the wholes."""
    said = [text.casefold() for name in _TELLING for text in _texts(record.get(name))]
    return any(one in wholes or any(text in one for text in texts) for one in said)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _traces(
    db: apsw.Connection, texts: Sequence[str], wholes: set[str]
) -> Iterator[tuple[str, int]]:
    """Tables and rows in which texts stand beside the records themselves."""
    events: list[Row] = db.execute(
        "select number, before from event where before is not null"
    ).fetchall()
    for number, before in events:
        if _says(json.loads(before), texts, wholes):
            yield "event", number
    for table, columns in (
        ("suggestion", "reason || ' ' || opinion"),
        ("entity", "name"),
        ("entity_alias", "alias"),
    ):
        rows: list[Row] = db.execute(f"select rowid, {columns} from {table}").fetchall()
        for rowid, said in rows:
            if any(text in said.casefold() for text in texts):
                yield table, rowid


def _erase_traces(db: apsw.Connection, texts: Sequence[str], wholes: set[str]) -> None:
    """Take texts out of the history of what stays, and out of the names of things."""
    for table, row in list(_traces(db, texts, wholes)):
        if table == "event":
            db.execute("update event set before = null where number = ?", (row,))
        else:
            db.execute(f"delete from {table} where rowid = ?", (row,))
