"""The hook client: standard library only, always exit 0, silent, and nothing is lost."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import postil_hooks
from postil import curate
from postil.leader.work import Participant
from postil.model import Actor, Kind, Memory
from postil.workspace import Workspace, open_workspace
from postil_hooks import event as wire
from postil_hooks import spec, spool
from postil_hooks.paths import endpoint_path
from support.project import clean_environment

PROGRAM = str(Path(postil_hooks.__file__).with_name("__main__.py"))


def hook(
    home: Path, cwd: Path, *args: str, payload: bytes = b"{}"
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", PROGRAM, *args],
        input=payload,
        cwd=cwd,
        env=clean_environment(home),
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_without_a_leader_the_brief_is_made_alone(home: Path, workspace: Workspace) -> None:
    curate.write(workspace, Memory(id="", what="Use cents", kind=Kind.RULE))

    done = hook(home, workspace.root, "claude-code", "SessionStart")

    assert (done.returncode, done.stderr) == (0, b"")
    assert "Use cents" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_with_a_leader_it_is_asked(home: Path, workspace: Workspace) -> None:
    curate.write(workspace, Memory(id="", what="Use cents", kind=Kind.RULE))
    leader = Participant(workspace)
    try:
        while not leader.leads:
            time.sleep(0.01)
        done = hook(home, workspace.root / "lib", "claude-code", "SessionStart")
    finally:
        leader.close()

    assert "Use cents" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.slow
@pytest.mark.parametrize("event", ["Stop", "PreCompact"])
def test_the_conversation_is_stored_by_a_worker_that_ends(
    home: Path, project: Path, tmp_path: Path, event: str
) -> None:
    transcript = tmp_path / "t.jsonl"
    row = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "a purple walrus"}}
    transcript.write_text(json.dumps(row) + "\n")
    payload = json.dumps({"session_id": "s", "transcript_path": str(transcript)}).encode()

    done = hook(home, project, "claude-code", event, payload=payload)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    workspace = open_workspace(project)
    for _ in range(200):
        if workspace.store.counts(Actor().scopes)["episode"]:
            break
        time.sleep(0.05)
    assert workspace.store.counts(Actor().scopes)["episode"] == 1
    workspace.close()


@pytest.mark.parametrize(
    ("args", "payload"),
    [
        ((), b"{}"),
        (("claude-code",), b"{}"),
        (("no-such-client", "SessionStart"), b"{}"),
        (("claude-code", "SessionStart"), b"not json"),
        (("claude-code", "SessionStart"), b"\xff\xfe\x00"),
        (("claude-code", "Unknown"), b"{}"),
        (("--help",), b""),
    ],
)
def test_whatever_comes_in_it_exits_0_and_says_nothing(
    home: Path, project: Path, args: tuple[str, ...], payload: bytes
) -> None:
    done = hook(home, project, *args, payload=payload)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_failures_are_in_the_private_log(home: Path, project: Path) -> None:
    hook(home, project, "no-such-client", "SessionStart")

    log = home / ".local/share/postil/hooks.log"
    assert "no-such-client SessionStart" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("event", ["SessionStart", "Stop"])
def test_a_store_that_cannot_be_opened_stops_nobody(home: Path, project: Path, event: str) -> None:
    workspace = open_workspace(project)
    path = workspace.project.store_path
    workspace.close()
    for file in path.parent.glob("memory.db*"):
        file.write_bytes(b"broken" * 1000)

    done = hook(home, project, "claude-code", event)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_module_in_the_opened_project_is_never_run(home: Path, project: Path) -> None:
    for name in ("json", "postil", "socket", "subprocess", "os"):
        (project / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit('hijacked')\n")

    done = hook(home, project, "claude-code", "SessionStart")

    assert (done.returncode, done.stderr) == (0, b"")
    assert not (project / "ran").exists()


def test_nothing_but_the_standard_library_is_loaded(home: Path, project: Path) -> None:
    code = (
        "import sys, io; sys.path.insert(0, sys.argv[1]);"
        "from postil_hooks import client, spool, event, spec;"
        "print(sorted(set(sys.modules) - set(sys.stdlib_module_names)))"
    )
    folder = str(Path(PROGRAM).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, folder],
        env=clean_environment(home),
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = {name.split(".")[0] for name in eval(done.stdout)} - sys.stdlib_module_names
    assert loaded == {"__main__", "postil_hooks"}


def test_only_events_that_may_carry_text_do() -> None:
    claude = spec.load("claude-code")
    start = wire.normalise(claude, "SessionStart", b"{}")
    stop = wire.normalise(claude, "Stop", b"{}")

    assert json.loads(wire.render(claude, start, "x" * 20_000))["hookSpecificOutput"] == {
        "hookEventName": "SessionStart",
        "additionalContext": "x" * 8000,
    }
    assert wire.render(claude, stop, "text") == b""
    assert wire.render(claude, start, "") == b""


def test_an_event_waits_whole_and_in_order(home: Path) -> None:
    for number in range(3):
        spool.put("claude-code", "Stop", "/a folder\u00e9", b'{"n": %d}\n' % number)

    events = [spool.read(path) for path in spool.waiting()]

    assert events == [
        ("claude-code", "Stop", "/a folder\u00e9", b'{"n": %d}\n' % number) for number in range(3)
    ]
    assert all(Path(path).stat().st_mode & 0o077 == 0 for path in spool.waiting())


def test_a_leader_that_hangs_holds_up_nobody(home: Path, workspace: Workspace) -> None:
    """It listens and never answers: the hook gives up by itself and leaves the work to it."""
    path = Path(endpoint_path(str(workspace.root)))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as deaf:
        deaf.bind(str(path))
        deaf.listen(8)
        for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "PreCompact"):
            done = hook(home, workspace.root, "claude-code", event)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event

    assert len(spool.waiting()) == 2, "what must be kept waits for it"


def test_a_store_that_is_locked_is_not_waited_for(home: Path, workspace: Workspace) -> None:
    curate.write(workspace, Memory(id="", what="Use cents", kind=Kind.RULE))
    lock = sqlite3.connect(workspace.project.store_path, isolation_level=None)
    lock.execute("begin exclusive")
    try:
        for event in ("SessionStart", "UserPromptSubmit"):
            payload = b'{"session_id": "s", "source": "clear", "prompt": "use of cents where"}'
            done = hook(home, workspace.root, "claude-code", event, payload=payload)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event
    finally:
        lock.execute("rollback")
        lock.close()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"])
def test_nothing_can_be_written_and_nobody_is_disturbed(
    home: Path, project: Path, event: str
) -> None:
    """A full disk and a home that may not be written look the same to the hook: here its folder
    cannot be made, since a file has its name (the tests run as root, whom no mode stops)."""
    (home / ".local").mkdir()
    (home / ".local/share").write_text("in the way", encoding="utf-8")

    done = hook(home, project, "claude-code", event)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_missing_store_is_silence(home: Path, workspace: Workspace) -> None:
    workspace.project.store_path.unlink()

    done = hook(home, workspace.root, "claude-code", "SessionStart")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_leader_that_hangs_is_waited_for_once(home: Path, workspace: Workspace) -> None:
    """The events after it are answered by words alone, while the leader is left in peace."""
    curate.write(workspace, Memory(id="", what="Amounts of the ledger are whole cents"))
    payload = json.dumps({"session_id": "s", "prompt": "How are ledger amounts kept?"}).encode()
    path = Path(endpoint_path(str(workspace.root)))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as deaf:
        deaf.bind(str(path))
        deaf.listen(8)

        first = hook(home, workspace.root, "claude-code", "UserPromptSubmit", payload=payload)
        second = hook(home, workspace.root, "claude-code", "UserPromptSubmit", payload=payload)
        hook(home, workspace.root, "claude-code", "Stop", payload=payload)

        deaf.settimeout(0.2)
        asked = [_heard(deaf) for _ in range(2)]
        with pytest.raises(TimeoutError):
            deaf.accept()
    assert first.stdout == b""
    assert b"whole cents" in second.stdout
    assert asked[0].startswith(b"hook\n") and asked[1] == b"", "asked, then only looked at"


def _heard(server: socket.socket) -> bytes:
    with server.accept()[0] as connection:
        return connection.recv(100)
