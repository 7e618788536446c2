"""What the canonical form passes over and a merge must not: strength, `any`, case. Pure."""

from __future__ import annotations

import re
from collections import Counter

_MUST = re.compile(r"\b(?:must|have to|has to|required|mandatory|obligatory|shall)\b", re.I)
_SHOULD = re.compile(r"\b(?:should(?! never)|ought to|recommended|encouraged|preferably)\b", re.I)
_ANY = re.compile(r"\bany\b", re.I)
_ALL = re.compile(r"\b(?:all|every|each|both)\b", re.I)
_DENIAL = re.compile(r"\b(?:not?|never|none|nor|without|cannot)\b|n['\u2019]t\b", re.I)
# `f(a)`: a letter of code is easily taken for a word of no weight.
_CALL = re.compile(r"\b\w+\([^()\s][^()]*\)")
_ON_OFF = re.compile(r"\b(?:on|off)\b")
_LATER = re.compile(r"\b(?:will|shall|going to|plan(?:s|ned|ning)? to|intend to|want to)\b", re.I)
# What code means by its signs; those of numbers and percents have words of their own.
_SIGNS = re.compile(r"==|!=|&&|\|\||(?<![<>])=|\+|\*|\?|!(?=\w)|\||\^")
# Where case tells things apart: names of several words, flags, paths, literals, bits and bytes.
_CASED = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*|\b\w+(?:[_./]\w+)+\b|`[^`]+`|\b[A-Za-z]\b"
    r"|\b(?:None|True|False|Null|NaN)\b|(?<=\d)\s?[kKMGTP]i?[bB]\b",
    re.IGNORECASE,
)


def nuance(one: str, other: str) -> str:
    """In what two statements of the same words may still differ; "" when in nothing."""
    for a, b in ((one, other), (other, one)):
        if _only(_MUST, _SHOULD, a) and _only(_SHOULD, _MUST, b):
            return "must and should"
        denied = _DENIAL.search(a) or _DENIAL.search(b)
        if not denied and _only(_ANY, _ALL, a) and _only(_ALL, _ANY, b):
            return "any and all"
        if _LATER.search(a) and not _LATER.search(b):
            return "what will be and what is"
    switches = [_ON_OFF.findall(text.lower()) for text in (one, other)]
    if switches[0] != switches[1] and all({"on", "off"} <= set(one) for one in switches):
        return "on and off"
    calls = [set(_CALL.findall(text)) for text in (one, other)]
    if calls[0] != calls[1] and all(calls):
        return "calls"
    if Counter(_SIGNS.findall(one)) != Counter(_SIGNS.findall(other)):
        return "signs"
    return _case(_cased(one), _cased(other))


def _only(wanted: re.Pattern[str], other: re.Pattern[str], text: str) -> bool:
    return bool(wanted.search(text)) and not other.search(text)


def _cased(text: str) -> set[str]:
    return {match.group(0).strip().strip("`") for match in _CASED.finditer(text)}


def _case(mine: set[str], others: set[str]) -> str:
    folded = {name.casefold(): name for name in others - mine}
    for name in sorted(mine - others):
        if name.casefold() in folded:
            return f"{name} and {folded[name.casefold()]}"
    return ""
