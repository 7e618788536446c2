"""Codex, Gemini CLI, Copilot CLI and opencode, each the real program in a home of its own.

The hooks are written here as the clients want them; a second hook notes which events fired.
"""

from __future__ import annotations

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from postil_hooks import spec
from support.agents import PROGRAM, PROMPT, Run, groups, hook
from support.anthropic_stub import stub
from support.model_stubs import model_stub
from support.real import codex, copilot, gemini, opencode

pytestmark = [pytest.mark.client, pytest.mark.slow]


def wire_codex(place: Run, url: str) -> None:
    folder = place.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'model = "stub-model"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n'
        "[analytics]\nenabled = false\n"
        f'[model_providers.stub]\nname = "stub"\nbase_url = "{url}/v1"\n'
        'wire_api = "responses"\nenv_key = "STUB_KEY"\nrequest_max_retries = 0\n'
        "stream_max_retries = 0\n",
        encoding="utf-8",
    )
    hooks = {"hooks": groups("codex", place.project, 10)}
    (folder / "hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
    place.command = [codex(), "exec", "--skip-git-repo-check", "-s", "workspace-write",
                     "--dangerously-bypass-hook-trust", "PROMPT"]  # fmt: skip
    place.environment = {"CODEX_HOME": str(folder), "STUB_KEY": "dummy"}


def wire_gemini(place: Run, url: str) -> None:
    folder = place.home / ".gemini"
    folder.mkdir()
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "hooks": groups("gemini", place.project, 10_000),
    }
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    place.command = ["node", gemini(), "-m", "gemini-2.5-flash", "-p", "PROMPT"]
    place.environment = {
        "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true",
    }  # fmt: skip


