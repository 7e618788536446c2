"""Commands on single memories and on what waits for a person."""

from __future__ import annotations

from pathlib import Path

import click

from postil.cli.memory import KINDS
from postil.cli.output import ask, caller, json_option, opened, project_option, show

_VERDICTS = {"replaces": "update", "same": "duplicate", "both": "add"}


@click.command("get")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def get_command(memory_id: str, project: Path, as_json: bool) -> None:
    """Show a memory in full, with everything known of it."""
    from postil import curate, present
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        memory = curate.get(workspace, memory_id, caller())
        show(as_json, present.memory_page(memory), memory_row(memory))


@click.command("recent")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@click.option("--scope", "scopes", multiple=True, help="Only this scope; repeatable.")
@project_option
@json_option
def recent_command(limit: int, scopes: tuple[str, ...], project: Path, as_json: bool) -> None:
    """List the newest memories."""
    from postil import curate, present
    from postil.tools.memory import scopes_of
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        found = curate.recent(workspace, scopes_of(list(scopes), caller()), limit)
        lines = [present.memory_line(memory, length=300) for memory in found]
        text = "\n".join(lines) or present.NOTHING
        show(as_json, text, {"memories": [memory_row(memory) for memory in found]})


@click.command("update")
@click.argument("memory_id", metavar="ID")
@click.option("--what", default="", help="The statement.")
@click.option("--why", default="", help="The reason.")
@click.option("--how", default="", help="The way it is done.")
@click.option("--kind", type=KINDS)
@click.option("--tag", "tags", multiple=True, help="All tags; repeatable.")
@click.option("--importance", type=click.FloatRange(0, 1))
@project_option
@json_option
def update_command(
    memory_id: str,
    what: str,
    why: str,
    how: str,
    kind: str | None,
    tags: tuple[str, ...],
    importance: float | None,
    project: Path,
    as_json: bool,
) -> None:
    """Change what a memory says; earlier versions are kept."""
    arguments = {
        "id": memory_id,
        "what": what,
        "why": why,
        "how": how,
        "kind": kind,
        "tags": list(tags) or None,
        "importance": importance,
    }
    ask(project, "memory_update", arguments, as_json)


@click.command("supersede")
@click.argument("memory_id", metavar="ID")
@click.argument("what", nargs=-1, required=True)
@click.option("--why", default="", help="The reason.")
@project_option
@json_option
def supersede_command(
    memory_id: str, what: tuple[str, ...], why: str, project: Path, as_json: bool
) -> None:
    """Replace a memory by WHAT: the old one is closed and linked, the new one takes its place."""
    from postil import curate

    with opened(project) as workspace:
        old = curate.get(workspace, memory_id, caller())
    arguments = {
        "what": " ".join(what),
        "why": why,
        "kind": old.kind.value,
        "scope": str(old.scope),
        "tags": list(old.tags),
        "importance": old.importance,
        "supersedes": [old.id],
    }
    ask(project, "memory_write", arguments, as_json)


@click.command("forget")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def forget_command(memory_id: str, project: Path, as_json: bool) -> None:
    """Take a memory out of every answer; `postil restore` brings it back."""
    ask(project, "memory_forget", {"id": memory_id}, as_json)


@click.command("keep")
@click.argument("memory_id", metavar="ID")
@click.option("--off", is_flag=True, help="No longer.")
@project_option
@json_option
def keep_command(memory_id: str, off: bool, project: Path, as_json: bool) -> None:
    """Pin a memory, so that it comes first."""
    ask(project, "memory_keep", {"id": memory_id, "keep": not off}, as_json)


@click.command("restore")
@click.argument("memory_id", metavar="ID")
@click.option("--version", type=click.IntRange(1), help="An earlier version of it.")
@project_option
@json_option
def restore_command(memory_id: str, version: int | None, project: Path, as_json: bool) -> None:
    """Bring a forgotten, archived or replaced memory back, or an earlier version."""
    from postil import curate, present
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        memory = curate.restore(workspace, memory_id, caller(), version or 0)
        text = f"Restored: {present.memory_line(memory, length=300)}"
        show(as_json, text, memory_row(memory))


