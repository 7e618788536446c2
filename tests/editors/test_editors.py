"""Real editors, headless: hover, lens, marks, diagnostics, symbols, and the action *remember*.

Each script prints what the editor itself showed; between them they agree all position encodings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from postil import curate
from postil.model import Kind, Memory, Pattern
from postil.workspace import open_workspace
from support.project import POSTIL, clean_environment, make_project, postil
from support.real import helix, neovim, system_program

pytestmark = [pytest.mark.editor, pytest.mark.slow]
HERE = Path(__file__).parent
TEXT = 'def charge(): ...\n\n\n# Amounts are whole cents\nlabel = "🎉🎉"; total = charge()\n'


@pytest.fixture
def root(home: Path, tmp_path: Path) -> Path:
    made = make_project(tmp_path / "shop", {"pay.py": TEXT})
    workspace = open_workspace(made)
    why = Memory(id="", what="Retries are off", kind=Kind.DECISION)
    curate.write(workspace, why, ["pay.py#charge"])
    rule = Memory(id="", what="No parties", kind=Kind.RULE, pattern=Pattern(regex="🎉"))
    curate.write(workspace, rule)
    workspace.close()
    return made


def run(
    command: list[str], home: Path, root: Path, transcript: Path | None = None, **more: str
) -> str:
    """The transcript of a script; the editor remembered the comment in the file."""
    environment: Mapping[str, str] = clean_environment(
        home, POSTIL=POSTIL, ROOT=str(root), TERM="xterm-256color", **more
    )
    done = subprocess.run(
        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=150, check=False,
    )  # fmt: skip
    told = transcript.read_text(encoding="utf-8") if transcript else done.stdout
    print(f"\n{told}")
    assert done.returncode == 0, told + done.stderr[-2000:]
    assert "FAIL" not in told
    found = postil("search", "amounts whole cents", home=home, cwd=root).stdout.decode()
    assert "Amounts are whole cents" in found
    return told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_neovim(home: Path, root: Path, encoding: str) -> None:
    script = str(HERE / "neovim.lua")
    told = run([neovim(), "--headless", "--clean", "-S", script], home, root, ENCODING=encoding)
    assert told.count("ok   ") == 9
    assert f"attached: {encoding}" in told


def test_emacs(home: Path, root: Path) -> None:
    program = system_program("emacs")
    folders = Path("/usr/share/emacs/site-lisp/elpa").glob("*/")
    paths = [word for one in folders for word in ("-L", str(one))]
    told = run([program, "--batch", "-Q", *paths, "-l", str(HERE / "eglot.el")], home, root)
    assert told.count("ok   ") == 10
    assert "attached: utf-16" in told


def test_vim_with_ale(home: Path, root: Path, tmp_path: Path) -> None:
    program = system_program("vim.nox")
    out = tmp_path / "transcript"
    script = str(HERE / "ale.vim")
    told = run(
        [program, "-Nu", "NONE", "-n", "-T", "dumb", "--not-a-term", "-S", script],
        home, root, out, OUT=str(out),
    )  # fmt: skip
    assert told.count("ok   ") == 4


def test_helix(home: Path, root: Path) -> None:
    if shutil.which("tmux") is None and not os.environ.get("CI"):
        pytest.skip("tmux is missing")
    told = run(["bash", str(HERE / "helix.sh")], home, root, HELIX=str(helix()))
    assert told.count("ok   ") == 8
