"""VS Code's own agent loop, signed out, with a scripted model; the hooks run for real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from postil_hooks import spec
from support.agents import PROMPT, Run, groups, hook
from support.project import BIN, POSTIL
from support.real import extension
from support.vscode import AGENT, run_scenario, scripted_model

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.timeout(300)]


def _conversation(place: Run, box: Path, extensions: list[Path]) -> list[dict[str, Any]]:
    """What the model was asked when a person says something and it reads a file.

    It was told each text once.
    """
    box.mkdir()
    log = box / "model.jsonl"
    read = {"filePath": str(place.project / "pay.py"), "startLine": 1, "endLine": 2}
    run_scenario(
        Path(__file__).with_name("vscode_chat.mjs"),
        box,
        place.home,
        place.project,
        [*extensions, scripted_model(box)],
        {**AGENT, "chat.useClaudeHooks": True},
        {"postil.server.command": POSTIL},
        SCRIPTED_MODEL_LOG=str(log),
        PROMPTS=json.dumps([PROMPT, f"TOOL:read_file {json.dumps(read)}"]),
    )
    asked = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert asked[0]["text"].count("whole cents") == 1, "the brief"
    assert asked[0]["text"].count("serializable isolation") == 1
    assert asked[-1]["text"].count("refused by the bank") == 1, "told at the file"
    return asked


def test_the_hooks_of_two_clients_count_as_one(place: Run, tmp_path: Path) -> None:
    """VS Code runs both the hooks of Copilot CLI and those of Claude Code."""
    (place.home / ".copilot/hooks").mkdir(parents=True)
    camel = [one for one in spec.load("copilot")["events"] if one[0].islower()]
    entries = {
        event: [{"type": "command", "bash": hook("copilot", event, place.project)}]
        for event in camel
    }
    text = json.dumps({"version": 1, "hooks": entries})
    (place.home / ".copilot/hooks/postil.json").write_text(text, encoding="utf-8")
    (place.project / ".claude").mkdir()
    theirs = json.dumps({"hooks": groups("claude-code", place.project, 10)})
    (place.project / ".claude/settings.json").write_text(theirs, encoding="utf-8")
    asked = _conversation(place, tmp_path / "box", [])

    both = {"sessionStart", "SessionStart", "userPromptSubmitted", "UserPromptSubmit"}
    both |= {"preToolUse", "PreToolUse", "postToolUse", "PostToolUse", "agentStop", "Stop"}
    assert place.fired() >= both
    assert "refused by the bank" not in asked[0]["text"]
    place.finds("purple walrus", "The purple walrus asks")
    place.finds("stub ok", "stub: ok")


def test_what_is_installed_beside_the_extension(place: Run, tmp_path: Path) -> None:
    """The hooks of both installers and the extension together: each text and each tool once."""
    place.postil("install", "vscode", "--yes")
    place.postil("install", "vscode", "--scope", "workspace", "--yes")
    place.postil("install", "claude-code", "--scope", "project", "--yes")
    asked = _conversation(place, tmp_path / "box", [extension()])

    for one in asked:
        # The file of the workspace waits for a person to start it, so the extension's is not there.
        assert len([name for name in one["tools"] if "memory_search" in name]) <= 1
    # Whichever file named the hook, it is VS Code's event.
    assert "last event" in place.postil("status", "vscode")


def test_what_is_installed_is_listed_and_starts(place: Run, tmp_path: Path) -> None:
    """INS-14, with the real editor: the file of the project, written by the installer."""
    # The editor asks the login shell for the path, where a person's tools are on it.
    profile = f'export PATH="{BIN}:$PATH"\n'
    for name in (".profile", ".bash_profile", ".bashrc"):
        (place.home / name).write_text(profile, encoding="utf-8")
    place.postil("install", "vscode", "--scope", "workspace", "--yes")
    box = tmp_path / "box"
    box.mkdir()

    run_scenario(
        Path(__file__).with_name("vscode_servers.mjs"),
        box,
        place.home,
        place.project,
        settings=AGENT,
    )
