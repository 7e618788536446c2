"""The systems that are compared: ours with each embedder, plain FTS5, vectors alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import numpy as np

from postil.embed import Embedder
from postil.memory import vectors
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.model import Episode, Hit, Memory
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Keys
from postil.words import match_expression, query_terms

# How many items a system returns.
DEPTH = 50

Answer = Callable[[str], list[str]]


def ours(
    turns: Sequence[Episode], embedder: Embedder | None, path: Path, now: float = 0.0
) -> Answer:
    """Postil, over a real store in the file `path`."""
    store = SqliteStore(path)
    store.add_episodes(turns, None)
    if embedder is not None:
        vectors.refresh(store, embedder, limit=1 << 40)
    return over_store(store, embedder, now)


def put(store: SqliteStore, memory: Memory) -> None:
    """Store a memory past the gate: nothing is known again, nothing refused."""
    store.insert_memory(memory, Keys(memory.id, memory.id))


def over_store(store: SqliteStore, embedder: Embedder | None, now: float = 0.0) -> Answer:
    """Postil, over a store that is there."""
    reader = StoreReader(store)

    def answer(question: str) -> list[str]:
        query = Query(question, tokens=1 << 30, limit=DEPTH, now=now)
        return [hit.id for hit in recall([reader], embedder, query, _free).hits]

    return answer


def plain_fts(turns: Sequence[Episode]) -> Answer:
    """SQLite's FTS5 alone: Porter stemming, any of the words, its own BM25."""
    database = apsw.Connection(":memory:")
    database.execute("create virtual table turn using fts5 (text, tokenize = 'porter unicode61')")
    database.executemany(
        "insert into turn (rowid, text) values (?, ?)",
        [(row, turn.text) for row, turn in enumerate(turns)],
    )

    def answer(question: str) -> list[str]:
        rows = database.execute(
            "select rowid from turn where turn match ? order by rank limit ?",
            (match_expression(query_terms(question)), DEPTH),
        ).fetchall()
        return [turns[int(str(row[0]))].id for row in rows]

    return answer


def vectors_alone(turns: Sequence[Episode], embedder: Embedder) -> Answer:
    """The nearest by cosine similarity, compared one by one."""
    texts = [turn.text for turn in turns]
    fit = embedder.fit(texts)
    known = embedder.embed(texts, fit)

    def answer(question: str) -> list[str]:
        near = known @ embedder.embed([question], fit)[0]
        return [turns[row].id for row in np.argsort(-near, kind="stable")[:DEPTH]]

    return answer


def _free(_: Hit) -> int:
    return 0
