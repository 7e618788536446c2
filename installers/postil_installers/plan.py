"""What an installation would change: computed from the files as they are, without writing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import postil_hooks
from postil.config.clients import load_client
from postil.errors import ClientFileError, UsageError
from postil_installers.edits import json_text, text_block

MARK = "_postil"


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after. `before` is None when there is no file; `path` as configured."""

    path: Path
    before: bytes | None
    after: bytes
    mode: int
    kind: str
    spec: Mapping[str, Any]

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Machine:
    """Where things are: the environment that names the folders, and our own programs."""

    environment: Mapping[str, str]
    python: str = sys.executable

    @property
    def launcher(self) -> list[str]:
        """The command line of `postil` by absolute path: never through the working folder."""
        script = Path(self.python).with_name("postil.exe" if os.name == "nt" else "postil")
        return [str(script)] if script.exists() else [self.python, "-I", "-m", "postil"]

    def hook_command(self, client: str, event: str) -> list[str]:
        """The command line of a hook: the bare interpreter, no site packages, no variables."""
        program = Path(postil_hooks.__file__).with_name("__main__.py")
        return [self.python, "-I", "-S", str(program), client, event]

    def place(self, spec: Mapping[str, Any], file: Mapping[str, str]) -> Path:
        """The path of a client's file; its own variable for its folder wins."""
        home = self.environment.get(spec["home"]["variable"], "")
        if home:
            return Path(home) / file["home"]
        return Path(file["default"].replace("~", self._home(), 1))

    def _home(self) -> str:
        name = "USERPROFILE" if os.name == "nt" else "HOME"
        home = self.environment.get(name, "")
        if not home:
            raise UsageError(f"the variable {name} is not set", hint="set it to your home folder")
        return home


def plan(client: str, machine: Machine) -> list[Edit]:
    """All files that belong to an installation, as they are and as they would be.

    Nothing to write (`Edit.changes` false for all) means that it is installed and current.
    """
    spec = load_client(client)
    if not spec["edits"]:
        raise UsageError(
            f"{spec['title']} cannot be wired by this version",
            hint="docs/hooks.md says how by hand",
        )
    edits = []
    for edit in spec["edits"]:
        path = machine.place(spec, edit["file"])
        before = read(path)
        after = _APPLY[edit["kind"]](str(path), before or b"", edit, spec, machine)
        mode = edit.get("mode", 0o644)
        if before is not None:
            mode = path.stat().st_mode & 0o7777
        edits.append(Edit(path, before, after, mode, edit["kind"], edit))
    return edits


def without(
    path: Path, text: bytes, edit: Mapping[str, Any], original: bytes | None
) -> tuple[bytes, bytes]:
    """A file without what an installation put there, and the text block that was found.

    `original` is the file before the installation: an entry of our name in it was the person's
    own and comes back.
    """
    if edit["kind"] == "text_block":
        removed = text_block.take_out(str(path), text)
        return (removed.text, removed.block) if removed else (text, b"")
    if edit["kind"] == "json_hooks":
        return _without_hooks(str(path), text, edit), b""
    try:
        theirs = json_text.get(json_text.parse(str(path), original or b""), edit["path"])
    except KeyError:
        return _without_member(str(path), text, edit["path"]), b""
    document = json_text.parse(str(path), text)
    return json_text.set_member(document, edit["path"], theirs), b""


def read(path: Path) -> bytes | None:
    """A client's file; None when there is none. A link is followed, anything else refused."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise ClientFileError(
                f"{path} is a link to nothing", hint="remove the link or make its target"
            ) from None
        return None
    except OSError as error:
        raise ClientFileError(f"{path} cannot be read: {error.strerror}") from error


def _apply_member(
    name: str, text: bytes, edit: Mapping[str, Any], spec: Mapping[str, Any], machine: Machine
) -> bytes:
    command, *before = machine.launcher
    value = dict(edit["value"])
    value["command"] = command
    value["args"] = [*before, *value["args"]]
    document = json_text.parse(name, text)
    try:
        known = json_text.get(document, edit["path"])
    except KeyError:
        known = None
    if isinstance(known, dict):
        # What a person added to our entry (an environment, a time limit) stays.
        value = {**known, **value}
        if known == value:
            return text
    return json_text.set_member(document, edit["path"], value)


def _apply_hooks(
    name: str, text: bytes, edit: Mapping[str, Any], spec: Mapping[str, Any], machine: Machine
) -> bytes:
    for event, timeout in edit["timeouts"].items():
        command, *arguments = machine.hook_command(spec["name"], event)
        handler = {"type": "command", "command": command, "args": arguments, "timeout": timeout}
        group: json_text.Json = {MARK: True, "hooks": [handler]}
        if matcher := edit.get("matchers", {}).get(event):
            group = {MARK: True, "matcher": matcher, "hooks": [handler]}
        document = json_text.parse(name, text)
        path = [*edit["path"], event]
        ours = _own_places(document, path)
        if not ours:
            text = json_text.append_item(document, path, group)
        elif _item(document, path, ours[0]) != group:
            text = json_text.replace_item(document, path, ours[0], group)
    return text


def _apply_block(
    name: str, text: bytes, edit: Mapping[str, Any], spec: Mapping[str, Any], machine: Machine
) -> bytes:
    return text_block.put(name, text, edit["text"])


_APPLY = {
    "json_member": _apply_member,
    "json_hooks": _apply_hooks,
    "text_block": _apply_block,
}


def _without_member(name: str, text: bytes, path: list[str]) -> bytes:
    document = json_text.parse(name, text)
    try:
        json_text.get(document, path)
    except KeyError:
        return text
    text = json_text.remove(document, path)
    return _without_empty(name, text, path[:-1])


def _without_hooks(name: str, text: bytes, edit: Mapping[str, Any]) -> bytes:
    for event in edit["timeouts"]:
        path = [*edit["path"], event]
        document = json_text.parse(name, text)
        ours = _own_places(document, path)
        for place in reversed(ours):
            text = json_text.remove(json_text.parse(name, text), path, place)
        if ours:
            text = _without_empty(name, text, path)
    return text


def _without_empty(name: str, text: bytes, path: list[str]) -> bytes:
    """Without the containers on the way to `path` that hold nothing any more."""
    while path:
        document = json_text.parse(name, text)
        if json_text.get(document, path):
            break
        text = json_text.remove(document, path)
        path = path[:-1]
    return text


def _own_places(document: json_text.Document, path: list[str]) -> list[int]:
    try:
        groups = json_text.get(document, path)
    except KeyError:
        return []
    if not isinstance(groups, list):
        return []
    return [place for place, one in enumerate(groups) if isinstance(one, dict) and MARK in one]


def _item(document: json_text.Document, path: list[str], place: int) -> json_text.Json:
    groups = json_text.get(document, path)
    assert isinstance(groups, list)
    return groups[place]
