"""What the canonical form passes over and a merge must not: strength, `any`, case. Pure."""

from __future__ import annotations

import re

_MUST = re.compile(r"\b(?:must|have to|has to|required|mandatory|obligatory|shall)\b", re.I)
_SHOULD = re.compile(r"\b(?:should|ought to|recommended|encouraged|preferably)\b", re.I)
_ANY = re.compile(r"\bany\b", re.I)
_ALL = re.compile(r"\b(?:all|every|each|both)\b", re.I)
_DENIAL = re.compile(r"\b(?:not?|never|none|nor|without|cannot)\b|n['\u2019]t\b", re.I)
_SNAKE = re.compile(r"\b\w+_\w+\b")


def nuance(one: str, other: str) -> str:
    """In what two statements of the same words may still differ; "" when in nothing."""
    for a, b in ((one, other), (other, one)):
        if _only(_MUST, _SHOULD, a) and _only(_SHOULD, _MUST, b):
            return "must and should"
        denied = _DENIAL.search(a) or _DENIAL.search(b)
        if not denied and _only(_ANY, _ALL, a) and _only(_ALL, _ANY, b):
            return "any and all"
    return _case(set(_SNAKE.findall(one)), set(_SNAKE.findall(other)))


def _only(wanted: re.Pattern[str], other: re.Pattern[str], text: str) -> bool:
    return bool(wanted.search(text)) and not other.search(text)


def _case(mine: set[str], others: set[str]) -> str:
    """Names of several words that differ in case: environments and languages tell them apart."""
    folded = {name.casefold(): name for name in others - mine}
    for name in sorted(mine - others):
        if name.casefold() in folded:
            return f"name: {name} and {folded[name.casefold()]}"
    return ""
