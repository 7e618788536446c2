"""How fast the short-lived processes start: the hook, the MCP server's first answer."""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import postil_hooks
from benchmarks import corpus
from benchmarks.measure import Row, interleaved, run
from postil import curate
from postil.leader.work import Participant
from postil.model import Kind, Memory
from postil.workspace import open_workspace

HOOK = str(Path(postil_hooks.__file__).with_name("__main__.py"))
POSTIL = str(Path(sys.executable).with_name("postil"))
_PROMPT = "How are the amounts stored, in cents? I ask for the {}th time."
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


def rows(project: Path, repeats: int = 30, memories: int = 0) -> list[Row]:
    """Hook with and without a leader, command line with a leader, MCP `initialize`.

    With so many `memories` in the store.
    """
    workspace = open_workspace(project)
    if memories:
        corpus.fill(workspace.store, memories, corpus.lines())
        while workspace.embed_pending(10_000):
            pass
    curate.write(workspace, Memory(id="", what="Amounts are in cents", kind=Kind.RULE))
    workspace.update_map()
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    hook = [sys.executable, "-I", "-S", HOOK, "claude-code"]
    payload = json.dumps({"session_id": "s", "cwd": str(project)}).encode()
    numbers, folder = itertools.count(), str(project)

    def start() -> None:
        new = json.dumps({"session_id": f"s{next(numbers)}", "source": "startup"}).encode()
        run([*hook, "SessionStart"], new, folder)

    def prompt() -> None:
        # Each in a session of its own, which was not told anything yet.
        told = {"session_id": f"p{next(numbers)}", "prompt": _PROMPT.format(next(numbers))}
        run([*hook, "UserPromptSubmit"], json.dumps(told).encode(), folder)

    edit = json.dumps(
        {"session_id": "s", "tool_name": "Edit", "tool_input": {"file_path": f"{project}/pay.py"}}
    ).encode()
    leader = Participant(workspace)
    while not leader.leads:
        time.sleep(0.05)
    with_leader = interleaved(
        {
            "python -I -S -c pass": lambda: run(bare),
            "hook SessionStart, leader": start,
            "hook UserPromptSubmit, leader": prompt,
            "hook PreToolUse, leader": lambda: run([*hook, "PreToolUse"], edit, folder),
            "hook Stop, leader": lambda: run([*hook, "Stop"], payload, folder),
            "postil search, leader": lambda: run([POSTIL, "search", "cents"], cwd=folder),
            "postil --help": lambda: run([POSTIL, "--help"], cwd=folder),
            "MCP initialize": lambda: first_answer(project),
        },
        repeats,
    )
    leader.close()
    workspace.close()
    alone = interleaved(
        {
            "hook UserPromptSubmit, no leader": prompt,
            "hook SessionStart, no leader": start,
            "postil search, no leader": lambda: run([POSTIL, "search", "cents"], cwd=folder),
        },
        max(repeats // 5, 3),
    )
    base = statistics.median(with_leader["python -I -S -c pass"])
    return [
        Row(name, times, "python -I -S -c pass", statistics.median(times) / base)
        for name, times in {**with_leader, **alone}.items()
    ]


def first_answer(project: Path) -> None:
    """From starting `postil mcp` to its answer to `initialize`; then the server is ended."""
    process = subprocess.Popen(
        [POSTIL, "mcp"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["serverInfo"]["name"] == "postil"
    process.kill()
    process.communicate()
