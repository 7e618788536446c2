"""Whatever happens to disk, file and neighbours has a defined end and a message that helps.

STO-04, STO-08, STO-10, STO-11, STO-13, STO-14, CO-3, CO-8, CO-9, SE-7.
"""

from __future__ import annotations

import os
import resource
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest
from filelock import FileLock, Timeout

from postil.embed import HashEmbedder, open_embedder
from postil.errors import DamagedStoreError, NewerSchemaError, StoreError
from postil.memory import vectors
from postil.memory.change import archive
from postil.memory.erase import finish
from postil.memory.recall import Query
from postil.memory.write import remember
from postil.model import Actor, Episode, Memory
from postil.storage import connect
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Shelf
from support.project import make_project, postil
from support.search import found as answer
from support.workload import erase_memory


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def filled(path: Path, count: int) -> SqliteStore:
    store = SqliteStore(path)
    for number in range(count):
        remember(store, Memory("", f"Statement number n{number} of many"))
    return store


# -- versions ------------------------------------------------------------------------------------


def old_store(path: Path) -> None:
    """A store as the first schema left it, with two memories and a turn."""
    first = (Path(connect.__file__).parent / "schema" / "memory" / "0001_init.sql").read_text(
        encoding="utf-8"
    )
    db = apsw.Connection(str(path))
    db.execute(first)
    for number in range(2):
        db.execute(
            "insert into memory (id, scope, kind, what, created_at, updated_at, content_key)"
            " values (?, 'project', 'note', ?, 1.0, 1.0, ?)",
            (f"m-{number}", f"Old statement n{number}", f"key{number}"),
        )
        db.execute(
            "insert into memory_words (rowid, what, why, extra) values (?, ?, '', 'note')",
            (number + 1, f"Old statement n{number}"),
        )
    db.execute(
        "insert into episode (id, session, ordinal, role, text) values ('e','s',0,'user','hi')"
    )
    db.pragma("user_version", 1)
    db.close()


def test_an_older_store_is_copied_then_brought_up(tmp_path: Path) -> None:
    """CO-3: in one transaction, with everything in it, and the copy as it was."""
    path = tmp_path / "memory.db"
    old_store(path)

    store = SqliteStore(path)

    assert [memory.what for memory in store.every_memory()] == [
        "Old statement n0",
        "Old statement n1",
    ]
    assert answer([store], open_embedder("hash"), Query("old n1")).hits[0].id == "m-1"
    copy = tmp_path / "memory.v1.bak"
    assert apsw.Connection(str(copy)).pragma("user_version") == 1
    assert copy.stat().st_mode & 0o777 == 0o600
    assert store.backups() == [copy]
    assert store.integrity() == "ok"


def test_a_step_up_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    old_store(path)
    steps = connect._steps("memory")
    monkeypatch.setattr(connect, "_steps", lambda schema: [*steps[:-1], steps[-1] + "select no;"])

    with pytest.raises(StoreError, match="no such column"):
        SqliteStore(path)
    monkeypatch.setattr(connect, "_steps", lambda schema: steps)

    db = apsw.Connection(str(path))
    assert db.pragma("user_version") == 1
    assert db.execute("select count(*) from memory").get == 2
    db.close()


def test_a_process_that_holds_an_older_schema_is_told(store: SqliteStore, tmp_path: Path) -> None:
    store.close()
    db = apsw.Connection(str(tmp_path / "memory.db"))
    db.pragma("user_version", 77)
    db.close()
    before = (tmp_path / "memory.db").read_bytes()

    with pytest.raises(NewerSchemaError, match="written by a newer Postil") as told:
        SqliteStore(tmp_path / "memory.db")

    assert "update Postil" in told.value.hint
    assert (tmp_path / "memory.db").read_bytes() == before


# -- the disk ------------------------------------------------------------------------------------


