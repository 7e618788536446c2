"""Commands that wire clients: install, uninstall, status, doctor."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from postil.cli.output import caller, json_option, project_option, show
from postil.errors import ClientFileError, PostilError, UsageError

if TYPE_CHECKING:
    from postil_installers.apply import Restored
    from postil_installers.inspect import Finding, Wired
    from postil_installers.machine import Machine
    from postil_installers.plan import Edit, Target

SCOPES = click.Choice(["user", "project", "workspace"])
# The exit code of `doctor` when something is wrong that it did not mend.
_WRONG = 1


def _machine() -> Machine:
    from postil_installers.machine import Machine

    return Machine(os.environ)


def _target(client: str, scope: str, project: Path, parts: Sequence[str] = ()) -> Target:
    from postil_hooks.paths import work_tree
    from postil_installers.plan import PARTS, Target, every_part

    where = None if scope == "user" else Path(work_tree(str(project)))
    return Target(client, where, every_part(parts or PARTS))


@click.command("install")
@click.argument("clients", nargs=-1, metavar="[CLIENT]...")
@click.option("--all", "is_all", is_flag=True, help="Every client that is found here.")
@click.option("--scope", type=SCOPES, default="user", help="For you, or in this project's files.")
@click.option("--dry-run", is_flag=True, help="Show the changes, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--no-mcp", is_flag=True, help="Leave out the MCP server.")
@click.option("--no-hooks", is_flag=True, help="Leave out the hooks.")
@click.option("--no-rules", is_flag=True, help="Leave out the text that agents read.")
@click.option("--with-transcripts", is_flag=True, help="Then import old sessions of this project.")
@project_option
@json_option
def install_command(
    clients: tuple[str, ...],
    is_all: bool,
    scope: str,
    dry_run: bool,
    yes: bool,
    no_mcp: bool,
    no_hooks: bool,
    no_rules: bool,
    with_transcripts: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Wire Postil into CLIENTs: MCP server, hooks, a marked text for agents, language server.

    Without a name: those that are found here. Shows what changes before it is written. Installing
    twice changes nothing; `postil uninstall` takes all of it out again.
    """
    asks = sys.stdin.isatty() and not as_json
    names = _chosen(clients, is_all or yes or dry_run, asks)
    left_out = {"mcp": no_mcp, "hooks": no_hooks, "rules": no_rules}
    parts = [one for one in ("mcp", "hooks", "rules", "editor") if not left_out.get(one)]
    is_named = bool(clients)
    results = [
        _install_one(_target(name, scope, project, parts), dry_run, yes, asks, as_json, is_named)
        for name in names
    ]
    texts = [str(one.pop("text")) for one in results]
    data = results[0] if is_named and len(results) == 1 else {"clients": results}
    show(as_json, "\n".join(texts), data)
    if with_transcripts and not dry_run:
        from postil.cli.transfer import import_transcripts

        import_transcripts(project, False, as_json)


def _chosen(clients: Sequence[str], takes_all: bool, asks: bool) -> list[str]:
    """The clients that are meant; UsageError when nobody can be asked."""
    if clients:
        return list(clients)
    from postil_installers.detect import detected

    found = detected(_machine())
    if not found:
        raise UsageError(
            "no client was found on this machine", hint="name one: postil install claude-code"
        )
    if takes_all:
        return found
    if not asks:
        raise UsageError(
            f"nothing was written: nobody can be asked (found: {', '.join(found)})",
            hint="name the clients, or add --yes for all of them",
        )
    return [name for name in found if click.confirm(f"Wire {name}?", default=True)]


def _install_one(
    target: Target, dry_run: bool, yes: bool, asks: bool, as_json: bool, is_named: bool
) -> dict[str, Any]:
    from postil.config.clients import load_client
    from postil_installers.apply import install
    from postil_installers.plan import plan
    from postil_installers.receipt import recall

    machine, name = _machine(), target.client
    try:
        edits = plan(target, machine, recall(name, target.project))
    except UsageError as error:
        if is_named:
            raise
        return {"client": name, "changed": [], "text": f"{name}: {error}; {error.hint}"}
    changed = [edit for edit in edits if edit.changes]
    row = {"client": name, "changed": [str(edit.path) for edit in changed], "dry_run": dry_run}
    if not changed and _is_known(target, machine):
        return {**row, "text": f"{name}: installed and current, nothing to change"}
    if not as_json:
        _show_changes(changed)
    count = f"{len(changed)} {'file' if len(changed) == 1 else 'files'}"
    if dry_run:
        return {**row, "text": f"{name}: {count} would change; nothing was written"}
    if not yes:
        if not asks:
            raise UsageError("nothing was written: nobody can be asked", hint="add --yes")
        if not click.confirm(f"{name}: write {count}?", default=True):
            return {**row, "changed": [], "text": f"{name}: nothing was written"}
    install(target, edits, machine)
    notes = load_client(name)["after_install"]
    return {**row, "text": "\n".join([f"{name}: installed ({count} written)", *notes])}


