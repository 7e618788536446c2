"""The commands of the memory core, as a person and as an agent's shell run them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.project import make_project, postil

pytestmark = pytest.mark.slow


class Shell:
    """A person's shell in a project; `agent` is the same inside Claude Code."""

    def __init__(self, home: Path, root: Path) -> None:
        self._home, self._root = home, root

    def ok(self, *arguments: str, agent: bool = False) -> str:
        done = self._run(arguments, agent)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def fails(self, *arguments: str, agent: bool = False) -> tuple[int, str]:
        done = self._run(arguments, agent)
        assert done.returncode != 0, done.stdout
        assert b"Traceback" not in done.stderr
        return done.returncode, done.stderr.decode()

    def data(self, *arguments: str, agent: bool = False) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.ok(*arguments, "--json", agent=agent))
        return data

    def _run(self, arguments: tuple[str, ...], agent: bool) -> subprocess.CompletedProcess[bytes]:
        if not agent:
            return postil(*arguments, home=self._home, cwd=self._root)
        return postil(
            *arguments,
            home=self._home,
            cwd=self._root,
            CLAUDECODE="1",
            CLAUDE_CODE_SESSION_ID="s-1",
        )


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    return Shell(home, make_project(tmp_path / "shop", {"pay.py": "def charge():\n    pass\n"}))


def test_a_life_of_a_memory(shell: Shell) -> None:
    first = shell.data("remember", "The deploy target is Heroku", "--where", "pay.py#charge")["id"]
    second = shell.data("supersede", first, "The deploy target is Fly.io", "--why", "price")
    assert second["closed"] == [first]
    assert second["memory"]["anchors"][0]["symbol"] == "charge", "it is about the same place"
    found = shell.data("search", "deploy target")["hits"]
    assert [hit["id"] for hit in found] == [second["id"]]
    assert {hit["id"] for hit in shell.data("search", "deploy target", "--history")["hits"]} == {
        first,
        second["id"],
    }
    shell.ok("update", second["id"], "--why", "price and speed")
    shell.ok("keep", second["id"])
    events = shell.data("history", second["id"])["events"]
    assert [event["action"] for event in events] == ["write", "update", "update"]
    assert "Why:         price and speed" in shell.ok("get", second["id"])
    assert [row["id"] for row in shell.data("recent")["memories"]] == [second["id"]]
    shell.ok("forget", second["id"])
    assert shell.data("search", "deploy target")["hits"] == []
    code, told = shell.fails("remember", "the deploy target is FLY.IO.")
    assert code == 1 and f"postil restore {second['id']}" in told
    assert "Restored" in shell.ok("restore", second["id"])


def test_an_agents_shell_proposes_and_a_person_decides(shell: Shell) -> None:
    proposed = shell.data("remember", "Release on Tuesdays", "--scope", "team", agent=True)
    assert proposed["status"] == "proposed" and proposed["memory"]["author"] == "agent:claude-code"
    for command in (
        ("proposals", "accept", proposed["id"]),
        ("undo", "--session", "s-2"),
    ):
        code, told = shell.fails(*command, agent=True)
        assert code == 2 and "only a person" in told
    assert "Release on Tuesdays" in shell.ok("proposals", "list")
    assert "1 proposal" in shell.ok("status")
    shell.ok("proposals", "accept", proposed["id"])
    assert len(shell.data("search", "release")["hits"]) == 1
    assert shell.data("undo", "--session", "s-1")["reverted"] == []
    shell.ok("remember", "Use tabs", agent=True)
    assert len(shell.data("undo", "--session", "s-1")["reverted"]) == 1


def test_a_pair_is_settled(shell: Shell) -> None:
    shell.ok("remember", "The port is 5432")
    assert "may contradict" in shell.ok("remember", "The port is 5433")
    (pair,) = shell.data("proposals", "list")["pairs"]
    assert pair["reason"] == "number: 5433 and 5432"
    shell.ok("proposals", "settle", pair["id"], "replaces")
    assert shell.ok("proposals", "list").strip() == "Nothing waits for you."
    assert [hit["what"] for hit in shell.data("search", "port")["hits"]] == ["The port is 5433"]


def test_erasing_asks_first(shell: Shell, home: Path) -> None:
    shell.ok("remember", "Zephyrine pays late")
    shell.ok("backup", "create")
    told = shell.ok("erase", "--about", "zephyrine")
    token = re.search(r"--confirm (\S+)", told)
    assert "1 row, for good" in told and token is not None
    code, refused = shell.fails("erase", "--about", "zephyrine", "--confirm", "wrong")
    assert code == 2 and "unknown, spent or too old" in refused
    assert "1 row erased" in shell.ok("erase", "--about", "zephyrine", "--confirm", token[1])
    data = home / ".local" / "share" / "postil"
    files = [path for path in data.rglob("*") if path.is_file()]
    assert not any(b"ephyrine" in path.read_bytes() for path in files)
    assert shell.fails("erase")[0] == 2


def test_facts_and_files(shell: Shell, tmp_path: Path) -> None:
    shell.ok("facts", "assert", "api", "database", "MySQL", "--since", "2025-01-01")
    assert "Ended:" in shell.ok("facts", "assert", "api", "database", "pg", "--since", "2026-03-01")
    shell.ok("facts", "alias", "PostgreSQL", "pg")
    assert "MySQL" in shell.ok("facts", "about", "api", "--at", "2025-06-01")
    assert len(shell.data("facts", "about", "api", "--all")["facts"]) == 2
    out = tmp_path / "out.jsonl"
    shell.ok("export", str(out))
    assert shell.fails("export", str(out))[0] == 2
    assert shell.data("import", str(out))["added"] == 0
    copy = shell.data("backup", "create", str(tmp_path / "copy.db"))
    assert copy["memories"] == 0
    assert str(tmp_path / "copy.db") in shell.ok("backup", "list")
    assert shell.fails("backup", "restore", str(tmp_path / "copy.db"))[0] == 2, "nobody to ask"
    shell.ok("backup", "restore", str(tmp_path / "copy.db"), "--yes")
    assert "sound" in shell.ok("maintain")
    assert shell.fails("export", "/dev/full")[0] == 2
