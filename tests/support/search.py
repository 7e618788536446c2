"""Asking a store, as the tests of its parts do."""

from __future__ import annotations

from postil.embed import Embedder
from postil.memory.query import Term
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.model import Hit, Recall
from postil.present import recall_cost
from postil.storage.store import Filters, Shelf, Store


def found(stores: list[Store], embedder: Embedder | None, query: Query) -> Recall:
    """The answer to a query, straight from the files."""
    return recall([StoreReader(store) for store in stores], embedder, query, recall_cost)


def rows_with(
    store: Store, shelf: Shelf, words: list[str], filters: Filters, limit: int
) -> list[int]:
    """The rows that hold any of the words, the best first."""
    reader = StoreReader(store)
    terms = [Term(dict.fromkeys(store.stems(word), 1.0)) for word in words]
    return [
        int(row) for row in reader.words(shelf, reader.weigh(shelf, terms), filters, limit).rows
    ]


def what(hit: Hit) -> str:
    """The statement that was found."""
    assert hit.memory is not None
    return hit.memory.what
