"""Ranking: one fusion for everything, and the choice of what fits a budget. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from postil.memory.query import Question
from postil.model import Hit, Memory, ScopeKind, Tier
from postil.words import estimate_tokens

# Of memories: what words, meaning and the share of the question's words count for.
WORDS_WEIGHT = 0.5
VECTOR_WEIGHT = 0.3
COVERED_WEIGHT = 0.2
PAIRS_WEIGHT = 0.1
REASON_WEIGHT = 0.06
DATE_WEIGHT = 0.2
# Importance moves a hit by at most this much, less than the step between a match and none.
IMPORTANCE_WEIGHT = 0.08
PINNED_WEIGHT = 0.02
CORE_WEIGHT = 0.01
# What is as old as this has lost about two thirds of the little that newness counts for.
RECENT_WEIGHT = 0.02
_RECENT_DAYS = 90.0
# Among equals the narrower word counts: this session's, the team's, the project's, then my own.
SCOPE_STEP = 0.005
_PRECEDENCE = {kind: place for place, kind in enumerate(reversed(ScopeKind))}
# Characters of a statement, of its reason and of a turn that an answer shows.
SHOWN = 1_200
SHOWN_OF_TURN = 420
# Two hits that share so many of their words, and all their numbers, say the same.
_ALIKE = 0.85
_WORD = re.compile(r"\w+")

Cost = Callable[[Hit], int]


@dataclass(frozen=True, slots=True)
class Fused:
    """A row's score and the parts that sum up to it."""

    score: float
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Best:
    """The best score of each leg over everything searched, by which all are normalised."""

    words: float
    vector: float


def fuse(
    words: Mapping[int, float],
    vectors: Mapping[int, float],
    covered: Mapping[int, float],
    best: Best,
) -> dict[int, Fused]:
    """Weighted sum of scores, each leg normalised by its best over this query.

    Rank fusion was measured and lost: with one weak leg it falls below words alone.
    """
    fused = {}
    for row in words.keys() | vectors.keys():
        word = WORDS_WEIGHT * _share(words.get(row, 0.0), best.words)
        vector = VECTOR_WEIGHT * _share(vectors.get(row, 0.0), best.vector)
        share = COVERED_WEIGHT * covered.get(row, 0.0)
        parts = (("words", word), ("vector", vector), ("covered", share))
        fused[row] = Fused(word + vector + share, parts)
    return fused


def _share(score: float, best: float) -> float:
    return max(score, 0.0) / best if best > 0 else 0.0


def top(fused: Mapping[int, Fused], most: int) -> list[int]:
    """The rows with the best scores, ties by row."""
    return sorted(fused, key=lambda row: (-round(fused[row].score, 9), row))[:most]


def with_parts(hit: Hit, parts: Mapping[str, float]) -> Hit:
    """A hit with more parts of its score."""
    every = (*hit.parts, *((name, part) for name, part in parts.items() if part))
    return replace(hit, score=sum(part for _, part in every), parts=every)


def of_memory(memory: Memory, question: Question, now: float) -> dict[str, float]:
    """What a memory's text and standing add; standing is less than a match makes."""
    parts: dict[str, float] = {}
    if question.pairs:
        text = f"{memory.what} {memory.why}"
        found = sum(bool(pair.search(text)) for pair in question.pairs)
        parts["pairs"] = PAIRS_WEIGHT * found / len(question.pairs)
    if question.wants_reason and memory.why:
        parts["reason"] = REASON_WEIGHT
    at = memory.when or memory.created_at
    if question.spans and any(span.holds(at) for span in question.spans):
        parts["date"] = DATE_WEIGHT
    age = max(now - at, 0.0) / 86_400
    return parts | {
        "importance": IMPORTANCE_WEIGHT * (memory.importance - 0.5) * 2,
        "recent": RECENT_WEIGHT * math.exp(-age / _RECENT_DAYS) if at else 0.0,
        "pinned": PINNED_WEIGHT if memory.pinned else 0.0,
        "tier": CORE_WEIGHT if memory.tier is Tier.CORE else 0.0,
        "scope": SCOPE_STEP * _PRECEDENCE[memory.scope.kind],
    }


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Best first; ties are broken by id, so that the same store gives the same order."""
    return sorted(hits, key=lambda hit: (-round(hit.score, 9), hit.id))


def distinct(hits: Sequence[Hit], most: int) -> list[Hit]:
    """The first `most` hits, those that say the same as a better one counted with it."""
    kept: list[Hit] = []
    said: list[tuple[frozenset[str], frozenset[str]]] = []
    for hit in hits:
        words, numbers = _said(hit)
        like = next(
            (
                place
                for place, (others, their_numbers) in enumerate(said)
                if numbers == their_numbers and _overlap(words, others) >= _ALIKE
            ),
            None,
        )
        if like is not None:
            kept[like] = replace(kept[like], alike=(*kept[like].alike, hit.id))
        elif len(kept) < most:
            kept.append(hit)
            said.append((words, numbers))
    return kept


def _said(hit: Hit) -> tuple[frozenset[str], frozenset[str]]:
    text = hit.memory.what if hit.memory is not None else ""
    text = text or (hit.episode.text if hit.episode is not None else "")
    words = frozenset(_WORD.findall(text[:2_000].casefold()))
    # A denial or a number makes another statement of the same words.
    telling = {word for word in words if any(char.isdigit() for char in word)}
    return words, frozenset(telling | words & {"not", "no", "never", "only", "except", "without"})


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def within_budget(
    hits: Iterable[Hit], tokens: int, limit: int, cost: Cost
) -> tuple[list[Hit], list[Hit]]:
    """The best hits that fit, in order, and those that did not.

    A hit that is too long for what is left does not end the list: a shorter one may still fit.
    """
    chosen: list[Hit] = []
    cut: list[Hit] = []
    left = tokens
    for hit in hits:
        price = cost(hit)
        if len(chosen) < limit and (price <= left or not chosen):
            chosen.append(hit)
            left -= price
        else:
            cut.append(hit)
    return chosen, cut


def cost_of(hit: Hit) -> int:
    """About how many tokens a hit costs once it is written out."""
    if hit.memory is not None:
        what, why = hit.memory.what[:SHOWN], hit.memory.why[:SHOWN]
        return estimate_tokens(what + why) + 24
    assert hit.episode is not None
    return estimate_tokens(hit.episode.text[:SHOWN_OF_TURN]) + 24
