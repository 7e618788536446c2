"""What the tools do: one function each, from checked arguments to text and plain data.

Every face calls these, so the same question has the same answer on each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from postil.errors import UsageError
from postil.model import Actor
from postil.tools import code, episodes, memory, more
from postil.tools.rows import Answer, Arguments
from postil.toolspec import BY_NAME
from postil.workspace import Workspace


def call(workspace: Workspace, name: str, given: Mapping[str, object], actor: Actor) -> Answer:
    """Run a tool. UsageError for an unknown name or a wrong argument."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise UsageError(f"there is no tool {name!r}", hint=f"there are: {', '.join(BY_NAME)}")
    return RUN[name](workspace, tool.arguments(given), actor)


RUN: dict[str, Callable[[Workspace, Arguments, Actor], Answer]] = {
    "memory_search": memory.search,
    "memory_write": memory.write,
    "memory_brief": memory.brief,
    "memory_update": memory.update,
    "memory_forget": memory.forget,
    "memory_keep": memory.keep,
    "memory_history": memory.history,
    "index_search": code.index_search,
    "index_explore": code.index_explore,
    "index_outline": code.index_outline,
    "index_status": code.index_status,
    "episode_search": episodes.search,
    "episode_get": episodes.get,
    "memory_sense": episodes.what_asks_to_be_kept,
    "memory_diary": more.diary,
    "memory_fact_assert": more.assert_fact,
    "memory_facts": more.facts,
    "memory_forget_many": more.forget_many,
    "memory_get": more.get,
    "memory_promote": more.promote,
    "memory_recent": more.recent,
    "memory_review": more.review_change,
    "memory_supersede": more.supersede,
    "memory_undo": more.undo,
    "memory_write_many": more.write_many,
    "settings_get": more.settings,
}

__all__ = ["RUN", "Answer", "call"]
