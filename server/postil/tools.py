"""What the tools do: one function each, from checked arguments to text and plain data.

Every face calls these, so the same question has the same answer on each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from postil import present
from postil.errors import UsageError
from postil.memory.rank import SHOWN
from postil.memory.recall import Query
from postil.model import Hit, Kind, Memory, Scope, Symbol
from postil.storage.store import Filters
from postil.toolspec import BY_NAME, Json
from postil.words import clip
from postil.workspace import Workspace

Arguments = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, for provenance: `agent:NAME` or `person`, with client and session if known."""

    author: str = "person"
    client: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as text for reading and as data for programs."""

    text: str
    data: dict[str, Json]


def call(workspace: Workspace, name: str, given: Mapping[str, object], caller: Caller) -> Answer:
    """Run a tool. UsageError for an unknown name or a wrong argument."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise UsageError(f"there is no tool {name!r}", hint=f"there are: {', '.join(BY_NAME)}")
    return _RUN[name](workspace, tool.arguments(given), caller)


def _memory_search(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    if not _text(given, "query").strip():
        raise UsageError("the query is empty", hint="give words or a question")
    is_filtered = bool(given["kinds"] or given["tags"] or given["path"])
    query = Query(
        text=_text(given, "query"),
        tokens=_tokens(workspace, given),
        limit=_number(given, "limit"),
        filters=Filters(
            kinds=tuple(Kind.parse(kind) for kind in _texts(given, "kinds")),
            tags=tuple(tag.lower() for tag in _texts(given, "tags")),
            path=workspace.relative(_text(given, "path")),
        ),
        episodes=given["episodes"] is True and not is_filtered,
    )
    found = workspace.recall(query)
    return Answer(
        present.recall_text(found, query.tokens),
        {
            "hits": [_hit(hit) for hit in found.hits],
            "omitted": found.omitted,
            "searched": found.searched,
            "vectors": found.vectors,
        },
    )


def _memory_write(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    importance = given["importance"]
    assert isinstance(importance, int | float)
    draft = Memory(
        id="",
        what=_text(given, "what"),
        why=_text(given, "why"),
        kind=Kind.parse(_text(given, "kind")),
        scope=Scope.parse(_text(given, "scope")),
        tags=tuple(_texts(given, "tags")),
        importance=float(importance),
        author=caller.author,
        client=caller.client,
        session=caller.session,
    )
    written = workspace.remember(draft, _texts(given, "where"))
    verb = "Remembered" if written.created else "Already known"
    text = f"{verb}: {present.memory_line(written.memory, length=300)}"
    if written.redacted:
        text += f"\nLeft out as secret: {', '.join(sorted(set(written.redacted)))}"
    return Answer(
        text,
        {
            "id": written.memory.id,
            "created": written.created,
            "redacted": list(written.redacted),
            "memory": _memory(written.memory),
        },
    )


def _memory_brief(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    brief = workspace.brief()
    text = present.brief_text(brief, _tokens(workspace, given, "brief.tokens"))
    shown = [hit for hit in brief.memories if f"[{hit.id}]" in text]
    return Answer(
        text or "Nothing is remembered here yet.",
        {
            "project": brief.project,
            "memories": [_hit(hit) for hit in shown],
            "counts": dict(brief.counts),
        },
    )


def _index_search(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    hits = workspace.search_code(_text(given, "query"), _number(given, "limit"))
    lines, omitted = present.code_lines(hits, _tokens(workspace, given))
    fresh = workspace.freshness(recount=False)
    if not lines:
        lines = ["No symbol matches."]
    if omitted:
        lines.append(f"({omitted} more: raise `tokens`)")
    lines.append(present.freshness_line(fresh))
    return Answer(
        "\n".join(lines),
        {
            "hits": [
                {**_symbol(hit.symbol), "score": round(hit.score, 6), "memories": hit.memories}
                for hit in hits[: len(hits) - omitted]
            ],
            "omitted": omitted,
            "indexed_head": fresh.indexed_head,
            "head": fresh.head,
        },
    )


def _index_outline(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    outline = workspace.outline(_text(given, "path"))
    lines, omitted = present.outline_lines(outline, _tokens(workspace, given))
    if outline.imports:
        modules = list(dict.fromkeys(one.module for one in outline.imports))
        lines.append(present.flat(f"imports: {', '.join(modules[:40])}"))
    if omitted:
        lines.append(f"({omitted} more symbols: raise `tokens`, or name a file below)")
    return Answer(
        "\n".join(lines) or f"{outline.path} holds no symbols.",
        {
            "path": outline.path,
            "symbols": [_symbol(one) for one in outline.symbols[: len(outline.symbols) - omitted]],
            "imports": [{"module": one.module, "line": one.line} for one in outline.imports],
            "memories": dict(outline.memories),
            "omitted": omitted,
        },
    )


def _index_status(workspace: Workspace, given: Arguments, caller: Caller) -> Answer:
    if not workspace.is_mapped:
        return Answer("The code is not mapped yet: `postil index update` maps it.", {"files": 0})
    fresh = workspace.freshness()
    lines = [present.freshness_line(fresh)]
    if fresh.skipped:
        total = sum(count for _, count in fresh.skipped)
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in fresh.skipped)
        lines.append(f"Skipped {total:,} files: {reasons}")
    return Answer(
        "\n".join(lines),
        {
            "files": fresh.files,
            "symbols": fresh.symbols,
            "behind": fresh.behind,
            "indexed_head": fresh.indexed_head,
            "head": fresh.head,
            "skipped": dict(fresh.skipped),
        },
    )


_RUN: dict[str, Callable[[Workspace, Arguments, Caller], Answer]] = {
    "memory_search": _memory_search,
    "memory_write": _memory_write,
    "memory_brief": _memory_brief,
    "index_search": _index_search,
    "index_outline": _index_outline,
    "index_status": _index_status,
}


def _hit(hit: Hit) -> dict[str, Json]:
    row: dict[str, Json] = {"id": hit.id, "score": round(hit.score, 6)}
    row["parts"] = {name: round(part, 6) for name, part in hit.parts}
    if hit.memory is not None:
        row |= _memory(hit.memory)
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
        turn = hit.episode
        row |= {
            "type": "episode",
            "role": turn.role,
            "text": clip(present.disarm(turn.text), SHOWN),
            "session": turn.session,
            "at": turn.at,
        }
    return row


def _memory(memory: Memory) -> dict[str, Json]:
    return {
        "type": "memory",
        "id": memory.id,
        "kind": memory.kind.value,
        "scope": memory.scope.value,
        "what": clip(present.disarm(memory.what), SHOWN),
        "why": clip(present.disarm(memory.why), SHOWN),
        "tags": list(memory.tags),
        "importance": memory.importance,
        "author": memory.author,
        "session": memory.session,
        "source": memory.source,
        "created_at": memory.created_at,
        "anchors": [
            {"path": one.path, "symbol": one.symbol, "content_hash": one.content_hash}
            for one in memory.anchors
        ],
    }


def _symbol(symbol: Symbol) -> dict[str, Json]:
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
def _text(given: Arguments, name: str) -> str:
    return cast("str", given[name] or "")


def _number(given: Arguments, name: str) -> int:
    return cast("int", given[name])


def _tokens(workspace: Workspace, given: Arguments, setting: str = "recall.tokens") -> int:
    return cast("int | None", given["tokens"]) or workspace.config.number(setting)


def _texts(given: Arguments, name: str) -> list[str]:
    return cast("list[str]", given[name] or [])
