"""Tools on memories."""

from __future__ import annotations

import time
from dataclasses import replace

from postil import curate, present, times
from postil.codemap.rules import parse_pattern
from postil.errors import UsageError
from postil.memory.recall import Query
from postil.memory.when import phrases_in
from postil.memory.write import Written
from postil.model import Actor, Kind, Memory, Pattern, Scope, ScopeKind, Status, Tier, Verdict
from postil.storage.store import Filters
from postil.tools.rows import (
    Answer,
    Arguments,
    event_row,
    hit_row,
    memory_row,
    number,
    text,
    texts,
    tokens,
)
from postil.toolspec import Json
from postil.workspace import Workspace

_OPEN = (0.0, 0.0)
_EVERY_STATUS = (Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)


def search(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_search`."""
    if not text(given, "query").strip():
        raise UsageError("the query is empty", hint="give words or a question")
    budget = tokens(workspace, given)
    now = time.time()
    span = span_of(given, now)
    meant = text(given, "time")
    query = Query(
        text=text(given, "query"),
        tokens=present.recall_budget(budget),
        limit=number(given, "limit"),
        filters=Filters(
            scopes=scopes_of(texts(given, "scopes"), actor),
            kinds=tuple(Kind.parse(kind) for kind in texts(given, "kinds")),
            tags=tuple(tag.lower() for tag in texts(given, "tags")),
            path=workspace.relative(text(given, "path")),
            statuses=_EVERY_STATUS if given["history"] is True else (Status.ACTIVE,),
            valid_at=0.0 if given["history"] is True or meant == "valid" else now,
            tiers=tuple(Tier(tier) for tier in texts(given, "tiers")),
            authors=tuple(texts(given, "authors")),
            about=tuple(texts(given, "about")),
            created=span if meant == "created" else _OPEN,
            updated=span if meant == "updated" else _OPEN,
            held=span if meant == "valid" else _OPEN,
        ),
        episodes=given["episodes"] is True,
        now=now,
    )
    found = workspace.recall(query, present.recall_cost)
    return Answer(
        present.recall_text(found, budget),
        {
            "hits": [hit_row(hit) for hit in found.hits],
            "omitted": len(found.cut),
            "cut": list(found.cut),
            "vectors": found.vectors,
            "problem": found.problem,
        },
    )


def write(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_write`."""
    now = time.time()
    zone = times.offset_at(now)
    draft = Memory(
        id="",
        what=text(given, "what"),
        why=text(given, "why"),
        how=text(given, "how"),
        who=text(given, "who"),
        when=times.parse_when(text(given, "when"), now, zone),
        valid_until=times.parse_when(text(given, "until"), now, zone),
        about=tuple(texts(given, "about")),
        kind=Kind.parse(text(given, "kind")),
        scope=_own_scope(text(given, "scope"), actor),
        tags=tuple(texts(given, "tags")),
        pattern=parse_pattern(text(given, "breaks")) if text(given, "breaks") else Pattern(),
        importance=_importance(given),
        source=text(given, "source"),
        author=actor.author,
        client=actor.client,
        session=actor.session,
        offset=zone,
    )
    written = curate.write(
        workspace,
        draft,
        texts(given, "where"),
        request=text(given, "request"),
        supersedes=texts(given, "supersedes"),
    )
    return Answer(present.written_text(written), _written(written))


def update(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_update`."""

    def edit(old: Memory) -> Memory:
        return replace(
            old,
            what=text(given, "what") or old.what,
            why=text(given, "why") or old.why,
            how=text(given, "how") or old.how,
            kind=Kind.parse(text(given, "kind")) if given["kind"] else old.kind,
            tags=tuple(texts(given, "tags")) if given["tags"] is not None else old.tags,
            importance=old.importance if given["importance"] is None else _importance(given),
        )

    memory = curate.update(workspace, text(given, "id"), edit, actor)
    return Answer(
        f"Version {memory.version}: {present.memory_line(memory, length=300)}",
        {"id": memory.id, "version": memory.version, "memory": memory_row(memory)},
    )


def forget(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_forget`."""
    memory = curate.get(workspace, text(given, "id"), actor)
    curate.forget(workspace, [memory.id], actor)
    return Answer(
        f"Forgotten: [{memory.id}]. A person can bring it back: postil restore {memory.id}",
        {"id": memory.id, "status": Status.FORGOTTEN.value},
    )


def keep(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_keep`."""
    pinned = given["keep"] is not False
    memory = curate.keep(workspace, text(given, "id"), actor, pinned)
    verb = "Kept" if pinned else "No longer kept"
    return Answer(
        f"{verb}: {present.memory_line(memory, length=300)}",
        {"id": memory.id, "pinned": memory.pinned},
    )


def history(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_history`."""
    memory, events = curate.history(workspace, text(given, "id"), actor)
    return Answer(
        present.history_text(memory, events),
        {"memory": memory_row(memory), "events": [event_row(event) for event in events]},
    )


def brief(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_brief`."""
    found = workspace.brief(actor)
    shown_text = present.brief_text(found, tokens(workspace, given, "brief.tokens"))
    shown = [hit for hit in found.memories if f"[{hit.id}]" in shown_text]
    return Answer(
        shown_text or "Nothing is remembered here yet.",
        {
            "project": found.project,
            "memories": [hit_row(hit) for hit in shown],
            "counts": dict(found.counts),
        },
    )


def scopes_of(asked: list[str], actor: Actor) -> tuple[Scope, ...]:
    """The scopes that are searched: those asked for, of which an agent has only its own."""
    scopes = tuple(_named(one, actor) for one in asked)
    hidden = [one for one in scopes if not actor.is_person and one not in actor.scopes]
    if hidden:
        raise UsageError(
            f"{hidden[0]} is not yours to read", hint="your scopes: " + _listed(actor.scopes)
        )
    return scopes or actor.scopes


def span_of(given: Arguments, now: float) -> tuple[float, float]:
    """[since, until) in seconds, 0 for an open end; `until` a day takes in all of that day."""
    zone = times.offset_at(now)
    ends = []
    for written, is_end in ((text(given, "since"), False), (text(given, "until"), True)):
        said = phrases_in(written, now, zone)
        if len(said) == 1 and not is_end:
            ends.append(said[0].span.start)
        elif len(said) == 1:
            ends.append(said[0].span.end)
        else:
            ends.append(times.parse_when(written, now, zone))
    return ends[0], ends[1]


def _own_scope(asked: str, actor: Actor) -> Scope:
    scope = _named(asked, actor)
    if not actor.is_person and scope not in actor.scopes:
        raise UsageError(
            f"{scope} is not yours to write", hint="your scopes: " + _listed(actor.scopes)
        )
    return scope


def _named(asked: str, actor: Actor) -> Scope:
    """A scope by its name; `session` and `diary` alone mean the actor's own."""
    own = {"session": actor.session, "diary": actor.agent}
    return Scope.parse(f"{asked}:{own[asked]}" if own.get(asked) else asked)


def _listed(scopes: tuple[Scope, ...]) -> str:
    alone = (ScopeKind.SESSION, ScopeKind.DIARY)
    return ", ".join(one.kind.value if one.kind in alone else str(one) for one in scopes)


def _importance(given: Arguments) -> float:
    importance = given["importance"]
    assert isinstance(importance, int | float)
    return float(importance)


def _written(written: Written) -> dict[str, Json]:
    return {
        "id": written.memory.id,
        "created": written.verdict is not Verdict.DUPLICATE,
        "verdict": written.verdict.value,
        "status": written.memory.status.value,
        "closed": list(written.closed),
        "similar": [
            {"id": one.old, "verdict": one.verdict.value, "reason": one.reason}
            for one in written.suggestions
        ],
        "redacted": list(written.redacted),
        "notes": list(written.notes),
        "memory": memory_row(written.memory),
    }
