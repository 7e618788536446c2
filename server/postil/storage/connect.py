"""SQLite as Postil uses it: through apsw, so that every machine has the same one."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

import apsw
import sqlite_vec
from filelock import FileLock, Timeout

from postil.config.paths import PRIVATE_FILE, private
from postil.errors import DamagedStoreError, NewerSchemaError, StoreError

# Long enough for twenty processes that all write at once; each write takes milliseconds.
BUSY_MILLISECONDS = 30_000
# The log is cut back to this many bytes once it has been copied into the file.
LOG_LIMIT = 4_000_000

# More than anybody commits to one file.
_ONE_FILE = 10**12
# Kilobytes of pages that a derived file is given while it is made.
_DERIVED_CACHE = 32_000


class Database:
    """One SQLite file: a connection per thread, short transactions, numbered migrations.

    Raises StoreError with the file's name for whatever SQLite refuses. A `derived` file is never
    migrated: when it is of another version or damaged, it is dropped and begins anew. Before
    another one is migrated, a copy of it is put aside, unless it is itself a copy.

    A file that was removed while it was open is left, and the one that lies there by now is opened
    instead, made anew where there is none: what is written never goes into a file that nobody can
    find any more. `reopened` counts that. One that was replaced while its log stayed is refused:
    the log would be read into a file that it is not of.
    """

    def __init__(
        self, path: Path, schema: str, derived: bool = False, puts_aside: bool = True
    ) -> None:
        self.path = path
        self._puts_aside = puts_aside
        self._derived = derived
        self._schema = schema
        self.reopened = 0
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        private(path.parent)
        if derived and not self._is_current(schema):
            self._drop()
        with translated(path):
            self._migrate(schema)

    def connection(self) -> apsw.Connection:
        """This thread's connection, to the file that lies at the path now."""
        known: apsw.Connection | None = getattr(self._local, "connection", None)
        if known is not None:
            if known.in_transaction or self._local.identity == _identity(self.path):
                return known
            self._let_go(known)
        made = self._own()
        # Whoever comes first after a removal makes the file anew.
        self._migrate(self._schema)
        return made

    def _own(self) -> apsw.Connection:
        """This thread's connection as the file is, of whatever version."""
        known: apsw.Connection | None = getattr(self._local, "connection", None)
        if known is not None:
            return known
        try:
            private(self.path.parent)
            made: apsw.Connection = self._connect()
        except OSError as error:  # it may be removed this very moment
            raise StoreError(
                f"{self.path} cannot be opened: {error.strerror or error}",
                hint="try again; check the folder's owner and mode",
            ) from error
        self._local.connection, self._local.identity = made, _identity(self.path)
        self._local.log = _identity(Path(f"{self.path}-wal"))
        self._open.append(made)
        return made

    def _let_go(self, known: apsw.Connection) -> None:
        """Close a connection to a file that lies there no longer."""
        log = _identity(Path(f"{self.path}-wal"))
        if log == self._local.log and any(log):
            raise StoreError(
                f"{self.path} was replaced while it was in use, and its log was not",
                hint="end every client, delete the file that ends in -wal, and put the copy there "
                "again; `postil backup restore` does it safely",
            )
        self._local.connection = None
        self.reopened += 1
        self._open.remove(known)
        known.close()

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Several reads of one state; short, since an open read keeps the log from shrinking."""
        with translated(self.path):
            connection = self.connection()
            if connection.in_transaction:  # part of a larger one
                yield connection
                return
            connection.execute("begin")
            try:
                yield connection
            finally:
                connection.execute("rollback")

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """One transaction, taken at once: a deferred one can fail however long it may wait.

        Inside another `write` of this thread it is part of that one.
        """
        with translated(self.path):
            connection = self.connection()
            if getattr(self._local, "writes", False):
                yield connection
                return
            connection.execute("begin immediate")
            self._local.writes = True
            try:
                yield connection
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:  # SQLite has ended it itself after some errors
                    connection.execute("rollback")
                raise
            finally:
                self._local.writes = False

    def change_counter(self) -> int:
        """A number that moves when another process or thread has committed."""
        with translated(self.path):
            version = int(self.connection().pragma("data_version"))
        # Each file begins to count anew.
        return self.reopened * _ONE_FILE + version

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()

    def _is_current(self, schema: str) -> bool:
        try:
            with translated(self.path):
                version = int(self._own().pragma("user_version"))
        except DamagedStoreError:
            return False
        return version in (0, len(_steps(schema)))

    def _drop(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _connect(self) -> apsw.Connection:
        if create_private(self.path):
            return self._first_connection()
        return self._prepared(is_new=False)

    def _first_connection(self) -> apsw.Connection:
        """One process makes the file; SQLite lets nobody wait for a change of the journal."""
        lock = FileLock(f"{self.path}.lock", BUSY_MILLISECONDS / 1000, PRIVATE_FILE)
        try:
            with lock:
                return self._prepared(is_new=self.path.stat().st_size == 0)
        except Timeout as error:
            raise apsw.BusyError(str(error)) from error

    def _prepared(self, is_new: bool) -> apsw.Connection:
        connection = _open(self.path)
        try:
            _choose_journal(connection, self.path, is_new)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
            connection.close()
            if os.access(self.path.parent, os.W_OK):
                connection = _open_without_shared_memory(self.path)
            else:
                connection = _open_read_only(self.path)
        connection.pragma("foreign_keys", True)
        if self._derived:  # can be made again: speed before safety
            connection.pragma("synchronous", "off")
            connection.pragma("cache_size", -_DERIVED_CACHE)
        else:
            connection.pragma("secure_delete", "on")
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.enable_load_extension(False)
        return connection

    def _migrate(self, schema: str) -> None:
        steps = _steps(schema)
        connection = self._own()
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
        if version and self._puts_aside:
            self._copy_aside(version)
        with self.write():
            for number in range(int(connection.pragma("user_version")), len(steps)):
                connection.execute(steps[number])
                connection.pragma("user_version", number + 1)

    def _copy_aside(self, version: int) -> None:
        """A copy of the file as it was before its schema changes."""
        copy_database(self.connection(), self.path.with_suffix(f".v{version}.bak"))


class Tables:
    """What the parts of a store share: its file and the database in it."""

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self._db = database


def _identity(path: Path) -> tuple[int, int]:
    """Which file lies at a path: (0, 0) where there is none."""
    try:
        now = path.stat()
    except OSError:
        return 0, 0
    return now.st_dev, now.st_ino


def create_private(path: Path) -> bool:
    """Make an empty file that only its owner can read, if there is none; whether it was made.

    It is created that way: what SQLite puts beside it takes over its mode.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    except FileExistsError:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(PRIVATE_FILE)
        return path.stat().st_size == 0
    except OSError as error:
        raise StoreError(
            f"{path} cannot be made: {error.strerror}", hint="check the folder's owner and mode"
        ) from error
    return True


