"""Every client that runs here, wired by `postil install` alone, and taken out again.

What it says of its servers before, between and after; that hooks fire, the person's own too.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.agents import PROMPT
from support.anthropic_stub import Stub, stub
from support.model_stubs import model_stub
from support.project import POSTIL, clean_environment, make_project
from support.real import claude, codex, copilot, gemini, opencode

pytestmark = [pytest.mark.client, pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass
class Client:
    """A client in a home and a project of its own."""

    name: str
    listing: list[str]
    prompt: list[str]
    home: Path
    project: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, command: list[str], said: str = "") -> str:
        done = subprocess.run(
            [one.replace("PROMPT", said) for one in command],
            cwd=self.project,
            env=clean_environment(self.home, **self.environment),
            input="" if "PROMPT" in command else said,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout + done.stderr

    def postil(self, *args: str) -> str:
        folder = {"CODEX_HOME": str(self.home / ".codex")} if self.name == "codex" else {}
        done = subprocess.run(
            [POSTIL, *args],
            cwd=self.project,
            env=clean_environment(self.home, **folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        return done.stdout.decode()

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in self.home.rglob("*")
            if path.is_file() and "postil" not in path.parts and "node_modules" not in path.parts
        }


def the_claude(home: Path, project: Path, server: Stub) -> Client:
    _write(home / ".claude/settings.json", {"hooks": {"SessionStart": [_own(project)]}})
    return Client(
        "claude-code",
        [claude(), "mcp", "list"],
        [claude(), "-p", "PROMPT"],
        home,
        project,
        {
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-ant-dummy-not-a-key",
            "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )  # fmt: skip


def the_codex(home: Path, project: Path, server: Stub) -> Client:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(
        'model = "stub-model"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n\n'
        "[analytics]\nenabled = false # mine\n\n"
        f'[model_providers.stub]\nname = "stub"\nbase_url = "{server.url}/v1"\n'
        'wire_api = "responses"\nenv_key = "STUB_KEY"\nrequest_max_retries = 0\n'
        "stream_max_retries = 0",
        encoding="utf-8",
    )
    _write(home / ".codex/hooks.json", {"hooks": {"SessionStart": [_own(project)]}})
    return Client(
        "codex",
        [codex(), "mcp", "list"],
        [codex(), "exec", "--skip-git-repo-check", "-s", "workspace-write",
         "--dangerously-bypass-hook-trust", "PROMPT"],
        home,
        project,
        {"CODEX_HOME": str(home / ".codex"), "STUB_KEY": "dummy"},
    )  # fmt: skip


def the_gemini(home: Path, project: Path, server: Stub) -> Client:
    own = {"hooks": [{**_own(project)["hooks"][0], "timeout": 5000}]}
    auth = {"auth": {"selectedType": "gemini-api-key"}}
    _write(home / ".gemini/settings.json", {"security": auth, "hooks": {"SessionStart": [own]}})
    return Client(
        "gemini",
        ["node", gemini(), "mcp", "list"],
        ["node", gemini(), "-m", "gemini-2.5-flash", "-p", "PROMPT"],
        home,
        project,
        {
            "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": server.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true",
        },
    )  # fmt: skip


def the_copilot(home: Path, project: Path, server: Stub) -> Client:
    own = {"type": "command", "bash": f"touch {project.parent / 'own'}", "timeoutSec": 5}
    _write(home / ".copilot/hooks/mine.json", {"version": 1, "hooks": {"sessionStart": [own]}})
    return Client(
        "copilot",
        [copilot(), "mcp", "list"],
        [copilot(), "-p", "PROMPT", "--allow-all-tools", "--trust-folder"],
        home,
        project,
        {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_BASE_URL": server.url, "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": "claude-sonnet-4.5", "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_WIRE_MODEL": "claude-sonnet-4-5",
        },
    )  # fmt: skip


def the_opencode(home: Path, project: Path, server: Stub) -> Client:
    program, beside = opencode()
    folder = home / ".config/opencode"
    (folder / "plugins").mkdir(parents=True)
    (project / ".opencode").mkdir()
    for one in (folder, project / ".opencode"):
        shutil.copytree(beside, one / "node_modules")
    own = f"""import fs from "node:fs"
export const Mine = async () => {{ fs.writeFileSync("{project.parent / "own"}", ""); return {{}} }}
"""
    (folder / "plugins/mine.js").write_text(own, encoding="utf-8")
    options = {"baseURL": f"{server.url}/v1", "apiKey": "dummy"}
    text = json.dumps(
        {
            "provider": {"anthropic": {"options": options}},
            "model": "anthropic/claude-sonnet-4-5",
            "autoupdate": False,
        },
        indent=1,
    )
    (folder / "opencode.jsonc").write_text(f"// mine\n{text[:-2]},\n}}\n", encoding="utf-8")
    return Client(
        "opencode",
        [program, "mcp", "list"],
        [program, "run"],
        home,
        project,
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "npm_config_offline": "true",
        },
    )  # fmt: skip


def _own(project: Path) -> dict[str, list[dict[str, object]]]:
    command = f"touch {project.parent / 'own'}"
    return {"hooks": [{"type": "command", "command": command, "timeout": 5}]}


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=3), encoding="utf-8")


CLIENTS: tuple[Callable[[Path, Path, Stub], Client], ...] = (
    the_claude,
    the_codex,
    the_gemini,
    the_copilot,
    the_opencode,
)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Stub]:
    makes = model_stub if request.param in ("codex", "gemini") else stub
    with makes() as made:
        yield made


@pytest.mark.parametrize(
    ("make", "server"),
    [(make, make.__name__.removeprefix("the_")) for make in CLIENTS],
    indirect=["server"],
    ids=[make.__name__ for make in CLIENTS],
)
def test_wired_and_taken_out(
    make: Callable[[Path, Path, Stub], Client], server: Stub, home: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    client = make(home, project, server)
    why = ("--why", "we need serializable isolation", "--kind", "decision")
    client.postil("remember", "Billing uses the PostgreSQL database", *why)
    assert "postil" not in client.run(client.listing)
    before = client.files()

    client.postil("install", client.name, "--yes")
    assert "nothing to change" in client.postil("install", client.name, "--yes")
    listed = client.run(client.listing)
    print(f"\n{client.name}: {[line for line in listed.splitlines() if 'postil' in line]}")
    assert "postil" in listed
    if client.name not in ("codex", "copilot"):  # these two do not start a server to list it
        assert "onnected" in listed
    installed = client.files()
    client.run(client.prompt, PROMPT)

    assert "serializable isolation" in server.seen(), "our hooks fired"
    assert (project.parent / "own").exists(), "the person's own hook fired"
    assert "last event just now" in client.postil("status", client.name)
    state = {name: text for name, text in client.files().items() if name in installed}
    written = {name for name in installed if before.get(name) != installed[name]}
    kept = {name: text for name, text in before.items() if name in written or name in state}
    client.postil("uninstall", client.name)

    assert "postil" not in client.run(client.listing)
    after = client.files()
    for name in written & set(kept):
        # What the client itself rewrote meanwhile is its own; nothing of ours is in it.
        assert after[name] == kept[name] or state[name] != installed[name], name
        assert b"postil-hook" not in after[name]
    ours = [name for name in written - set(kept) if not name.startswith(".cache")]
    assert not [name for name in ours if name in after and b"postil" in after[name]]
