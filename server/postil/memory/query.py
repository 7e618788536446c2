"""What a query asks for: its terms with their other names, its pairs of words, its time. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from postil.memory.when import Span, spans_of
from postil.words import STOP_WORDS, query_terms

_WHY = re.compile(r"\b(?:why|reasons?|rationale|motivat\w+|how come|what for)\b", re.IGNORECASE)
_ASKS_TIME = re.compile(
    r"^\W*(?:when|since when|until when|how long|what (?:date|year|month|day|time)|which"
    r" (?:date|year|month|day))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
# Weight of a term that the writer may have meant.
GUESSED = 0.6
_MOST_PAIRS = 8


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the query: the forms that it goes by in the index, each with its weight."""

    forms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """A query as ranking reads it."""

    text: str
    terms: tuple[Term, ...]
    pairs: tuple[re.Pattern[str], ...] = ()
    names: frozenset[str] = frozenset()
    wants_reason: bool = False
    wants_time: bool = False
    spans: tuple[Span, ...] = ()


def read(
    text: str,
    stems: Callable[[str], list[str]],
    other_names: Callable[[str], Sequence[str]],
    now: float,
    offset: int,
) -> Question:
    """The question in `text`, asked at `now` by somebody `offset` minutes east of UTC.

    `stems` gives the terms of a text as the index has them, `other_names` the other names of the
    things that a query names.
    """
    terms: dict[tuple[str, ...], Term] = {}
    for word in query_terms(text):
        forms = stems(word)
        if forms:
            terms.setdefault(tuple(forms), Term(dict.fromkeys(forms, 1.0)))
    others = [form for name in other_names(text) for form in stems(name)]
    known = {form for term in terms.values() for form in term.forms}
    for form in dict.fromkeys(others):
        if form not in known and form not in STOP_WORDS:
            terms[(form,)] = Term({form: 1.0})
    return Question(
        text,
        tuple(terms.values()),
        _pairs(text),
        frozenset(_NAME.findall(text)),
        bool(_WHY.search(text)),
        bool(_ASKS_TIME.search(text)),
        spans_of(text, now, offset),
    )


def _pairs(text: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of words that follow each other in the query, with their endings left open."""
    words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
    roots = [re.escape(word[: max(4, len(word) - 3)]) for word in words]
    return tuple(
        re.compile(rf"\b{one}\w*\W+(?:\w+\W+)?{other}", re.IGNORECASE)
        for one, other in list(zip(roots, roots[1:], strict=False))[:_MOST_PAIRS]
    )
