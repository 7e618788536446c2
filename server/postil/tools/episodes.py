"""Tools on conversations as they happened, and on what in them asks to be kept."""

from __future__ import annotations

import time

from postil import curate, present
from postil.capture.sense import sense
from postil.errors import UsageError
from postil.memory.recall import Query
from postil.model import Actor, Episode
from postil.storage.store import Filters
from postil.tools.memory import span_of
from postil.tools.rows import Answer, Arguments, episode_row, hit_row, number, text, tokens
from postil.workspace import Workspace


def search(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`episode_search`."""
    budget = tokens(workspace, given)
    now = time.time()
    query = Query(
        text=text(given, "query"),
        tokens=present.recall_budget(budget),
        limit=number(given, "limit"),
        filters=Filters(actor.scopes, created=span_of(given, now)),
        memories=False,
        now=now,
    )
    found = workspace.recall(query, present.recall_cost)
    return Answer(
        present.recall_text(found, budget),
        {"hits": [hit_row(hit) for hit in found.hits], "omitted": len(found.cut)},
    )


def get(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`episode_get`."""
    name = curate.clean_id(text(given, "id"))
    for store in workspace.stores:
        turn = store.episode(name)
        if turn is not None:
            around = store.turns_around(turn.session, turn.ordinal, number(given, "around"))
            return _read(turn, around, tokens(workspace, given))
    raise UsageError(
        f"there is no turn {name!r}", hint="episode_search lists ids; memories have memory_history"
    )


def _read(turn: Episode, around: list[Episode], budget: int) -> Answer:
    shown, cut = present.turns_text(turn, around, budget)
    return Answer(
        shown, {"id": turn.id, "turns": [episode_row(one) for one in around], "omitted": cut}
    )


def what_asks_to_be_kept(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_sense`."""
    found = sense(text(given, "text"))
    lines = [f"{one.signal}: {one.what}" + (f" Why: {one.why}" if one.why else "") for one in found]
    return Answer(
        "\n".join(lines) or "Nothing in it asks to be kept.",
        {
            "sensed": [
                {"signal": one.signal.value, "what": one.what, "why": one.why} for one in found
            ]
        },
    )
