"""Commands on memories: brief, search, remember."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from postil.cli.output import ask, from_here, json_option, project_option
from postil.toolspec import BY_NAME

KINDS = click.Choice(
    next(one.choices for one in BY_NAME["memory_write"].parameters if one.name == "kind")
)


@click.command("brief")
@click.option("--tokens", type=click.IntRange(50, 20_000), default=300, show_default=True)
@project_option
@json_option
def brief_command(tokens: int, project: Path, as_json: bool) -> None:
    """Print what a session here should know at its start."""
    ask(project, "memory_brief", {"tokens": tokens}, as_json)


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--kind", "kinds", multiple=True, type=KINDS, help="Only this kind; repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; repeatable.")
@click.option("--path", default="", help="Only tied to this file or folder.")
@click.option("--scope", "scopes", multiple=True, help="Only this scope; repeatable.")
@click.option("--about", multiple=True, help="Only about this thing; repeatable.")
@click.option("--author", "authors", multiple=True, help="`person`, `agent`, `agent:NAME`.")
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    type=click.Choice(["core", "long", "short"]),
    help="Only this tier.",
)
@click.option("--since", default="", help="Only from then on: a date, or `last week`.")
@click.option("--until", default="", help="Only up to then.")
@click.option(
    "--time",
    type=click.Choice(["created", "updated", "valid"]),
    default="created",
    help="What `--since` and `--until` mean.",
)
@click.option("--history", is_flag=True, help="Also what was replaced or archived.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--tokens", type=click.IntRange(50, 20_000), default=2000, show_default=True)
@project_option
@json_option
def search_command(
    query: tuple[str, ...],
    path: str,
    project: Path,
    as_json: bool,
    **filters: Any,
) -> None:
    """Search memories and earlier conversations for words or a question."""
    given = {
        name: list(value) if isinstance(value, tuple) else value for name, value in filters.items()
    }
    arguments = given | {"query": " ".join(query), "path": from_here(path)}
    ask(project, "memory_search", arguments, as_json)


@click.command("remember")
@click.argument("what", nargs=-1, required=True)
@click.option("--why", default="", help="The reason.")
@click.option("--kind", type=KINDS, default="note", show_default=True)
@click.option("--where", multiple=True, help="`path` or `path#Symbol.name`; repeatable.")
@click.option(
    "--breaks",
    multiple=True,
    help="What breaks this rule: `regex: ...`, `query LANGUAGE: ...`, `glob: ...`; repeatable.",
)
@click.option("--tag", "tags", multiple=True, help="A word to filter by; repeatable.")
@click.option("--scope", default="project", show_default=True, help="`user`: all projects.")
@click.option("--importance", type=click.FloatRange(0, 1), default=0.5, show_default=True)
@click.option("--supersedes", multiple=True, help="Id of a memory it replaces; repeatable.")
@click.option("--about", multiple=True, help="Name of a thing it is about; repeatable.")
@click.option("--who", default="", help="Who decided or said it.")
@click.option("--when", "when", default="", help="When it happened: a date, or `yesterday`.")
@click.option("--until", default="", help="When it stops holding.")
@click.option("--how", default="", help="How it is done, in short.")
@project_option
@json_option
def remember_command(
    what: tuple[str, ...],
    why: str,
    supersedes: tuple[str, ...],
    about: tuple[str, ...],
    who: str,
    when: str,
    until: str,
    how: str,
    kind: str,
    where: tuple[str, ...],
    breaks: tuple[str, ...],
    tags: tuple[str, ...],
    scope: str,
    importance: float,
    project: Path,
    as_json: bool,
) -> None:
    """Store a decision, rule, fact or lesson with its reason."""
    arguments = {
        "what": " ".join(what),
        "why": why,
        "kind": kind,
        "where": [from_here(place) for place in where],
        "breaks": "\n".join(breaks),
        "tags": list(tags),
        "scope": scope,
        "importance": importance,
        "supersedes": list(supersedes),
        "about": list(about),
        "who": who,
        "when": when,
        "until": until,
        "how": how,
    }
    ask(project, "memory_write", arguments, as_json)
