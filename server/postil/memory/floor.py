"""When nothing is relevant: an answer of noise costs an agent more than none. Pure.

Calibrated on LoCoMo conversations 1 to 5 (997 questions, static embedder): 98.5% of the questions
pass in their own conversation, 27% in another one, where nothing answers them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from postil.memory.nominate import Legs
from postil.memory.reading import Weighed

# The share of the question that one row covers, and its similarity, together or alone.
_TOGETHER = 0.55
_NEAR = 0.4
# In a store that is too small for a fit vectors lie further apart and frequencies say little; nor
# can it answer with much.
_NEAR_RAW, _TOGETHER_RAW = 0.28, 0.35
_COVERED = 0.25
# Of a long text only its rarest terms must be there, as many as a question has.
_ASKED = 6


def is_relevant(legs: Sequence[Legs]) -> bool:
    """Whether anything found comes near enough to what was asked."""
    if any(leg.dated for leg in legs):
        return True
    covered = max(map(covered_best, legs), default=0.0)
    if not any(leg.near for leg in legs):
        return covered >= _COVERED
    near = max(leg.best_near for leg in legs)
    alone = any(leg.best_near >= (_NEAR if leg.centred else _NEAR_RAW) for leg in legs)
    together = _TOGETHER if any(leg.centred for leg in legs) else _TOGETHER_RAW
    return covered + near >= together or alone


def covered_best(legs: Legs) -> float:
    """The largest share of what was asked that one row holds; words that nobody wrote count."""
    weights = np.array([_weight(one) for one in legs.terms])
    if not len(weights) or not len(legs.matches.rows):
        return 0.0
    asked = float(np.sort(weights)[-_ASKED:].sum())
    places = np.arange(len(weights), dtype=np.uint32)
    held = legs.matches.bits[:, None] >> places[None, :] & 1
    return min(float((held @ weights).max()) / asked, 1.0) if asked > 0 else 0.0


def _weight(one: Weighed) -> float:
    """What a term says; one that no row holds as if one did, unless it only spells out another."""
    if one.idf or one.term.is_part:
        return one.idf
    return math.log1p(max(one.total - 0.5, 0.5) / 1.5)
