"""A project with a few memories, for whichever client comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import Run
from support.project import make_project


@pytest.fixture
def place(home: Path, tmp_path: Path) -> Iterator[Run]:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    made = Run(home, project, [])
    reason = ("--why", "we need serializable isolation", "--kind", "decision")
    made.postil("remember", "Billing uses the PostgreSQL database", *reason)
    rule = "Amounts are whole cents"
    made.postil("remember", rule, "--kind", "rule")
    for number in range(12):
        text = f"House rule {number} of the kitchen is kept by everybody who eats there at noon"
        made.postil("remember", text, "--kind", "rule", "--importance", "0.4")
    lesson = ("--kind", "lesson", "--where", "pay.py#charge", "--importance", "0.1")
    made.postil("remember", "Charging twice is refused by the bank", *lesson)
    made.postil("index", "update")
    yield made
