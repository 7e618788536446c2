"""Commands that move knowledge in and out, and keep the file in shape."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from postil.cli.output import caller, json_option, opened, progress, project_option, show
from postil.errors import StoreError, UsageError

if TYPE_CHECKING:
    from postil.transfer.copies import Copy

_FORMATS = click.Choice(["jsonl", "mcp", "claude", "basic-memory", "mem0"])


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--format", "name", type=click.Choice(["jsonl", "markdown"]), default="jsonl")
@click.option("--mine", is_flag=True, help="One's own memories instead of the project's.")
@project_option
@json_option
def export_command(target: Path, name: str, mine: bool, project: Path, as_json: bool) -> None:
    """Write all memories, turns, facts and their history to FILE (`-`: standard output).

    JSONL is complete and can be imported; Markdown is for reading.
    """
    from postil import curate

    with opened(project) as workspace:
        if str(target) == "-":
            curate.export(workspace, name, mine, sys.stdout, caller())
            return
        if target.exists():
            raise UsageError(f"{target} exists", hint="name a new file")
        with progress(as_json) as advance:
            count = curate.export_to(
                workspace, name, mine, target, caller(), lambda done: advance("exporting", done, 0)
            )
    show(as_json, f"{count:,} records written to {target}", {"records": count, "to": str(target)})


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE|transcripts|notes")
@click.option("--from", "name", type=_FORMATS, help="The format; recognised without it.")
@click.option("--scope", default="project", show_default=True, help="Where other tools' notes go.")
@click.option("--dry-run", is_flag=True, help="Only show what was found.")
@click.option("--confirm", is_flag=True, help="With `notes`: put files of memories aside.")
@project_option
@json_option
def import_command(
    source: Path,
    name: str | None,
    scope: str,
    dry_run: bool,
    confirm: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Read an export of Postil, or the memories of another tool, from a file or folder.

    Known: Postil's JSONL, the MCP reference server's graph, Claude Code's memory files,
    basic-memory's notes, mem0's JSON. Safe to repeat: nothing is stored twice.

    `transcripts` reads the old sessions of this project instead, of every client on this machine;
    `notes` what agents and people wrote down for them: CLAUDE.md, AGENTS.md, Cursor's rules, Claude
    Code's memory files. The files stay; with --confirm those that hold nothing but memories are put
    aside, and `postil uninstall --all` gives them back.
    """
    from postil import curate
    from postil.model import Scope

    if not source.exists():
        if str(source) == "transcripts":
            import_transcripts(project, dry_run, as_json)
            return
        if str(source) == "notes":
            _import_notes(project, dry_run, confirm, as_json)
            return
        told = "name a file or folder, or one of the words `transcripts`, `notes`"
        raise UsageError(f"{source} is not there", hint=told)
    with opened(project) as workspace, progress(as_json) as advance:
        done = curate.import_from(
            workspace,
            source,
            name or "",
            Scope.parse(scope),
            caller(),
            lambda count: advance("importing", count, 0),
        )
    lines = [f"{done.added:,} records added, {done.known:,} known before"]
    if done.redacted:
        lines.append(f"{done.redacted:,} secrets left out")
    if done.skipped:
        lines.append(f"{done.skipped:,} passed over:")
        lines += [f"  {one}" for one in done.problems]
    show(as_json, "\n".join(lines), asdict(done))


def _import_notes(project: Path, dry_run: bool, confirm: bool, as_json: bool) -> None:
    """Bring in the notes about a project, or only list them."""
    import os

    from postil import notes
    from postil.present import counted

    with opened(project) as workspace:
        found = notes.find(workspace, os.environ)
        lines = [f"{'memory' if one.is_memory else 'stays':8} {one.path}" for one in found]
        listed = [{"path": str(one.path), "is_memory": one.is_memory} for one in found]
        if dry_run or not found:
            text = "\n".join(lines) or "There are no notes about this project."
            show(as_json, text, {"found": listed})
            return
        done = notes.bring(workspace, found, caller())
    lines.append(f"{counted(done.added, 'memory')} added, {done.known:,} known before")
    if done.refused:
        lines.append(f"{done.refused:,} refused (secrets, or forgotten before)")
    aside = [one.path for one in found if one.is_memory] if confirm else []
    if aside:
        from postil_installers.aside import put_aside

        put_aside(aside)
        lines.append(
            f"{counted(len(aside), 'file')} put aside; `postil uninstall --all` gives back"
        )
    elif any(one.is_memory for one in found):
        lines.append("The files stay; --confirm puts those that hold nothing but memories aside.")
    show(as_json, "\n".join(lines), {"found": listed, "aside": len(aside), **asdict(done)})


