"""Recall: ranked retrieval for a query under a budget, and the brief for the start of a session."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from postil.embed import Embedder
from postil.memory import rank, vectors
from postil.model import Actor, Hit, Kind, Memory, Recall, Scope
from postil.storage.store import Filters, Scores, Shelf, Store
from postil.words import query_terms

# How many rows each leg nominates, and how many unembedded rows a search will embed on its way.
_NOMINEES = 150
# sqlite-vec pays for each neighbour it is asked for.
_NEAREST = 100
_EMBED_FIRST = 256
# A store that small is fitted within some 0.1 s; a larger one is left to those who have time.
_FIT_ON_THE_WAY = 1_000
# A row found by meaning alone must be this near (cosine, centred vectors): below it lies noise.
_VECTOR_FLOOR = 0.25


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for, and how much the answer may cost."""

    text: str
    tokens: int = 800
    limit: int = 10
    filters: Filters = field(default_factory=lambda: Filters(Actor().scopes))
    episodes: bool = True


def recall(stores: Sequence[Store], embedder: Embedder | None, query: Query) -> Recall:
    """The best memories and turns for `query` from all `stores`, within its budget."""
    shelves = [Shelf.MEMORY, Shelf.EPISODE] if query.episodes else [Shelf.MEMORY]
    legs: list[_Legs] = []
    for store in stores:
        encoded = _encode(store, embedder, query.text)
        legs += [_nominate(store, shelf, query, encoded) for shelf in shelves]
    best = rank.Best(
        words=max((score for leg in legs for score in leg.words.values()), default=0.0),
        vector=max((score for leg in legs for score in leg.vectors.values()), default=0.0),
    )
    found = [hit for leg in legs for hit in _hits(leg, best, most=3 * query.limit + 20)]
    hits, omitted = rank.within_budget(rank.in_order(found), query.tokens, query.limit)
    return Recall(
        tuple(hits),
        omitted,
        searched=sum(sum(store.counts(query.filters.scopes).values()) for store in stores),
        vectors=any(leg.vectors for leg in legs),
    )


def brief(stores: Sequence[Store], scopes: Sequence[Scope], limit: int) -> list[Memory]:
    """What a session should know at its start: rules first, then decisions, then the rest.

    What came from the web is found when it is asked for, and never offered.
    """
    order = (
        (Kind.RULE, Kind.PREFERENCE),
        (Kind.DECISION,),
        (Kind.PLAN, Kind.LESSON),
        (Kind.FACT, Kind.SUMMARY),
    )
    chosen: list[Memory] = []
    for kinds in order:
        for store in stores:
            wanted = Filters(tuple(scopes), kinds, valid_at=time.time())
            found = store.list_memories(wanted, limit)
            chosen += [memory for memory in found if not memory.is_foreign]
    return chosen[:limit]


@dataclass(frozen=True, slots=True)
class _Legs:
    store: Store
    shelf: Shelf
    words: Scores
    vectors: Scores


def _encode(store: Store, embedder: Embedder | None, text: str) -> vectors.Encoded | None:
    if embedder is None:
        return None
    fit = vectors.current_fit(store, embedder)
    if fit is None or fit.fitted_rows < _FIT_ON_THE_WAY:
        vectors.refresh(store, embedder, limit=_EMBED_FIRST)
    else:
        vectors.embed_pending(store, embedder, limit=_EMBED_FIRST)
    return vectors.encode(store, embedder, text)


def _nominate(store: Store, shelf: Shelf, query: Query, encoded: vectors.Encoded | None) -> _Legs:
    words = store.match_words(shelf, query_terms(query.text), query.filters, _NOMINEES)
    near: Scores = {}
    if encoded is not None:
        near = store.match_vector(shelf, encoded.chunks[0], encoded.fit, query.filters, _NEAREST)
        # Among turns that share words with the query, meaning orders; it need not prove itself.
        floor = 0.0 if words and shelf is Shelf.EPISODE else _VECTOR_FLOOR
        near = {row: score for row, score in near.items() if score >= floor or row in words}
    return _Legs(store, shelf, words, near)


def _hits(legs: _Legs, best: rank.Best, most: int) -> list[Hit]:
    """The best rows of a leg as hits; the others are not even read."""
    fused = rank.fuse(legs.words, legs.vectors, best)
    if legs.shelf is Shelf.MEMORY:
        return [
            rank.with_standing(Hit(fused[row].score, memory=memory, parts=fused[row].parts))
            for row, memory in legs.store.memories(rank.top(fused, most)).items()
        ]
    raised = rank.with_neighbours(fused, legs.store.neighbours(list(fused)))
    return [
        Hit(raised[row].score, episode=episode, parts=raised[row].parts)
        for row, episode in legs.store.episodes(rank.top(raised, most)).items()
    ]
