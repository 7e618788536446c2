"""SQLite as Postil uses it: through apsw, so that every machine has the same one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import apsw
import sqlite_vec

from postil.config.paths import PRIVATE_FILE, private
from postil.errors import DamagedStoreError, NewerSchemaError, StoreError

BUSY_MILLISECONDS = 10_000


class Database:
    """One SQLite file: a connection per thread, short transactions, numbered migrations.

    Raises StoreError with the file's name for whatever SQLite refuses. A `derived` file is never
    migrated: when it is of another version or damaged, it is dropped and begins anew.
    """

    def __init__(self, path: Path, schema: str, derived: bool = False) -> None:
        self.path = path
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        private(path.parent)
        if derived and not self._is_current(schema):
            self._drop()
        with translated(path):
            self._migrate(schema)

    def connection(self) -> apsw.Connection:
        """This thread's connection."""
        known: apsw.Connection | None = getattr(self._local, "connection", None)
        if known is None:
            known = self._local.connection = self._connect()
            self._open.append(known)
        return known

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Several reads of one state; short, since an open read keeps the log from shrinking."""
        with translated(self.path):
            connection = self.connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("begin")
            try:
                yield connection
            finally:
                connection.execute("rollback")

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """One transaction, taken at once: a deferred one can fail however long it may wait."""
        with translated(self.path):
            connection = self.connection()
            connection.execute("begin immediate")
            try:
                yield connection
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:  # SQLite has ended it itself after some errors
                    connection.execute("rollback")
                raise

    def change_counter(self) -> int:
        """A number that moves when another process or thread has committed."""
        with translated(self.path):
            return int(self.connection().pragma("data_version"))

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()

    def _is_current(self, schema: str) -> bool:
        try:
            with translated(self.path):
                version = int(self.connection().pragma("user_version"))
        except DamagedStoreError:
            return False
        return version in (0, len(_steps(schema)))

    def _drop(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        if os.name == "posix":
            self.path.chmod(PRIVATE_FILE)
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "normal")
        connection.pragma("foreign_keys", True)
        connection.pragma("secure_delete", "on")
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.enable_load_extension(False)
        return connection

    def _migrate(self, schema: str) -> None:
        steps = _steps(schema)
        connection = self.connection()
        version = int(connection.pragma("user_version"))
        if version == len(steps):
            return
        if version > len(steps):
            self.close()
            raise NewerSchemaError(
                f"{self.path} was written by a newer Postil (schema {version}, this one knows "
                f"{len(steps)})",
                hint="update Postil; nothing was read or changed",
            )
        if version:
            self._copy_aside(version)
        with self.write():
            for number in range(int(connection.pragma("user_version")), len(steps)):
                connection.execute(steps[number])
                connection.pragma("user_version", number + 1)

    def _copy_aside(self, version: int) -> None:
        """A copy of the file as it was before its schema changes."""
        target = self.path.with_suffix(f".v{version}.bak")
        copy = apsw.Connection(str(target))
        try:
            with copy.backup("main", self.connection(), "main") as backup:
                backup.step()
        finally:
            copy.close()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as StoreError, with the file and what to do."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreError(
            f"{path} is locked by another process", hint="try again; `postil ping` shows who"
        ) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise DamagedStoreError(
            f"{path} is damaged ({error})", hint="restore a backup, or move the file aside"
        ) from error
    except apsw.FullError as error:
        raise StoreError(f"the disk of {path} is full", hint="free some space") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreError(
            f"{path} cannot be opened for writing", hint="check the folder's owner and mode"
        ) from error
    except apsw.Error as error:
        raise StoreError(f"{path}: {error}") from error


def _steps(schema: str) -> list[str]:
    folder = files("postil.storage").joinpath("schema", schema)
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [folder.joinpath(name).read_text(encoding="utf-8") for name in names]
