"""How a client is wired, what is wrong with it, and what mends that."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postil.config.clients import load_client
from postil.errors import ClientFileError, PostilError, UsageError
from postil_hooks.paths import fired_dir
from postil_installers import launcher
from postil_installers.apply import UNFINISHED, is_present, state
from postil_installers.edits import json_text, toml_table
from postil_installers.machine import Machine
from postil_installers.parts import own_items
from postil_installers.plan import Edit, Target, plan
from postil_installers.receipt import Receipt, recall

# What is mended by installing again; everything else is a person's to do, or `doctor` knows how.
BY_INSTALLING = ("stale", "missing", "moved", "duplicate", "hand-edited", "launcher", "unfinished")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a client that a person should know: `what` in a word, `told`, and a `fix`.

    `is_wrong` is false for what is only worth knowing.
    """

    what: str
    told: str
    fix: str
    is_wrong: bool = True


@dataclass(frozen=True, slots=True)
class Wired:
    """A client as it is: `state`, findings, and when each of its events came last (0: never)."""

    target: Target
    state: str
    findings: tuple[Finding, ...]
    fired: Mapping[str, float]

    @property
    def last_fired(self) -> float:
        """When any event came last."""
        return max(self.fired.values(), default=0.0)


def examine(target: Target, machine: Machine) -> Wired:
    """A client as it is on this machine, without starting anything."""
    spec = load_client(target.client)
    fired = last_fired(target.client, spec) if target.project is None else {}
    try:
        receipt = recall(target.client, target.project)
        told = state(target, machine)
    except UsageError:
        return Wired(target, "by hand", (), fired)
    except PostilError as error:
        finding = Finding("broken", str(error), error.hint or "mend the file, then try again")
        return Wired(target, "broken", (finding,), fired)
    findings = tuple(_findings(target, machine, spec, receipt, told, fired))
    return Wired(target, told, findings, fired)


def last_fired(client: str, spec: Mapping[str, Any]) -> dict[str, float]:
    """When each event of a client came last; 0.0 for never."""
    found = {}
    # The file of hooks that two clients share calls us by the name of one.
    named = next((edit["of"] for edit in spec["edits"] if "of" in edit), client)
    for event in load_client(named)["events"]:
        try:
            found[event] = Path(fired_dir(), named, event).stat().st_mtime
        except OSError:
            found[event] = 0.0
    return found


def _findings(
    target: Target,
    machine: Machine,
    spec: Mapping[str, Any],
    receipt: Receipt,
    told: str,
    fired: Mapping[str, float],
) -> Iterator[Finding]:
    yield from _unfinished(target, receipt)
    if told == "not installed" and not receipt.entries:
        return
    again = f"postil install {target.client}"
    edits = plan(target, machine, receipt)
    for edit in edits:
        yield from _of_a_file(edit, receipt, again)
    if not launcher.are_current(machine):
        yield Finding("launcher", f"{machine.hook_program} is not of this installation", again)
    if target.project is None:
        yield from _switched_off(spec, machine)
        yield from _twice(spec, machine)
        yield from _untrusted(spec, machine)
    has_hooks = any(edit["part"] == "hooks" for edit in spec["edits"])
    if has_hooks and target.project is None and max(fired.values(), default=0.0) < receipt.at:
        yield Finding(
            "never fired",
            "no event has come since it was installed",
            f"restart running sessions of {spec['title']}",
            is_wrong=False,
        )


def _unfinished(target: Target, receipt: Receipt) -> Iterator[Finding]:
    """What a process that was killed left behind."""
    if receipt.doing:
        yield Finding(
            "unfinished",
            f"its {receipt.doing} was broken off",
            f"postil {receipt.doing} {target.client}",
        )
    for path in leftovers(receipt):
        yield Finding("leftover", f"{path} is half a file that was never used", f"remove {path}")


def leftovers(receipt: Receipt) -> list[Path]:
    """Half-written files beside those of an installation."""
    folders = {Path(os.path.realpath(entry.path)).parent for entry in receipt.entries}
    return [path for folder in sorted(folders) for path in folder.glob(f".*{UNFINISHED}")]


