"""Whether two statements with the same words say the same in another order. Pure.

The words alone never tell: `a calls b` and `b calls a` share them all. Two statements pass when no
two words changed sides of a verb (or, where one is in the passive voice, all of them did), and each
value still stands beside a word that it stood beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from postil.memory.dedup.canon import Form
from postil.memory.dedup.lexicon import verb_stems, words
from postil.memory.dedup.tokens import Token

# In longer statements too much depends on the order.
_MOST_WORDS = 14
_MAY_ACT = ("word", "deed")


def same_reordered(ours: Form, theirs: Form) -> bool:
    """Whether two English statements differ in nothing but their order and voice."""
    if not (ours.is_english and theirs.is_english):
        return False
    mine, other = _words(ours), _words(theirs)
    if not mine or frozenset(mine) != frozenset(other) or len(mine) > _MOST_WORDS:
        return False
    if any(token.text in words("places") for token in mine):
        return False  # `first a, then b`
    if ours.has_agent != theirs.has_agent:
        active, passive = (mine, other) if theirs.has_agent else (other, mine)
        is_same = any(_is_turned(verb, active, passive) for verb in _deeds(ours) & _deeds(theirs))
    else:
        # A verb that the lexicon lacks looks like any other word.
        is_same = all(_keeps_sides(one, mine, other) for one in mine if one.kind in _MAY_ACT)
    return is_same and _are_bound(mine, other)


def _words(form: Form) -> list[Token]:
    return [_plain(token) for token, _ in form.parts if token.text != "use"]


def _plain(token: Token) -> Token:
    """A word without the mark of what is used: another verb may say that."""
    return Token(token.text, token.kind, tuple(mark for mark in token.marks if mark != "use"))


def _deeds(form: Form) -> set[Token]:
    """The words of a statement that say what is done."""
    return {
        _plain(token)
        for token, part in form.parts
        if part == "deed" or (token.kind == "word" and token.text in verb_stems())
    }


def _is_turned(verb: Token, active: list[Token], passive: list[Token]) -> bool:
    """Whether the passive statement names what is done to whom, then the agent.

    A passive sentence is read as verb, object, agent.
    """
    if verb not in active or verb not in passive:
        return False
    subject, done_to = _sides(verb, active)
    if not subject or not done_to:
        return False
    return max(map(passive.index, done_to)) < min(map(passive.index, subject))


def _keeps_sides(pivot: Token, mine: list[Token], other: list[Token]) -> bool:
    """Whether no two words changed places around a third."""
    before, after = _sides(pivot, mine)
    there_before, there_after = _sides(pivot, other)
    return not (before & there_after and after & there_before)


def _sides(verb: Token, tokens: list[Token]) -> tuple[set[Token], set[Token]]:
    """The words on both sides of a verb that have no circumstance of their own and stand once."""
    place = tokens.index(verb)
    counts = Counter(tokens)
    core = {one for one in tokens if counts[one] == 1 and set(one.marks) <= {"not"}}
    return core & set(tokens[:place]), core & set(tokens[place + 1 :])


def _are_bound(mine: list[Token], other: list[Token]) -> bool:
    """Whether each of several values stands beside one of the words it stood beside."""
    values = [token for token in mine if token.is_value]
    if len(values) < 2:
        return True
    return all(_beside(value, mine) & _beside(value, other) for value in values)


def _beside(value: Token, tokens: Sequence[Token]) -> set[Token]:
    place = tokens.index(value)
    return set(tokens[max(place - 1, 0) : place]) | set(tokens[place + 1 : place + 2])
