"""An hour of editing in fast-forward: 20,000 edits, saves, writes of agents, changes of branch.

The server neither grows nor errs, and shows in the end what is true in the end.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from support.project import commit_all, make_project, postil, run_git
from support.wire import Wire

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
EDITS = 20_000
# Growth is measured from here: before it, caches fill.
WARM = 5_000
SAID = (
    "The bank closes on Sunday",
    "Orders wait in a queue",
    "Refunds go by post",
    "Taxes are added by the shop",
    "A courier calls twice",
)


def text(functions: int) -> str:
    return "".join(
        f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(functions)
    )


class Hour:
    """One file in an editor, its text kept here too."""

    def __init__(self, home: Path, root: Path) -> None:
        self.home, self.root = home, root
        self.wire = Wire(home, root)
        self.path = root / "steps.py"
        self.uri = self.path.as_uri()
        self.text = self.path.read_text()
        self.version, self.number = 0, 100
        self.chance = random.Random(5)
        item = {"uri": self.uri, "languageId": "python", "version": 0, "text": self.text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def tell(self, method: str, params: dict[str, Any]) -> None:
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        answer = self.wire.ask(self.number, method, {"textDocument": {"uri": self.uri}, **params})
        assert "result" in answer, answer
        return answer["result"]

    def edit(self) -> None:
        """Type, take back, or put in a line, somewhere."""
        lines = self.text.split("\n")
        line = self.chance.randrange(len(lines))
        column = self.chance.randrange(len(lines[line]) + 1)
        new = self.chance.choice(("x", " ", "# 🎉", "\n", ""))
        end = min(column + (1 if new == "" else 0), len(lines[line]))
        self.change(line, column, line, end, new)

    def change(self, line: int, column: int, last: int, end: int, new: str) -> None:
        lines = self.text.split("\n")
        units = [
            len(lines[one][:at].encode("utf-16-le")) // 2
            for one, at in ((line, column), (last, end))
        ]
        self.version += 1
        place = {
            "start": {"line": line, "character": units[0]},
            "end": {"line": last, "character": units[1]},
        }
        told = {"uri": self.uri, "version": self.version}
        changes = [{"range": place, "text": new}]
        self.tell("textDocument/didChange", {"textDocument": told, "contentChanges": changes})
        before = "\n".join([*lines[:line], lines[line][:column]])
        after = "\n".join([lines[last][end:], *lines[last + 1 :]])
        self.text = before + new + after

    def replace(self, new: str) -> None:
        """As after a change of branch: the whole text is another."""
        self.version += 1
        told = {"uri": self.uri, "version": self.version}
        self.tell(
            "textDocument/didChange", {"textDocument": told, "contentChanges": [{"text": new}]}
        )
        self.text = new

    def save(self) -> None:
        self.path.write_text(self.text)
        self.tell("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def look(self) -> tuple[list[str], int]:
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
        lenses = self.ask("textDocument/codeLens")
        marks = self.ask("textDocument/inlayHint", range=whole)
        self.ask("textDocument/hover", position={"line": 0, "character": 5})
        return [one["command"]["title"] for one in lenses], len(marks)

    def megabytes(self) -> float:
        return float(psutil.Process(self.wire.process.pid).memory_full_info().uss) / 1_000_000


def test_an_hour_of_editing(home: Path, tmp_path: Path) -> None:
    root = make_project(tmp_path / "shop", {"steps.py": text(300)})
    run_git(root, "switch", "-q", "-c", "other")
    (root / "steps.py").write_text(text(200))
    commit_all(root, "Fewer")
    run_git(root, "switch", "-q", "main")
    written = 0
    hour = Hour(home, root)
    baseline = 0.0
    for number in range(EDITS):
        hour.edit()
        if number % 500 == 0:
            hour.look()
        if number % 1_000 == 999:
            hour.save()
        if number % 4_000 == 2_000:
            hour.replace(run_git(root, "show", "HEAD:steps.py"))
            hour.save()
            said = postil(
                "remember", SAID[written], "--where", f"steps.py#f{written}",
                home=home, cwd=root,
            )  # fmt: skip
            assert said.returncode == 0, said.stderr
            written += 1
        if number % 4_000 == 3_000:
            run_git(root, "checkout", "-q", "-f", "other" if written % 2 else "main")
            hour.replace((root / "steps.py").read_text())
        if number == WARM:
            hour.look()
            baseline = hour.megabytes()
    run_git(root, "checkout", "-q", "-f", "main")
    hour.replace((root / "steps.py").read_text())
    hour.save()
    _settled(hour, written)
    grown = hour.megabytes() / baseline - 1
    print(f"\n{EDITS:,} edits: {baseline:.0f} MB, grown by {grown:.1%}")

    assert grown <= 0.2
    hour.wire.close()


def _settled(hour: Hour, expected: int) -> None:
    """What is shown in the end is what holds in the end."""
    for _ in range(100):
        lenses, marks = hour.look()
        if (lenses, marks) == (["1 note"] * expected, expected):
            return
        time.sleep(0.2)
    raise AssertionError(f"shown: {lenses}, {marks} marks; {expected} were remembered")