def _of_a_file(edit: Edit, receipt: Receipt, again: str) -> Iterator[Finding]:
    """What is wrong with what we have in one file."""
    if not edit.changes:
        return
    name = str(edit.path)
    if edit.before is None or not is_present(edit):
        if receipt.entry(edit.path) is not None:
            yield Finding("missing", f"{name} holds nothing of ours any more", again)
        return
    doubles = [
        part.path[-1]
        for part in edit.parts
        if part.kind == "item" and len(own_items(name, edit.before, part)) > 1
    ]
    if doubles:
        yield Finding("duplicate", f"{name} calls us twice at {', '.join(doubles)}", again)
    elif any(part.kind in ("block", "file") for part in edit.parts):
        yield Finding("hand-edited", f"what we put into {name} was changed", again)
    else:
        gone = [
            one for one in _programs(edit) if Path(one).is_absolute() and not Path(one).exists()
        ]
        what = f"calls {gone[0]}, which is gone" if gone else "is of another installation"
        yield Finding("moved" if gone else "stale", f"{name} {what}", again)


def _programs(edit: Edit) -> Iterator[str]:
    """The programs that our entries in a file call."""
    assert edit.before is not None
    name = str(edit.path)
    for part in edit.parts:
        if part.kind == "member":
            yield _program(_member(edit.path, list(part.path), part.dialect))
        elif part.kind == "table":
            yield _program(toml_table.get(name, edit.before, part.path))


def _program(entry: Any) -> str:
    """What an entry of a server calls."""
    command = entry.get("command") if isinstance(entry, dict) else None
    return str(command[0] if isinstance(command, list) and command else command or "")


def _switched_off(spec: Mapping[str, Any], machine: Machine) -> Iterator[Finding]:
    """Settings of the client that keep us from being asked."""
    for one in spec.get("off", ()):
        path = Path(machine.expand(one["file"], machine.folder(spec)))
        if _member(path, one["path"]) == one["value"]:
            yield Finding(
                "switched off", f"{path}: {one['told']}", f"remove {one['path'][-1]} there"
            )


def _twice(spec: Mapping[str, Any], machine: Machine) -> Iterator[Finding]:
    """A plugin of ours beside the hooks of an installation: each event would come twice."""
    if spec["name"] != "claude-code":
        return
    path = Path(machine.folder(spec), "settings.json")
    plugins = _member(path, ["enabledPlugins"])
    if isinstance(plugins, dict) and any(
        name.startswith("postil@") and is_on for name, is_on in plugins.items()
    ):
        yield Finding(
            "twice",
            "the plugin is enabled beside the installed hooks: each event is handled twice",
            "claude plugin uninstall postil, or postil uninstall claude-code",
        )


def shadowed(target: Target, machine: Machine, project: Path) -> Iterator[Finding]:
    """Entries of our name in a project's own files, which go before the person's."""
    spec = load_client(target.client)
    for edit in spec["edits"]:
        if edit["kind"] != "member" or edit["dialect"] == "toml" or "project" not in edit["file"]:
            continue
        told = edit["file"]["project"]
        for name in told if isinstance(told, list) else [told]:
            path = project / name
            program = _program(_member(path, edit["path"], edit["dialect"]))
            if program and program not in ("postil", machine.launcher[0]):
                yield Finding(
                    "shadowed", f"{path} starts {program} under our name", f"look at {path}"
                )


def _untrusted(spec: Mapping[str, Any], machine: Machine) -> Iterator[Finding]:
    """Hooks that the client does not run until the person has trusted them."""
    trust = spec.get("trust")
    if not trust:
        return
    folder = machine.folder(spec)
    path, hooks = (machine.expand(trust[one], folder) for one in ("file", "hooks"))
    try:
        told = tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        told = {}
    known = told.get("hooks", {}).get("state", {}) if isinstance(told.get("hooks"), dict) else {}
    waiting = [
        event for event, key in _trust_keys(hooks) if not known.get(key, {}).get("trusted_hash")
    ]
    if waiting:
        yield Finding(
            "untrusted",
            f"{spec['title']} does not run our hooks yet: {', '.join(waiting)}",
            f"start {spec['detect']['programs'][0]}, enter /hooks, and trust those of Postil",
        )


def _trust_keys(hooks: str) -> Iterator[tuple[str, str]]:
    """Each of our events, and how Codex calls its place: file, event, group, handler."""
    found = _member(Path(hooks), ["hooks"])
    for event, groups in (found if isinstance(found, dict) else {}).items():
        for place, group in enumerate(groups if isinstance(groups, list) else []):
            if "postil-hook" in str(group):
                snake = "".join(f"_{one.lower()}" if one.isupper() else one for one in event)
                yield event, f"{hooks}:{snake.lstrip('_')}:{place}:0"


def _member(path: Path, keys: list[str], dialect: str = "jsonc") -> json_text.Json:
    try:
        return json_text.get(json_text.parse(str(path), path.read_bytes(), dialect), keys)
    except (OSError, KeyError, ClientFileError):
        return None
