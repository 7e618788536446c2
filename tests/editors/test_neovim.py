"""The real Neovim shows hover and lens."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace
from support.project import POSTIL, clean_environment, make_project
from support.real import neovim

pytestmark = [pytest.mark.editor, pytest.mark.slow]


def test_neovim_shows_hover_and_lens(home: Path, tmp_path: Path) -> None:
    text = 'def charge(): ...\n\n\nlabel = "🎉🎉"; total = charge()\n'
    root = make_project(tmp_path / "shop", {"pay.py": text})
    workspace = open_workspace(root)
    curate.write(
        workspace, Memory(id="", what="Retries are off", kind=Kind.DECISION), ["pay.py#charge"]
    )
    workspace.close()

    done = subprocess.run(
        [neovim(), "--headless", "--clean", "-S", str(Path(__file__).with_name("neovim.lua"))],
        env=clean_environment(home, POSTIL=POSTIL, ROOT=str(root)),
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok   ") == 4, done.stdout
