"""Whether two statements of the same words say the same where their order differs. Pure.

The words alone never tell: `a calls b` and `b calls a` share them all. A word may come under
another governor (a preposition, the verb), but no two may take each other's; and under one governor
the words stand as they stood. The passive voice is turned round only by its agent.
"""

from __future__ import annotations

from collections import Counter

from postil.memory.dedup.canon import Form
from postil.memory.dedup.lexicon import verb_stems
from postil.memory.dedup.tokens import Token

# In longer statements too much depends on the order.
_MOST_WORDS = 14


def in_place(ours: Form, theirs: Form) -> bool:
    """Whether no two words of two statements with the same words changed places."""
    mine, other = Counter(ours.governed), Counter(theirs.governed)
    gone, come = list((mine - other).elements()), list((other - mine).elements())
    there = dict(come)
    commands = _command(ours) | _command(theirs)
    moves = [
        (token, before, there[token])
        for token, before in gone
        if token in there and token not in commands
    ]
    for token, before, after in moves:
        for second, second_before, second_after in moves:
            is_swap = (before, after) == (second_after, second_before)
            # `run the tests` and `tests run`: a verb and its subject may change places.
            if is_swap and _is_verb(token) == _is_verb(second):
                return False
    stayed = mine & other
    return _kept(ours, stayed) == _kept(theirs, stayed)


def _command(form: Form) -> set[Token]:
    """The verb that a statement begins with: it has no subject that could be taken for another."""
    first = form.governed[0][0] if form.governed else None
    deeds = {token for token, part in form.parts[:1] if part == "deed"}
    return {first} & deeds if first is not None else set()


def _kept(form: Form, stayed: Counter[tuple[Token, str]]) -> dict[str, list[Token]]:
    """The words but verbs with the same governor in both statements, in order, by governor."""
    found: dict[str, list[Token]] = {}
    left = Counter(stayed)
    for token, governor in form.governed:
        if left[token, governor] > 0 and not _is_verb(token):
            left[token, governor] -= 1
            found.setdefault(governor, []).append(token)
    return found


def turned_round(ours: Form, theirs: Form) -> bool:
    """Whether one statement is the other in the passive voice, with its agent."""
    if not (ours.is_english and theirs.is_english) or ours.has_agent == theirs.has_agent:
        return False
    mine, other = _words(ours), _words(theirs)
    if not mine or Counter(mine) != Counter(other) or len(mine) > _MOST_WORDS:
        return False
    active, passive = (mine, other) if theirs.has_agent else (other, mine)
    return any(_is_turned(verb, active, passive) for verb in _deeds(ours) & _deeds(theirs))


def _is_verb(token: Token) -> bool:
    return token.kind == "deed" or (token.kind == "word" and token.text in verb_stems())


def _words(form: Form) -> list[Token]:
    return [token for token, _ in form.parts]


def _deeds(form: Form) -> set[Token]:
    """The words of a statement that say what is done."""
    return {token for token, part in form.parts if part == "deed" or _is_verb(token)}


def _is_turned(verb: Token, active: list[Token], passive: list[Token]) -> bool:
    """Whether the passive statement names what is done to whom, then the agent.

    A passive sentence is read as verb, object, agent.
    """
    if verb not in active or verb not in passive:
        return False
    subject, done_to = _sides(verb, active)
    if not subject or not done_to:
        return False
    inside = [one for one in active if one in subject | done_to]
    there = [one for one in passive if one in subject | done_to]
    first = len(done_to)
    return inside[-first:] == there[:first] and inside[:-first] == there[first:]


def _sides(verb: Token, tokens: list[Token]) -> tuple[set[Token], set[Token]]:
    """The words on both sides of a verb that have no circumstance of their own and stand once."""
    place = tokens.index(verb)
    counts = Counter(tokens)
    core = {one for one in tokens if counts[one] == 1 and set(one.marks) <= {"not"}}
    return core & set(tokens[:place]), core & set(tokens[place + 1 :])
