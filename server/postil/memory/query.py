"""What a query asks for: its terms with their other names, its pairs of words, its time. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from postil.memory.keys import entity_key
from postil.memory.when import Phrase, Span, phrases_in
from postil.words import STOP_WORDS, identifier_parts, query_terms

_WHY = re.compile(r"\b(?:why|reasons?|rationale|motivat\w+|how come|what for)\b", re.IGNORECASE)
_ASKS_TIME = re.compile(
    r"^\W*(?:when|since when|until when|how long|what (?:date|year|month|day|time)|which"
    r" (?:date|year|month|day))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
# Weight of a term that the writer may have meant, and of one that only says when.
GUESSED = 0.6
_OF_TIME = 0.3
_MOST_PAIRS = 8
_MOST_SPANS = 8
# The name of a thing has at most so many words; a query of so many is no question any more.
_NAME_WORDS = 4
_ASKED_WORDS = 40


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the query: the forms that it goes by in the index, each with its weight.

    An identifier comes whole and in parts, of which a text may hold either (`is_part`).
    """

    forms: Mapping[str, float]
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A query as ranking reads it."""

    text: str
    terms: tuple[Term, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    names: frozenset[str] = frozenset()
    wants_reason: bool = False
    wants_time: bool = False
    spans: tuple[Span, ...] = ()


Stems = Callable[[str], list[str]]


def read(text: str, stems: Stems, now: float, offset: int) -> Question:
    """The question in `text`, asked at `now` by somebody `offset` minutes east of UTC.

    `stems` gives the terms of a text as the index has them.
    """
    phrases = phrases_in(text, now, offset)
    return Question(
        text,
        terms_of(text, stems, _of_time(text, phrases)),
        _pairs(text),
        frozenset(_NAME.findall(text)),
        bool(_WHY.search(text)),
        bool(_ASKS_TIME.search(text)),
        tuple(dict.fromkeys(phrase.span for phrase in phrases))[:_MOST_SPANS],
    )


def terms_of(text: str, stems: Stems, of_time: frozenset[str] = frozenset()) -> tuple[Term, ...]:
    """The terms of a text; those of its words that only say when count for less."""
    terms: dict[tuple[str, ...], Term] = {}
    parts = {
        one
        for word in _WORD.findall(text)
        for spelt in [identifier_parts(word)]
        for one in ([*spelt, word.lower()] if spelt else [])
    }
    for word in query_terms(text):
        forms = stems(word)
        if forms:
            weight = _OF_TIME if word in of_time else 1.0
            is_part = word in parts
            terms.setdefault(tuple(forms), Term(dict.fromkeys(forms, weight), is_part))
    return tuple(terms.values())


def names_in(text: str) -> list[str]:
    """The keys of all runs of a query's words that may be the name of a thing."""
    words = entity_key(text).split()[:_ASKED_WORDS]
    words = [word.strip("?!.,;:\"'()[]") for word in words]
    return list(
        dict.fromkeys(
            " ".join(words[start : start + size])
            for size in range(1, _NAME_WORDS + 1)
            for start in range(len(words) - size + 1)
        )
    )


def with_names(
    terms: Sequence[Term], names: Mapping[str, Sequence[str]], stems: Stems
) -> tuple[Term, ...]:
    """Terms with the other names of the things that they name, by the name in the query.

    A name of one word is as good as the word itself; a word of a longer name only hints at it.
    """
    found = list(terms)
    for said, others in names.items():
        said_forms = set(stems(said))
        forms: dict[str, float] = {}
        for other in others:
            weight = 1.0 if len(other.split()) == 1 else GUESSED
            for form in stems(other):
                if form not in STOP_WORDS:
                    forms[form] = max(weight, forms.get(form, 0.0))
        for place, term in enumerate(found):
            if said_forms & term.forms.keys():
                found[place] = Term({**forms, **term.forms}, term.is_part)
    return tuple(found)


def _of_time(text: str, phrases: Sequence[Phrase]) -> frozenset[str]:
    """The words that stand in phrases of time and nowhere else."""
    inside = frozenset(
        word for phrase in phrases for word in query_terms(text[phrase.place : phrase.stop])
    )
    for phrase in reversed(phrases):
        text = f"{text[: phrase.place]} {text[phrase.stop :]}"
    return inside - set(query_terms(text)) if inside else inside


def pairs_held(pairs: Sequence[tuple[str, str]], text: str) -> float:
    """The share of the pairs whose words follow each other in a text, with one between at most."""
    text = text.lower()
    likely = [(one, other) for one, other in pairs if one in text and other in text]
    if not likely:
        return 0.0
    words = _WORD.findall(text)
    held = 0
    for one, other in likely:
        places = [place for place, word in enumerate(words) if word.startswith(one)]
        held += any(
            word.startswith(other) for place in places for word in words[place + 1 : place + 3]
        )
    return held / len(pairs)


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """The beginnings of the words that follow each other in the query."""
    words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
    roots = [word[: max(4, len(word) - 3)] for word in words[: _MOST_PAIRS + 1]]
    return tuple(pairwise(roots))
