"""On a terminal `postil calibrate` asks, for each client it finds, whether to wire it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from pathlib import Path

import pytest

from support.project import POSTIL, clean_environment, make_project


@pytest.mark.slow
def test_calibrate_offers_the_clients_that_are_here(home: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    main, side = pty.openpty()
    process = subprocess.Popen(
        [POSTIL, "calibrate"], cwd=project, env=clean_environment(home, TERM="dumb"),
        stdin=side, stdout=side, stderr=side,
    )  # fmt: skip
    os.close(side)

    seen = _until(main, "claude-code: write 3 files?")
    assert "+++" in seen and "postil-hook" in seen, "the changes are shown first"
    os.write(main, b"y\n")
    _until(main, "codex: write 3 files?")
    os.write(main, b"n\n")
    _until(main, "codex: nothing was written")
    os.write(main, b"n\n" * 20)  # whatever else is on this machine's path

    assert process.wait(30) == 0
    os.close(main)
    assert (home / ".claude/settings.json").exists()
    assert not (home / ".codex/config.toml").exists()


def _until(terminal: int, expected: str) -> str:
    seen = ""
    while expected not in seen:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"{expected!r} never came; seen: {seen[-2000:]}"
        seen += os.read(terminal, 65536).decode(errors="replace")
    return seen
