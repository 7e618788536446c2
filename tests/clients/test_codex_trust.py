"""Codex trusts hooks by their place and text: what the person trusts stays trusted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.agents import PROMPT
from support.model_stubs import ModelStub, model_stub
from support.project import clean_environment, make_project, postil
from support.real import codex

pytestmark = [pytest.mark.client, pytest.mark.slow]


class Codex:
    """The real Codex in a home of its own."""

    def __init__(self, home: Path, project: Path, server: ModelStub) -> None:
        self.home, self.project = home, project
        self.folder = home / ".codex"
        self.folder.mkdir()
        self.environment = {"CODEX_HOME": str(self.folder), "STUB_KEY": "dummy"}
        (self.folder / "config.toml").write_text(
            'model = "stub-model"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n'
            "[analytics]\nenabled = false\n"
            f'[model_providers.stub]\nname = "stub"\nbase_url = "{server.url}/v1"\n'
            'wire_api = "responses"\nenv_key = "STUB_KEY"\n',
            encoding="utf-8",
        )

    def says(self, prompt: str) -> None:
        done = subprocess.run(
            [codex(), "exec", "--skip-git-repo-check", "-s", "workspace-write", prompt],
            cwd=self.project,
            env=clean_environment(self.home, **self.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def postil(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        folder = str(self.folder)
        return postil(*words, home=self.home, cwd=self.project, CODEX_HOME=folder)

    def hooks(self) -> list[dict[str, Any]]:
        """What Codex itself knows of its hooks; it finds nothing wrong with their file."""
        with _app_server(self) as ask:
            (row,) = ask("hooks/list", {"cwds": [str(self.project)]})["data"]
        assert (row["warnings"], row["errors"]) == ([], [])
        found: list[dict[str, Any]] = row["hooks"]
        return found

    def trusts(self) -> dict[str, tuple[str, str, str]]:
        """Place, text, digest and trust of each."""
        return {
            one["key"]: (one["command"], one["currentHash"], one["trustStatus"])
            for one in self.hooks()
        }

    def trust(self) -> None:
        """What the person does with /hooks: trust all that is there."""
        state = {one["key"]: {"trusted_hash": one["currentHash"]} for one in self.hooks()}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        with _app_server(self) as ask:
            ask("config/batchWrite", {"edits": [edit]})

    def add_own(self, command: str) -> None:
        path = self.folder / "hooks.json"
        told = json.loads(path.read_text()) if path.exists() else {"hooks": {}}
        handler = {"type": "command", "command": command, "timeout": 5}
        told["hooks"].setdefault("SessionStart", []).append({"hooks": [handler]})
        path.write_text(json.dumps(told, indent=1))


@contextmanager
def _app_server(client: Codex) -> Iterator[Any]:
    process = subprocess.Popen(
        [codex(), "app-server"],
        env=clean_environment(client.home, **client.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    number = 0

    def send(message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()

    def ask(method: str, params: dict[str, Any]) -> Any:
        nonlocal number
        number += 1
        send({"id": number, "method": method, "params": params})
        assert process.stdout is not None
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                assert "result" in answer, answer
                return answer["result"]
        raise AssertionError(f"no answer to {method}")

    try:
        told = {"name": "test", "version": "1"}
        ask("initialize", {"clientInfo": told, "capabilities": {"experimentalApi": True}})
        send({"method": "initialized"})
        yield ask
    finally:
        process.kill()
        process.communicate()


def test_trust_survives_installing_and_taking_out(home: Path, tmp_path: Path) -> None:
    """INS-20 and B.5-6: untrusted hooks are told of; the person's own never lose their trust."""
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    own, late = tmp_path / "own", tmp_path / "late"
    with model_stub() as server:
        client = Codex(home, project, server)
        why = ("--why", "we need serializable isolation", "--kind", "decision")
        client.postil("remember", "Billing uses the PostgreSQL database", *why)
        client.add_own(f"touch {own}")
        client.trust()
        (before,) = client.hooks()
        assert before["trustStatus"] == "trusted"

        assert client.postil("install", "codex", "--yes").returncode == 0
        told = client.postil("doctor", "codex")
        assert told.returncode == 1 and b"untrusted" in told.stdout and b"/hooks" in told.stdout
        client.says(PROMPT)
        assert own.exists(), "the person's own hook runs"
        assert "serializable isolation" not in server.seen(), "Codex skips ours without a word"

        client.add_own(f"touch {late}")  # behind ours
        client.trust()
        assert client.postil("doctor", "codex").returncode == 0
        client.says(PROMPT)
        assert "serializable isolation" in server.seen() and late.exists()
        mine = {key: row for key, row in client.trusts().items() if "postil-hook" not in row[0]}
        assert mine[before["key"]] == (before["command"], before["currentHash"], "trusted")

        assert client.postil("uninstall", "codex").returncode == 0
        assert client.trusts() == mine, "same places, same text, same trust"
