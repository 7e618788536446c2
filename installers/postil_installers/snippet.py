"""What to paste into a client's file by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import tomlkit

from postil.config.clients import load_client
from postil_installers.edits.json_text import Json
from postil_installers.machine import Machine
from postil_installers.plan import Target, wanted


def snippet(client: str, machine: Machine) -> str:
    """The entries of a client, each below the name of its file."""
    told = load_client(client)
    if "snippet" in told:
        command = [word for one in told["snippet"]["command"] for word in _words(one, machine)]
        listed = " ".join(json.dumps(one) for one in command)
        lines = [one.replace("{listed}", listed) for one in told["snippet"]["text"]]
        return "\n".join([f"# {told['snippet']['file']}", *lines])
    return "\n".join(_of_files(client, machine))


def _words(word: str, machine: Machine) -> list[str]:
    return machine.launcher if word == "{postil}" else [word]


def _of_files(client: str, machine: Machine) -> Iterator[str]:
    for _, path, part in wanted(Target(client, parts=("mcp", "editor")), machine):
        yield f"# {path}"
        value: Json = part.value
        for key in reversed(part.path):
            value = {key: value}
        if part.kind == "table":
            yield tomlkit.dumps(value if isinstance(value, dict) else {}).strip()
        elif part.kind == "file":
            yield str(part.value)
        else:
            yield json.dumps(value, ensure_ascii=False, indent=2)
