"""Recall: ranked retrieval for a query under a budget, and the brief for the start of a session.

Words, meaning and time nominate rows of each shelf of each store; what stands near them is scored
with them; the texts of the best few are read and looked at closely; what fits is chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from postil import times
from postil.embed import Embedder
from postil.errors import EmbedError
from postil.memory import query as asking
from postil.memory import rank, turns, vectors
from postil.memory.floor import is_relevant
from postil.memory.nominate import Legs, nominate, since_event, weigh, with_names
from postil.memory.query import Question
from postil.memory.reading import Reader
from postil.model import Actor, Hit, Kind, Memory, Recall, Scope
from postil.storage.store import Filters, Shelf, Store
from postil.words import clean

# How many rows words and meaning nominate each, and of how many the texts are read and looked at:
# a turn may be raised by those beside it, a memory stands alone. More where more are asked for.
_NOMINEES = {Shelf.MEMORY: 100, Shelf.EPISODE: 200}
_READ = {Shelf.MEMORY: 30, Shelf.EPISODE: 120}
_USUAL = 10
# Of how many rows a quick answer is chosen: those that words put first.
_QUICK = 16
# Unembedded rows that a search will embed on its way.
_EMBED_FIRST = 256
# A store that small is fitted within some 0.1 s; a larger one is left to those who have time.
_FIT_ON_THE_WAY = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for, and how much the answer may cost in tokens.

    `now` is when it is asked, in seconds (0: by the clock), `offset` the asker's minutes east of
    UTC (None: as this machine).
    """

    text: str
    tokens: int = 800
    limit: int = 10
    filters: Filters = field(default_factory=lambda: Filters(Actor().scopes))
    episodes: bool = True
    memories: bool = True
    now: float = 0.0
    offset: int | None = None
    quick: bool = False


def recall(
    readers: Sequence[Reader],
    embedder: Embedder | None,
    query: Query,
    cost: rank.Cost,
    finish: Callable[[Hit], Hit] = lambda hit: hit,
) -> Recall:
    """The best memories and turns for `query` from all stores, within its budget.

    `cost` is what a hit costs in tokens once it is written out; `finish` completes a hit first.
    """
    query = replace(query, text=clean(query.text))
    now = query.now or time.time()
    offset = times.offset_at(now) if query.offset is None else query.offset
    question = asking.read(query.text, readers[0].store.stems, now, offset)
    encoded = [_encode(reader.store, embedder, query.text) for reader in readers]
    with ExitStack() as states:
        for reader in readers:
            states.enter_context(reader.store.reading())
        found = _found(readers, encoded, question, query, now)
    problem = embedder.problem if embedder is not None else ""
    ranked = rank.distinct(rank.in_order(found)[: 2 * query.limit + 10], most=2 * query.limit)
    hits, cut = rank.within_budget(map(finish, ranked), query.tokens, query.limit, cost)
    meaning = any(one is not None for one in encoded)
    return Recall(tuple(hits), tuple(hit.id for hit in cut), meaning, problem)


def _found(
    readers: Sequence[Reader],
    encoded: Sequence[vectors.Encoded | None],
    question: Question,
    query: Query,
    now: float,
) -> list[Hit]:
    """Everything that may answer, scored; nothing where none of it is relevant."""
    question = since_event(readers, question, query.filters, now)
    legs = _all_legs(readers, encoded, question, query)
    if not is_relevant(legs):
        return []
    best = rank.Best(
        words=max(leg.best_words for leg in legs), near=max(leg.best_near for leg in legs)
    )
    read = {shelf: _QUICK if query.quick else _most_read(shelf, query.limit) for shelf in Shelf}
    return [hit for leg in legs for hit in _hits(leg, best, question, now, read[leg.shelf])]


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
        if len(chosen) >= limit:
            break
        for store in stores:
            wanted = Filters(tuple(scopes), kinds, valid_at=time.time())
            found = store.list_memories(wanted, limit)
            chosen += [memory for memory in found if not memory.is_foreign]
    return chosen[:limit]


def _all_legs(
    readers: Sequence[Reader],
    encoded: Sequence[vectors.Encoded | None],
    question: Question,
    query: Query,
) -> list[Legs]:
    """What each shelf of each store says."""
    shelves = [Shelf.MEMORY] if query.memories else []
    shelves += [Shelf.EPISODE] if query.episodes else []
    asked = [with_names(reader, question, query.filters) for reader in readers]
    most = {shelf: _QUICK if query.quick else _NOMINEES[shelf] + query.limit for shelf in shelves}
    return [
        nominate(reader, shelf, terms, here, query.filters, meaning, most[shelf])
        for shelf in shelves
        for reader, terms, here, meaning in zip(
            readers, weigh(readers, shelf, asked), asked, encoded, strict=True
        )
    ]


def _encode(store: Store, embedder: Embedder | None, text: str) -> vectors.Encoded | None:
    if embedder is None:
        return None
    fit = vectors.current_fit(store, embedder)
    try:
        if fit is None or fit.fitted_rows < _FIT_ON_THE_WAY:
            vectors.refresh(store, embedder, limit=_EMBED_FIRST)
        else:
            vectors.embed_pending(store, embedder, limit=_EMBED_FIRST)
    except EmbedError:
        return None  # words answer; the answer tells of `embedder.problem`
    return vectors.encode(store, embedder, text)


def _most_read(shelf: Shelf, limit: int) -> int:
    return _READ[shelf] + limit - min(limit, _USUAL)


def _hits(legs: Legs, best: rank.Best, question: Question, now: float, most: int) -> list[Hit]:
    if legs.shelf is Shelf.MEMORY:
        return _memory_hits(legs, best, question, now, most)
    return _turn_hits(legs, best, question, most)


def _memory_hits(
    legs: Legs, best: rank.Best, question: Question, now: float, most: int
) -> list[Hit]:
    """The best memories of a leg; the others are not even read."""
    parts = rank.fuse(legs, best)
    rows = rank.top({row: sum(one.values()) for row, one in parts.items()}, most)
    return [
        rank.scored(Hit(0.0, memory), parts[row] | rank.of_memory(memory, question, now))
        for row, memory in legs.reader.store.memories(rows).items()
    ]


def _turn_hits(legs: Legs, best: rank.Best, question: Question, most: int) -> list[Hit]:
    """The best turns of a leg, with what stands beside them counted in."""
    told = turns.Legs(legs.words, legs.bits, legs.idf, legs.near, best.words, best.near)
    scored = turns.score(legs.around, told, legs.nominated)
    totals = dict(zip(scored.rows, scored.total().tolist(), strict=True))
    places = {row: place for place, row in enumerate(scored.rows)}
    read = legs.reader.store.episodes(rank.top(totals, most))
    speakers = frozenset(turns.speaker_of(turn.text) for turn in read.values())
    return [
        rank.scored(
            Hit(0.0, episode=turn),
            {name: float(part[places[row]]) for name, part in scored.parts.items()}
            | turns.of_text(turn, question, speakers),
        )
        for row, turn in read.items()
    ]