def copy_database(
    source: apsw.Connection, target: Path, progress: Callable[[int, int], None] | None = None
) -> None:
    """A consistent copy of a database in a new private file, whoever writes meanwhile."""
    target.unlink(missing_ok=True)
    create_private(target)
    copy = apsw.Connection(str(target))
    try:
        transfer(source, copy, progress)
    finally:
        copy.close()


def is_store(path: Path) -> bool:
    """Whether a file is a memory store, of whatever version; it is only looked at.

    DamagedStoreError when it is a database whose pages are broken.
    """
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        database = apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)
    except (apsw.NotADBError, apsw.CantOpenError):
        return False
    with translated(path):
        try:
            tables = database.execute(
                "select count(*) from sqlite_master where name in ('memory', 'episode',"
                " 'vector_model')"
            ).get
            return int(database.pragma("user_version")) >= 1 and tables == 3
        except apsw.NotADBError:
            return False
        finally:
            database.close()


def transfer(
    source: apsw.Connection,
    target: apsw.Connection,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Copy all pages of one database over another, as one change of it."""
    with target.backup("main", source, "main") as backup:
        while not backup.done:
            # All at once: stepping would begin anew with each write of somebody else.
            backup.step(-1)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)


def on_network(path: Path) -> bool:
    """Whether a file lies on a network file system, where a write-ahead log may be corrupted."""
    import psutil

    remote = ("nfs", "cifs", "smb", "afs", "9p", "fuse.sshfs", "webdav", "davfs", "ncp", "ceph")
    mounts = [
        (len(part.mountpoint), part.fstype.lower())
        for part in psutil.disk_partitions(all=True)
        if path.absolute().is_relative_to(part.mountpoint)
    ]
    return max(mounts, default=(0, ""))[1].startswith(remote)


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # Sorting and vacuuming need no temporary file: that folder may be full or not ours.
    connection.pragma("temp_store", "memory")
    return connection


def _choose_journal(connection: apsw.Connection, path: Path, is_new: bool) -> None:
    """A write-ahead log; a rollback journal where that is not safe. An earlier choice stands."""
    # Asked of SQLite: opening the file here and closing it would drop the locks that other
    # connections of this process hold on it.
    uses_rollback = not is_new and connection.pragma("journal_mode") != "wal"
    if uses_rollback or (is_new and on_network(path)):
        connection.pragma("synchronous", "full")
        return
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "normal")
    connection.pragma("journal_size_limit", LOG_LIMIT)
    connection.execute("select count(*) from sqlite_master").fetchall()
    if is_new:
        # Whether the memory that the log's readers share can be had shows at the first write.
        connection.execute("begin immediate")
        connection.execute("rollback")


def _open_without_shared_memory(path: Path) -> apsw.Connection:
    """A store where the log's shared memory cannot be had: with a rollback journal, for good."""
    connection = _open(path)
    # Alone while converting: then the log needs no shared memory.
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("journal_mode", "delete")
    connection.execute("begin immediate")
    connection.execute("rollback")
    connection.pragma("locking_mode", "normal")
    connection.pragma("synchronous", "full")
    connection.execute("select count(*) from sqlite_master").fetchall()
    return connection


def _open_read_only(path: Path) -> apsw.Connection:
    """A store on a medium that cannot be written: as it is, if no log of it waits to be read."""
    log = Path(f"{path}-wal")
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size:
            raise StoreError(
                f"{path} cannot be read: its log cannot be opened on a read-only folder",
                hint="copy the folder to where you may write",
            )
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)


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
            f"{path} is damaged ({error})",
            hint="`postil backup list` shows copies, `postil backup restore` takes one over",
        ) from error
    except apsw.FullError as error:
        raise StoreError(f"the disk of {path} is full", hint="free some space") from error
    except apsw.IOError as error:
        full = isinstance(error.__cause__, OSError) or "disk I/O" in str(error)
        raise StoreError(
            f"{path}: the disk refused a write ({error})" if full else f"{path}: {error}",
            hint="check the disk and its free space; nothing was half written",
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreError(
            f"{path} cannot be opened for writing", hint="check the folder's owner and mode"
        ) from error
    except apsw.Error as error:
        raise StoreError(f"{path}: {error}") from error


@cache
def _steps(schema: str) -> list[str]:
    folder = files("postil.storage").joinpath("schema", schema)
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [folder.joinpath(name).read_text(encoding="utf-8") for name in names]
