"""A store that somebody removes or replaces while it is open."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from postil.errors import StoreError
from postil.memory.write import remember
from postil.model import Actor, Memory
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters


def test_a_removed_store_begins_anew_and_loses_nothing_after_that(tmp_path: Path) -> None:
    """What is written after it was removed is found by everybody, whoever had it open."""
    folder = tmp_path / "store"
    store = SqliteStore(folder / "memory.db")
    remember(store, Memory("", "before"))
    counter = store.change_counter()
    reader = threading.Thread(target=store.change_counter)
    reader.start()
    reader.join()

    shutil.rmtree(folder)
    assert store.change_counter() != counter
    remember(store, Memory("", "after"))
    assert store.reopened == 1
    other = SqliteStore(folder / "memory.db")
    assert [one.what for one in other.list_memories(Filters(Actor().scopes), 10)] == ["after"]
    other.close()
    store.close()


def test_a_replaced_store_is_refused_while_the_log_of_the_other_lies_there(tmp_path: Path) -> None:
    store, other = (SqliteStore(tmp_path / name / "memory.db") for name in ("one", "two"))
    remember(store, Memory("", "mine"))
    remember(other, Memory("", "of the copy"))
    other.close()
    Path(tmp_path / "two" / "memory.db").replace(tmp_path / "one" / "memory.db")
    for _ in range(2):
        with pytest.raises(StoreError, match="was replaced while it was in use"):
            store.list_memories(Filters(Actor().scopes), 10)
    store.close()


def test_threads_that_come_after_a_removal_find_a_whole_store(tmp_path: Path) -> None:
    """One that never looked before, and ten at once that had it open."""
    store = SqliteStore(tmp_path / "store" / "memory.db")
    barrier = threading.Barrier(10)

    def work(number: int) -> None:
        store.change_counter()
        barrier.wait()
        if number == 0:
            shutil.rmtree(tmp_path / "store")
        barrier.wait()
        remember(store, Memory("", f"Statement n{number} after it"))

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10)))
    other = SqliteStore(tmp_path / "store" / "memory.db")
    assert len(other.list_memories(Filters(Actor().scopes), 20)) == 10
    other.close()
    store.close()
