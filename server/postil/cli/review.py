"""`postil review`: what memory says about a change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from postil.cli.output import caller, json_option, opened, project_option, show

if TYPE_CHECKING:
    from postil.review import Reviewed

# Exit code when a rule is broken: none of those that errors have.
BROKEN = 7


@click.command("review")
@click.argument("revisions", default="")
@click.option("--staged", is_flag=True, help="What is staged for the next commit.")
@click.option("--diff", type=click.File("rb"), help="A diff against HEAD (`-`: standard input).")
@click.option("--drifted", is_flag=True, help="Instead: all memories whose code has changed since.")
@click.option("--tokens", type=click.IntRange(50, 200_000), default=20_000, show_default=True)
@project_option
@json_option
def review_command(
    revisions: str,
    staged: bool,
    diff: BinaryIO | None,
    drifted: bool,
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
