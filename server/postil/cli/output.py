"""What commands share: options, output as text or JSON, progress, and asking the leader first."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from postil.errors import PostilError
from postil.model import Actor
from postil.toolspec import BY_NAME
from postil_hooks import relay
from postil_hooks.paths import work_tree

if TYPE_CHECKING:
    from postil.workspace import Workspace

# What clients set in the shells that their agents use: there an agent acts, not a person.
_AGENT_SHELLS = {
    "claude-code": ("CLAUDECODE",),
    "codex": ("CODEX_SANDBOX", "CODEX_THREAD_ID"),
    "gemini-cli": ("GEMINI_CLI",),
    "cursor": ("CURSOR_AGENT",),
    "opencode": ("OPENCODE",),
    "copilot-cli": ("COPILOT_CLI",),
}

Command = TypeVar("Command", bound=Callable[..., Any])
Progress = Callable[[str, int, int], None]

# Seconds that the command line waits for a leader; a first search may have to map new files.
_DEADLINE = 30.0


def project_option(command: Command) -> Command:
    """`--project`: the folder whose project is meant."""
    return click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=Path(),
        show_default="the current folder",
        help="Folder of the project.",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`: output for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def from_here(place: str) -> str:
    """A place as the person names it: a path that exists from here is meant from here."""
    path = re.split(r"#|::|:(?=\d)", place, maxsplit=1)[0]
    if not path or Path(path).is_absolute() or not Path(path).exists():
        return place
    return str(Path(path).absolute()) + place[len(path) :]


def caller() -> Actor:
    """Who calls: a person, or the agent in whose shell the command runs."""
    for name, variables in _AGENT_SHELLS.items():
        if any(os.environ.get(variable) for variable in variables):
            session = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
            return Actor(f"agent:{name}", name, session)
    return Actor()


@contextmanager
def opened(project: Path, enter: bool = True) -> Iterator[Workspace]:
    """The workspace of a folder, with complaints about its settings told."""
    from postil.workspace import open_workspace

    workspace = open_workspace(project, enter)
    try:
        for complaint in workspace.config.complaints:
            print(f"postil: {complaint}", file=sys.stderr)
        yield workspace
    finally:
        workspace.close()


def show(as_json: bool, text: str, data: Mapping[str, object]) -> None:
    """Print an answer, as text or as JSON."""
    print(json.dumps(data, ensure_ascii=False, indent=1) if as_json else text)


def ask(project: Path, tool: str, arguments: Mapping[str, object], as_json: bool) -> None:
    """Call a tool, through the leader where there is one, and print its answer."""
    answer = _from_leader(project, tool, arguments)
    if answer is None:
        from postil import tools

        with opened(project, enter=not BY_NAME[tool].read_only) as workspace:
            own = tools.call(workspace, tool, arguments, caller())
        answer = {"text": own.text, "data": own.data}
    show(as_json, answer["text"], answer["data"])


@contextmanager
def progress(as_json: bool) -> Iterator[Progress]:
    """A function that shows progress: a bar on a terminal, a plain line for each step elsewhere."""
    if as_json:
        yield lambda what, done, total: None
        return
    if not sys.stderr.isatty():
        started: set[str] = set()

        def plain(what: str, done: int, total: int) -> None:
            if what not in started:
                started.add(what)
                count = f" ({total:,})" if total else ""
                print(f"{what}{count} ...", file=sys.stderr)

        yield plain
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total or None)
            bars.advance(tasks[what], done)

        yield advance


def _from_leader(
    project: Path, tool: str, arguments: Mapping[str, object]
) -> dict[str, Any] | None:
    asked = {"tool": tool, "arguments": dict(arguments), "caller": asdict(caller())}
    request = json.dumps(asked).encode()
    raw = relay.ask(work_tree(str(project)), b"call\n" + request, _DEADLINE)
    if raw is None:
        return None
    answer: dict[str, Any] = json.loads(raw)
    if "error" in answer:
        told = answer["error"]
        error = PostilError(told["message"], hint=told["hint"])
        error.exit_code = told["exit_code"]
        raise error
    return answer
