"""The command that sets a project up: calibrate."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from postil.cli.output import json_option, progress, project_option, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from postil.embed.choose import Measured
    from postil.relink import Orphan


@click.command("calibrate")
@project_option
@json_option
def calibrate_command(project: Path, as_json: bool) -> None:
    """Set a project up: its store, what it already says about itself, its code map.

    Reads comments such as `DECISION:`, commit messages, CLAUDE.md, AGENTS.md and decision records.
    Safe to repeat: nothing is stored twice.
    """
    from postil import present, relink
    from postil.calibrate import calibrate
    from postil.workspace import open_workspace

    workspace = open_workspace(project)
    try:
        with progress(as_json) as advance:
            done = calibrate(workspace, advance)
        brief = present.brief_text(workspace.brief(), workspace.config.number("brief.tokens"))
        files, symbols = workspace.index.totals()
        moved = relink.moved_from(workspace)
    finally:
        workspace.close()
    text = (
        f"{present.counted(files, 'file')} and {present.counted(symbols, 'symbol')} mapped"
        f" ({done.map.skipped:,} skipped:"
        " `postil index status` says why)\n"
        f"{done.learned:,} things learned from comments, notes and commits"
        f" ({done.known_before:,} known before)\n{_embedder_line(done.embedders)}\n\n{brief}\n\n"
        + "".join(f"{moved_line(one)}\n" for one in moved)
        + f"Next, wire your agents and editors (shows the changes first): {_program()} install"
    )
    data = {
        "project": workspace.project.name,
        "store": str(workspace.project.store_path),
        "files": files,
        "symbols": symbols,
        **asdict(done),
    }
    show(as_json, text, data)
    if sys.stdin.isatty() and not as_json:
        from postil.cli.wiring import offer

        offer()


def _embedder_line(measured: Sequence[Measured]) -> str:
    """How meaning is compared here, and what was passed over."""
    works = [one for one in measured if not one.problem]
    line = "meaning is not compared: no embedder works"
    if works:
        each = max(works[0].milliseconds, 0.1)
        line = f"meaning is compared by `{works[0].name}`, {each:.1f} ms a text"
    return "".join([line, *(f"\n{one.name}: {one.problem}" for one in measured if one.problem)])


def moved_line(orphan: Orphan) -> str:
    """The offer to link a folder that was moved."""
    from postil import present

    memories = present.counted(orphan.memories, "memory")
    return (
        f"Found {memories} of {orphan.place}, which is gone. Moved here? Then:"
        f" postil projects link {orphan.place}"
    )


def _program() -> str:
    """How a person calls us from this shell."""
    import shutil
    import sys

    here = Path(sys.executable).with_name("postil")
    found = shutil.which("postil")
    return "postil" if found and Path(found).resolve() == here.resolve() else str(here)