def test_a_full_disk_loses_nothing_that_was_there(store: SqliteStore) -> None:
    kept = remember(store, Memory("", "Kept")).memory
    pages = store._db.connection().pragma("page_count")
    store._db.connection().pragma("max_page_count", pages + 1)

    with pytest.raises(StoreError, match="is full") as told:
        for number in range(200):
            remember(store, Memory("", f"Large n{number} " + "x" * 9_000))

    assert told.value.retryable and "free some space" in told.value.hint
    store._db.connection().pragma("max_page_count", 1_000_000)
    assert store.integrity() == "ok"
    assert store.memory(kept.id) == kept
    assert remember(store, Memory("", "There is room again")).created
    counts = store._db.connection().execute(
        "select (select count(*) from memory) - (select count(*) from memory_words)"
    )
    assert counts.get == 0


@pytest.mark.slow
def test_the_system_refuses_to_write_more(tmp_path: Path, home: Path) -> None:
    """A limit of the operating system on the size of files, as a full quota is."""
    root = make_project(tmp_path / "p", {"a.py": ""})
    assert postil("remember", "Kept before", home=home, cwd=root).returncode == 0
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "sys.argv = ['postil', 'remember', 'y' * 90_000, '--why', 'z' * 100_000];"
        "from postil.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )

    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr and "memory.db" in done.stderr
    shown = postil("search", "kept before", home=home, cwd=root)
    assert b"Kept before" in shown.stdout
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 200_000


def test_a_folder_that_cannot_be_written_can_be_read(tmp_path: Path, home: Path) -> None:
    """A read-only medium: searching works, writing says why it does not."""
    folder = tmp_path / "medium"
    store = filled(folder / "memory.db", 3)
    store.close()
    assert not (folder / "memory.db-wal").exists()
    code = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
flags = 0x00020000 | (0x10000000 if os.getuid() else 0)
if libc.unshare(flags): sys.exit(77)
libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None)
path = {str(folder)!r}.encode()
if libc.mount(path, path, None, 0x1000, None):
    sys.exit(77)
if libc.mount(None, path, None, 0x1000 | 0x20 | 1, None):
    sys.exit(77)
from pathlib import Path
from postil.errors import StoreError
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.memory.write import remember
from postil.model import Memory
from postil.present import recall_cost
from postil.storage.sqlite import SqliteStore
store = SqliteStore(Path({str(folder / "memory.db")!r}))
assert len(recall([StoreReader(store)], None, Query("statement n1"), recall_cost).hits) == 3
try:
    remember(store, Memory("", "no"))
except StoreError as error:
    print(error, "|", error.hint)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )
    if done.returncode == 77:
        pytest.skip("no mount namespaces here: a read-only mount cannot be had")

    assert done.returncode == 0, done.stderr
    assert "cannot be opened for writing" in done.stdout and "owner and mode" in done.stdout


def test_a_temporary_folder_is_not_needed(store: SqliteStore, tmp_path: Path, home: Path) -> None:
    """STO-11: sorting, vacuuming and copying, with nowhere to put temporary files."""
    memory = remember(store, Memory("", "To be erased")).memory
    for number in range(300):
        remember(store, Memory("", f"Row n{number} " + "x" * 500))
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        os.environ[name] = str(tmp_path / "nowhere")
    try:
        assert erase_memory(store, memory).is_clean
        store.compact()
        store.backup_to(tmp_path / "copy.db")
    finally:
        for name in ("TMPDIR", "SQLITE_TMPDIR"):
            os.environ.pop(name)


