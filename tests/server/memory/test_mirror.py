"""A mirror answers as the file does, whatever is written, changed, erased or restored meanwhile."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from postil.embed import Embedder, open_embedder
from postil.memory import vectors
from postil.memory.mirror import near as mirrored_vectors
from postil.memory.mirror.reader import Mirror
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.memory.write import Terms, remember
from postil.model import Actor, Episode, Kind, Memory, Scope, Status
from postil.present import recall_cost
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Keys, Shelf

NOW = 1_800_000_000.0
WORDS = [
    "queue",
    "retry",
    "mailer",
    "invoice",
    "gateway",
    "cluster",
    "token",
    "cache",
    "index",
    "shard",
]
QUERIES = [
    "queue retry",
    "why does the mailer wait for the gateway",
    "shrad index",
    "invoice cache token cluster",
    "what is stored in the index",
    "nothing of all that",
]


@pytest.fixture
def embedder() -> Embedder:
    found = open_embedder("hash")
    assert found is not None
    return found


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "memory.db")
    chance = random.Random(7)
    with store.transaction():
        for number in range(300):
            write(store, chance, number)
    store.add_episodes([turn(chance, number) for number in range(200)], None)
    return store


def write(store: SqliteStore, chance: random.Random, number: int) -> Memory:
    what = " ".join(chance.choices(WORDS, k=6)) + f" n{number}"
    memory = Memory("", what, chance.choice(list(Kind)), created_at=NOW - number)
    return remember(store, memory, Terms(compares=False)).memory


def turn(chance: random.Random, number: int) -> Episode:
    text = " ".join(chance.choices(WORDS, k=8))
    return Episode(f"e-{number}", f"s{number // 20}", "user", text, at=NOW - number)


def same_answers(store: SqliteStore, mirror: Mirror, embedder: Embedder | None) -> None:
    for text in QUERIES:
        query = Query(text, tokens=100_000, limit=30, now=NOW)
        of_file = recall([StoreReader(store)], embedder, query, recall_cost)
        of_mirror = recall([mirror], embedder, query, recall_cost)
        assert [hit.id for hit in of_mirror.hits] == [hit.id for hit in of_file.hits], text
        for one, other in zip(of_mirror.hits, of_file.hits, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-6)


@pytest.mark.parametrize("meaning", [True, False])
def test_it_answers_as_the_file_does(store: SqliteStore, embedder: Embedder, meaning: bool) -> None:
    used = embedder if meaning else None
    if used is not None:
        vectors.refresh(store, used, 1 << 40)
    mirror = Mirror(store)
    same_answers(store, mirror, used)

    mirror.refresh()

    assert mirror._follow(0), "it reads from memory now"
    same_answers(store, mirror, used)


def test_it_follows_what_is_written_changed_and_erased(
    store: SqliteStore, embedder: Embedder
) -> None:
    vectors.refresh(store, embedder, 1 << 40)
    mirror = Mirror(store)
    mirror.refresh()
    chance = random.Random(8)
    for number in range(300, 340):
        write(store, chance, number)
    store.add_episodes([turn(chance, number) for number in range(200, 220)], None)
    every = list(store.every_memory())
    for memory in every[:30]:
        changed = replace(memory, what=memory.what + " cluster shard")
        store.replace_memory(changed, Keys(memory.id, memory.id))
    for memory in every[30:50]:
        closed = replace(memory, status=Status.SUPERSEDED)
        store.replace_memory(closed, Keys(memory.id, memory.id))
    store.erase_rows([memory.id for memory in every[50:60]], [], [], NOW)
    vectors.embed_pending(store, embedder, 1 << 40)

    same_answers(store, mirror, embedder)

    mirror.refresh()
    assert mirror._follow(0)
    same_answers(store, mirror, embedder)
    for form in store.stems(" ".join(WORDS)):
        for shelf in Shelf:
            exact = store.frequencies(shelf, [form]).get(form, 0)
            assert mirror._words[shelf].frequency(form) == exact, (shelf, form)


def test_another_process_that_writes_is_seen_at_once(store: SqliteStore, tmp_path: Path) -> None:
    mirror = Mirror(store)
    mirror.refresh()
    other = SqliteStore(tmp_path / "memory.db")
    written = remember(other, Memory("", "The walrus sleeps")).memory

    found = recall([mirror], None, Query("walrus"), recall_cost)

    assert [hit.id for hit in found.hits] == [written.id]


def test_a_restored_store_is_read_anew(
    store: SqliteStore, embedder: Embedder, tmp_path: Path
) -> None:
    store.backup_to(tmp_path / "copy.db")
    remember(store, Memory("", "The walrus sleeps"))
    mirror = Mirror(store)
    mirror.refresh()
    store.restore_from(tmp_path / "copy.db")

    assert not recall([mirror], None, Query("walrus"), recall_cost).hits
    mirror.refresh()
    assert mirror._follow(0)
    same_answers(store, mirror, None)


def test_a_new_fit_is_taken_over(store: SqliteStore, embedder: Embedder) -> None:
    vectors.refresh(store, embedder, 1 << 40)
    mirror = Mirror(store)
    mirror.refresh()
    static = open_embedder("static")
    assert static is not None
    vectors.refresh(store, static, 1 << 40)

    same_answers(store, mirror, static)
    mirror.refresh()
    same_answers(store, mirror, static)


@pytest.mark.parametrize("name", ["static", "hash"])
def test_large_shelves_find_nearly_what_exact_comparison_finds(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By signs and 8 bits, which begin at sizes that no test has the time for."""
    monkeypatch.setattr(mirrored_vectors, "EXACT", 10)
    monkeypatch.setattr(mirrored_vectors, "_BY_SIGNS", 100)
    embedder = open_embedder(name)
    assert embedder is not None
    vectors.refresh(store, embedder, 1 << 40)
    mirror = Mirror(store)
    mirror.refresh()
    filters = Filters(Actor().scopes)
    for text in QUERIES[:4]:
        encoded = vectors.encode(store, embedder, text)
        assert encoded is not None
        exact = StoreReader(store).nearest(Shelf.MEMORY, encoded, filters, 10)
        found = mirror.nearest(Shelf.MEMORY, encoded, filters, 10)
        assert len(set(exact) & set(found)) >= 9
        for row in set(exact) & set(found):
            assert found[row] == pytest.approx(exact[row], abs=1e-5), "compared in full precision"


