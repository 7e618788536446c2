"""What is written for clients that cannot run here: by their documented formats, held in files.

And the snippets that a person pastes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil_hooks import spec
from postil_installers.machine import Machine
from postil_installers.plan import Target, plan
from postil_installers.snippet import snippet
from support.project import postil

GOLDEN = Path(__file__).parents[1] / "cases/installers"
DOCUMENTED = [name for name in spec.names() if not spec.load(name)["checked"]]


def written(client: str, home: Path) -> str:
    """All that a client is given, for the person and in a project; our own paths by their names."""
    machine = Machine({"HOME": str(home)})
    told = spec.load(client)
    parts = []
    for project in (None, home / "project"):
        target = Target(client, project)
        if not any(target.scope in edit["file"] for edit in told["edits"]):
            continue
        for edit in plan(target, machine):
            name = str(edit.path).replace(str(home), "~")
            parts.append(f"=== {target.scope}: {name}\n{edit.after.decode()}")
    text = "\n".join(parts) or snippet(client, machine) + "\n"
    for known, name in ((machine.launcher[0], "{postil}"), (str(machine.data), "{data}")):
        text = text.replace(known, name)
    return text


@pytest.mark.parametrize("client", DOCUMENTED)
def test_the_documented_format_is_written(client: str, home: Path) -> None:
    golden = GOLDEN / f"{client}.txt"

    assert written(client, home) == golden.read_text(encoding="utf-8")


def test_a_snippet_names_its_file(home: Path) -> None:
    done = postil("mcp", "--print-config", "jetbrains", home=home, cwd=home)

    first, rest = done.stdout.decode().split("\n", 1)
    assert first == f"# {home}/.junie/mcp/mcp.json"
    assert json.loads(rest)["mcpServers"]["postil"]["args"] == ["mcp"]
    toml = postil("mcp", "--print-config", "codex", home=home, cwd=home).stdout.decode()
    assert "[mcp_servers.postil]\ncommand = " in toml
    emacs = postil("mcp", "--print-config", "emacs", home=home, cwd=home).stdout.decode()
    assert "eglot-server-programs" in emacs and '"lsp"' in emacs


if __name__ == "__main__":
    # Writes them anew, to be read by a person before they are committed.
    for name in DOCUMENTED:
        GOLDEN.mkdir(exist_ok=True)
        text = written(name, Path("/home/ada"))
        (GOLDEN / f"{name}.txt").write_text(text, encoding="utf-8")
