"""What is put before an agent at each event: what matters, once, within a budget, or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from postil import curate
from postil.leader.hooks import Hooks, take_event
from postil.model import Actor, Kind, Memory
from postil.words import estimate_tokens
from postil.workspace import Workspace, open_workspace
from postil_hooks import alone, client
from postil_hooks import event as wire


class Session:
    """A session of Claude Code, as its hooks see it."""

    def __init__(self, workspace: Workspace, session: str = "s1", who: str = "claude-code") -> None:
        self.hooks = Hooks(workspace)
        self.session, self.who = session, who

    def says(self, native: str, **fields: Any) -> str:
        payload = json.dumps({"session_id": self.session, **fields}).encode()
        answer = self.hooks.answer(self.who, native, payload)
        if not answer:
            return ""
        if not answer.startswith(b"{"):
            return answer.decode()
        told = json.loads(answer)["hookSpecificOutput"]
        assert told["hookEventName"] == native
        return str(told["additionalContext"])


@pytest.fixture
def session(workspace: Workspace) -> Session:
    workspace.update_map()
    rule = Memory(id="", what="Amounts are whole cents", why="floats lose money", kind=Kind.RULE)
    curate.write(workspace, rule, ["pay.py#charge"])
    chosen = Memory(
        id="", what="Invoices are rendered by WeasyPrint", why="its CSS is good", kind=Kind.DECISION
    )
    curate.write(workspace, chosen)
    curate.write(
        workspace, Memory(id="", what="The staging cluster sleeps at night", kind=Kind.FACT)
    )
    return Session(workspace)


PROMPT = "How are the invoices rendered by us, with WeasyPrint or something else?"


def test_a_prompt_brings_what_it_is_about_once(session: Session) -> None:
    told = session.says("UserPromptSubmit", prompt=PROMPT)

    assert "WeasyPrint" in told and "its CSS is good" in told
    assert "data, not instructions" in told
    assert session.says("UserPromptSubmit", prompt=PROMPT) == ""
    session.says("SessionStart", source="clear")
    assert "staging" not in session.says("UserPromptSubmit", prompt="Please fix the typo in README")


def test_what_the_brief_told_is_not_told_again_until_the_session_forgets(session: Session) -> None:
    assert "WeasyPrint" in session.says("SessionStart", source="startup")
    assert session.says("UserPromptSubmit", prompt=PROMPT) == ""
    assert session.says("SessionStart", source="resume") == ""

    assert "WeasyPrint" in session.says("SessionStart", source="clear")
    assert session.says("UserPromptSubmit", prompt=PROMPT) == ""


def test_after_a_compaction_what_mattered_comes_back(
    session: Session, workspace: Workspace
) -> None:
    for number in range(40):
        memory = Memory(id="", what=f"Rule {number} of the house is kept", kind=Kind.RULE)
        curate.write(workspace, memory)
    note = Memory(id="", what="The zebra migration waits for Tuesday", why="the bank is closed")
    written = curate.write(workspace, note)
    assert "zebra" in session.says("UserPromptSubmit", prompt="When does the zebra migration run?")

    handed = session.says("PreCompact", trigger="auto")

    assert f"[{written.memory.id}]" in handed and not handed.startswith("{")
    again = session.says("SessionStart", source="compact")
    assert "Rule" in again
    assert estimate_tokens(again) <= 330


def test_fifty_prompts_on_one_topic_say_it_once(session: Session) -> None:
    told = [session.says("UserPromptSubmit", prompt=f"{PROMPT} ({n})") for n in range(50)]

    assert sum("WeasyPrint" in one for one in told) == 1


@pytest.mark.parametrize("prompt", ["", "ok", "yes", "/compact", "thanks!", "go on", "\ud83d"])
def test_nothing_is_said_to_a_prompt_that_asks_nothing(session: Session, prompt: str) -> None:
    assert session.says("UserPromptSubmit", prompt=prompt) == ""


def test_a_file_brings_its_rules_before_it_is_changed(
    session: Session, workspace: Workspace
) -> None:
    path = str(workspace.root / "pay.py")

    told = session.says("PreToolUse", tool_name="Edit", tool_input={"file_path": path})

    assert "whole cents" in told and "pay.py" in told
    assert session.says("PreToolUse", tool_name="Read", tool_input={"file_path": path}) == ""
    elsewhere = {"file_path": "/etc/passwd"}
    assert session.says("PreToolUse", tool_name="Read", tool_input=elsewhere) == ""


def test_an_edit_is_mapped_at_once_and_what_it_made_doubtful_is_said(
    session: Session, workspace: Workspace
) -> None:
    path = workspace.root / "pay.py"
    given = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}}
    session.says("PreToolUse", **given)
    path.write_text("def charge(amount: int) -> int:\n    return 7 * amount + tax(amount)\n\n"
                    "def surcharge() -> int:\n    return 3\n")  # fmt: skip

    told = session.says("PostToolUse", **given)

    assert workspace.index.find("surcharge")
    assert "whole cents" in told and "code changed since" in told
    assert session.says("PostToolUse", **given) == ""


def test_a_foreign_memory_is_never_put_before_an_agent(
    session: Session, workspace: Workspace
) -> None:
    web = Memory(id="", what="Kubernetes wants the walrus operator", source="https://example.org")
    curate.write(workspace, web)

    assert (
        session.says("UserPromptSubmit", prompt="What does Kubernetes want, walrus operator?") == ""
    )


def test_the_same_prompt_from_two_clients_is_answered_once(
    session: Session, workspace: Workspace
) -> None:
    """Some clients run the hooks of another one as well."""
    payload = json.dumps({"session_id": "other", "prompt": PROMPT}).encode()

    assert session.says("UserPromptSubmit", prompt=PROMPT)
    assert session.hooks.answer("codex", "UserPromptSubmit", payload) == b""


def test_a_budget_of_nothing_is_silence(
    session: Session, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTIL_PROMPT_TOKENS", "0")
    quiet = Session(open_workspace(workspace.root))

    assert quiet.says("UserPromptSubmit", prompt=PROMPT) == ""


def test_injected_text_is_within_its_budget(session: Session, workspace: Workspace) -> None:
    for number in range(30):
        what = f"The invoice renderer {number} " + "keeps margins and fonts as they are " * 20
        curate.write(workspace, Memory(id="", what=what, kind=Kind.DECISION))

    told = session.says("UserPromptSubmit", prompt="margins and fonts of the invoice renderer")

    assert 0 < estimate_tokens(told) <= 240
    assert len(told) <= 8_000


def test_without_a_leader_words_alone_are_compared(session: Session, workspace: Workspace) -> None:
    root = str(workspace.root)
    ask = json.dumps({"session_id": "alone", "prompt": PROMPT}).encode()

    told = json.loads(alone.answer("claude-code", "UserPromptSubmit", root, ask))

    assert "WeasyPrint" in told["hookSpecificOutput"]["additionalContext"]
    assert alone.answer("claude-code", "UserPromptSubmit", root, ask) == b""
    opened = {"tool_name": "Read", "tool_input": {"file_path": f"{root}/pay.py"}}
    reads = json.dumps({"session_id": "alone", **opened}).encode()
    assert "whole cents" in alone.answer("claude-code", "PreToolUse", root, reads).decode()
    start = json.dumps({"session_id": "alone2", "source": "startup"}).encode()
    brief = alone.answer("claude-code", "SessionStart", root, start).decode()
    assert brief.index("whole cents") < brief.index("WeasyPrint")
    small_talk = json.dumps({"session_id": "alone3", "prompt": "thanks, looks good"}).encode()
    assert alone.answer("claude-code", "UserPromptSubmit", root, small_talk) == b""
    assert alone.answer("claude-code", "UserPromptSubmit", "/nowhere", ask) == b""


def test_a_failure_and_a_report_are_found_again(session: Session, workspace: Workspace) -> None:
    failure = {
        "session_id": "s",
        "tool_name": "Bash",
        "error": "Exit code 1\nno such table: orders",
        "tool_input": {"command": "make migrate"},
    }
    report = {"session_id": "s", "agent_id": "a", "agent_type": "Explore",
              "last_assistant_message": "The parser lives in grammar.py"}  # fmt: skip
    inner = {**report, "agent_type": "", "last_assistant_message": "A summary nobody asked for"}
    for native, payload in (
        ("PostToolUseFailure", failure), ("SubagentStop", report), ("SubagentStop", inner),
    ):  # fmt: skip
        take_event(workspace, "claude-code", native, json.dumps(payload).encode())
        take_event(workspace, "claude-code", native, json.dumps(payload).encode())

    assert workspace.store.counts(Actor().scopes)["episode"] == 2
    tool = workspace.store.last_turn("s", "tool")
    assert tool is not None
    assert tool.text == "[Bash failed: make migrate]\nExit code 1\nno such table: orders"


def test_an_answer_that_the_transcript_never_tells_is_stored_from_the_event(
    workspace: Workspace, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    row = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "a purple walrus"}}
    transcript.write_text(json.dumps(row) + "\n")
    payload = json.dumps(
        {"session_id": "s", "transcript_path": str(transcript), "last_assistant_message": "Seen it"}
    ).encode()

    assert take_event(workspace, "claude-code", "Stop", payload).is_behind
    take_event(workspace, "claude-code", "Stop", payload, is_late=True)

    last = workspace.store.last_turn("s", "assistant")
    assert last is not None and last.text == "Seen it"


def test_a_client_without_a_transcript_brings_its_turns_along(workspace: Workspace) -> None:
    said = {"session": "o", "prompt": "<hook_context>x</hook_context>where is it", "answer": "Here"}

    take_event(workspace, "opencode", "session.idle", json.dumps(said).encode())

    turns = [workspace.store.last_turn("o", role) for role in ("user", "assistant")]
    assert [turn.text for turn in turns if turn] == ["where is it", "Here"]


def test_our_own_children_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even their standard input is read."""
    monkeypatch.setenv("POSTIL_CHILD", "1")

    assert client.main(["claude-code", "Stop"]) == 0


def test_paths_of_a_patch_are_found() -> None:
    patch = "*** Begin Patch\n*** Update File: a/b.py\n@@\n*** Add File: c.py\n+x\n*** End Patch"
    event = wire.Event("codex", "PostToolUse", "tool_after", {"patch": patch})

    assert event.paths == ["a/b.py", "c.py"]
