"""The plugin of Claude Code: valid, installed from its marketplace, and at work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.anthropic_stub import stub
from support.project import clean_environment, make_project, postil
from support.real import claude

pytestmark = [pytest.mark.client, pytest.mark.slow]
ROOT = Path(__file__).parents[2]


def test_the_plugin_works_and_doctor_tells_of_a_double(home: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    why = ("--why", "we need serializable isolation", "--kind", "decision")
    postil("remember", "Billing uses PostgreSQL", *why, home=home, cwd=project)

    with stub() as server:
        environment = clean_environment(
            home,
            ANTHROPIC_BASE_URL=server.url,
            ANTHROPIC_API_KEY="sk-ant-dummy-not-a-key",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            DISABLE_ERROR_REPORTING="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

        def run(*words: str) -> str:
            done = subprocess.run(
                [claude(), *words], cwd=project, env=environment, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout + done.stderr

        for place in (ROOT, ROOT / "plugins/postil", ROOT / "plugins/postil-lsp"):
            assert "Validation passed" in run("plugin", "validate", "--strict", str(place))
        run("plugin", "marketplace", "add", str(ROOT))
        run("plugin", "install", "postil@postil")
        assert "onnected" in run("mcp", "list")

        run("-p", "hello")
        assert server.seen().count("serializable isolation") == 1

        assert postil("install", "claude-code", "--yes", home=home, cwd=project).returncode == 0
        told = postil("doctor", home=home, cwd=project)
        assert told.returncode == 1 and b"twice" in told.stdout
        server.bodies.clear()
        run("-p", "hello again")
        assert server.seen().count("serializable isolation") == 1, "UNI-02: told once all the same"

        run("plugin", "uninstall", "postil@postil")
        assert b"twice" not in postil("doctor", home=home, cwd=project).stdout
