"""Tools on the code map."""

from __future__ import annotations

from dataclasses import asdict, replace

from postil import present
from postil.memory.recall import Query
from postil.model import Actor, CommitHit, FileHit, Freshness
from postil.storage.store import Filters
from postil.tools.rows import Answer, Arguments, hit_row, number, symbol_row, text, tokens
from postil.toolspec import Json
from postil.workspace import Workspace
from postil_hooks.quote import flat


def index_search(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_search`."""
    query, limit, budget = text(given, "query"), number(given, "limit"), tokens(workspace, given)
    rows: list[dict[str, Json]]
    match text(given, "kind"):
        case "file":
            files = workspace.search_files(query, limit)
            lines, rows = present.file_lines(files), [_scored(one) for one in files]
        case "import":
            imports = workspace.search_imports(query, limit)
            lines, rows = present.import_lines(imports), [asdict(one) for one in imports]
        case "commit":
            commits = workspace.search_commits(query, limit)
            lines, rows = present.commit_lines(commits), [_scored(one) for one in commits]
        case "memory":
            return _tied_memories(workspace, query, limit, budget, actor)
        case _:
            hits = workspace.search_code(query, limit)
            lines = present.code_lines(hits)
            rows = [
                {**symbol_row(one.symbol), "score": round(one.score, 6), "memories": one.memories}
                for one in hits
            ]
    lines, omitted = present.within(lines, budget)
    fresh = workspace.freshness(recount=False)
    if not lines:
        lines = [f"No {text(given, 'kind')} matches."]
    if omitted:
        lines.append(f"({omitted} more: raise `tokens`)")
    lines.append(present.freshness_line(fresh))
    shown: list[Json] = [*rows[: len(rows) - omitted]]
    data = {"hits": shown, "omitted": omitted, **_freshness(fresh)}
    return Answer("\n".join(lines), data)


def _tied_memories(
    workspace: Workspace, query: str, limit: int, budget: int, actor: Actor
) -> Answer:
    """Memories that answer a query and are tied to code."""
    asked = Query(
        query, present.recall_budget(budget), 5 * limit, Filters(actor.scopes), episodes=False
    )
    found = workspace.recall(asked, present.recall_cost)
    hits = tuple(one for one in found.hits if one.anchors)[:limit]
    return Answer(
        present.recall_text(replace(found, hits=hits), budget),
        {"hits": [hit_row(one) for one in hits], "omitted": len(found.cut)},
    )


def _scored(hit: FileHit | CommitHit) -> dict[str, Json]:
    return asdict(hit) | {"score": round(hit.score, 6)}


def _freshness(fresh: Freshness) -> dict[str, Json]:
    return {
        "indexed_head": fresh.indexed_head,
        "head": fresh.head,
        "behind": fresh.behind,
        "dirty": fresh.dirty,
    }


def index_outline(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_outline`."""
    outline = workspace.outline(text(given, "path"))
    lines, omitted = present.outline_lines(outline, tokens(workspace, given))
    if outline.imports:
        modules = list(dict.fromkeys(one.module for one in outline.imports))
        lines.append(flat(f"imports: {', '.join(modules[:40])}"))
    if omitted:
        lines.append(f"({omitted} more symbols: raise `tokens`, or name a file below)")
    lines.append(present.freshness_line(workspace.freshness(recount=False)))
    return Answer(
        "\n".join(lines if outline.symbols else [f"{outline.path} holds no symbols.", *lines]),
        {
            "path": outline.path,
            "symbols": [
                symbol_row(one) for one in outline.symbols[: len(outline.symbols) - omitted]
            ],
            "imports": [{"module": one.module, "line": one.line} for one in outline.imports],
            "memories": dict(outline.memories),
            "omitted": omitted,
        },
    )


def index_explore(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_explore`."""
    near = workspace.explore(text(given, "place"), number(given, "depth"))
    lines, omitted = present.explore_lines(near, tokens(workspace, given))
    if len(lines) == 1:
        lines.append("Nothing in this project leads to it or away from it, as far as names tell.")
    if omitted:
        lines.append(f"({omitted} more: raise `tokens`)")
    lines.append(present.freshness_line(workspace.freshness(recount=False)))
    shown = near.neighbours[: len(near.neighbours) - omitted]
    return Answer(
        "\n".join(lines),
        {
            "path": near.path,
            "symbol": None if near.symbol is None else symbol_row(near.symbol),
            "neighbours": [
                {**asdict(one), "confidence": round(one.confidence, 2)} for one in shown
            ],
            "omitted": omitted,
        },
    )


def index_status(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_status`."""
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
            **_freshness(fresh),
            "skipped": dict(fresh.skipped),
        },
    )
