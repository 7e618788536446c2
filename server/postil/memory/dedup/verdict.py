"""The verdict on a new statement and an old one. Pure; similarity has no say in it.

Two statements that have the same canonical form say the same. Otherwise nothing is merged: what
differs in a number, a unit, a denial, a name, a path or a version while the rest agrees is put
before a person, and so is what shares most of its words.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from postil.memory.dedup.canon import LONGEST, Form, canonical
from postil.memory.dedup.nuance import nuance
from postil.memory.dedup.reordered import in_place, turned_round
from postil.memory.dedup.tokens import VALUES, Token
from postil.model import Memory, Verdict

# Shares of the shorter statement's words: below the first two statements have nothing to do with
# each other, above the second they are about the same. Chosen on the labelled pairs of
# tests/cases/dedup.jsonl; neither can merge anything.
_RELATED = 0.5
_CLOSE = 0.67
_CHANGE = re.compile(
    r"\b(?:now|no longer|not any ?more|anymore|instead|switch(?:ed)? to|mov(?:ed|ing) to"
    r"|migrated to|replaced by|changed|went from|used to|dropped|deprecated|as of"
    r"|from now on|actually)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and, for a person, what it rests on."""

    verdict: Verdict
    reason: str = ""


def judge(new: Memory, old: Memory) -> Judged:
    """What `new` is to `old`: both of one scope, and of kinds that can say the same."""
    if max(len(new.what), len(old.what)) > LONGEST:
        return Judged(Verdict.ADD)
    ours, theirs = _form(new.what), _form(old.what)
    if not ours.tokens or not theirs.tokens:
        return Judged(Verdict.ADD)
    same_words = ours.phrases == theirs.phrases or _rearranged(ours, theirs)
    if (same_words and in_place(ours, theirs)) or turned_round(ours, theirs):
        told = nuance(new.what, old.what)
        return Judged(Verdict.UNSURE, told) if told else _same(new, old, ours, theirs)
    return _other(new, ours, theirs)


def _same(new: Memory, old: Memory, ours: Form, theirs: Form) -> Judged:
    """One statement; its reasons may be two."""
    reasons = [_reason(new, ours), _reason(old, theirs)]
    if not reasons[0]:
        return Judged(Verdict.DUPLICATE)
    if not reasons[1]:
        return Judged(Verdict.UPDATE, "the same, with its reason")
    if _form(reasons[0]).phrases == _form(reasons[1]).phrases:
        return Judged(Verdict.DUPLICATE)
    return Judged(Verdict.UNSURE, "the same statement with another reason")


def _rearranged(ours: Form, theirs: Form) -> bool:
    """Whether two simple statements have the same words, and no two of them changed parts.

    `tests must run serially` and `run tests serially`: a word may have another part, but where two
    words took each other's (`a calls b`, `b calls a`) it is another statement. Where one names an
    agent (`is called by`) and the other does not, the same parts say the opposite.
    """
    if not (ours.is_simple and theirs.is_simple) or ours.has_agent != theirs.has_agent:
        return False
    mine, other = dict(ours.parts), dict(theirs.parts)
    if Counter(one for one, _ in ours.parts) != Counter(one for one, _ in theirs.parts):
        return False
    moves = {(mine[token], other[token]) for token in mine if mine[token] != other[token]}
    return not any((after, before) in moves for before, after in moves)


def _reason(memory: Memory, form: Form) -> str:
    return " ".join(part for part in (form.reason, memory.why) if part)


def _other(new: Memory, ours: Form, theirs: Form) -> Judged:
    mine, other = Counter(map(_bare, ours.tokens)), Counter(map(_bare, theirs.tokens))
    shared = sum((mine & other).values())
    share = shared / min(mine.total(), other.total())
    if share < _RELATED:
        return Judged(Verdict.ADD)
    told = _difference(ours, theirs)
    if told.startswith(("denial", "number")) and share >= _RELATED:
        return Judged(Verdict.CONTRADICT, told)
    if _CHANGE.search(new.what):
        return Judged(Verdict.CONTRADICT, "it speaks of a change")
    return Judged(Verdict.UNSURE, told) if share >= _CLOSE else Judged(Verdict.ADD)


def _difference(ours: Form, theirs: Form) -> str:
    """In what two related statements differ, as a person would say it."""
    mine, other = Counter(ours.tokens), Counter(theirs.tokens)
    only_mine, only_other = list((mine - other).elements()), list((other - mine).elements())
    left = Counter(map(_bare, only_mine)), Counter(map(_bare, only_other))
    if left[0] == left[1] and left[0]:
        return "denial" if _denied(only_mine) != _denied(only_other) else "the order of the words"
    if _denied(only_mine) != _denied(only_other):
        return "denial"
    for kind in VALUES:
        values = [
            [one.text for one in side if one.kind == kind] for side in (only_mine, only_other)
        ]
        if values[0] and values[1]:
            return f"{kind}: {', '.join(values[0])} and {', '.join(values[1])}"
    words = [" ".join(one.text for one in side) or "nothing" for side in (only_mine, only_other)]
    return f"words: {words[0]} and {words[1]}"


def _denied(tokens: list[Token]) -> bool:
    return any("not" in one.marks or one.text == "nolonger" for one in tokens)


def _bare(token: Token) -> str:
    return token.text


@lru_cache(maxsize=512)
def _form(text: str) -> Form:
    return canonical(text)


def differs(one: str, other: str) -> bool:
    """Whether two statements differ in what no judgement may pass over: a denial, a value."""
    mine, theirs = _form(one).tokens, _form(other).tokens
    values = [Counter(token.text for token in side if token.is_value) for side in (mine, theirs)]
    return values[0] != values[1] or _denied(list(mine)) != _denied(list(theirs))
