"""How long the extension takes of VS Code's extension host until it asks for the server."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from benchmarks.measure import Row

_TESTS = Path(__file__).parents[1] / "tests"


def rows(folder: Path, repeats: int) -> list[Row]:
    """The time as VS Code itself measures it (loading the code, and the call), in fresh editors.

    Beside it the extension `emmet` that comes with VS Code, from the same starts.
    """
    sys.path.insert(0, str(_TESTS))
    from support.real import extension
    from support.vscode import run_scenario

    told: dict[str, list[float]] = {}
    for turn in range(repeats):
        place = folder / f"activation-{turn}"
        project = place / "shop"
        project.mkdir(parents=True)
        (place / "box").mkdir()
        (place / "home").mkdir()
        (project / "pay.py").write_text("def charge(): ...\n", encoding="utf-8")
        scenario = Path(__file__).with_name("activating.mjs")
        out = run_scenario(scenario, place / "box", place / "home", project, [extension()])
        for name, value in json.loads(out.strip().splitlines()[-1]).items():
            told.setdefault(name, []).append(value)
    base = statistics.median(told["vscode.emmet"])
    return [
        Row(f"activate {name}", times, "vscode.emmet", statistics.median(times) / max(base, 1))
        for name, times in sorted(told.items())
    ]
