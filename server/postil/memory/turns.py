"""Ranking of turns: a conversation says a thing over several turns, seldom in one. Pure.

The weights were chosen on LoCoMo conversations 1 to 5 (`benchmarks/quality`): what stands beside a
turn and in its session says as much as the turn itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.memory.query import Question, pairs_held
from postil.memory.reading import weight_held
from postil.model import Episode
from postil.storage.store import Around

# How far a turn's neighbours reach.
REACH = 2
WORDS, VECTOR = 0.35, 0.1
BESIDE, NEAR = 0.2, 0.3
MEANING_BESIDE, MEANING_NEAR = 0.3, 0.3
COVERED, SESSION_COVERED = 0.2, 0.2
SESSION = 0.3
PAIRS, SPEAKER, DATE, LENGTH, TIME, ASKS = 0.3, 0.15, 0.3, 0.1, 0.15, -0.2
# Brings a turn that says all that was asked to about 1, where such a memory stands.
SCALE = 1 / 1.6
_TOP_OF_SESSION = 3
_LONG = 5.0  # log of the words of a long turn

_SPEAKER = re.compile(r"\s*([A-Z][\w.'-]{1,30}(?: [A-Z][\w.'-]{1,30})?):\s")
_TELLS_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|monday"
    r"|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|(?:19|20)\d\d|recently|soon|since|morning"
    r"|evening|night)\b",
    re.IGNORECASE,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Legs:
    """What words and meaning say of turns: each by row, the words' and meaning's best over all."""

    words: Mapping[int, float]
    bits: Mapping[int, int]
    idf: Sequence[float]
    near: Mapping[int, float]
    best_words: float
    best_near: float


@dataclass(frozen=True, slots=True)
class Scored:
    """Turns by row with the named parts of their scores."""

    rows: tuple[int, ...]
    parts: Mapping[str, Floats]

    def total(self) -> Floats:
        """The scores."""
        return np.sum(list(self.parts.values()), axis=0) if self.rows else np.zeros(0)


def score(turns: Sequence[Around], legs: Legs, nominated: frozenset[int]) -> Scored:
    """Score turns, which come by session and place, each with its neighbours.

    What words and meaning did not nominate counts only by what stands beside it.
    """
    rows = [turn.row for turn in turns]
    if not rows:
        return Scored((), {})
    places = _Places(turns)
    words = _share([legs.words.get(row, 0.0) for row in rows], legs.best_words)
    meaning = _share([legs.near.get(row, 0.0) for row in rows], legs.best_near)
    own = np.array([row in nominated for row in rows], np.float64)
    base = own * (WORDS * words + VECTOR * meaning)
    beside, near = places.best(base, 1), places.best(base, 2)
    own_meaning = places.mean(meaning, 1)
    near_meaning = places.mean(meaning, 2)
    so_far = base + BESIDE * beside + NEAR * near
    bits = np.array([legs.bits.get(row, 0) for row in rows], np.uint32)
    parts = {
        "words": own * WORDS * words,
        "vector": own * VECTOR * meaning
        + MEANING_BESIDE * own_meaning
        + MEANING_NEAR * near_meaning,
        "neighbour": BESIDE * beside + NEAR * near,
        "session": SESSION * places.top_of_session(so_far)
        + SESSION_COVERED * _covered(places.any_in_session(bits), legs.idf),
        "covered": COVERED * _covered(places.any_beside(bits), legs.idf),
    }
    return Scored(tuple(rows), {name: SCALE * part for name, part in parts.items()})


def of_text(turn: Episode, question: Question, speakers: frozenset[str]) -> dict[str, float]:
    """What a turn's own text adds: a question tells little, a pair of words much."""
    text = turn.text
    parts = {"length": LENGTH * min(np.log1p(len(text.split())) / _LONG, 1.0)}
    if text.rstrip().endswith("?"):
        parts["asks"] = ASKS
    if question.pairs:
        parts["pairs"] = PAIRS * pairs_held(question.pairs, text)
    named = question.names & speakers
    if len(named) == 1 and speaker_of(text) in named:
        parts["speaker"] = SPEAKER
    if question.wants_time and _TELLS_TIME.search(text):
        parts["time"] = TIME
    if question.spans and any(span.holds(turn.at) for span in question.spans):
        parts["date"] = DATE
    return {name: float(SCALE * part) for name, part in parts.items() if part}


def speaker_of(text: str) -> str:
    """The first name of who speaks, where a turn begins with it; else ""."""
    match = _SPEAKER.match(text)
    return match[1].split()[0] if match else ""


class _Places:
    """Turns by session and place: what stands beside what."""

    def __init__(self, turns: Sequence[Around]) -> None:
        sessions = [turn.session for turn in turns]
        codes = {session: code for code, session in enumerate(dict.fromkeys(sessions))}
        self._codes = np.array([codes[session] for session in sessions], np.int64)
        self._ordinals = np.array([turn.ordinal for turn in turns], np.int64)
        self._pairs = {1: self._apart(1), 2: self._apart(2)}

    def best(self, values: Floats, distance: int) -> Floats:
        """For each turn the best value of those that are just so far away."""
        first, second = self._pairs[distance]
        found = np.zeros(len(values))
        np.maximum.at(found, first, values[second])
        np.maximum.at(found, second, values[first])
        return found

    def mean(self, values: Floats, reach: int) -> Floats:
        """The weighted mean over each turn and those beside it; the further, the less."""
        total = values.copy()
        for distance, weight in ((1, 1.0), (2, 0.5)):
            if distance <= reach:
                first, second = self._pairs[distance]
                np.add.at(total, first, weight * values[second])
                np.add.at(total, second, weight * values[first])
        return total / (3.0 if reach == 1 else 4.0)

    def any_beside(self, bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The bits of each turn and those just beside it."""
        found = bits.copy()
        first, second = self._pairs[1]
        np.bitwise_or.at(found, first, bits[second])
        np.bitwise_or.at(found, second, bits[first])
        return found

    def any_in_session(self, bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The bits of all turns of each turn's session."""
        found = np.zeros(int(self._codes.max()) + 1, np.uint32)
        np.bitwise_or.at(found, self._codes, bits)
        return found[self._codes]

    def top_of_session(self, values: Floats) -> Floats:
        """The mean of the best three values of each turn's session."""
        order = np.lexsort((-values, self._codes))
        codes = self._codes[order]
        starts = np.searchsorted(codes, codes)
        top = np.arange(len(codes)) - starts < _TOP_OF_SESSION
        sums = np.bincount(codes[top], weights=values[order][top], minlength=codes[-1] + 1)
        return sums[self._codes] / _TOP_OF_SESSION

    def _apart(self, distance: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of turns of one session that are just so far apart."""
        pairs = []
        for step in range(1, distance + 1):  # where a turn is missing, they stand closer here
            first = np.arange(max(len(self._codes) - step, 0))
            second = first + step
            same = (self._codes[first] == self._codes[second]) & (
                self._ordinals[second] - self._ordinals[first] == distance
            )
            pairs.append((first[same], second[same]))
        return np.concatenate([one for one, _ in pairs]), np.concatenate([two for _, two in pairs])


def _share(values: Sequence[float], best: float) -> Floats:
    found = np.maximum(np.array(values, np.float64), 0.0)
    return found / best if best > 0 else np.zeros(len(found))


def _covered(bits: NDArray[np.uint32], idf: Sequence[float]) -> Floats:
    """The share of what was asked that the terms of each row make up."""
    total = sum(idf)
    if total <= 0:
        return np.zeros(len(bits))
    return weight_held(bits, idf) / total
