"""What a person can start a conversation with, from the client's own menu."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from postil import tools
from postil.errors import UsageError
from postil.model import Actor
from postil.words import clip
from postil.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, and its arguments with what each means; all may be left out."""

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str], ...]


PROMPTS = (
    Prompt(
        "session_start",
        "Begin a session",
        "The project's rules and latest decisions, and what is known of a task.",
        (("task", "What you are about to do."),),
    ),
    Prompt(
        "review_changes",
        "Review changes against memory",
        "Which decisions and rules a change concerns, and which it breaks.",
        (("revisions", "`A..B`, `A...B` or `A`; without it, changes since HEAD."),),
    ),
)
_TASK_TOKENS = 600
_LONGEST = 2_000


def prompt(
    workspace: Workspace, name: str, arguments: Mapping[str, str], actor: Actor
) -> tuple[str, str]:
    """The description and the text of a prompt. UsageError for an unknown one."""
    known = {one.name: one for one in PROMPTS}
    if name not in known:
        raise UsageError(f"there is no prompt {name!r:.80}", hint=f"there are: {', '.join(known)}")
    for given in arguments:
        if given not in dict(known[name].arguments):
            raise UsageError(f"{name} has no argument {given!r:.80}")
    text = _session_start if name == "session_start" else _review_changes
    return known[name].description, text(workspace, arguments, actor)


def _session_start(workspace: Workspace, arguments: Mapping[str, str], actor: Actor) -> str:
    parts = [tools.call(workspace, "memory_brief", {}, actor).text]
    task = clip(arguments.get("task", "").strip(), _LONGEST)
    if task:
        asked = {"query": task, "tokens": _TASK_TOKENS}
        parts += [tools.call(workspace, "memory_search", asked, actor).text, f"The task: {task}"]
    parts.append(
        "Keep to the rules above. Search memory before you decide or ask, and write down what is"
        " decided on the way, with its reason."
    )
    return "\n\n".join(parts)


def _review_changes(workspace: Workspace, arguments: Mapping[str, str], actor: Actor) -> str:
    asked = {"revisions": arguments.get("revisions", ""), "tokens": 4_000}
    found = tools.call(workspace, "memory_review", asked, actor).text
    return (
        f"{found}\n\nGo through this list against the change: say which rule it breaks and where,"
        " which decision it contradicts, and which memory has to be corrected because the change"
        " is right. Cite the ids in brackets."
    )
