"""How long wiring a client takes, and looking at all of them."""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

from benchmarks.measure import Row, interleaved, run

POSTIL = str(Path(sys.executable).with_name("postil"))
# The folders by which clients are found: all are here.
_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".cursor", ".cline", ".junie")
_SETTINGS = ("Code/User", "Claude", "zed", "opencode", "nvim", "helix", "devin", "emacs")


def rows(project: Path, repeats: int) -> list[Row]:
    """Installing, taking out, `status --all` with every client wired, and `doctor`."""
    home = Path(os.environ["HOME"])
    for name in (*_FOLDERS, *(f".config/{one}" for one in _SETTINGS)):
        (home / name).mkdir(parents=True, exist_ok=True)
    folder = str(project)
    run([POSTIL, "install", "--all", "--yes"], cwd=folder)
    run([POSTIL, "calibrate"], cwd=folder)

    def again() -> None:
        run([POSTIL, "install", "claude-code", "--yes"], cwd=folder)

    times = interleaved(
        {
            "python -c pass": lambda: run([sys.executable, "-c", "pass"]),
            "postil uninstall claude-code": lambda: run(
                [POSTIL, "uninstall", "claude-code"], cwd=folder
            ),
            "postil install claude-code": again,
            "postil status --all": lambda: run([POSTIL, "status", "--all"], cwd=folder),
        },
        repeats,
    )
    base = statistics.median(times["python -c pass"])
    return [
        Row(name, took, "python -c pass", statistics.median(took) / base)
        for name, took in times.items()
    ]
