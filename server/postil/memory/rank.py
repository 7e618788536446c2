"""Ranking: one fusion for everything, and the choice of what fits a budget. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from postil.memory.nominate import Legs
from postil.memory.query import Question, pairs_held
from postil.model import Hit, Memory, ScopeKind, Tier

# Of memories: what words, meaning and the share of the question's words count for.
WORDS_WEIGHT = 0.5
VECTOR_WEIGHT = 0.3
COVERED_WEIGHT = 0.2
PAIRS_WEIGHT = 0.1
REASON_WEIGHT = 0.06
DATE_WEIGHT = 0.5
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
# Two hits that share so many of their words, and all their numbers, say the same.
_ALIKE = 0.85
_WORD = re.compile(r"\w+")

Cost = Callable[[Hit], int]


@dataclass(frozen=True, slots=True)
class Best:
    """The best score of each leg over everything searched, by which all are normalised."""

    words: float
    near: float


def fuse(legs: Legs, best: Best) -> dict[int, dict[str, float]]:
    """The parts of each nominated row's score, each leg normalised by its best over this query.

    A weighted sum: rank fusion was measured and lost, with one weak leg it falls below words alone.
    """
    return {
        row: {
            "words": WORDS_WEIGHT * _share(legs.words.get(row, 0.0), best.words),
            "vector": VECTOR_WEIGHT * _share(legs.near.get(row, 0.0), best.near),
            "covered": COVERED_WEIGHT * legs.covered.get(row, 0.0),
            "date": DATE_WEIGHT if row in legs.dated else 0.0,
        }
        for row in legs.nominated
    }


def _share(score: float, best: float) -> float:
    return max(score, 0.0) / best if best > 0 else 0.0


def top(scores: Mapping[int, float], most: int) -> list[int]:
    """The rows with the best scores, ties by row."""
    return sorted(scores, key=lambda row: (-round(scores[row], 9), row))[:most]


def scored(hit: Hit, parts: Mapping[str, float]) -> Hit:
    """A hit with its score and the parts that sum up to it."""
    told = tuple((name, part) for name, part in parts.items() if part)
    return replace(hit, score=sum(part for _, part in told), parts=told)


def of_memory(memory: Memory, question: Question, now: float) -> dict[str, float]:
    """What a memory's text and standing add; standing is less than a match makes."""
    parts: dict[str, float] = {}
    if question.pairs:
        held = pairs_held(question.pairs, f"{memory.what} {memory.why}")
        parts["pairs"] = PAIRS_WEIGHT * held
    if question.wants_reason and memory.why:
        parts["reason"] = REASON_WEIGHT
    at = memory.when or memory.created_at
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
    telling = {word for word in words if not word.isalpha()}
    telling |= words & {"not", "no", "never", "only", "except", "without"}
    if hit.memory is not None:  # the same words in another scope hold for others
        telling |= {f"{hit.memory.scope}", hit.memory.kind}
    return words, frozenset(telling)


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
        price = cost(hit) if len(chosen) < limit else left + 1
        if price <= left or not chosen:
            chosen.append(hit)
            left -= price
        else:
            cut.append(hit)
    return chosen, cut
