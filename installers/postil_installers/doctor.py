"""Starts what clients would start, looks at the answer, and mends what can be mended."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from postil.config.clients import load_client
from postil.errors import ClientFileError
from postil_installers import launcher
from postil_installers.apply import install, uninstall
from postil_installers.inspect import Finding, leftovers
from postil_installers.machine import Machine
from postil_installers.plan import Target, plan, wanted
from postil_installers.receipt import Receipt, recall, recall_all

# Seconds that a started program may take.
_PATIENCE = 20
_ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "postil-doctor", "version": "1"},
    },
}


def check(target: Target, machine: Machine, folder: Path) -> Iterator[Finding]:
    """What is wrong with the programs that a wired client starts, each started as it would be."""
    again = f"postil install {target.client}"
    checked: set[str] = set()
    for edit, _, part in wanted(target, machine):
        if edit["part"] == "mcp" and isinstance(part.value, dict):
            told = _server_problem(tuple(_command_of(part.value)), str(folder))
            if told:
                yield Finding("server fails", told, again)
        for command in _hook_commands(part.value, machine) if edit["part"] == "hooks" else ():
            if " ".join(command) in checked:
                continue
            checked.add(" ".join(command))
            told = _hook_problem(command, str(folder))
            if told:
                yield Finding("hook fails", told, again)


def mend(target: Target, machine: Machine) -> None:
    """Complete what was broken off; write again what is missing, old or doubled.

    Raises ClientFileError for what a person must mend.
    """
    receipt = recall(target.client, target.project)
    remove_leftovers(receipt)
    if receipt.doing == "uninstall":
        uninstall(target, machine)
        return
    install(target, plan(target, machine, receipt), machine)


def remove_leftovers(receipt: Receipt) -> None:
    """Remove half-written files that were never used."""
    for path in leftovers(receipt):
        path.unlink(missing_ok=True)


def known_targets() -> list[Target]:
    """Everything that was ever installed and not taken out."""
    return [
        Target(receipt.client, Path(receipt.project) if receipt.project else None)
        for receipt in recall_all()
    ]


def mend_launcher(machine: Machine) -> None:
    """Our own programs belong to this installation."""
    launcher.write(machine)


def _command_of(entry: Mapping[str, Any]) -> list[str]:
    command = entry.get("command")
    if isinstance(command, list):
        return [str(one) for one in command]
    return [str(command), *map(str, entry.get("args", ()))]


def _hook_commands(value: Any, machine: Machine) -> Iterator[list[str]]:
    """How a client would start each handler of an entry."""
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, list):
        for one in value:
            yield from _hook_commands(one, machine)
    elif isinstance(value, dict):
        if "args" in value:
            yield _command_of(value)
            return
        line = value.get("bash") or value.get("powershell") or value.get("command")
        if isinstance(line, str):
            shell = ["powershell", "-Command"] if machine.is_windows else ["/bin/sh", "-c"]
            yield [*shell, line]
            return
        for one in value.values():
            yield from _hook_commands(one, machine)


@cache
def _server_problem(command: tuple[str, ...], folder: str) -> str:
    """Why a server does not answer; "" when it does."""
    try:
        done = subprocess.run(
            command,
            input=json.dumps(_ASKED).encode() + b"\n",
            cwd=folder,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
        answer = json.loads(done.stdout.split(b"\n")[0])
        if answer["result"]["serverInfo"]["name"] == "postil":
            return ""
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{command[0]} does not answer"
    except (ValueError, KeyError, TypeError):
        pass
    return f"{' '.join(command)} does not answer as a server should"


def _hook_problem(command: list[str], folder: str) -> str:
    """Why a hook does not run; "" when it does. It takes itself for one of our own sessions."""
    try:
        done = subprocess.run(
            command,
            input=b"{}",
            cwd=folder,
            env={**os.environ, "POSTIL_CHILD": "1"},
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)} does not end"
    if done.returncode or done.stdout:
        return f"{' '.join(command)} exits with {done.returncode}"
    return ""


def needs_person(target: Target, machine: Machine) -> str:
    """What keeps `mend` from working; "" for nothing."""
    try:
        plan(target, machine, recall(target.client, target.project))
    except ClientFileError as error:
        return f"{error} ({error.hint})"
    return ""


def title(client: str) -> str:
    """A client's name for people."""
    return str(load_client(client)["title"])
