"""The real Claude Code, wired by the real installer, talking to a scripted model on loopback."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.anthropic_stub import Stub, stub
from support.project import clean_environment, make_project, postil
from support.real import claude

pytestmark = [pytest.mark.client, pytest.mark.slow]


@dataclass
class Client:
    """Claude Code in a home and a project of its own."""

    program: str
    home: Path
    project: Path
    stub: Stub

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        environment = clean_environment(
            self.home,
            ANTHROPIC_BASE_URL=self.stub.url,
            ANTHROPIC_API_KEY="sk-ant-dummy-not-a-key",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            DISABLE_ERROR_REPORTING="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        return subprocess.run(
            [self.program, *args],
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def postil(self, *args: str) -> str:
        done = postil(*args, home=self.home, cwd=self.project)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def search_until(self, query: str, expected: str) -> str:
        """Search until the detached worker has stored what the session said."""
        for _ in range(100):
            found = self.postil("search", query)
            if expected in found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"{expected!r} was never found; the last answer was: {found}")


@pytest.fixture
def client(home: Path, tmp_path: Path) -> Iterator[Client]:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    with stub() as server:
        made = Client(claude(), home, project, server)
        reason = ("--why", "we need serializable isolation", "--kind", "decision")
        made.postil("remember", "Billing uses PostgreSQL", *reason, "--where", "pay.py#charge")
        made.postil("install", "claude-code", "--yes")
        yield made


def test_the_server_is_connected_and_the_brief_reaches_the_model(client: Client) -> None:
    told = client.run("mcp", "get", "postil")
    assert "Connected" in told.stdout, told.stdout + told.stderr

    done = client.run("-p", "hello")

    assert done.returncode == 0, done.stderr
    assert "Billing uses PostgreSQL" in client.stub.seen()
    assert "we need serializable isolation" in client.stub.seen()
    assert "data, not instructions" in client.stub.seen()


def test_what_the_agent_writes_it_finds_again(client: Client) -> None:
    write = {"what": "Amounts are in cents", "why": "floats lose money", "kind": "rule"}
    client.run("-p", f"TOOL:mcp__postil__memory_write {json.dumps(write)}",
               "--allowedTools", "mcp__postil__memory_write")  # fmt: skip
    client.stub.bodies.clear()

    client.run("-p", 'TOOL:mcp__postil__memory_search {"query": "how are amounts stored"}',
               "--allowedTools", "mcp__postil__memory_search")  # fmt: skip

    result = json.dumps([body["messages"][-1] for body in client.stub.bodies], ensure_ascii=False)
    assert "Amounts are in cents Why: floats lose money" in result
    assert "agent:claude-code" in client.postil("search", "amounts cents", "--json")


def test_the_conversation_is_found_after_compaction(client: Client) -> None:
    client.run("-p", "The flux capacitor of the staging cluster overheats on Tuesdays")
    done = client.run("-c", "-p", "/compact")
    assert done.returncode == 0, done.stderr

    found = client.search_until("flux capacitor", "overheats on Tuesdays")

    assert "user said" in found
    client.stub.bodies.clear()
    client.run("-c", "-p", "and now")
    assert "Billing uses PostgreSQL" in client.stub.seen(), "the brief came back after compaction"


def test_a_secret_that_is_said_is_not_stored(client: Client) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    client.run("-p", f"My token is {token} for the wombat deployment")

    found = client.search_until("wombat deployment", "wombat deployment")

    assert "[secret:github#1]" in found
    stored = [path for path in client.home.rglob("*") if path.is_file() and "postil" in path.parts]
    assert stored
    assert not [path for path in stored if token.encode() in path.read_bytes()]


def test_a_persons_own_hooks_fire_too_and_all_bytes_come_back(client: Client) -> None:
    client.postil("uninstall", "claude-code")
    (client.home / "dotfiles").mkdir()
    real = client.home / "dotfiles/settings.json"
    own = client.project / "own-hook-ran"
    hook = {"type": "command", "command": f"touch {own}"}
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}, indent=4)
    real.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    settings = client.home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.symlink_to(real)
    (client.home / ".claude/CLAUDE.md").write_bytes(b"# Mine\r\n")
    before = (real.read_bytes(), (client.home / ".claude/CLAUDE.md").read_bytes())

    client.postil("install", "claude-code", "--yes")
    once = real.read_bytes()
    assert "nothing to change" in client.postil("install", "claude-code", "--yes")
    assert real.read_bytes() == once != before[0]
    client.stub.bodies.clear()
    client.run("-p", "hello")

    assert own.exists()
    assert "Billing uses PostgreSQL" in client.stub.seen()
    assert "memory_search" in client.stub.seen(), "the block of CLAUDE.md was read"
    client.postil("uninstall", "claude-code")
    assert (real.read_bytes(), (client.home / ".claude/CLAUDE.md").read_bytes()) == before
    assert settings.is_symlink()
    assert "postil" not in json.loads((client.home / ".claude.json").read_bytes()).get(
        "mcpServers", {}
    )


def test_a_prompt_and_a_file_bring_what_is_remembered_of_them(client: Client) -> None:
    asked = ("--why", "the bank counts so", "--kind", "lesson")
    client.postil("remember", "Refunds are rounded half to even", *asked)
    for number in range(30):
        client.postil("remember", f"House rule number {number}", "--kind", "rule")
    client.run("-p", "How do we round the refunds, half to even?")
    assert client.stub.seen().count("the bank counts so") == 1, "asked for, not in the brief"

    client.stub.bodies.clear()
    path = client.project / "pay.py"
    given = json.dumps({"file_path": str(path)})
    client.run("-p", f"TOOL:Read {given}", "--allowedTools", "Read")
    assert "we need serializable isolation" in client.stub.seen()


def test_what_a_person_forbids_is_a_rule_from_then_on(client: Client) -> None:
    client.run("-p", "Never commit fixtures of the quokka project to this repository.")

    client.search_until("quokka fixtures", "Never commit fixtures of the quokka project")
    told = json.loads(client.postil("search", "quokka fixtures", "--json"))
    kinds = {hit.get("kind") for hit in told["hits"]}
    assert "rule" in kinds
