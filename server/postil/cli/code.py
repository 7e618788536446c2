"""Commands on the code map: `postil index ...`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from postil.cli.output import ask, from_here, json_option, progress, project_option, show


@click.group("index")
def index_command() -> None:
    """Map the code: update, search, outline, explore, status."""


@index_command.command("update")
@project_option
@json_option
def update_command(project: Path, as_json: bool) -> None:
    """Bring the code map up to the working tree; only what changed is read."""
    from postil.workspace import open_workspace

    workspace = open_workspace(project)
    try:
        with progress(as_json) as advance:
            done = workspace.update_map(advance)
            workspace.read_history()
            total = workspace.index.totals()[1]
            workspace.embed_pending(
                limit=1 << 40, progress=lambda count: advance("learning the words", count, total)
            )
    finally:
        workspace.close()
    text = (
        f"{done.mapped:,} files mapped, {done.unchanged:,} known before, {done.removed:,} removed,"
        f" {done.skipped:,} skipped"
    )
    show(as_json, text, asdict(done))


@index_command.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--kind",
    type=click.Choice(["symbol", "file", "import", "commit", "memory"]),
    default="symbol",
    show_default=True,
)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--tokens", type=click.IntRange(50, 20_000), default=2000, show_default=True)
@project_option
@json_option
def search_command(
    query: tuple[str, ...], kind: str, limit: int, tokens: int, project: Path, as_json: bool
) -> None:
    """Find where code lives, by words, a name or a question."""
    arguments = {"query": " ".join(query), "kind": kind, "limit": limit, "tokens": tokens}
    ask(project, "index_search", arguments, as_json)


@index_command.command("outline")
@click.argument("path")
@click.option("--tokens", type=click.IntRange(50, 20_000), default=4000, show_default=True)
@project_option
@json_option
def outline_command(path: str, tokens: int, project: Path, as_json: bool) -> None:
    """Print the symbols of a file or folder (a path from here or from the root)."""
    ask(project, "index_outline", {"path": from_here(path), "tokens": tokens}, as_json)


@index_command.command("explore")
@click.argument("place")
@click.option("--depth", type=click.IntRange(1, 4), default=1, show_default=True)
@click.option("--tokens", type=click.IntRange(50, 20_000), default=2000, show_default=True)
@project_option
@json_option
def explore_command(place: str, depth: int, tokens: int, project: Path, as_json: bool) -> None:
    """Show what calls a symbol and what it calls (`path#name`, a unique name, or a file)."""
    arguments = {"place": from_here(place), "depth": depth, "tokens": tokens}
    ask(project, "index_explore", arguments, as_json)


@index_command.command("status")
@click.option("--skipped", is_flag=True, help="List every skipped file with its reason.")
@project_option
@json_option
def status_command(skipped: bool, project: Path, as_json: bool) -> None:
    """Show what is mapped, how far it lags, and what was skipped."""
    if not skipped:
        ask(project, "index_status", {}, as_json)
        return
    from postil.workspace import open_workspace

    workspace = open_workspace(project)
    try:
        rows = workspace.skips()
    finally:
        workspace.close()
    text = "\n".join(f"{row.reason}\t{row.path}" for row in rows) or "Nothing was skipped."
    show(as_json, text, {"skipped": [asdict(row) for row in rows]})
