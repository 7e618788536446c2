"""Which rows of a store may answer a question: by its words, its meaning, its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from postil.memory import query as asking
from postil.memory.floor import near_floor
from postil.memory.query import GUESSED, Question, Term
from postil.memory.reading import Matches, Reader, Weighed, pooled, weight_held
from postil.memory.turns import REACH
from postil.memory.vectors import Encoded
from postil.memory.when import Span, event_of
from postil.storage.store import Around, Filters, Scores, Shelf

# Without a term nobody counted the rows.
_MANY = 1_000
# Rows that a phrase of time nominates.
_DATED = 200
# A shorter term is near to half of all others.
_SPELLED = 5
_EVENT_ROWS = 5


@dataclass(frozen=True)
class Legs:
    """What one shelf of one store has to say to a question.

    `near` has the similarity of all rows that take part, `around` the turns with those beside them.
    """

    reader: Reader
    shelf: Shelf
    terms: Sequence[Weighed]
    matches: Matches
    near: Scores
    dated: frozenset[int]
    around: Sequence[Around] = ()
    nominated: frozenset[int] = frozenset()
    centred: bool = False

    @property
    def rows(self) -> int:
        """How many rows were searched, more or less."""
        return self.terms[0].total if self.terms else _MANY

    @cached_property
    def words(self) -> Scores:
        """Scores by words."""
        return dict(zip(self.matches.rows.tolist(), self.matches.scores.tolist(), strict=True))

    @cached_property
    def bits(self) -> dict[int, int]:
        """Which terms each row holds."""
        return dict(zip(self.matches.rows.tolist(), self.matches.bits.tolist(), strict=True))

    @cached_property
    def idf(self) -> list[float]:
        """What each term says."""
        return [one.idf for one in self.terms]

    @property
    def best_words(self) -> float:
        """The best score by words."""
        return float(self.matches.scores[0]) if len(self.matches.rows) else 0.0

    @property
    def best_near(self) -> float:
        """The best score by meaning."""
        return max(self.near.values(), default=0.0)

    @cached_property
    def covered(self) -> dict[int, float]:
        """The share of what was asked that the terms of each row make up, 0..1."""
        total = sum(self.idf)
        if total <= 0:
            return {}
        shares = weight_held(self.matches.bits, self.idf) / total
        return dict(zip(self.matches.rows.tolist(), shares.tolist(), strict=True))


def weigh(
    readers: Sequence[Reader], shelf: Shelf, questions: Sequence[Question]
) -> list[list[Weighed]]:
    """What the terms of a question say, for each reader as it has the question.

    A word is as rare as it is in all stores together: the same in each of them counts the same.
    """
    lists = [
        reader.weigh(shelf, question.terms)
        for reader, question in zip(readers, questions, strict=True)
    ]
    unknown = [
        place
        for place, same in enumerate(zip(*lists, strict=True))
        if not any(w.count for w in same)
    ]
    if unknown:
        for reader, terms in zip(readers, lists, strict=True):
            _spell(reader, shelf, terms, unknown)
    return pooled(lists)


def nominate(
    reader: Reader,
    shelf: Shelf,
    terms: Sequence[Weighed],
    question: Question,
    filters: Filters,
    encoded: Encoded | None,
    most: int,
) -> Legs:
    """The rows of a shelf that may answer, with what words and meaning say of them.

    Each of the two nominates `most` rows.
    """
    matches = reader.words(shelf, terms, filters, most)
    near = reader.nearest(shelf, encoded, filters, most) if encoded is not None else {}
    dated = _dated(reader, shelf, question, filters)
    centred = encoded is not None and encoded.centred
    legs = Legs(reader, shelf, terms, matches, near, dated, centred=centred)
    if shelf is Shelf.MEMORY:
        return _memories(legs, encoded)
    return _turns(legs, encoded, filters)


def with_names(reader: Reader, question: Question, filters: Filters) -> Question:
    """The question with the other names, in this store, of what it names."""
    names = reader.store.names_of(asking.names_in(question.text), filters.scopes)
    if not names:
        return question
    return replace(question, terms=asking.with_names(question.terms, names, reader.store.stems))


def since_event(
    readers: Sequence[Reader], question: Question, filters: Filters, now: float
) -> Question:
    """The question with the time of an event that it names: `before the migration`.

    The memory that holds every word of the event's name, and scores best by them, dates it.
    """
    side, event = event_of(question.text)
    if not side or question.spans:
        return question
    for reader in readers:
        weighed = reader.weigh(Shelf.MEMORY, asking.terms_of(event, reader.store.stems))
        if not weighed or not all(one.idf for one in weighed):
            continue
        found = reader.words(Shelf.MEMORY, weighed, filters, _EVENT_ROWS)
        whole = found.rows[found.bits == np.uint32((1 << len(weighed)) - 1)].tolist()
        for memory in reader.store.memories(whole[:1]).values():
            at = memory.when or memory.created_at
            span = Span(0.0, at) if side == "before" else Span(at + 1, now + 1)
            return replace(question, spans=(span,))
    return question


def _memories(legs: Legs, encoded: Encoded | None) -> Legs:
    """Memories that share a word with the question, or are near enough to it."""
    known = {*legs.matches.rows.tolist(), *legs.dated}
    floor = near_floor(legs.rows, legs.centred)
    near = {row: at for row, at in legs.near.items() if at >= floor or row in known}
    if encoded is not None:
        # Meaning speaks of what words found, too, where the nearest of all are others.
        missing = [row for row in known if row not in near]
        near |= legs.reader.similar(Shelf.MEMORY, missing, encoded)
    return replace(legs, near=near, nominated=frozenset(known | near.keys()))


def _turns(legs: Legs, encoded: Encoded | None, filters: Filters) -> Legs:
    """Turns that share a word or are near, with those beside them."""
    # Among turns that share words with the question, meaning orders; it need not prove itself.
    floor = 0.0 if len(legs.matches.rows) else near_floor(legs.rows, legs.centred)
    nominated = frozenset(
        (
            *legs.matches.rows.tolist(),
            *legs.dated,
            *(row for row, at in legs.near.items() if at >= floor),
        )
    )
    around = legs.reader.around(sorted(nominated), REACH)
    if any(filters.created):
        rows = [turn.row for turn in around]
        allowed = legs.reader.store.passing(Shelf.EPISODE, rows, filters)
        around = [turn for turn in around if turn.row in allowed]
    near = legs.near
    if encoded is not None:
        near = legs.reader.similar(Shelf.EPISODE, [turn.row for turn in around], encoded)
    return replace(legs, near=near, around=around, nominated=nominated)


def _dated(reader: Reader, shelf: Shelf, question: Question, filters: Filters) -> frozenset[int]:
    """The rows whose event lies in the time that was asked for."""
    return frozenset(
        row
        for span in question.spans
        for row in reader.store.dated(shelf, span.start, span.end, filters, _DATED)
    )


def _spell(reader: Reader, shelf: Shelf, terms: list[Weighed], unknown: Sequence[int]) -> None:
    """Read terms that nobody wrote as they may have been meant."""
    for place in unknown:
        forms = [form for form in terms[place].term.forms if len(form) >= _SPELLED]
        likely = {like: GUESSED for form in forms for like in reader.spelled_like(shelf, form)}
        if likely:
            terms[place] = reader.weigh(shelf, [Term(likely)])[0]
