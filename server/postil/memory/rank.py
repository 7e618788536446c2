"""Ranking: one fusion for everything, and the choice of what fits a budget. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from postil.model import Hit, ScopeKind
from postil.words import estimate_tokens

# Held-out LoCoMo recall at 10: 74.0 per cent against 70.2 for words (and neighbours) alone.
WORDS_WEIGHT = 0.6
VECTOR_WEIGHT = 0.4
NEIGHBOUR_WEIGHT = 0.5
# Importance moves a hit by at most this much, less than the step between a match and none.
IMPORTANCE_WEIGHT = 0.08
PINNED_WEIGHT = 0.02
# Among equals the narrower word counts: this session's, the team's, the project's, then my own.
SCOPE_STEP = 0.005
_PRECEDENCE = {kind: place for place, kind in enumerate(reversed(ScopeKind))}
# Characters of a statement, of its reason and of a turn that an answer shows.
SHOWN = 1_200
SHOWN_OF_TURN = 420


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


def fuse(words: Mapping[int, float], vectors: Mapping[int, float], best: Best) -> dict[int, Fused]:
    """Weighted sum of scores, each leg normalised by its best over this query.

    Rank fusion was measured and lost: with one weak leg it falls below words alone.
    """
    fused = {}
    for row in words.keys() | vectors.keys():
        word = WORDS_WEIGHT * _share(words.get(row, 0.0), best.words)
        vector = VECTOR_WEIGHT * _share(vectors.get(row, 0.0), best.vector)
        fused[row] = Fused(word + vector, (("words", word), ("vector", vector)))
    return fused


def _share(score: float, best: float) -> float:
    return max(score, 0.0) / best if best > 0 else 0.0


def with_neighbours(
    fused: Mapping[int, Fused], beside: Mapping[int, Sequence[int]]
) -> dict[int, Fused]:
    """Each turn gains from the better of the turns beside it: answers stand next to questions.

    The sums are scaled back to 0..1, so that turns and memories can be compared.
    """
    raised = {}
    rows = set(fused) | {other for others in beside.values() for other in others}
    reverse: dict[int, list[int]] = {}
    for row, others in beside.items():
        for other in others:
            reverse.setdefault(other, []).append(row)
    for row in rows:
        own = fused.get(row, Fused(0.0, ()))
        near = {*beside.get(row, ()), *reverse.get(row, ())}
        best = max((fused[other].score for other in near if other in fused), default=0.0)
        scale = 1 / (1 + NEIGHBOUR_WEIGHT)
        gain = NEIGHBOUR_WEIGHT * best * scale
        parts = [(name, part * scale) for name, part in own.parts]
        raised[row] = Fused(own.score * scale + gain, (*parts, ("neighbour", gain)))
    return raised


def top(fused: Mapping[int, Fused], most: int) -> list[int]:
    """The rows with the best scores, ties by row."""
    return sorted(fused, key=lambda row: (-round(fused[row].score, 9), row))[:most]


def within_budget(hits: Iterable[Hit], tokens: int, limit: int) -> tuple[list[Hit], int]:
    """The best hits that fit, in order, and how many did not.

    A hit that is too long for what is left does not end the list: a shorter one may still fit.
    """
    chosen: list[Hit] = []
    omitted = 0
    left = tokens
    for hit in hits:
        cost = cost_of(hit)
        if len(chosen) < limit and (cost <= left or not chosen):
            chosen.append(hit)
            left -= cost
        else:
            omitted += 1
    return chosen, omitted


def cost_of(hit: Hit) -> int:
    """About how many tokens a hit costs once it is written out."""
    if hit.memory is not None:
        what, why = hit.memory.what[:SHOWN], hit.memory.why[:SHOWN]
        return estimate_tokens(what + why) + 24
    assert hit.episode is not None
    return estimate_tokens(hit.episode.text[:SHOWN_OF_TURN]) + 24


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Best first; ties are broken by id, so that the same store gives the same order."""
    return sorted(hits, key=lambda hit: (-round(hit.score, 9), hit.id))


def with_standing(hit: Hit) -> Hit:
    """A memory's hit, raised or lowered a little by its importance, its pin and its scope."""
    assert hit.memory is not None
    memory = hit.memory
    importance = IMPORTANCE_WEIGHT * (memory.importance - 0.5) * 2
    pinned = PINNED_WEIGHT if memory.pinned else 0.0
    scope = SCOPE_STEP * _PRECEDENCE[memory.scope.kind]
    return replace(
        hit,
        score=hit.score + importance + pinned + scope,
        parts=(*hit.parts, ("importance", importance), ("pinned", pinned), ("scope", scope)),
    )
