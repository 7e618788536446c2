"""The command that removes something for good."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from postil.cli.output import caller, json_option, opened, project_option, show
from postil.errors import PostilError, UsageError

_SAMPLE = 8


@click.command("erase")
@click.argument("memory_id", metavar="[ID]", default="")
@click.option("--about", default="", help="Everything in which this text stands.")
@click.option("--confirm", "token", default="", help="The token that the preview gave.")
@project_option
@json_option
def erase_command(memory_id: str, about: str, token: str, project: Path, as_json: bool) -> None:
    """Remove a memory, or everything about something: rows, words, vectors, history, copies, logs.

    Shows first what would go and gives a token; with `--confirm TOKEN` exactly that is removed and
    cannot be brought back.
    """
    if bool(memory_id) == bool(about):
        raise UsageError("name a memory or give --about TEXT", hint="postil erase --help")
    from postil import curate, present
    from postil.leader.drain import drain

    drain()  # turns that wait to be stored would come in after the erasure
    with opened(project) as workspace:
        selected = curate.doomed(workspace, about, memory_id, caller())
        rows = [row for _, one in selected for row in one.rows]
        if token:
            done = curate.erase_selected(workspace, selected, token, caller())
            lines = [f"{present.counted(done.rows, 'row')} erased"]
            lines += [f"Not cleaned: {one}" for one in done.uncleaned]
            if done.changed:
                lines.append(
                    f"Left, since they changed after the preview: {', '.join(done.changed)}."
                    " Ask for the preview again."
                )
            if not done.is_clean:
                lines.append(
                    "Another process still reads an older state: `postil maintain` finishes later."
                )
            lines += curate.transcripts_of(selected)
            data = {
                "erased": done.rows,
                "uncleaned": list(done.uncleaned),
                "changed": list(done.changed),
                "clean": done.is_clean,
            }
            show(as_json, "\n".join(lines), data)
            if done.changed or done.uncleaned:
                sys.exit(PostilError.exit_code)
            return
        traces = sum(one.traces for _, one in selected)
        if not rows and not traces:
            show(as_json, "Nothing of that is stored.", {"rows": 0})
            return
        given = curate.offer_erasure(workspace, selected)
        what = f"--about {about!r}" if about else memory_id
        lines = [f"This would erase {present.counted(len(rows), 'row')}, for good:"]
        lines += [f"- {line}" for line in present.doomed_lines(selected)[:_SAMPLE]]
        if len(rows) > _SAMPLE:
            lines.append(f"- and {len(rows) - _SAMPLE} more")
        if traces:
            lines.append(f"- and {present.counted(traces, 'earlier version or name')}")
        lines.append(f"To do it: postil erase {what} --confirm {given}")
        data = {
            "rows": len(rows),
            "traces": traces,
            "token": given,
            "ids": [row[0] for row in rows],
        }
        show(as_json, "\n".join(lines), data)