def test_a_network_disk_gets_no_write_ahead_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO-08: and the choice stays, whoever opens the file."""
    monkeypatch.setattr(connect, "on_network", lambda path: True)
    store = filled(tmp_path / "memory.db", 5)
    assert store._db.connection().pragma("journal_mode") == "delete"
    assert store._db.connection().pragma("synchronous") == 2
    store.close()
    monkeypatch.setattr(connect, "on_network", lambda path: False)
    again = SqliteStore(tmp_path / "memory.db")

    assert again._db.connection().pragma("journal_mode") == "delete"
    assert remember(again, Memory("", "One more")).created
    assert list(tmp_path.glob("memory.db-*")) == []


def test_file_systems_of_the_network_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of mounts is made up here: a network disk cannot be had in a test."""
    import psutil

    class Part:
        def __init__(self, mountpoint: str, fstype: str) -> None:
            self.mountpoint, self.fstype = mountpoint, fstype

    parts = [Part("/", "ext4"), Part("/home", "nfs4"), Part("/home/me/local", "xfs")]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: parts)

    assert connect.on_network(Path("/home/me/x.db"))
    assert not connect.on_network(Path("/home/me/local/x.db"))
    assert not connect.on_network(Path("/srv/x.db"))


def test_without_shared_memory_the_store_works_all_the_same(tmp_path: Path) -> None:
    """STO-08: the `-shm` file cannot be made, as where mapping is denied."""
    (tmp_path / "memory.db-shm").mkdir()

    store = filled(tmp_path / "memory.db", 3)

    assert store._db.connection().pragma("journal_mode") == "delete"
    store.close()
    again = SqliteStore(tmp_path / "memory.db")
    assert again.row_counts()[Shelf.MEMORY] == 3 and again.integrity() == "ok"


