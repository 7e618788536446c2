"""How long a search takes as the store grows."""

from __future__ import annotations

import random
import statistics
from pathlib import Path

from benchmarks.measure import Row, timed
from postil.embed import Embedder, open_embedder
from postil.memory import vectors
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.model import Memory, new_id
from postil.present import recall_cost
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Keys

# Made-up statements over a vocabulary with natural frequencies: few words common, most rare.
_COMMON = "the service uses a queue for every request and a database with retries in production"
_VERBS = ("uses", "needs", "avoids", "calls", "waits for", "is tested with", "depends on")


def rows(sizes: list[int], folder: Path) -> list[Row]:
    """p50 and p95 of a warm search, words alone and with vectors, at each size."""
    report: list[Row] = []
    base = 0.0
    for size in sizes:
        store = SqliteStore(folder / f"memory-{size}.db")
        chance = random.Random(size)
        words = [f"{chance.choice('bcdfgklmnprst')}{number:x}" for number in range(20_000)]
        fill(store, size, chance, words)
        embedder = open_embedder("static")
        assert embedder is not None
        vectors.refresh(store, embedder, limit=1 << 40)
        queries = [_statement(chance, words) for _ in range(50)]
        for name, used in (("words", None), ("words and vectors", embedder)):
            recall([StoreReader(store)], used, Query("warm up"), recall_cost)
            times = _search_each(store, used, queries)
            base = base or statistics.median(times)
            ratio = statistics.median(times) / base
            first = f"words at {sizes[0]:,}"
            report.append(Row(f"search {size:,} memories, {name}", times, first, ratio))
        store.close()
    return report


def _search_each(store: SqliteStore, embedder: Embedder | None, queries: list[str]) -> list[float]:
    asked = iter(queries)
    reader = StoreReader(store)
    return timed(lambda: recall([reader], embedder, Query(next(asked)), recall_cost), len(queries))


def fill(store: SqliteStore, size: int, chance: random.Random, words: list[str]) -> None:
    """Write `size` memories past the gate, which is not what is measured here."""
    for number in range(size):
        text = _statement(chance, words)
        memory = Memory(new_id("m"), text, created_at=number, updated_at=number)
        store.insert_memory(memory, Keys(str(number), str(number)))


def _statement(chance: random.Random, words: list[str]) -> str:
    rare = [words[int(len(words) * chance.random() ** 3)] for _ in range(6)]
    common = chance.sample(_COMMON.split(), 4)
    return f"{' '.join(rare[:3])} {chance.choice(_VERBS)} {' '.join(common)} {' '.join(rare[3:])}"
