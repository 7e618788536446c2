"""The extension in real VS Code: installed from its .vsix, in a headless browser."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace
from support.mounts import without_privileges
from support.project import POSTIL, make_project, postil
from support.real import extension
from support.vscode import AGENT, run_in_extension_host, run_scenario, scripted_model

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.timeout(300)]
HERE = Path(__file__).parent
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
        HERE / "vscode_extension.mjs",
        box,
        home,
        root,
        [extension()],
        {"postil.lens": True},
        machine_settings={"postil.server.command": POSTIL},
        POSTIL=POSTIL,
        PYTHON=str(Path(POSTIL).with_name("python")),
        PROPOSE=PROPOSE,
    )

    print(f"\n{told}")
    assert told.count("ok   ") == 15
    found = postil("search", "how are amounts stored", home=home, cwd=root).stdout.decode()
    assert "Amounts are whole cents Why: floats lose money" in found


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Path:
    root = make_project(tmp_path / "shop", {"pay.py": TEXT})
    workspace = open_workspace(root)
    draft = Memory(id="", what="Retries are off", kind=Kind.DECISION)
    curate.write(workspace, draft, ["pay.py#charge"])
    workspace.close()
    (tmp_path / "box").mkdir()
    return root


def test_a_folder_that_is_not_trusted(home: Path, shop: Path, tmp_path: Path) -> None:
    told = run_scenario(
        HERE / "vscode_restricted.mjs",
        tmp_path / "box", home, shop, [extension()],
        machine_settings={"postil.server.command": POSTIL}, TRUST="ask",
    )  # fmt: skip
    assert told.count("ok   ") == 2


def test_a_server_that_is_missing_or_does_not_stay(home: Path, shop: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    told = run_scenario(
        HERE / "vscode_faults.mjs",
        tmp_path / "box", home, shop, [extension()],
        machine_settings={"postil.server.command": str(later)}, POSTIL=POSTIL, LATER=str(later),
    )  # fmt: skip
    assert told.count("ok   ") == 3


def test_two_folders_without_a_mouse(home: Path, shop: Path, tmp_path: Path) -> None:
    """In high contrast, from a workspace of two projects; only keys are pressed."""
    bank = make_project(tmp_path / "bank", {"book.py": "def book(): ...\n"})
    for root, what in ((bank, "Books are closed at noon"), (bank, "Entries have two signatures")):
        workspace = open_workspace(root)
        curate.write(workspace, Memory(id="", what=what, kind=Kind.RULE), ["book.py#book"])
        workspace.close()
    subprocess.run([sys.executable, "-c", PROPOSE], cwd=bank, check=True)
    both = tmp_path / "both.code-workspace"
    both.write_text(json.dumps({"folders": [{"path": "shop"}, {"path": "bank"}]}), "utf-8")
    told = run_scenario(
        HERE / "vscode_keyboard.mjs",
        tmp_path / "box", home, both, [extension()],
        {"workbench.colorTheme": "Default High Contrast", "postil.gutter": True},
        machine_settings={"postil.server.command": POSTIL},
    )  # fmt: skip
    print(f"\n{told}")
    assert told.count("ok   ") == 5
    found = postil("search", "two signatures", home=home, cwd=bank).stdout.decode()
    assert "Entries have two signatures" not in found, "forgotten by a key"
    assert "Ask before a refund" in postil("recent", home=home, cwd=bank).stdout.decode()


def test_with_the_editors_own_api(home: Path, shop: Path, tmp_path: Path) -> None:
    found = postil("search", "retries", "--json", home=home, cwd=shop).stdout
    cited = json.loads(found)["hits"][0]["id"]
    with (shop / "pay.py").open("a", encoding="utf-8") as file:
        file.write(f"# see [{cited}] and [\n")
    told = run_in_extension_host(
        HERE / "vscode_api.js", tmp_path / "box", home, shop, extension(),
        {"postil.server.command": POSTIL},
    )  # fmt: skip
    print(f"\n{told}")
    assert told.count("ok   ") == 11


def test_what_breaks_is_told_with_a_way_out(home: Path, shop: Path, tmp_path: Path) -> None:
    store = Path(json.loads(postil("status", "--json", home=home, cwd=shop).stdout)["store"])
    told = run_scenario(
        HERE / "vscode_broken.mjs",
        tmp_path / "box", home, shop, [extension()],
        machine_settings={"postil.server.command": POSTIL},
        POSTIL=POSTIL, STORE=str(store.parent),
    )  # fmt: skip
    print(f"\n{told}")
    assert told.count("ok   ") == 4
    found = postil("search", "how are amounts stored", home=home, cwd=shop).stdout.decode()
    assert "Amounts are whole cents" in found


def test_other_clients_are_offered_once(home: Path, shop: Path, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    told = run_scenario(
        HERE / "vscode_wire.mjs",
        tmp_path / "box", home, shop, [extension()],
        {"terminal.integrated.gpuAcceleration": "off"},  # its text is in the page then
        machine_settings={"postil.server.command": POSTIL},
    )  # fmt: skip
    assert told.count("ok   ") == 2


def test_the_interpreter_of_the_python_extension(home: Path, shop: Path, tmp_path: Path) -> None:
    """No setting, nothing on the path: the server is that of the chosen environment.

    The Python extension itself cannot be had offline: a stand-in has the part of its API that is
    asked, and changes the environment when a file says so.
    """
    box = tmp_path / "box"
    chosen = tmp_path / "chosen"
    chosen.write_text(str(tmp_path / "none" / "python"))
    stand_in = box / "python.vsix"
    manifest = {
        "name": "python", "publisher": "ms-python", "version": "1.0.0", "main": "main.js",
        "engines": {"vscode": "^1.101.0"}, "activationEvents": [],
    }  # fmt: skip
    with zipfile.ZipFile(stand_in, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(manifest))
        archive.write(HERE / "vscode_python.js", "extension/main.js")
    told = run_scenario(
        HERE / "vscode_interpreter.mjs",
        box, home, shop, [extension(), stand_in],
        CHOSEN=str(chosen), PYTHON=str(Path(POSTIL).with_name("python")),
    )  # fmt: skip
    assert told.count("ok   ") == 2


def test_without_permission(home: Path, shop: Path, tmp_path: Path) -> None:
    store = Path(json.loads(postil("status", "--json", home=home, cwd=shop).stdout)["store"])
    store.parent.chmod(0)
    try:
        told = run_scenario(
            HERE / "vscode_permission.mjs",
            tmp_path / "box", home, shop, [extension()],
            machine_settings={"postil.server.command": POSTIL},
            before=without_privileges(), STORE=str(store.parent),
        )  # fmt: skip
    finally:
        store.parent.chmod(0o700)
    print(f"\n{told}")
    assert told.count("ok   ") == 3


def test_agents_in_the_editor_have_the_tools_once(home: Path, shop: Path, tmp_path: Path) -> None:
    """By the extension alone: no file is edited, and no tool is offered twice."""
    box, log = tmp_path / "box", tmp_path / "model.jsonl"
    call = 'TOOL:mcp_postil_memory_search {"query": "retries"}'
    run_scenario(
        HERE.parent / "clients/vscode_chat.mjs",
        box, home, shop, [extension(), scripted_model(box)], AGENT,
        {"postil.server.command": POSTIL},
        SCRIPTED_MODEL_LOG=str(log), PROMPTS=json.dumps(["hello", call]),
    )  # fmt: skip
    asked = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    tools = [name for name in asked[-1]["tools"] if "memory_search" in name]
    assert tools == ["mcp_postil_memory_search"]
    assert "Retries are off" in asked[-1]["text"]
