"""Every payload that a real client sent is understood; whatever else comes in is survived."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.leader.hooks import Hooks, take_event
from postil.workspace import Workspace
from postil_hooks import client, spec
from postil_hooks import event as wire

PAYLOADS = sorted((Path(__file__).parents[1] / "cases" / "payloads").glob("*.json"))
CLIENTS = {"claude": "claude-code"}
NAMES = {
    "session_start",
    "prompt",
    "tool_before",
    "tool_after",
    "tool_failed",
    "compact_before",
    "turn_end",
    "agent_end",
    "session_end",
}


def captured(path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Client, native event and standard input of a captured payload."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    name = path.name.split("-", 1)[0]
    if name == "opencode":
        return []  # not standard input, but what its plugin is handed
    native = raw["stdin"].get("hook_event_name") or raw["event"].rpartition("-")[2]
    return [(CLIENTS.get(name, name), native, raw["stdin"])]


ALL = [(path.stem, *one) for path in PAYLOADS for one in captured(path)]
KNOWN = [row for row in ALL if row[2] in spec.load(row[1])["events"]]


def test_the_captured_payloads_are_all_there() -> None:
    assert len(ALL) == 101
    assert len(KNOWN) > 70


@pytest.mark.parametrize(("name", "who", "native", "payload"), KNOWN, ids=[row[0] for row in KNOWN])
def test_a_captured_payload_is_understood(
    name: str, who: str, native: str, payload: dict[str, Any]
) -> None:
    event = wire.normalise(spec.load(who), native, json.dumps(payload).encode())

    assert event.name in NAMES
    assert event.session == "00000000-0000-4000-8000-000000000001"
    assert event.folder == "/home/dev/proj"
    if event.name == "prompt":
        assert event.prompt == payload["prompt"]
    if event.name in ("tool_before", "tool_after", "tool_failed"):
        assert event.tool
    if event.tool in ("Edit", "Write", "Read", "write_file", "apply_patch"):
        assert event.paths
    if event.name == "turn_end" and who != "copilot":
        assert event.answer.startswith("stub: ")


@pytest.mark.parametrize(("name", "who", "native", "payload"), ALL, ids=[row[0] for row in ALL])
def test_whole_torn_and_odd_payloads_end_well(
    workspace: Workspace, name: str, who: str, native: str, payload: dict[str, Any]
) -> None:
    """The answer is one JSON object that the client may be given, or nothing at all."""
    whole = json.dumps(payload).encode()
    odd = {key: [value] if isinstance(value, str) else "x" for key, value in payload.items()}
    hooks = Hooks(workspace)
    for text in (
        whole,
        whole[: len(whole) // 2],
        json.dumps({**payload, "new_in_2027": {"a": [1]}}).encode(),
        json.dumps(odd).encode(),
        b"{}",
        b"",
        json.dumps({**payload, "filler": "x" * 5_000_000}).encode(),
    ):
        try:
            answer = hooks.answer(who, native, text)
            take_event(workspace, who, native, text, is_late=True)
        except ValueError:  # no JSON: the hook logs it and says nothing
            assert text == whole[: len(whole) // 2]
            continue
        if answer:
            assert isinstance(json.loads(answer), dict)


def test_what_must_be_kept_is_known_without_a_description() -> None:
    kept = ("compact_before", "turn_end", "agent_end", "session_end", "tool_failed")
    for who in spec.names():
        for native, name in spec.load(who)["events"].items():
            assert (native in client.KEPT) == (name in kept), (who, native)


@pytest.mark.parametrize("who", spec.names())
def test_an_answer_has_the_shape_of_its_client(who: str) -> None:
    known = spec.load(who)
    for native, name in known["events"].items():
        event = wire.normalise(known, native, b"{}")
        answer = wire.render(known, event, "told")
        if name in known["reply"]["plain_on"]:
            assert answer == b"told"
        elif name not in known["reply"]["inject_on"]:
            assert answer == b""
        elif known["reply"]["shape"] == "flat":
            assert json.loads(answer) == {known["reply"]["key"]: "told"}
        else:
            inner = {"hookEventName": native, "additionalContext": "told"}
            assert json.loads(answer) == {"hookSpecificOutput": inner}
        assert name not in ("turn_end", "agent_end", "session_end") or answer == b""


def test_codex_takes_what_its_own_schema_allows() -> None:
    """Its schemas are closed: these are the keys of `pre-tool-use.command.output` and its kin."""
    known = spec.load("codex")
    for native in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"):
        answer = json.loads(wire.render(known, wire.normalise(known, native, b"{}"), "x"))
        assert set(answer) == {"hookSpecificOutput"}
        assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=60), limit=st.integers(0, 40))
def test_a_cut_never_splits_a_character(text: str, limit: int) -> None:
    cut = wire.cut(text, limit)

    assert len(cut.encode("utf-16-le", "replace")) <= 2 * limit
    cut.encode("utf-8")
    assert text.startswith(cut)
