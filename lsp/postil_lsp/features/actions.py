"""Code actions: what a person may do with the memories at a place, and remember anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.anchors import Tied
from postil.model import ScopeKind
from postil.words import clip
from postil_hooks.quote import disarm
from postil_lsp.features.document import Document
from postil_lsp.features.margin import Margin

# Actions on so many memories are offered; a longer list is opened by the lens.
_MOST = 2
_COMMENT = re.compile(
    r"^\s*(?:#+|//+!?|/\*+|\*+/?|--+|;+|%+|<!--|\"\"\"|''')\s?|\s*(?:\*/|-->|\"\"\")\s*$"
)


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do: its title, our command, and its argument."""

    title: str
    command: str
    argument: Mapping[str, object]
    is_fix: bool = False


def actions(
    document: Document, margin: Margin, uri: str, first: int, last: int, problems: Sequence[object]
) -> list[Action]:
    """What can be done at the lines `first` to `last` (0-based)."""
    place = {"uri": uri, "line": first, "end": last}
    found: list[Action] = []
    for problem in problems:
        found += _of_problem(problem, uri)
    tied = margin.around(document, first)
    title = "Postil: remember the selection" if last > first else "Postil: remember this line"
    found.append(Action(title, "postil.remember", place))
    for one in tied[:_MOST]:
        found += _of_memory(one)
    if tied:
        found.append(Action("Postil: hide memories in this file", "postil.mute", {"file": uri}))
    found.append(Action("Postil: review this file", "postil.review", {"uri": uri}))
    return found


def statement_in(lines: Sequence[str]) -> str:
    """What a selection says, where it is a comment: without the marks; "" where it is code."""
    told = []
    for line in lines:
        if not line.strip():
            continue
        bare = _COMMENT.sub("", line)
        if bare == line:
            return ""
        told.append(_COMMENT.sub("", bare).strip())
    return " ".join(filter(None, told))


def _of_problem(problem: object, uri: str) -> list[Action]:
    if not isinstance(problem, dict):
        return []
    memory, line = str(problem.get("memory", "")), str(problem.get("line", ""))
    if problem.get("code") == "broken-rule":
        told = {"memory": memory, "uri": uri, "line": line}
        return [
            Action("Postil: the rule does not hold here", "postil.dismiss", told, is_fix=True),
            Action("Postil: mute this rule", "postil.mute", {"memory": memory}, is_fix=True),
        ]
    if not memory:
        return []
    return [
        Action("Postil: still true", "postil.confirm", {"memory": memory}, is_fix=True),
        Action("Postil: mute this memory", "postil.mute", {"memory": memory}, is_fix=True),
    ]


def _of_memory(tied: Tied) -> list[Action]:
    memory, _ = tied
    name = clip(disarm(memory.what), 40)
    told = {"memory": memory.id}
    found = [
        Action(f"Postil: still true: {name}", "postil.confirm", told),
        Action(f"Postil: correct: {name}", "postil.correct", told),
        Action(f"Postil: replace: {name}", "postil.supersede", told),
        Action(f"Postil: mark as wrong: {name}", "postil.wrong", told),
        Action(f"Postil: forget: {name}", "postil.forget", told),
        Action(f"Postil: mute: {name}", "postil.mute", told),
    ]
    if not memory.pinned:
        found.append(Action(f"Postil: keep: {name}", "postil.keep", told))
    if memory.scope.kind is not ScopeKind.TEAM:
        found.append(Action(f"Postil: propose to the team: {name}", "postil.promote", told))
    if memory.sources:
        found.append(Action(f"Postil: show its source: {name}", "postil.source", told))
    return found