def test_what_others_have_nearer_does_not_hide_ones_own(
    store: SqliteStore, embedder: Embedder
) -> None:
    others = [Scope.parse(f"session:other{number}") for number in range(400)]
    with store.transaction():
        for scope in others:
            remember(store, Memory("", "walrus sleeps", scope=scope), Terms(compares=False))
        for number in range(60):
            memory = Memory("", f"walrus in the sea of ice and stones number {number}")
            remember(store, memory, Terms(compares=False))
    vectors.refresh(store, embedder, 1 << 40)
    mirror = Mirror(store)
    mirror.refresh()
    encoded = vectors.encode(store, embedder, "walrus sleeps")
    assert encoded is not None
    filters = Filters(Actor().scopes)

    for reader in (StoreReader(store), mirror):
        assert len(reader.nearest(Shelf.MEMORY, encoded, filters, 20)) == 20


def test_what_was_erased_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrored_vectors, "EXACT", 10)
    monkeypatch.setattr(mirrored_vectors, "_BY_SIGNS", 20)
    chance = np.random.default_rng(0)
    matrix = chance.normal(size=(500, 64)).astype(np.float32)
    matrix[:300] = matrix[0] + chance.normal(size=(300, 64)).astype(np.float32) * 0.05
    matrix[300] = 0
    near = mirrored_vectors.Near([(np.arange(1, 501), matrix)])
    near.change(list(range(1, 301)), np.empty(0, np.int64), np.empty((0, 64), np.float32))

    found = near.nearest(matrix[0] / np.linalg.norm(matrix[0]), 10)

    assert len(found) == 10 and min(found) > 301, "nothing is near to nothing"
