"""Tools on the code map."""

from __future__ import annotations

from dataclasses import asdict

from postil import present
from postil.model import Actor
from postil.tools.rows import Answer, Arguments, number, symbol_row, text, tokens
from postil.workspace import Workspace


def index_search(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_search`."""
    hits = workspace.search_code(text(given, "query"), number(given, "limit"))
    lines, omitted = present.code_lines(hits, tokens(workspace, given))
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
                {**symbol_row(hit.symbol), "score": round(hit.score, 6), "memories": hit.memories}
                for hit in hits[: len(hits) - omitted]
            ],
            "omitted": omitted,
            "indexed_head": fresh.indexed_head,
            "head": fresh.head,
        },
    )


def index_outline(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`index_outline`."""
    outline = workspace.outline(text(given, "path"))
    lines, omitted = present.outline_lines(outline, tokens(workspace, given))
    if outline.imports:
        modules = list(dict.fromkeys(one.module for one in outline.imports))
        lines.append(present.flat(f"imports: {', '.join(modules[:40])}"))
    if omitted:
        lines.append(f"({omitted} more symbols: raise `tokens`, or name a file below)")
    return Answer(
        "\n".join(lines) or f"{outline.path} holds no symbols.",
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
            "behind": fresh.behind,
            "indexed_head": fresh.indexed_head,
            "head": fresh.head,
            "skipped": dict(fresh.skipped),
        },
    )