def import_transcripts(project: Path, dry_run: bool, as_json: bool) -> None:
    """Bring in the old sessions of a project, or only list them."""
    from postil import learn
    from postil.present import counted

    with opened(project) as workspace, progress(as_json) as advance:
        found = learn.found_transcripts(workspace)
        listed = [{"client": one.client, "path": str(one.path), "bytes": one.size} for one in found]
        lines = [f"{one.client:12} {one.size:>12,} bytes  {one.path}" for one in found]
        if dry_run or not found:
            text = "\n".join(lines) or "No client on this machine has a session of this project."
            show(as_json, text, {"found": listed})
            return
        done = learn.bring_transcripts(workspace, found, advance)
    lines += [
        f"{counted(done.sessions, 'session')} read, {counted(done.turns, 'new turn')} stored"
        f" (redacted), {counted(done.passed_over, 'line')} passed over",
    ]
    if done.learnt.proposed:
        lines.append(f"{counted(done.learnt.proposed, 'proposal')}: postil proposals list")
    if done.learnt.refused:
        lines.append(f"{counted(done.learnt.refused, 'statement')} refused (secrets, or forgotten)")
    if done.learnt.problem:
        lines.append(f"Not distilled: {done.learnt.problem}")
    lines += [f"could not be read: {one}" for one in done.unread]
    show(as_json, "\n".join(lines), {"found": listed, **asdict(done)})


@click.group("backup")
def backup_command() -> None:
    """Make, list and restore copies of this project's store."""


def held(copy: Copy) -> str:
    """What a copy holds, in words."""
    from postil.present import counted

    return f"{counted(copy.memories, 'memory')} and {counted(copy.episodes, 'turn')}"


@backup_command.command("create")
@click.argument("target", type=click.Path(path_type=Path), required=False, metavar="[FILE]")
@project_option
@json_option
def backup_create(target: Path | None, project: Path, as_json: bool) -> None:
    """Copy the store while it is in use, and check the copy."""
    from postil import curate

    with opened(project) as workspace, progress(as_json) as advance:
        copy = curate.backup(
            workspace, target, lambda done, total: advance("copying pages", done, total)
        )
    text = f"{copy.path}: {held(copy)}, checked"
    show(as_json, text, {**asdict(copy), "path": str(copy.path)})


@backup_command.command("list")
@project_option
@json_option
def backup_list(project: Path, as_json: bool) -> None:
    """Show the copies that were made."""
    with opened(project) as workspace:
        copies = [path for path in workspace.store.backups() if path.exists()]
    lines = [f"{path}  {path.stat().st_size:,} bytes" for path in copies]
    text = "\n".join(lines) or "No copies were made: `postil backup create`"
    show(as_json, text, {"backups": [str(path) for path in copies]})


@backup_command.command("restore")
@click.argument("source", type=click.Path(exists=True, path_type=Path), metavar="FILE")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def backup_restore(source: Path, yes: bool, project: Path, as_json: bool) -> None:
    """Take over a copy. What is there now is copied first; what was erased stays gone."""
    from postil import curate

    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("nobody to ask", hint="`--yes` restores without asking")
        click.confirm(f"Replace what this project remembers by {source}?", abort=True)
    with opened(project) as workspace, progress(as_json) as advance:
        before, copy = curate.restore_backup(
            workspace,
            source,
            caller(),
            lambda done, total: advance("restoring pages", done, total),
        )
    text = f"Restored {held(copy)}.\nWhat was there before: {before.path}"
    show(as_json, text, {"memories": copy.memories, "before": str(before.path)})


@click.command("maintain")
@project_option
@json_option
def maintain_command(project: Path, as_json: bool) -> None:
    """Give back space, finish erasures that were cut short, merge twins, check the file."""
    from postil import curate, present

    with opened(project) as workspace:
        done = curate.maintain(workspace)
    if done.integrity != "ok":
        raise StoreError(
            f"the store is damaged: {done.integrity[:300]}",
            hint="`postil backup list` shows copies, `postil backup restore` takes one over",
        )
    lines = [
        f"The store is sound: {done.sizes.main:,} bytes, log {done.sizes.log:,},"
        f" free {done.sizes.free:,}",
        f"{present.counted(done.merged, 'twin')} merged",
    ]
    if not done.is_clean:
        lines.append("An erasure is not finished: another process still reads. Try again later.")
    show(as_json, "\n".join(lines), asdict(done))
