"""Commands that set things up: calibrate, install, uninstall, status."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from postil.cli.output import caller, json_option, progress, project_option, show
from postil.errors import ClientFileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from postil.embed.choose import Measured
    from postil.relink import Orphan
    from postil_installers.plan import Machine


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
        + "".join(f"{_moved_line(one)}\n" for one in moved)
        + f"Next, wire a client (shows the changes first): {_program()} install claude-code"
    )
    data = {
        "project": workspace.project.name,
        "store": str(workspace.project.store_path),
        "files": files,
        "symbols": symbols,
        **asdict(done),
    }
    show(as_json, text, data)


def _embedder_line(measured: Sequence[Measured]) -> str:
    """How meaning is compared here, and what was passed over."""
    works = [one for one in measured if not one.problem]
    line = "meaning is not compared: no embedder works"
    if works:
        each = max(works[0].milliseconds, 0.1)
        line = f"meaning is compared by `{works[0].name}`, {each:.1f} ms a text"
    return "".join([line, *(f"\n{one.name}: {one.problem}" for one in measured if one.problem)])


def _moved_line(orphan: Orphan) -> str:
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


@click.command("install")
@click.argument("client")
@click.option("--dry-run", is_flag=True, help="Show the changes, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def install_command(client: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Wire Postil into CLIENT (claude-code): MCP server, hooks, a marked block of instructions.

    Shows what changes before it is written. Installing twice changes nothing.
    """
    import os
    import sys

    from postil.config.clients import load_client
    from postil_installers.apply import install
    from postil_installers.plan import Machine, plan
    from postil_installers.show import diff

    edits = plan(client, Machine(os.environ))
    changed = [edit for edit in edits if edit.changes]
    data = {"client": client, "changed": [str(edit.path) for edit in changed], "dry_run": dry_run}
    if not changed:
        show(as_json, f"{client}: installed and current, nothing to change", data)
        return
    if not as_json:
        click.echo("\n".join(diff(edit) for edit in changed))
    if dry_run:
        show(as_json, f"{client}: {len(changed)} files would change; nothing was written", data)
        return
    if not yes:
        if not sys.stdin.isatty() or as_json:
            raise UsageError("nothing was written: nobody can be asked", hint="add --yes")
        if not click.confirm(f"Write {len(changed)} files?", default=True):
            raise click.Abort()
    install(client, edits)
    notes = "\n".join(load_client(client)["after_install"])
    show(as_json, f"{client}: installed ({len(changed)} files written)\n{notes}", data)


@click.command("uninstall")
@click.argument("client")
@json_option
def uninstall_command(client: str, as_json: bool) -> None:
    """Take Postil out of CLIENT. Files that nobody changed since get their old bytes back.

    Memories stay.
    """
    import os

    from postil_installers.apply import uninstall
    from postil_installers.plan import Machine

    done = uninstall(client, Machine(os.environ))
    lines = [f"{one.what:10} {one.path}" for one in done]
    lines += [
        f"your edits to our block were kept in {one.kept_aside}" for one in done if one.kept_aside
    ]
    data = {"client": client, "files": [{"path": str(one.path), "what": one.what} for one in done]}
    show(as_json, "\n".join([*lines, f"{client}: uninstalled; memories stay"]), data)


def _state(client: str, machine: Machine) -> str:
    """A client's state; that a file of it cannot be read is its state, not our failure."""
    from postil_installers.apply import state as told

    try:
        return told(client, machine)
    except ClientFileError as error:
        return str(error)


@click.command("status")
@project_option
@json_option
def status_command(project: Path, as_json: bool) -> None:
    """Show which clients are wired, and this project's memory and code map."""
    import os

    from postil import curate, present, relink
    from postil.config.clients import wired_by_us
    from postil.storage.connect import on_network
    from postil.workspace import open_workspace
    from postil_hooks import relay
    from postil_hooks.paths import work_tree
    from postil_installers.plan import Machine

    machine = Machine(os.environ)
    states = {name: _state(name, machine) for name in wired_by_us()}
    workspace = open_workspace(project)
    try:
        brief = workspace.brief()
        mapped = present.freshness_line(workspace.freshness()) if workspace.is_mapped else ""
        store = workspace.project.store_path
        sizes = workspace.store.sizes()
        waiting = curate.waiting(workspace, caller())
        moved = relink.moved_from(workspace)
    finally:
        workspace.close()
    leader = relay.ask(work_tree(str(project)), b"ping\n", 2.0) == b"pong"
    counts = ", ".join(f"{count:,} {kind}" for kind, count in brief.counts) or "nothing yet"
    lines = [f"{name:12} {told}" for name, told in states.items()]
    lines += [
        f"project      {brief.project} ({store})",
        f"memory       {counts}",
        f"file         {sizes.main:,} bytes, log {sizes.log:,}, free {sizes.free:,}",
        f"code         {mapped or 'not mapped: `postil calibrate` sets the project up'}",
        f"leader       {'yes' if leader else 'none'}",
    ]
    if waiting.proposed or waiting.pairs:
        lines.append(
            f"waiting      {present.counted(len(waiting.proposed), 'proposal')},"
            f" {present.counted(len(waiting.pairs), 'pair')}: `postil proposals list`"
        )
    if on_network(store):
        lines.append("warning      the store is on a network disk: one machine at a time, slower")
    lines += [_moved_line(one) for one in moved]
    data = {
        "sizes": asdict(sizes),
        "waiting": len(waiting.proposed) + len(waiting.pairs),
        "moved_from": [one.place for one in moved],
        "clients": states,
        "project": brief.project,
        "store": str(store),
        "counts": dict(brief.counts),
        "leader": leader,
    }
    show(as_json, "\n".join(lines), data)