def test_codex(place: Run) -> None:
    with model_stub() as server:
        wire_codex(place, server.url)
        place.says(PROMPT)

        assert place.fired() == {"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}
        assert "refused by the bank" not in server.seen()
        place.command = [*place.command[:-1], "-m", "gpt-5.5", "PROMPT"]
        patch = (
            "*** Begin Patch\n*** Add File: pay.py\n+def charge():\n+    return 2\n*** End Patch\n"
        )
        place.says(f"PATCH:<<{patch}>>")
        assert place.fired() >= {"PreToolUse", "PostToolUse"}
        assert "refused by the bank" in server.seen(), "told at the file"
        assert "whole cents" in server.seen(), "the brief"
        assert "serializable isolation" in server.seen(), "the brief, or what the prompt asks for"
        assert server.seen().count("serializable isolation") == 1
    place.finds("purple walrus", "The purple walrus asks")


def test_codex_after_its_own_compaction(place: Run) -> None:
    """So small a context that the second prompt begins with a compaction."""
    with model_stub() as server:
        wire_codex(place, server.url)
        config = place.home / ".codex/config.toml"
        text = config.read_text(encoding="utf-8")
        config.write_text("model_auto_compact_token_limit = 5\n" + text, encoding="utf-8")
        place.says("The yellow otter keeps the keys of the staging cluster")
        place.command = [codex(), "exec", "resume", "--last", "--skip-git-repo-check",
                         "--dangerously-bypass-hook-trust", "PROMPT"]  # fmt: skip
        server.bodies.clear()
        place.says("And now?")

        assert "PreCompact" in place.fired()
        assert "whole cents" in json.dumps(server.bodies[-1], ensure_ascii=False), "told again"
    place.finds("yellow otter", "The yellow otter keeps the keys")


def test_gemini(place: Run) -> None:
    with model_stub() as server:
        wire_gemini(place, server.url)
        place.says(PROMPT)

        assert place.fired() >= {"SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"}
        assert "refused by the bank" not in server.seen()
        given = json.dumps({"file_path": str(place.project / "pay.py"), "content": "x = 1"})
        place.command += ["--yolo"]
        place.says(f"TOOL:write_file {given}")
        assert place.fired() >= {"BeforeTool", "AfterTool"}
        assert "refused by the bank" in server.seen(), "told at the file"
        assert "whole cents" in server.seen()
        assert "serializable isolation" in server.seen()
    place.finds("purple walrus", "The purple walrus asks")
    assert "recalled notes" not in place.postil("search", "purple walrus", "--json").replace(
        "Recalled notes", ""
    )


def test_copilot(place: Run) -> None:
    with stub() as server:
        folder = place.home / ".copilot/hooks"
        folder.mkdir(parents=True)
        events = [one for one in spec.load("copilot")["events"] if one[0].islower()]
        commands = {event: hook("copilot", event, place.project) for event in events}
        entries = {
            event: [{"type": "command", "bash": command, "timeoutSec": 10}]
            for event, command in commands.items()
        }
        text = json.dumps({"version": 1, "hooks": entries})
        (folder / "postil.json").write_text(text, encoding="utf-8")
        place.command = [copilot(), "-p", "PROMPT", "--allow-all-tools", "--trust-folder"]
        place.environment = {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_BASE_URL": server.url, "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": "claude-sonnet-4.5", "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_WIRE_MODEL": "claude-sonnet-4-5",
        }  # fmt: skip
        place.says(PROMPT)

        assert place.fired() >= {"sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd"}
        assert "refused by the bank" not in server.seen()
        given = json.dumps({"path": str(place.project / "pay.py")})
        place.says(f"TOOL:view {given}")
        assert place.fired() >= {"preToolUse", "postToolUse"}
        assert "refused by the bank" in server.seen(), "told at the file"
        assert "whole cents" in server.seen()
        assert "serializable isolation" in server.seen()
    place.finds("purple walrus", "The purple walrus asks")


def test_opencode(place: Run) -> None:
    program, beside = opencode()
    with stub() as server:
        folder = place.home / ".config/opencode"
        (folder / "plugins").mkdir(parents=True)
        (place.project / ".opencode").mkdir()
        for one in (folder, place.project / ".opencode"):
            shutil.copytree(beside, one / "node_modules")
        options = {"baseURL": f"{server.url}/v1", "apiKey": "dummy"}
        settings = {
            "provider": {"anthropic": {"options": options}},
            "model": "anthropic/claude-sonnet-4-5",
            "autoupdate": False,
        }
        (folder / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")
        source = Path(spec.FOLDER, "opencode.js").read_text(encoding="utf-8")
        command = json.dumps([sys.executable, "-I", "-S", PROGRAM])
        wired = source.replace('["{postil-hook}"]', command)
        (folder / "plugins/postil.js").write_text(wired, encoding="utf-8")
        place.command = [program, "run"]
        place.environment = {
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "npm_config_offline": "true",
        }  # fmt: skip
        place.says(PROMPT)

        assert "whole cents" in server.seen()
        assert "serializable isolation" in server.seen()
        assert "refused by the bank" not in server.seen()
        given = json.dumps({"filePath": str(place.project / "pay.py")})
        place.says(f"TOOL:read {given}")
        assert "refused by the bank" in server.seen(), "told at the file"
    place.finds("purple walrus", "The purple walrus asks")
    place.finds("stub ok", "stub: ok")


def test_two_clients_at_once_on_one_store(place: Run) -> None:
    """Codex and Gemini in one project: both are told, both are kept."""
    with model_stub() as server:
        wire_codex(place, server.url)
        first = replace(place, command=place.command, environment=place.environment)
        wire_gemini(place, server.url)
        with ThreadPoolExecutor(2) as pool:
            said = [
                pool.submit(first.says, f"{PROMPT} It is codex."),
                pool.submit(place.says, f"{PROMPT} It is gemini."),
            ]
            for one in said:
                one.result()
        log = place.home / ".local/share/postil/hooks.log"
        told = log.read_text(encoding="utf-8") if log.exists() else ""
        assert server.seen().count("serializable isolation") >= 2, told
    place.finds("purple walrus codex", "It is codex")
    place.finds("purple walrus gemini", "It is gemini")
