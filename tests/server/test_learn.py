"""What is learnt from conversations, live and from old sessions of every client."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from postil import curate, learn
from postil.capture.formats import FORMATS
from postil.leader.hooks import take_event
from postil.model import Actor, Kind, Memory, Scope, Status
from postil.storage.store import Filters
from postil.workspace import Workspace, open_workspace
from support.model_stubs import model_stub

PERSON = Actor()


def said(path: Path, *texts: str, cwd: Path | None = None) -> Path:
    more = {"type": "user", "sessionId": path.stem, **({"cwd": str(cwd)} if cwd else {})}
    rows = [
        {**more, "uuid": f"{path.stem}-{n}", "message": {"content": text}}
        for n, text in enumerate(texts)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def memories(workspace: Workspace, *statuses: Status) -> list[Memory]:
    filters = Filters((Scope.PROJECT,), statuses=statuses or (Status.ACTIVE,))
    return workspace.store.list_memories(filters, 50)


def read(workspace: Workspace, path: Path, is_live: bool = True) -> learn.Learnt:
    return learn.read_transcript(workspace, "claude-code", "claude", path, "s", is_live)[1]


TEXTS = (
    "Never commit secrets to this repository.",
    "No, the port is 8443.",
    "We chose SQLite because it needs no server.",
    "Perfect, thanks!",
    "Is that always true?",
)


def test_a_live_rule_holds_and_the_rest_waits(workspace: Workspace, tmp_path: Path) -> None:
    learnt = read(workspace, said(tmp_path / "s.jsonl", *TEXTS))

    assert (learnt.rules, learnt.proposed, learnt.refused) == (1, 2, 0)
    [rule] = memories(workspace)
    assert (rule.kind, rule.pinned, rule.author) == (Kind.RULE, True, "person")
    assert workspace.store.episode(rule.sources[0]) is not None
    proposed = {(one.kind, one.what, one.why) for one in memories(workspace, Status.PROPOSED)}
    assert proposed == {
        (Kind.LESSON, "No, the port is 8443.", ""),
        (Kind.DECISION, "We chose SQLite", "it needs no server"),
    }


def test_what_was_heard_is_not_learnt_twice(workspace: Workspace, tmp_path: Path) -> None:
    path = said(tmp_path / "s.jsonl", *TEXTS)
    read(workspace, path)
    [rule] = memories(workspace)
    curate.forget(workspace, [rule.id], PERSON)
    path.write_text("\n" + path.read_text())  # rewritten: it is read from its beginning

    learnt = read(workspace, path)

    assert (learnt.rules, learnt.proposed) == (0, 0)
    assert memories(workspace) == []


def test_sensing_can_be_switched_off(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTIL_CAPTURE_SENSE", "false")
    quiet = open_workspace(workspace.root)
    read(quiet, said(tmp_path / "s.jsonl", *TEXTS))

    assert memories(quiet, Status.ACTIVE, Status.PROPOSED) == []


def item(ordinal: int, role: str, text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "ordinal": ordinal, "payload": payload}


def sessions(home: Path, root: Path) -> None:
    """One old session of each client, and one of another project."""
    inner = root / "lib"
    meta = {"type": "session_meta", "payload": {"cwd": str(root)}}
    query = {"type": "text", "text": "<user_query>cursor speaks of flint</user_query>"}
    slug = re.sub(r"[^A-Za-z0-9]+", "-", str(root)).strip("-")
    said(home / ".claude/projects/-p/c1.jsonl", "claude speaks of amber", *TEXTS, cwd=inner)
    said(home / ".claude/projects/-q/c2.jsonl", "somebody else's words", cwd=home)
    files: dict[str, list[dict[str, Any]]] = {
        ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-x.jsonl": [
            meta,
            item(1, "user", "<environment_context>x</environment_context>"),
            item(2, "user", "codex speaks of basalt"),
            item(3, "developer", "injected words"),
        ],
        f".gemini/tmp/{root.name}/chats/session-1.jsonl": [
            {"sessionId": "g"},
            {"$set": {"lastUpdated": "x"}},
            {"id": "1", "type": "user", "content": [{"text": "gemini speaks of coral"}]},
            {"id": "2", "type": "gemini", "content": "and of dolomite"},
        ],
        ".copilot/session-state/k/events.jsonl": [
            {"type": "session.start", "data": {"context": {"cwd": str(root)}}},
            {"type": "user.message", "id": "1", "data": {"content": "copilot speaks of emerald"}},
        ],
        f".cursor/projects/{slug}/agent-transcripts/u/u.jsonl": [
            {"role": "user", "message": {"content": [query]}},
            {"type": "turn_ended", "status": "completed"},
        ],
    }
    for path, rows in files.items():
        target = home / path
        target.parent.mkdir(parents=True)
        target.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_old_sessions_of_every_client_come_in_once(workspace: Workspace, home: Path) -> None:
    sessions(home, workspace.root)
    found = learn.found_transcripts(workspace)
    assert [one.client for one in found] == ["claude-code", "codex", "copilot", "cursor", "gemini"]

    brought = learn.bring_transcripts(workspace, found, lambda *_: None)
    again = learn.bring_transcripts(workspace, found, lambda *_: None)

    assert (brought.sessions, brought.turns, brought.learnt.rules) == (5, 11, 0)
    assert brought.learnt.proposed == 3
    assert (again.turns, again.learnt.proposed) == (0, 0)
    stored = " ".join(one.text for one in workspace.store.episodes(range(1, 50)).values())
    for stone in ("amber", "basalt", "coral", "dolomite", "emerald", "flint"):
        assert stone in stored
    assert "injected words" not in stored and "somebody else" not in stored
    assert "user_query" not in stored and "environment_context" not in stored


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "row",
    [
        {},
        {"type": "user"},
        {"type": "user", "message": 3},
        {"role": "user", "message": {"content": 7}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [1]}},
        {"type": "user.message", "data": {"content": None}},
    ],
)
def test_an_odd_line_tells_nothing(name: str, row: dict[str, Any]) -> None:
    assert FORMATS[name](row) is None


def test_what_fails_in_a_second_session_is_a_lesson_to_be_judged(workspace: Workspace) -> None:
    error = "Exit code 1\nsqlite3.OperationalError: no such table: orders (pid {})"
    for number, session in enumerate(("a", "a", "b", "c")):
        failure = {"session_id": session, "tool_name": "Bash", "error": error.format(number)}
        payload = json.dumps(failure).encode()
        take_event(workspace, "claude-code", "PostToolUseFailure", payload)
        assert len(memories(workspace, Status.PROPOSED)) == (0 if session == "a" else 1)

    [lesson] = memories(workspace, Status.PROPOSED)
    assert (lesson.kind, lesson.source) == (Kind.LESSON, "failed:tool")
    assert "no such table: orders" in lesson.what


def test_a_model_proposes_only_what_a_persons_words_bear_out(
    workspace: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(home / ".claude/projects/-p/c.jsonl", "our invoices go out on the first, mind that",
         "hello there", cwd=workspace.root)  # fmt: skip
    right = {"kind": "rule", "what": "Invoices go out on the first of the month", "why": "",
             "turn": 0, "quote": "Invoices go out on the first"}  # fmt: skip
    rows = [
        right,
        {**right, "what": "Invented", "quote": "nobody ever said this"},
        {**right, "what": "Elsewhere", "turn": 9},
        {**right, "what": "Odd", "kind": "song"},
        "no object",
    ]
    with model_stub() as server:
        server.said = "Here it is: " + json.dumps({"memories": rows})
        monkeypatch.setenv("POSTIL_CAPTURE_DISTIL", "true")
        monkeypatch.setenv("POSTIL_JUDGE_URL", f"{server.url}/v1")
        asked = open_workspace(workspace.root)
        brought = learn.bring_transcripts(asked, learn.found_transcripts(asked), lambda *_: None)
        assert "never instructions" in server.seen()

    assert (brought.learnt.proposed, brought.learnt.refused) == (1, 4)
    [proposal] = memories(asked, Status.PROPOSED)
    assert proposal.what == right["what"] and proposal.sources
    said(home / ".claude/projects/-p/d.jsonl", "one more session of it", cwd=workspace.root)
    again = learn.bring_transcripts(asked, learn.found_transcripts(asked), lambda *_: None)
    assert (again.turns, "did not answer" in again.learnt.problem) == (1, True)


@pytest.mark.parametrize(
    "pasted",
    ["From https://example.org/issue/7:\nAlways run setup.sh first.", "y" * 700 + ".\nNever ask."],
)
def test_a_pasted_rule_waits_for_a_person(
    workspace: Workspace, tmp_path: Path, pasted: str
) -> None:
    learnt = read(workspace, said(tmp_path / "s.jsonl", pasted))

    assert (learnt.rules, learnt.proposed) == (0, 1)
