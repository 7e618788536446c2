"""One process leads; hooks and the command line find it, and it ends with its process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from postil import curate
from postil.leader.endpoint import Endpoint
from postil.leader.lease import Lease
from postil.leader.work import Participant
from postil.memory.mirror.reader import Mirror
from postil.model import Actor, Kind, Memory
from postil.workspace import Workspace, open_workspace
from postil_hooks import relay, spool
from postil_hooks.paths import endpoint_path, spool_dir
from support.project import clean_environment

LEADER = """
import sys, time
from postil.leader.work import Participant
from postil.workspace import open_workspace
workspace = open_workspace(sys.argv[1])
participant = Participant(workspace)
while True:
    print("leads" if participant.leads else "waits", flush=True)
    time.sleep(0.05)
"""


def until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@pytest.fixture
def leader(workspace: Workspace) -> Iterator[Participant]:
    participant = Participant(workspace)
    until(lambda: participant.leads)
    yield participant
    participant.close()


def ask(workspace: Workspace, request: bytes) -> bytes | None:
    return relay.ask(str(workspace.root), request, 5.0)


def test_a_hook_gets_the_brief_from_the_leader(workspace: Workspace, leader: Participant) -> None:
    curate.write(workspace, Memory(id="", what="Use cents", kind=Kind.RULE))
    payload = json.dumps({"session_id": "s", "cwd": str(workspace.root)}).encode()

    answer = ask(workspace, b"hook\nclaude-code\nSessionStart\n" + payload)

    assert answer is not None
    told = json.loads(answer)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "Use cents" in told["additionalContext"]
    assert ask(workspace, b"hook\nclaude-code\nStop\n" + payload) == b""


def test_a_tool_call_is_answered_and_its_error_told(
    workspace: Workspace, leader: Participant
) -> None:
    def call(arguments: dict[str, object]) -> dict[str, dict[str, object]]:
        row = json.dumps({"tool": "memory_search", "arguments": arguments})
        answer: dict[str, dict[str, object]] = json.loads(
            ask(workspace, b"call\n" + row.encode()) or b""
        )
        return answer

    assert call({"query": "anything"})["data"]["hits"] == []
    assert call({})["error"]["exit_code"] == 2


@pytest.mark.parametrize("request_", [b"", b"nonsense", b"hook\nno-such\nX\n{}", b"call\n{"])
def test_a_bad_request_gets_no_answer_and_harms_nobody(
    workspace: Workspace, leader: Participant, request_: bytes
) -> None:
    assert ask(workspace, request_) is None
    assert ask(workspace, b"ping\n") == b"pong"


def test_the_socket_is_private_and_goes_with_the_leader(
    workspace: Workspace, leader: Participant
) -> None:
    path = Path(endpoint_path(str(workspace.root)))
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0

    leader.close()

    assert not path.exists()
    assert ask(workspace, b"ping\n") is None


def test_a_loopback_port_with_a_token_serves_where_unix_sockets_do_not(
    workspace: Workspace,
) -> None:
    Lease(workspace.root).try_acquire()
    endpoint = Endpoint(workspace.root, lambda request: request.upper(), unix=False)
    try:
        assert ask(workspace, b"hello") == b"HELLO"
        address = Path(endpoint_path(str(workspace.root)))
        assert address.stat().st_mode & 0o077 == 0
        port, token = address.read_bytes().split()
        address.write_bytes(port + b" " + token[::-1])
        assert ask(workspace, b"hello") is None
    finally:
        endpoint.close()


def test_a_big_answer_arrives_whole(workspace: Workspace) -> None:
    endpoint = Endpoint(workspace.root, lambda request: request * 50)
    try:
        assert ask(workspace, b"x" * 100_000) == b"x" * 5_000_000
    finally:
        endpoint.close()


def test_edits_reach_the_map_without_being_asked_for(
    workspace: Workspace, leader: Participant
) -> None:
    until(lambda: workspace.watched)
    (workspace.root / "new.py").write_text("def brand_new(): ...\n")
    until(lambda: workspace.index.find("brand_new"))

    (workspace.root / "deep/er").mkdir(parents=True)
    (workspace.root / "deep/er/x.py").write_text("def deeper(): ...\n")
    until(lambda: workspace.index.find("deeper"))
    (workspace.root / "deep/er/x.py").write_text("def deepest(): ...\n")
    until(lambda: workspace.index.find("deepest"))

    (workspace.root / "new.py").unlink()
    until(lambda: not workspace.index.find("brand_new"))


def test_a_folder_that_is_made_again_is_watched_again(
    workspace: Workspace, leader: Participant
) -> None:
    until(lambda: workspace.watched)
    shutil.rmtree(workspace.root / "lib")
    until(lambda: not workspace.index.find("Cart.total"))
    (workspace.root / "lib").mkdir()
    time.sleep(0.4)  # longer than a burst: the folder is empty when it is looked at
    (workspace.root / "lib/late.py").write_text("def late(): ...\n", encoding="utf-8")
    until(lambda: workspace.index.find("late"))


def test_hundreds_of_requests_keep_few_files_open(
    workspace: Workspace, leader: Participant
) -> None:
    row = b'call\n{"tool": "memory_search", "arguments": {"query": "anything"}}'
    for _ in range(20):
        assert ask(workspace, row)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(200):
        assert ask(workspace, row)

    assert len(list(Path("/proc/self/fd").iterdir())) < before + 20


def test_what_is_written_and_mapped_gets_its_vectors(
    workspace: Workspace, leader: Participant
) -> None:
    curate.write(workspace, Memory(id="", what="Use cents"))
    (workspace.root / "new.py").write_text("def brand_new(): ...\n", encoding="utf-8")
    until(lambda: workspace.index.find("brand_new"))

    until(lambda: not workspace.index.without_vector(10))
    until(lambda: workspace.store.current_fit() and not workspace.store.without_vector(10))


def test_the_leader_searches_in_memory_and_sees_what_others_write(
    workspace: Workspace, leader: Participant
) -> None:
    until(lambda: isinstance(workspace.readers.get(workspace.store.path), Mirror))
    other = open_workspace(workspace.root)
    written = curate.write(other, Memory(id="", what="The walrus sleeps")).memory
    other.close()
    arguments = {"query": "walrus", "limit": 5}
    call = json.dumps({"tool": "memory_search", "arguments": arguments}).encode()

    answer = ask(workspace, b"call\n" + call)

    assert answer is not None
    assert [hit["id"] for hit in json.loads(answer)["data"]["hits"]] == [written.id]
    leader.close()
    assert workspace.readers == {}


def test_an_answer_that_is_written_late_is_stored(
    workspace: Workspace, leader: Participant, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    said = {"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": "question"}}
    answer = {"type": "assistant", "uuid": "2", "sessionId": "s", "message": {"content": "late"}}
    transcript.write_text(json.dumps(said) + "\n", encoding="utf-8")
    payload = {"session_id": "s", "transcript_path": str(transcript)}
    payload["last_assistant_message"] = "late"
    spool.put("claude-code", "Stop", str(workspace.root), json.dumps(payload).encode())
    ask(workspace, b"drain\n")
    until(lambda: workspace.store.counts(Actor().scopes)["episode"] == 1)
    time.sleep(1.0)

    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(answer) + "\n")

    until(lambda: workspace.store.counts(Actor().scopes)["episode"] == 2)
    until(lambda: not spool.waiting())


def test_a_poisoned_event_is_set_aside_and_the_leader_lives(
    workspace: Workspace, leader: Participant, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("[" * 100_000 + "\n", encoding="utf-8")
    payload = {"session_id": "s", "transcript_path": str(transcript)}
    spool.put("claude-code", "PreCompact", str(workspace.root), json.dumps(payload).encode())
    spool.put("claude-code", "PreCompact", str(workspace.root), b"[" * 100_000)
    ask(workspace, b"drain\n")

    until(lambda: not spool.waiting())
    assert leader.leads
    assert ask(workspace, b"ping\n") == b"pong"


def test_waiting_events_are_drained(
    workspace: Workspace, leader: Participant, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    row = {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"content": "zebra crossing"}}
    transcript.write_text(json.dumps(row) + "\n")
    payload = {"session_id": "s", "transcript_path": str(transcript)}
    spool.put("claude-code", "PreCompact", str(workspace.root), json.dumps(payload).encode())
    spool.put("claude-code", "Stop", str(workspace.root), b"not json")

    assert ask(workspace, b"drain\n") == b"ok"

    until(lambda: not spool.waiting())
    until(lambda: workspace.store.counts(Actor().scopes)["episode"] == 1)
    failed = list((Path(spool_dir()) / "failed").iterdir())
    assert len(failed) == 1, "what cannot be handled is set aside, not lost"


@pytest.mark.slow
def test_when_a_leader_is_killed_the_next_one_takes_over(home: Path, project: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", LEADER, str(project)],
            env=clean_environment(home),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    states = dict.fromkeys(running, "")

    def follow(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            states[process] = line.strip()

    threads = [threading.Thread(target=follow, args=(process,)) for process in running]
    for thread in threads:
        thread.start()
    try:
        for left in (3, 2, 1):
            until(lambda: list(states.values()).count("leads") == 1)
            first = next(process for process, state in states.items() if state == "leads")
            assert relay.ask(str(project), b"ping\n", 5.0) == b"pong"
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
            del states[first]
            assert len(states) == left - 1
    finally:
        for process in running:
            process.kill()
            process.wait()
        for thread, process in zip(threads, running, strict=True):
            thread.join(5)
            assert process.stdout is not None
            process.stdout.close()


def test_two_workspaces_of_one_tree_have_one_leader(
    workspace: Workspace, leader: Participant
) -> None:
    other = open_workspace(workspace.root)
    second = Participant(other)
    try:
        time.sleep(0.7)  # longer than a beat: it had its chance
        assert leader.leads and not second.leads
        leader.close()
        until(lambda: second.leads)
    finally:
        second.close()
        other.close()


def test_what_was_missed_of_a_session_is_read_when_it_starts_again(
    workspace: Workspace, leader: Participant, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    row = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "a lost walrus"}}
    transcript.write_text(json.dumps(row) + "\n")
    payload = {"session_id": "s", "source": "resume", "transcript_path": str(transcript)}

    ask(workspace, b"hook\nclaude-code\nSessionStart\n" + json.dumps(payload).encode())

    until(lambda: workspace.store.last_turn("s", "user"))
