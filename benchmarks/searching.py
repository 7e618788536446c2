"""How search grows with the store: latency, memory, file, time to open; and what the mirror misses.

Real text (`corpus`), and vectors of 384 numbers: those of the static embedder, turned into a larger
space by a fixed rotation, which keeps every distance. One core. Times exclude embedding the query,
as the published figures do, but for the line that says otherwise.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import corpus
from benchmarks.measure import Row, timed
from postil.embed import Embedder, Vectors, open_embedder
from postil.memory import vectors
from postil.memory.facts import add_aliases
from postil.memory.mirror.reader import Mirror
from postil.memory.reading import Reader, StoreReader
from postil.memory.recall import Query, recall
from postil.model import Actor, Entity
from postil.present import recall_cost
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Fit, Shelf

_QUERIES = 200
_COMPARED = 50
_DIMENSION = 384
COMMONEST = "the of to and a in is for be this"
WORST = {
    "the ten commonest words": COMMONEST,
    "ten words of every other line": "test value return object file name type function use data",
    "one letter": "a",
    "10 kB of text": "value error line test name " * 380,
    "like a regular expression": r"^(?:[a-z]+|\d{2,})*(foo|bar)?.*$",
}


class Rotated:
    """The static embedder's vectors in 384 numbers; with `known`, as if they cost nothing."""

    name = "rotated-384"
    problem = ""
    dimension = _DIMENSION

    def __init__(self) -> None:
        static = open_embedder("static")
        assert static is not None, "the benchmark needs the static embedder"
        self._static: Embedder = static
        square = np.random.default_rng(0).normal(size=(_DIMENSION, static.dimension))
        self._turn = np.linalg.qr(square)[0].T.astype(np.float32)
        self.known: dict[str, Vectors] = {}

    def fit(self, texts: Sequence[str]) -> Fit:
        return replace(self._static.fit(texts), name=self.name, dimension=_DIMENSION)

    def embed(self, texts: Sequence[str], fit: Fit, is_query: bool = False) -> Vectors:
        if len(texts) == 1 and texts[0] in self.known:
            return self.known[texts[0]]
        return np.asarray(self._static.embed(texts, fit) @ self._turn, np.float32)


def rows(sizes: list[int], folder: Path) -> list[Row]:
    """All figures at each size; ratios are to words at the smallest."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    known = corpus.lines()
    report: list[Row] = []
    for size in sizes:
        report += _at(size, known, folder, report[0].p50 if report else 0.0, sizes[0])
    return report


def _at(size: int, known: list[str], folder: Path, base: float, smallest: int) -> list[Row]:
    path = folder / f"memory-{size}.db"
    store = SqliteStore(path)
    corpus.fill(store, size, known)
    embedder = Rotated()
    vectors.refresh(store, embedder, limit=1 << 40)
    add_aliases(store, Entity("thing7", aliases=("the seventh", "t7")), Actor())
    store.close()
    opening = _opened(path, embedder)
    store = SqliteStore(path)
    before = _resident()
    start = time.perf_counter()
    mirror = Mirror(store)
    mirror.refresh()
    made = (time.perf_counter() - start) * 1000
    resident = _resident() - before
    asked = _queries(known)
    name = f"{size:,}:"
    against = f"words at {smallest:,}"
    found: list[Row] = []

    def add(what: str, times: list[float], note: str = "") -> None:
        first = base or (found[0].p50 if found else statistics.median(times))
        ratio = statistics.median(times) / first
        found.append(Row(f"{name} {what}", times, against, ratio, note))

    add("words", _timed(mirror, None, asked))
    add("an entity by another name", _timed(mirror, None, ["t7"] * 50))
    exact = _known(store, embedder, asked)
    add("words and vectors", _timed(mirror, embedder, asked), exact(mirror))
    embedder.known = {}
    add("the whole call, with embedding", _timed(mirror, embedder, asked))
    for what, text in WORST.items():
        _known(store, embedder, [text])
        add(what, _timed(mirror, embedder, [text] * 10))
    add("from the file, words", _timed(StoreReader(store), None, asked[:50]))
    add("open, first answer", [opening], f"{path.stat().st_size / 1e6:,.0f} MB in the file")
    add("make the mirror", [made], f"{resident:,.0f} MB of memory, {_bandwidth():.0f} MB/ms copied")
    store.close()
    return found


def _opened(path: Path, embedder: Rotated) -> float:
    """From opening the file to the first answer, without a mirror."""
    start = time.perf_counter()
    store = SqliteStore(path)
    recall([StoreReader(store)], embedder, Query("why is the connection closed"), recall_cost)
    done = (time.perf_counter() - start) * 1000
    store.close()
    return done


def _queries(known: list[str]) -> list[str]:
    chance = random.Random(5)
    return [" ".join(chance.choices(chance.choice(known).split(), k=5)) for _ in range(_QUERIES)]


def _known(store: SqliteStore, embedder: Rotated, asked: list[str]) -> Callable[[Mirror], str]:
    """Embed the queries before time is taken; returns how to compare a mirror with exactness."""
    fit = store.current_fit()
    assert fit is not None
    for text in asked:
        piece = vectors.chunked(text)[0]
        embedder.known[piece] = embedder.embed([piece], fit)

    def compare(mirror: Mirror) -> str:
        parts = list(store.every_vector(Shelf.MEMORY, fit.number))
        rows = np.concatenate([part for part, _ in parts])
        matrix = np.concatenate([part for _, part in parts])
        shares = []
        for text in asked[:_COMPARED]:
            vector = embedder.known[text][0]
            scores = matrix @ vector
            # What is as near as the tenth is as right as it.
            tenth = np.partition(scores, len(scores) - 10)[len(scores) - 10] - 1e-6
            exact = set(rows[scores >= tenth].tolist())
            encoded = vectors.Encoded((vector.tobytes(),), fit.number)
            near = mirror.nearest(Shelf.MEMORY, encoded, Filters(Actor().scopes), 10)
            shares.append(len(exact & set(near)) / 10)
        return f"recall@10 against exact float {statistics.mean(shares):.3f}"

    return compare


def _timed(reader: Reader, embedder: Embedder | None, asked: Sequence[str]) -> list[float]:
    waiting = iter([*asked[:5], *asked])

    def ask() -> None:
        recall([reader], embedder, Query(next(waiting)), recall_cost)

    return timed(ask, len(asked) + 5)[5:]


def _resident() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss) / 1e6


def _bandwidth() -> float:
    """Megabytes that one core copies in a millisecond: no search by comparing all is faster."""
    block = np.ones(64_000_000, np.int8)
    return 64 / min(timed(block.copy, 5))
