"""`postil review`: what memory says about a change."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from postil.cli.output import caller, from_here, json_option, opened, project_option, show

if TYPE_CHECKING:
    from postil.review import Reviewed
    from postil.workspace import Workspace

# Exit code when a rule is broken: none of those that errors have.
BROKEN = 7


@click.command("review")
@click.argument("revisions", default="")
@click.option("--staged", is_flag=True, help="What is staged for the next commit.")
@click.option("--diff", type=click.File("rb"), help="A diff against HEAD (`-`: standard input).")
@click.option("--drifted", is_flag=True, help="Instead: all memories whose code has changed since.")
@click.option("--dismiss", metavar="ID", help="Let this rule be broken by the line of --at.")
@click.option("--at", metavar="PATH[:LINE]", default="", help="Which line, or which file.")
@click.option("--reason", default="", help="Why; it is kept.")
@click.option("--tokens", type=click.IntRange(50, 200_000), default=20_000, show_default=True)
@project_option
@json_option
def review_command(
    revisions: str,
    staged: bool,
    diff: BinaryIO | None,
    drifted: bool,
    dismiss: str | None,
    at: str,
    reason: str,
    tokens: int,
    project: Path,
    as_json: bool,
) -> None:
    """Say which memories a change concerns, and which rules it breaks (exit code 7).

    REVISIONS is `A..B`, `A...B` or `A` (until now); without it, what changed since HEAD.
    """
    from postil import git, present
    from postil.review import changed_away, review
    from postil.tools.rows import review_row

    if sum((bool(revisions), staged, diff is not None, drifted)) > 1:
        raise click.UsageError("name one of: REVISIONS, --staged, --diff, --drifted")
    with opened(project, enter=False) as workspace:
        if dismiss is not None:
            _dismiss(workspace, dismiss, at, reason, as_json)
            return
        if drifted:
            found = changed_away(workspace, caller())
            text = present.drifted_text(found, tokens)
            show(as_json, text, {"findings": [review_row(one) for one in found]})
            return
        done: Reviewed
        if diff is not None:
            with git.patched(workspace.root, diff.read()) as asked:
                done = review(workspace, asked, caller())
        else:
            asked = git.comparison(workspace.root, revisions, staged)
            done = review(workspace, asked, caller())
    data = {
        "files": done.files,
        "broken": done.broken,
        "findings": [review_row(one) for one in done.findings],
        "left_out": list(done.left_out),
    }
    show(as_json, present.review_text(done, tokens), data)
    if done.broken:
        sys.exit(BROKEN)


def _dismiss(workspace: Workspace, memory_id: str, at: str, reason: str, as_json: bool) -> None:
    """Keep that a line may break a rule."""
    from postil.review import dismiss

    name, _, number = at.rpartition(":") if at.rpartition(":")[2].isdigit() else (at, "", "")
    if not name:
        raise click.UsageError("--at says where: PATH:LINE, or PATH for the file as a whole")
    path = workspace.relative(from_here(name))
    line = ""
    if number:
        lines = (workspace.root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        if not 0 < int(number) <= len(lines):
            raise click.UsageError(f"{path} has no line {number}")
        line = lines[int(number) - 1]
    made = dismiss(workspace, memory_id, str(workspace.root / path), line, reason, caller())
    show(as_json, f"[{made.memory}] may be broken at {at}: {made.reason}", asdict(made))