def test_a_broken_page_is_named_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path, 400).close()
    raw = bytearray(path.read_bytes())
    for page in range(2, len(raw) // 4096, 2):
        raw[page * 4096 : page * 4096 + 2_000] = b"\xa5" * 2_000
    path.write_bytes(raw)

    with pytest.raises(DamagedStoreError, match=r"memory\.db is damaged") as told:
        store = SqliteStore(path)
        list(store.every_memory())
        answer([store], None, Query("statement"))
        for number in range(50):
            remember(store, Memory("", f"After the break n{number}"))

    assert "postil backup restore" in told.value.hint
    assert not told.value.retryable


def test_a_locked_store_is_said_to_be_locked(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = apsw.Connection(str(tmp_path / "memory.db"))
    holder.execute("begin immediate")
    monkeypatch.setattr(connect, "BUSY_MILLISECONDS", 50)
    other = SqliteStore.__new__(SqliteStore)
    other.__init__(tmp_path / "memory.db")  # type: ignore[misc]

    with pytest.raises(StoreError, match="locked by another process") as told:
        remember(other, Memory("", "x y z"))

    assert told.value.retryable
    assert answer([other], None, Query("x")).hits == (), "reading goes on"
    holder.execute("rollback")
    assert remember(other, Memory("", "x y z")).created


def test_files_are_private_from_their_first_byte(tmp_path: Path) -> None:
    """STO-13, SE-7: with the worst umask; a stricter mode of the person's stays."""
    old = os.umask(0)
    try:
        folder = tmp_path / "data"
        store = filled(folder / "memory.db", 3)
        store.backup_to(folder / "copy.db")
        erase_memory(store, next(iter(store.every_memory())))
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert {mode for name, mode in modes.items()} == {0o600}, modes
    assert {"memory.db", "memory.db-wal", "memory.db-shm", "copy.db", "deletions.log"} <= set(modes)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    store.close()
    folder.chmod(0o500)
    SqliteStore(folder / "memory.db").close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o500
    folder.chmod(0o700)


def test_a_lock_is_held_by_a_living_process_only(tmp_path: Path, home: Path) -> None:
    """STO-14: what a lock file says matters nothing; who holds it does."""
    store = SqliteStore(tmp_path / "memory.db")
    lock = tmp_path / "memory.fit.lock"
    for content in (b"1 somebody-else 12345", b"", b"pid=1 host=other started=0"):
        lock.write_bytes(content)
        with store.fitting() as mine:
            assert mine
    code = (
        "import sys, time; from filelock import FileLock;"
        f"mine = FileLock({str(lock)!r}); mine.acquire(); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with store.fitting() as mine:
            assert not mine, "a living holder is left alone"
        with pytest.raises(Timeout):
            FileLock(lock, timeout=0).acquire()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()  # type: ignore[union-attr]
    with store.fitting() as mine:
        assert mine, "death lets go"


# -- size and work -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ten_thousand_cycles_leave_no_heap(tmp_path: Path) -> None:
    """STO-10: added and deleted beside an open reader, the files stay near what they hold."""
    path = tmp_path / "memory.db"
    store = filled(path, 200)
    store.compact()
    live = store.sizes().main
    reader = SqliteStore(path)
    for cycle in range(500):
        with store.transaction():
            ids = [
                store.insert_memory(
                    Memory(
                        f"m-{cycle}-{n}", f"Cycle c{cycle} n{n} " + "word " * 40, created_at=1.0
                    ),
                    key(cycle, n),
                ).id
                for n in range(20)
            ]
            number = store.erase_rows(ids, [], [], 1.0)
            store.end_erasure(number)
        reader.list_memories(Filters(Actor().scopes), 5)
    store.compact()

    sizes = store.sizes()
    assert sizes.main + sizes.log <= 3 * live
    assert sizes.log <= connect.LOG_LIMIT
    assert store.row_counts()[Shelf.MEMORY] == 200


def key(cycle: int, number: int):  # type: ignore[no-untyped-def]
    from postil.storage.store import Keys

    return Keys(f"{cycle} {number}", f"{cycle} {number}")


class SlowEmbedder(HashEmbedder):
    """A model that takes 20 ms a text, as a large one does."""

    name = "slow"

    def embed(self, texts, fit, is_query=False):  # type: ignore[no-untyped-def]
        time.sleep(0.02 * len(texts))
        return super().embed(texts, fit, is_query)


@pytest.mark.slow
def test_no_transaction_is_open_while_a_model_works(tmp_path: Path) -> None:
    """STO-04: writes go through between two texts of a long embedding."""
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    turns = [Episode(f"e-{n}", "s", "user", f"turn number {n}") for n in range(500)]
    store.add_episodes(turns, None)
    embedder = SlowEmbedder()
    busy: list[bool] = []

    def watch() -> None:
        other = SqliteStore(path)
        while not done.is_set():
            other._db.connection().set_busy_timeout(0)
            try:
                with other._db.write():
                    busy.append(False)
            except StoreError:
                busy.append(True)
            time.sleep(0.01)
        other.close()

    done = threading.Event()
    watcher = threading.Thread(target=watch)
    watcher.start()
    vectors.refresh(store, embedder, 1_000)
    remember(store, Memory("", "Written with a slow model"))
    done.set()
    watcher.join(10)

    assert len(busy) > 100
    assert sum(busy) < len(busy) / 10, "the store is free while the model works"
    assert store.without_vector(600) == [] or len(store.without_vector(600)) == 1


def test_closed_memories_have_no_vector_and_come_back_with_one(store: SqliteStore) -> None:
    embedder = open_embedder("hash")
    assert embedder is not None
    memory = remember(store, Memory("", "Walrus statement")).memory
    vectors.refresh(store, embedder, 10)
    fit = store.current_fit()
    assert fit is not None
    vector = embedder.embed(["Walrus statement"], fit)[0].tobytes()

    def near() -> int:
        filters = Filters(Actor().scopes)
        return len(store.match_vector(Shelf.MEMORY, vector, fit.number, filters, 5))

    assert near() == 1
    archive(store, [memory.id], Actor())
    assert near() == 0 and store.without_vector(5) == []
    assert finish(store)


def test_no_socket_was_needed() -> None:
    """SE-8: the suite denies sockets; this one says that the guard stands."""
    with pytest.raises(PermissionError), socket.socket() as one:
        one.connect(("192.0.2.1", 9))
