"""Vectors stay whole while a store is fitted, by however many at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from postil.embed import HashEmbedder
from postil.memory import vectors
from postil.model import Actor, Episode
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Shelf


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "memory.db")
    add(store, 0, 600)
    return store


def add(store: SqliteStore, start: int, end: int) -> None:
    turns = [Episode(f"e-{n}", "s", "user", f"turn number {n}") for n in range(start, end)]
    store.add_episodes(turns, None)


def found(store: SqliteStore) -> int:
    fit = store.current_fit()
    assert fit is not None
    vector = HashEmbedder().embed(["turn number"], fit)[0].tobytes()
    return len(
        store.match_vector(Shelf.EPISODE, vector, fit.number, Filters(Actor().scopes), 2_000)
    )


def test_two_that_fit_at_once_do_the_work_once(store: SqliteStore) -> None:
    embedder = HashEmbedder()
    done: list[int] = []
    threads = [
        threading.Thread(target=lambda: done.append(vectors.refresh(store, embedder, 10_000)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert max(done) == 600
    assert sum(done) < 1_300, "the others waited, or embedded only what was left"
    assert found(store) == 600


def test_the_old_vectors_serve_until_the_new_ones_are_complete(store: SqliteStore) -> None:
    embedder = HashEmbedder()
    vectors.refresh(store, embedder, 10_000)
    first = store.current_fit()
    add(store, 600, 1_600)
    seen: list[int] = []

    vectors.refresh(store, embedder, 10_000, progress=lambda _: seen.append(found(store)))

    assert set(seen) == {600}
    assert found(store) == 1_600
    assert store.current_fit() != first


def test_a_fit_that_was_broken_off_leaves_nothing_and_harms_nothing(store: SqliteStore) -> None:
    embedder = HashEmbedder()
    vectors.refresh(store, embedder, 10_000)
    add(store, 600, 1_600)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors.refresh(store, embedder, 10_000, progress=stop)

    assert found(store) == 600
    assert store.without_vector(2_000) and len(store.without_vector(2_000)) == 1_000
    vectors.refresh(store, embedder, 10_000)
    assert found(store) == 1_600
