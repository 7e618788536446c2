"""The extension in real VS Code: installed from its .vsix, in a headless browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace
from support.project import POSTIL, make_project, postil
from support.real import extension
from support.vscode import run_scenario

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.timeout(300)]
TEXT = 'def charge(): ...\n\n\n# Amounts are whole cents\nlabel = "🎉🎉"; total = charge()\n'
# What an agent does, in a process of its own.
PROPOSE = """
from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace
workspace = open_workspace(".")
draft = Memory(id="", what="Ask before a refund", kind=Kind.RULE, author="agent:x")
curate.write(workspace, draft, is_proposed=True)
workspace.close()
"""


def test_a_first_day(home: Path, tmp_path: Path) -> None:
    root = make_project(tmp_path / "shop", {"pay.py": TEXT})
    workspace = open_workspace(root)
    why = "the gateway is not idempotent"
    draft = Memory(id="", what="Retries are off", why=why, kind=Kind.DECISION)
    curate.write(workspace, draft, ["pay.py#charge"])
    workspace.close()
    box = tmp_path / "box"
    box.mkdir()

    told = run_scenario(
        Path(__file__).with_name("vscode_extension.mjs"),
        box,
        home,
        root,
        [extension()],
        machine_settings={"postil.server.command": POSTIL},
        POSTIL=POSTIL,
        PYTHON=str(Path(POSTIL).with_name("python")),
        PROPOSE=PROPOSE,
    )

    print(f"\n{told}")
    assert told.count("ok   ") == 11
    found = postil("search", "how are amounts stored", home=home, cwd=root).stdout.decode()
    assert "Amounts are whole cents Why: floats lose money" in found
