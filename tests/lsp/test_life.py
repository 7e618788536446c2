"""The server ends with its editor, and survives whatever it is sent (LSP-04, LSP-05)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from support.project import POSTIL, clean_environment, make_project
from support.wire import Wire

pytestmark = pytest.mark.slow

# An editor that starts the server and then waits to be killed.
_EDITOR = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
server.stdin.flush()
server.stdout.readline()
body = b'{"jsonrpc":"2.0","method":"initialized","params":{}}'
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
server.stdin.flush()
time.sleep(3)
print(server.pid, flush=True)
time.sleep(600)
"""


def test_it_goes_when_its_editor_is_killed(home: Path) -> None:
    editor = subprocess.Popen(
        [sys.executable, "-c", _EDITOR, POSTIL, "lsp"],
        env=clean_environment(home), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert editor.stdout is not None
    server = psutil.Process(int(editor.stdout.readline()))

    editor.send_signal(signal.SIGKILL)
    editor.communicate()

    server.wait(10)


def test_nothing_that_it_is_sent_ends_it(home: Path, tmp_path: Path) -> None:
    root = make_project(tmp_path / "shop", {"pay.py": "def charge(): ...\n"})
    wire = Wire(home, root)
    uri = (root / "pay.py").as_uri()
    document = {"textDocument": {"uri": uri}}
    start = {"line": 0, "character": 0}
    place = {"start": start, "end": start}
    # What is no message of the protocol gets no answer.
    broken_ones: tuple[object, ...] = (None, [], {"textDocument": 3}, {"range": {}})
    for number, broken in enumerate(broken_ones, start=600):
        told = {"jsonrpc": "2.0", "id": number, "method": "textDocument/hover"}
        wire.send({**told, "params": broken})
    hostile: list[tuple[str, object]] = [
        ("textDocument/hover", {**document, "position": {"line": 10**9, "character": 10**9}}),
        ("textDocument/hover", {**document, "position": {"line": 0, "character": 10**6}}),
        ("textDocument/codeLens", {"textDocument": {"uri": "untitled:Untitled-1"}}),
        ("textDocument/codeLens", {"textDocument": {"uri": "vscode-notebook-cell:/x#1"}}),
        ("textDocument/completion", {**document, "position": {"line": 99, "character": 0}}),
        ("codeLens/resolve", {"range": place, "data": {"uri": 1}}),
        ("documentLink/resolve", {"range": place, "data": {"memory": "../../etc/passwd"}}),
        ("workspace/executeCommand", {"command": "postil.forget", "arguments": [{"memory": 3}]}),
        ("workspace/executeCommand", {"command": "postil.nothing"}),
        ("workspace/executeCommand", {"command": "postil.remember", "arguments": []}),
        ("workspace/symbol", {"query": "\u0000" * 1000}),
        ("no/such/method", {}),
    ]
    for number, (method, params) in enumerate(hostile, start=10):
        answer = wire.ask(number, method, params)
        assert "result" in answer or answer["error"]["code"] < 0, (method, answer)
        assert "Traceback" not in json.dumps(answer.get("error", {}).get("message", ""))
    asked = {**document, "position": {"line": 0, "character": 5}}
    assert "result" in wire.ask(500, "textDocument/hover", asked)
    wire.close()


def test_an_editor_that_does_not_read_any_more(home: Path, tmp_path: Path) -> None:
    """Its side of the pipe is closed: no loop, and it ends."""
    root = make_project(tmp_path / "shop", {"pay.py": "def charge(): ...\n"})
    wire = Wire(home, root)
    assert wire.process.stdout is not None and wire.process.stdin is not None
    wire.process.stdout.close()
    wire.send({"jsonrpc": "2.0", "id": 5, "method": "workspace/symbol", "params": {"query": "x"}})
    time.sleep(1)
    wire.process.stdin.close()

    wire.process.wait(10)