def _is_known(target: Target, machine: Machine) -> bool:
    from postil_installers import launcher
    from postil_installers.receipt import recall

    receipt = recall(target.client, target.project)
    return bool(receipt.entries) and not receipt.doing and launcher.are_current(machine)


def _show_changes(edits: Sequence[Edit]) -> None:
    from postil_installers.show import diff

    click.echo("\n".join(diff(edit) for edit in edits))


def offer() -> None:
    """Ask, for each client found here that is not wired, whether to wire it."""
    from postil_installers.detect import detected
    from postil_installers.doctor import known_targets

    known = {one.client for one in known_targets()}
    for name in detected(_machine()):
        if name not in known:
            row = _install_one(_target(name, "user", Path()), False, False, True, False, False)
            click.echo(str(row["text"]))


@click.command("uninstall")
@click.argument("clients", nargs=-1, metavar="[CLIENT]...")
@click.option("--all", "is_all", is_flag=True, help="Everything that was ever installed.")
@click.option("--scope", type=SCOPES, default="user", help="For you, or in this project's files.")
@click.option("--purge", is_flag=True, help="Remove all memories of all projects too.")
@click.option("--yes", is_flag=True, help="Do not ask before memories are removed.")
@project_option
@json_option
def uninstall_command(
    clients: tuple[str, ...],
    is_all: bool,
    scope: str,
    purge: bool,
    yes: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Take Postil out of CLIENTs. Files that nobody changed since get their old bytes back.

    Memories stay, unless you ask for --purge.
    """
    from postil_installers.apply import uninstall
    from postil_installers.doctor import known_targets

    if not clients and not is_all:
        raise UsageError("which client?", hint="name it, or add --all")
    if purge and not is_all:
        raise UsageError("--purge goes with --all: memories belong to all clients")
    if purge and not yes and not (sys.stdin.isatty() and not as_json and _is_sure()):
        raise UsageError("nothing was removed", hint="add --yes")
    machine = _machine()
    targets = [_target(name, scope, project) for name in clients] or known_targets()
    done = [(target, uninstall(target, machine)) for target in targets]
    lines = [line for target, files in done for line in _told(target, files)]
    if is_all:
        from postil_installers.aside import give_back

        lines += [f"{what:10} {path}" for path, what in give_back()]
    if purge:
        lines.append(f"removed {_purge(machine)}")
    rows = [
        {"client": target.client, "project": str(target.project or ""), "files": _rows(files)}
        for target, files in done
    ]
    one = rows[0] if len(clients) == 1 else {"clients": rows}
    show(as_json, "\n".join(lines or ["nothing was installed"]), {**one, "purged": purge})


def _rows(files: Sequence[Restored]) -> list[dict[str, str]]:
    return [{"path": str(one.path), "what": one.what, "left": one.left} for one in files]


def _told(target: Target, files: Sequence[Restored]) -> list[str]:
    lines = [f"{one.what:10} {one.path}" for one in files]
    lines += [f"{'':10} {one.path}: {one.left}" for one in files if one.left]
    lines += [
        f"what you had changed of ours is kept in {one.kept_aside}"
        for one in files
        if one.kept_aside
    ]
    return [*lines, f"{target.client}: uninstalled; memories stay"]


def _is_sure() -> bool:
    return click.confirm("Remove all memories of all projects for good?", default=False)


def _purge(machine: Machine) -> Path:
    """Remove the folder of all stores."""
    import shutil

    shutil.rmtree(machine.data)
    return machine.data


@click.command("status")
@click.argument("clients", nargs=-1, metavar="[CLIENT]...")
@click.option("--all", "is_all", is_flag=True, help="Clients that are not here too.")
@project_option
@json_option
def status_command(clients: tuple[str, ...], is_all: bool, project: Path, as_json: bool) -> None:
    """Show which clients are wired, and this project's memory and code map."""
    wired = _examined(clients, is_all, project)
    lines = [line for one in wired for line in _line(one)]
    data: dict[str, Any] = {"clients": {_name(one): one.state for one in wired}}
    data["findings"] = [_finding_row(one, found) for one in wired for found in one.findings]
    if clients:
        show(as_json, "\n".join(lines), data)
        return
    told, more = _project_lines(project)
    show(as_json, "\n".join([*lines, *told]), {**more, **data})


def _examined(clients: Sequence[str], is_all: bool, project: Path) -> list[Wired]:
    from postil_hooks import spec
    from postil_hooks.paths import work_tree
    from postil_installers.detect import is_here
    from postil_installers.doctor import known_targets
    from postil_installers.inspect import examine
    from postil_installers.plan import Target

    machine = _machine()
    root = Path(work_tree(str(project)))
    known = [one for one in known_targets() if one.project in (None, root)]
    names = list(clients) or [
        name
        for name in spec.names()
        if is_all or any(one.client == name for one in known) or is_here(name, machine)
    ]
    targets = [Target(name) for name in names]
    targets += [one for one in known if one.project is not None and one.client in names]
    return [examine(target, machine) for target in targets]


def _name(wired: Wired) -> str:
    return wired.target.client + ("" if wired.target.project is None else " (project)")


def _line(wired: Wired) -> list[str]:
    """A client in a line, and what is wrong with it below."""
    state = wired.state
    if state == "installed" and wired.last_fired:
        state += f", last event {_ago(wired.last_fired)}"
    lines = [f"{_name(wired):14} {state}"]
    lines += [f"{'':14} {one.what}: {one.told} -> {one.fix}" for one in wired.findings]
    return lines


def _ago(at: float) -> str:
    import time

    seconds = max(time.time() - at, 0)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _finding_row(wired: Wired, found: Finding) -> dict[str, Any]:
    return {"client": _name(wired), **asdict(found)}


def _project_lines(project: Path) -> tuple[list[str], dict[str, Any]]:
    """What is known of this project."""
    from postil import curate, present, relink
    from postil.cli.setup import moved_line
    from postil.storage.connect import on_network
    from postil.workspace import open_workspace
    from postil_hooks import relay
    from postil_hooks.paths import work_tree

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
    lines = [
        f"project        {brief.project} ({store})",
        f"memory         {counts}",
        f"file           {sizes.main:,} bytes, log {sizes.log:,}, free {sizes.free:,}",
        f"code           {mapped or 'not mapped: `postil calibrate` sets the project up'}",
        f"leader         {'yes' if leader else 'none'}",
    ]
    if waiting.proposed or waiting.pairs:
        lines.append(
            f"waiting        {present.counted(len(waiting.proposed), 'proposal')},"
            f" {present.counted(len(waiting.pairs), 'pair')}: `postil proposals list`"
        )
    if on_network(store):
        told = "the store is on a network disk: one machine at a time, slower"
        lines.append(f"warning        {told}")
    lines += [moved_line(one) for one in moved]
    data = {
        "sizes": asdict(sizes),
        "waiting": len(waiting.proposed) + len(waiting.pairs),
        "moved_from": [one.place for one in moved],
        "project": brief.project,
        "store": str(store),
        "counts": dict(brief.counts),
        "leader": leader,
    }
    return lines, data


@click.command("doctor")
@click.argument("clients", nargs=-1, metavar="[CLIENT]...")
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@project_option
@json_option
def doctor_command(clients: tuple[str, ...], fix: bool, project: Path, as_json: bool) -> None:
    """Start what each wired client would start, and look for whatever keeps it from working.

    Exit code 1 when something is wrong that was not mended.
    """
    from postil_installers.doctor import known_targets

    machine = _machine()
    targets = [one for one in known_targets() if not clients or one.client in clients]
    results = [(target, *_diagnosed(target, machine, project, fix)) for target in targets]
    lines, rows, wrong = [], [], 0
    for target, findings, mended in results:
        open_ = [one for one in findings if one.is_wrong]
        wrong += len(open_)
        lines.append(f"{target.client:14} {'wrong' if open_ else 'works'}{mended}")
        lines += [f"{'':14} {one.what}: {one.told} -> {one.fix}" for one in findings]
        rows += [{"client": target.client, **asdict(one)} for one in findings]
    if not results:
        lines.append("no client is wired: `postil install` does it")
    show(as_json, "\n".join(lines), {"findings": rows, "wrong": wrong})
    if wrong:
        sys.exit(_WRONG)


def _diagnosed(
    target: Target, machine: Machine, project: Path, fix: bool
) -> tuple[list[Finding], str]:
    """What is wrong with a client, after mending it where that was asked for."""
    from postil_hooks.paths import work_tree
    from postil_installers.doctor import check, mend
    from postil_installers.inspect import examine, shadowed
    from postil_installers.receipt import recall

    def look() -> list[Finding]:
        wired = examine(target, machine)
        found = list(wired.findings)
        if wired.state != "broken":
            found += check(target, machine, project)
            found += shadowed(target, machine, Path(work_tree(str(project))))
        return found

    findings = look()
    if not fix or not any(one.is_wrong for one in findings):
        return findings, ""
    try:
        mend(target, machine)
    except (ClientFileError, PostilError) as error:
        return findings, f" (not mended: {error})"
    if not recall(target.client, target.project).entries:
        return [], " (taken out, as was begun)"
    return look(), " (mended)"
