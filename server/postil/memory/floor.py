"""When nothing is relevant: an answer of noise costs an agent more than none. Pure.

Among more rows chance brings something nearer: the largest of n similarities of unrelated texts
grows with sqrt(2 ln n). All thresholds grow with that, between two measured points: 600 turns of a
conversation (LoCoMo 1 to 5, own questions against another conversation's) and 36 memories
(`tests/cases/recall.jsonl` against questions about other things).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from postil.memory.reading import Weighed, weight_held

if TYPE_CHECKING:
    from postil.memory.nominate import Legs

# sqrt(2 ln n) at the two sizes, and no more than at a million rows of which most say the same.
_SMALL, _LARGE, _HUGE = 2.68, 3.58, 4.3
# Of a long text only its rarest terms must be there, as many as a question has.
_ASKED = 6
# In a store that is too small for a fit vectors are not centred: what is unrelated lies this near.
_RAW = 0.2


def near_floor(rows: int, centred: bool) -> float:
    """How near a memory must be that shares no word with the question (cosine)."""
    return max(_between(rows, 0.14, 0.25), 0.05) if centred else _RAW


def is_relevant(legs: Sequence[Legs]) -> bool:
    """Whether anything found comes near enough to what was asked."""
    if any(leg.dated for leg in legs):
        return True
    return any(map(_answers, legs))


def _answers(legs: Legs) -> bool:
    """Whether a shelf has something that covers the question, or is near to it, or partly both."""
    if not legs.nominated:
        return False
    covered, near, rows = covered_best(legs), legs.best_near, legs.rows
    if not legs.near:
        return covered >= _between(rows, 0.15, 0.25)
    if not legs.centred:
        return covered + near >= _RAW + 0.1 or near >= _RAW + 0.05
    return covered + near >= _between(rows, 0.25, 0.55) or near >= _between(rows, 0.19, 0.4)


def covered_best(legs: Legs) -> float:
    """The largest share of what was asked that one row holds; words that nobody wrote count."""
    weights = [_weight(one) for one in legs.terms]
    asked = sum(sorted(weights)[-_ASKED:])
    if asked <= 0 or not len(legs.matches.rows):
        return 0.0
    return min(float(weight_held(legs.matches.bits, weights).max()) / asked, 1.0)


def _between(rows: int, small: float, large: float) -> float:
    """A threshold for so many rows, from those at the two measured sizes."""
    reach = min(math.sqrt(2 * math.log(max(rows, 2))), _HUGE)
    return small + (large - small) * (reach - _SMALL) / (_LARGE - _SMALL)


def _weight(one: Weighed) -> float:
    """What a term says; one that no row holds as if one did, unless it only spells out another."""
    if one.idf or one.term.is_part:
        return one.idf
    return math.log1p(max(one.total - 0.5, 0.5) / 1.5)
