"""The memory store: what is written is there, found and whole, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.errors import NewerSchemaError, StoreError
from postil.memory.write import remember
from postil.model import Actor, Anchor, Episode, Kind, Memory, Status
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Cursor, Filters, Keys, Shelf
from support.project import clean_environment
from support.search import rows_with

WRITER = """
import sys
from pathlib import Path
from postil.memory.write import remember
from postil.model import Memory
from postil.storage.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    written = remember(store, Memory(id="", what=f"{sys.argv[2]} says {number}", tags=("t",)))
    print(written.memory.id, flush=True)
"""


def writer(path: Path, home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        env=clean_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def test_a_memory_comes_back_as_it_was_written(store: SqliteStore) -> None:
    draft = Memory(
        id="",
        what="Billing uses PostgreSQL",
        why="serializable isolation",
        kind=Kind.DECISION,
        tags=("db", "billing"),
        anchors=(Anchor("pay.py", "charge", "function", "abc", "sha"),),
        importance=0.9,
        author="agent:x",
    )

    written = remember(store, draft).memory

    found = store.memory(written.id)
    assert found == written
    assert found is not None and found.anchors == draft.anchors


def test_private_file_modes(store: SqliteStore, tmp_path: Path) -> None:
    remember(store, Memory(id="", what="x y z"))

    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("memory.db*")}
    assert set(modes) >= {"memory.db", "memory.db-wal"}
    assert all(mode == 0o600 for mode in modes.values()), modes


def test_the_same_text_twice_is_one_row(store: SqliteStore) -> None:
    first = remember(store, Memory(id="", what="Use tabs."))
    second = remember(store, Memory(id="", what="  use   TABS "))

    assert (first.created, second.created) == (True, False)
    assert second.memory.id == first.memory.id
    assert store.counts(Actor().scopes)["note"] == 1


def test_an_id_that_is_taken_is_given_to_nobody_else(store: SqliteStore) -> None:
    first = store.insert_memory(Memory("m-same", "one"), Keys("one", "one"))
    second = store.insert_memory(Memory("m-same", "two"), Keys("two", "two"))

    assert second.id != first.id
    assert store.memory(second.id) == second


def test_filters_restrict_lists_and_words_alike(store: SqliteStore) -> None:
    for kind, tag, path in (
        (Kind.RULE, "a", "src/x.py"),
        (Kind.FACT, "b", "src/deep/y.py"),
        (Kind.RULE, "b", "srcs/z.py"),
    ):
        remember(
            store, Memory("", f"word {kind} {path}", kind, tags=(tag,), anchors=(Anchor(path),))
        )
    cases = [
        (Filters(Actor().scopes, kinds=(Kind.RULE,)), 2),
        (Filters(Actor().scopes, tags=("b",)), 2),
        (Filters(Actor().scopes, path="src"), 2),
        (Filters(Actor().scopes, path="src/x.py"), 1),
        (Filters(Actor().scopes, kinds=(Kind.RULE,), tags=("b",), path="src"), 0),
        (Filters(Actor().scopes, statuses=(Status.FORGOTTEN,)), 0),
    ]
    for filters, expected in cases:
        listed = {one.id for one in store.list_memories(filters, 10)}
        rows = rows_with(store, Shelf.MEMORY, ["word"], filters, 10)
        assert {one.id for one in store.memories(rows).values()} == listed
        assert len(listed) == expected, filters


def test_turns_are_stored_once_and_numbered_in_order(store: SqliteStore) -> None:
    turns = [Episode(id=f"e-{n}", session="s", role="user", text=f"turn {n}") for n in range(3)]

    assert store.add_episodes(turns[:2], Cursor("t", 10)) == 2
    assert store.add_episodes(turns, Cursor("t", 20)) == 1

    rows = rows_with(store, Shelf.EPISODE, ["turn"], Filters(Actor().scopes), 10)
    assert sorted((e.ordinal, e.text) for e in store.episodes(rows).values()) == [
        (0, "turn 0"),
        (1, "turn 1"),
        (2, "turn 2"),
    ]
    assert store.cursor("t").offset == 20


def test_two_processes_write_500_each_and_nothing_is_lost(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    running = [writer(path, home, name, 500) for name in ("one", "two")]
    results = [one.communicate(timeout=120) for one in running]

    assert [err for _, err in results] == ["", ""]
    acknowledged = {line for out, _ in results for line in out.split()}
    store = SqliteStore(path)
    assert len(acknowledged) == 1000
    assert {one.id for one in store.list_memories(Filters(Actor().scopes), 2000)} == acknowledged
    assert len(rows_with(store, Shelf.MEMORY, ["says"], Filters(Actor().scopes), 2000)) == 1000


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 7, 40, 120])
def test_a_killed_writer_leaves_a_whole_store(home: Path, tmp_path: Path, after: int) -> None:
    path = tmp_path / "memory.db"
    with writer(path, home, "victim", 5000) as running:
        assert running.stdout is not None
        acknowledged = [running.stdout.readline().strip() for _ in range(after)]
        os.kill(running.pid, signal.SIGKILL)
        rest = running.stdout.read()
    acknowledged += [line for line in rest.split("\n")[:-1] if line]

    store = SqliteStore(path)

    assert store.integrity() == "ok"
    stored = {one.id for one in store.list_memories(Filters(Actor().scopes), 10_000)}
    assert set(acknowledged) <= stored
    assert len(stored) <= len(acknowledged) + 1, "at most one write was not yet acknowledged"
    assert len(rows_with(store, Shelf.MEMORY, ["says"], Filters(Actor().scopes), 10_000)) == len(
        stored
    )


def test_a_store_of_a_newer_version_is_left_alone(store: SqliteStore, tmp_path: Path) -> None:
    remember(store, Memory(id="", what="old and good"))
    store.close()
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    raw.pragma("user_version", 99)
    raw.close()

    with pytest.raises(NewerSchemaError, match="newer Postil"):
        SqliteStore(tmp_path / "memory.db")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"this is no database, however long it may be" * 100)

    with pytest.raises(StoreError, match=r"memory\.db is damaged"):
        SqliteStore(tmp_path / "memory.db")


def test_common_words_do_not_hide_a_rare_one(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postil.memory.reading.MATCH_BUDGET", 20)
    for number in range(60):
        remember(store, Memory(id="", what=f"common words everywhere {number}"))
    rare = remember(store, Memory(id="", what="common words and a zebra")).memory

    rows = rows_with(store, Shelf.MEMORY, ["common", "words", "zebra"], Filters(Actor().scopes), 10)

    assert [one.id for one in store.memories(rows).values()] == [rare.id]


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tag=st.text(min_size=1, max_size=20), path=st.text(max_size=20))
def test_no_tag_and_no_path_is_taken_for_sql(store: SqliteStore, tag: str, path: str) -> None:
    """Past fault 42: quotes, backslashes and wildcards are only characters."""
    filters = Filters(Actor().scopes, tags=(tag,), path=path)
    expected = [one for one in store.every_memory() if tag in one.tags and not path]

    assert store.list_memories(filters, 10) == expected


def test_a_tag_with_quotes_is_found(store: SqliteStore) -> None:
    for tag in ("it's", 'a"b', "back\\slash", "per%cent", "x'); drop table memory; --"):
        memory = remember(store, Memory("", f"Tagged {tag}", tags=(tag,))).memory
        assert store.list_memories(Filters(Actor().scopes, tags=(tag,)), 10) == [memory]


def test_a_new_connection_drops_no_lock_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process loses its locks on a file when it closes any handle of it: only SQLite opens it.

    The disk is only said to be a network's, which has no write-ahead log: one cannot be had here.
    """
    monkeypatch.setattr("postil.storage.connect.on_network", lambda path: True)
    store = SqliteStore(tmp_path / "memory.db")
    remember(store, Memory("", "First"))
    ask = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], timeout=0.1);"
    ask += " db.execute('begin immediate')"
    with store.transaction():
        remember(store, Memory("", "Second"))
        thread = threading.Thread(target=lambda: store.counts(Actor().scopes))
        thread.start()
        thread.join()
        done = subprocess.run(
            [sys.executable, "-c", ask, str(store.path)], capture_output=True, check=False
        )

    assert b"database is locked" in done.stderr
    assert len(list(store.every_memory())) == 2
