"""Commands on projects: which there are, and which one a moved folder was."""

from __future__ import annotations

from pathlib import Path

import click

from postil.cli.output import caller, json_option, opened, project_option, show
from postil.errors import UsageError


@click.group("projects")
def projects_command() -> None:
    """List projects; link a folder that was moved."""


@projects_command.command("list")
@json_option
def projects_list(as_json: bool) -> None:
    """Show the projects that Postil knows, by what it knows them."""
    from postil.config.paths import data_dir
    from postil.project import known_projects

    known, damaged = known_projects(data_dir() / "projects")
    rows = [
        {
            "home": str(one.home),
            "remote": one.identity.remote,
            "first_commit": one.identity.first_commit,
            "place": one.identity.place,
            "exists": Path(one.identity.place).exists(),
        }
        for one in known
    ]
    lines = [
        f"{row['place']}{'' if row['exists'] else ' (gone)'}"
        + (f"  {row['remote']}" if row["remote"] else "")
        for row in rows
    ]
    show(as_json, "\n".join([*lines, *damaged]) or "No projects yet.", {"projects": rows})


@projects_command.command("link")
@click.argument("old", metavar="OLD_FOLDER")
@project_option
@json_option
def projects_link(old: str, project: Path, as_json: bool) -> None:
    """Let this folder be the project that OLD_FOLDER was before it was moved.

    What was remembered here since is taken along.
    """
    from postil import relink

    wanted = str(Path(old).absolute())
    with opened(project) as workspace:
        candidates = relink.moved_from(workspace)
        found = next((one for one in candidates if one.place == wanted), None)
        if found is None:
            places = ", ".join(one.place for one in candidates) or "none"
            raise UsageError(f"no project was at {wanted} and is gone", hint=f"found: {places}")
        moved = relink.link(workspace, found, caller())
    text = f"Linked: {found.memories:,} memories of {found.place}, {moved:,} records taken along"
    show(as_json, text, {"place": found.place, "memories": found.memories, "taken_along": moved})
