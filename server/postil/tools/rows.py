"""Values of the model as plain data for programs: the shapes that `--json` and MCP share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from postil import present
from postil.model import Episode, Event, Fact, Hit, Memory, Symbol
from postil.record import to_plain
from postil.review import Finding
from postil.toolspec import Json
from postil.words import clip
from postil.workspace import Workspace
from postil_hooks.quote import disarm

Arguments = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as text for reading and as data for programs."""

    text: str
    data: dict[str, Json]


def review_row(one: Finding) -> dict[str, Json]:
    """A memory that a change concerns, or a rule that it breaks."""
    state = one.anchor.state.value if one.anchor else ""
    row: dict[str, Json] = {"path": one.path, "line": one.line, "breaks": one.breaks}
    return row | {"state": state} | memory_row(one.memory)


def hit_row(hit: Hit) -> dict[str, Json]:
    """A memory or a turn that was found."""
    row: dict[str, Json] = {"id": hit.id, "score": round(hit.score, 6)}
    row["parts"] = {name: round(part, 6) for name, part in hit.parts}
    if hit.alike:
        row["alike"] = list(hit.alike)
    if hit.memory is not None:
        row |= memory_row(hit.memory)
        row["places"] = [
            {
                "path": one.path or one.anchor.path,
                "symbol": one.anchor.symbol,
                "line": one.line,
                "state": one.state.value,
            }
            for one in hit.anchors
        ]
    elif hit.episode is not None:
        row |= episode_row(hit.episode)
    return row


def episode_row(turn: Episode) -> dict[str, Json]:
    """A turn of a conversation as plain data."""
    return {
        "type": "episode",
        "id": turn.id,
        "role": turn.role,
        "text": clip(disarm(turn.text), present.SHOWN),
        "session": turn.session,
        "at": turn.at,
    }


def memory_row(memory: Memory) -> dict[str, Json]:
    """A memory as plain data."""
    return {
        "type": "memory",
        "id": memory.id,
        "kind": memory.kind.value,
        "scope": str(memory.scope),
        "status": memory.status.value,
        "version": memory.version,
        "what": clip(disarm(memory.what), present.SHOWN),
        "why": clip(disarm(memory.why), present.SHOWN),
        "how": clip(disarm(memory.how), present.SHOWN),
        "who": memory.who,
        "when": memory.when,
        "about": list(memory.about),
        "tags": list(memory.tags),
        "importance": memory.importance,
        "tier": memory.tier.value,
        "pinned": memory.pinned,
        "author": memory.author,
        "session": memory.session,
        "source": memory.source,
        "sources": list(memory.sources),
        "client": memory.client,
        "commit": memory.commit,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "supersedes": list(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "pattern": to_plain(memory.pattern),
        "anchors": [
            {"path": one.path, "symbol": one.symbol, "content_hash": one.content_hash}
            for one in memory.anchors
        ],
    }


def event_row(event: Event) -> dict[str, Json]:
    """A change, with what was before it."""
    before = event.before
    return {
        "action": event.action.value,
        "at": event.at,
        "author": event.actor.author,
        "client": event.actor.client,
        "session": event.actor.session,
        "before": memory_row(before) if isinstance(before, Memory) else None,
    }


def fact_row(fact: Fact) -> dict[str, Json]:
    """A fact as plain data."""
    return {
        "id": fact.id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "scope": str(fact.scope),
        "valid_from": fact.valid_from,
        "valid_until": fact.valid_until,
        "recorded_at": fact.recorded_at,
        "status": fact.status.value,
        "author": fact.author,
        "sources": list(fact.sources),
    }


def symbol_row(symbol: Symbol) -> dict[str, Json]:
    """A symbol as plain data."""
    return {
        "path": symbol.path,
        "line": symbol.line,
        "end_line": symbol.end_line,
        "name": symbol.name,
        "qualified": symbol.qualified,
        "kind": symbol.kind,
        "signature": symbol.signature,
        "doc": symbol.doc,
    }


# The arguments were checked against their declarations: these only tell the type checker so.
def text(given: Arguments, name: str) -> str:
    """A text argument."""
    return cast("str", given[name] or "")


def number(given: Arguments, name: str) -> int:
    """A whole number."""
    return cast("int", given[name])


def tokens(workspace: Workspace, given: Arguments, setting: str = "recall.tokens") -> int:
    """The budget of an answer: the argument, or the setting."""
    return cast("int | None", given["tokens"]) or workspace.config.number(setting)


def texts(given: Arguments, name: str) -> list[str]:
    """A list of texts."""
    return cast("list[str]", given[name] or [])