@click.command("history")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def history_command(memory_id: str, project: Path, as_json: bool) -> None:
    """Show what a memory said before, and who changed it."""
    ask(project, "memory_history", {"id": memory_id}, as_json)


@click.command("undo")
@click.option("--session", required=True, help="The session, as `postil history` names it.")
@project_option
@json_option
def undo_command(session: str, project: Path, as_json: bool) -> None:
    """Take back everything that a session changed; what others changed since is left."""
    from postil import curate, present

    with opened(project) as workspace:
        done = curate.undo_session(workspace, session, caller())
    lines = [f"{present.counted(len(done.reverted), 'change')} taken back"]
    if done.changed_since:
        lines.append(f"Left, since others changed them later: {', '.join(done.changed_since)}")
    data = {"reverted": list(done.reverted), "changed_since": list(done.changed_since)}
    show(as_json, "\n".join(lines), data)


@click.group("proposals")
def proposals_command() -> None:
    """Decide on what agents propose, and on pairs that may say the same."""


@proposals_command.command("list")
@project_option
@json_option
def proposals_list(project: Path, as_json: bool) -> None:
    """Show what waits for a person."""
    from postil import curate, present
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        waiting = curate.waiting(workspace, caller())
    data = {
        "proposed": [memory_row(memory) for memory in waiting.proposed],
        "pairs": [
            {
                "id": pair.suggestion.id,
                "verdict": pair.suggestion.verdict.value,
                "reason": pair.suggestion.reason,
                "opinion": pair.suggestion.opinion,
                "new": memory_row(pair.new),
                "old": memory_row(pair.old),
            }
            for pair in waiting.pairs
        ],
    }
    show(as_json, present.waiting_text(waiting), data)


@proposals_command.command("accept")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def proposals_accept(memory_id: str, project: Path, as_json: bool) -> None:
    """Let a proposed memory hold."""
    from postil import curate, present
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        memory = curate.approve(workspace, memory_id, caller())
        text = f"Accepted: {present.memory_line(memory, length=300)}"
        show(as_json, text, memory_row(memory))


@proposals_command.command("reject")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def proposals_reject(memory_id: str, project: Path, as_json: bool) -> None:
    """Put a proposed memory away."""
    from postil import curate
    from postil.tools.rows import memory_row

    with opened(project) as workspace:
        memory = curate.reject(workspace, memory_id, caller())
        show(as_json, f"Rejected: [{memory.id}]", memory_row(memory))


@proposals_command.command("settle")
@click.argument("pair_id", metavar="PAIR")
@click.argument("verdict", type=click.Choice(list(_VERDICTS)))
@project_option
@json_option
def proposals_settle(pair_id: str, verdict: str, project: Path, as_json: bool) -> None:
    """Say of a pair that the new one `replaces` the old, says the `same`, or `both` hold."""
    from postil import curate
    from postil.model import Verdict

    with opened(project) as workspace:
        done = curate.settle(workspace, pair_id, Verdict(_VERDICTS[verdict]), caller())
    closed = {"replaces": f"[{done.old}] is closed", "same": f"[{done.new}] is closed"}
    show(as_json, closed.get(verdict, "Both hold"), {"id": done.id, "verdict": verdict})


@proposals_command.command("judge")
@project_option
@json_option
def proposals_judge(project: Path, as_json: bool) -> None:
    """Ask the model of the settings `judge.*` about the pairs in doubt. It closes nothing."""
    from postil import curate

    with opened(project) as workspace:
        judged = curate.judge_pairs(workspace)
    text = f"{judged} pairs judged: `postil proposals list` shows what was said"
    show(as_json, text, {"judged": judged})
