"""How long an editor waits for the margin: hover, lens, marks, a keystroke; and until it can ask.

A project of more than 500,000 lines, with a file of 5,000 that memories are tied to. Beside it, in
the same run, jedi-language-server's hover.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks import corpus
from benchmarks.measure import Row, interleaved, run
from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace

POSTIL = str(Path(sys.executable).with_name("postil"))
_FUNCTIONS = 700
_TIED = 200
_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"hover": {"contentFormat": ["markdown"]}, "diagnostic": {}},
    "workspace": {"workspaceFolders": True},
}


class Editor:
    """A language server over its pipes, asked one thing after the other."""

    def __init__(self, command: list[str], root: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._number = 0
        self._answers: dict[int, Any] = {}
        self._come = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        with self._come:
            while self._number not in self._answers:
                if not self._come.wait(120):
                    raise TimeoutError(method)
            return self._answers.pop(self._number)

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def memory(self) -> int:
        """Megabytes of its own and of all that it started, by proportional share."""
        own = psutil.Process(self.process.pid)
        shares = [int(one.memory_full_info().pss) for one in [own, *own.children(True)]]
        return sum(shares) // 1_000_000

    def close(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(20)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return
            message = json.loads(self.process.stdout.read(length))
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            elif "id" in message:
                with self._come:
                    self._answers[message["id"]] = message.get("result", message.get("error"))
                    self._come.notify_all()


def rows(project: Path, memories: int, repeats: int, cache: Path) -> list[Row]:
    big = project / "big_module.py"
    big.write_text(_text(), encoding="utf-8")
    workspace = open_workspace(project)
    workspace.update_map()
    mapped = workspace.index.files()
    lines = sum((project / path).read_bytes().count(b"\n") for path in mapped)
    print(f"{lines:,} mapped lines in {len(mapped):,} files; {memories:,} memories")
    known = corpus.lines()
    corpus.fill(workspace.store, memories, known)
    for number in range(_TIED):
        kind = (Kind.RULE, Kind.DECISION, Kind.FACT)[number % 3]
        draft = Memory(id="", what=f"Of step {number}: {known[number]}", kind=kind)
        curate.write(workspace, draft, [f"big_module.py#step_{3 * number}"])
    while workspace.embed_pending(20_000):
        pass
    workspace.close()
    ours = _environment()
    found: dict[str, list[float]] = {}
    with _opened([POSTIL, "lsp"], project, big, ours) as editor:
        found |= _asked(editor, big, repeats)
        megabytes = editor.memory()
    print(f"language server: {megabytes} MB")
    jedi = cache / "jedi"
    if jedi.is_dir():
        theirs = {**ours, "PYTHONPATH": str(jedi)}
        command = [sys.executable, "-c", "from jedi_language_server.cli import cli; cli()"]
        with _opened(command, project, big, theirs) as editor:
            found["hover, jedi-language-server"] = _hovers(editor, big, repeats)
    else:
        print(f"{jedi} is missing: pip install --target {jedi} jedi-language-server")
    return [Row(name, times) for name, times in found.items()] + _starts(project, ours)


def _starts(project: Path, environment: dict[str, str]) -> list[Row]:
    def initialized() -> None:
        editor = Editor([POSTIL, "lsp"], project, environment)
        editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        editor.process.kill()
        editor.process.communicate()

    bare = "from pygls.lsp.server import LanguageServer; LanguageServer('x', '1')"
    times = interleaved(
        {
            "python -c pass": lambda: run([sys.executable, "-c", "pass"]),
            "import pygls": lambda: run([sys.executable, "-c", bare]),
            "start to initialize": initialized,
        },
        10,
    )
    base = sorted(times["import pygls"])[5]
    return [Row(name, took, "import pygls", sorted(took)[5] / base) for name, took in times.items()]


def _environment() -> dict[str, str]:
    return {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


@contextmanager
def _opened(
    command: list[str], project: Path, big: Path, environment: dict[str, str]
) -> Iterator[Editor]:
    editor = Editor(command, project, environment)
    editor.ask(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": project.as_uri(),
            "capabilities": _CAPABILITIES,
            "initializationOptions": {"lens": True},
        },
    )
    editor.tell("initialized", {})
    text = big.read_text(encoding="utf-8")
    item = {"uri": big.as_uri(), "languageId": "python", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": item})
    editor.ask("textDocument/hover", _place(big, 0, 5))
    time.sleep(8)  # warm: it leads, its mirrors are made
    yield editor
    editor.close()


def _place(big: Path, line: int, character: int) -> dict[str, Any]:
    return {
        "textDocument": {"uri": big.as_uri()},
        "position": {"line": line, "character": character},
    }


def _hovers(editor: Editor, big: Path, repeats: int) -> list[float]:
    times = []
    for number in range(repeats):
        # A definition, and a use further down, in turn.
        line = 7 * (3 * number % _FUNCTIONS) + (6 if number % 2 else 0)
        start = time.perf_counter()
        editor.ask("textDocument/hover", _place(big, line, 12))
        times.append((time.perf_counter() - start) * 1000)
    return times


def _asked(editor: Editor, big: Path, repeats: int) -> dict[str, list[float]]:
    document = {"textDocument": {"uri": big.as_uri()}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 5_000, "character": 0}}
    assert len(editor.ask("textDocument/codeLens", document)) == 100
    found = {"hover": _hovers(editor, big, repeats)}
    found["lens and marks of the file"] = []
    for _ in range(repeats // 4):
        start = time.perf_counter()
        editor.ask("textDocument/codeLens", document)
        marks = editor.ask("textDocument/inlayHint", {**document, "range": whole})
        found["lens and marks of the file"].append((time.perf_counter() - start) * 1000)
    assert marks
    found |= _typed(editor, big, repeats)
    return found


def _typed(editor: Editor, big: Path, repeats: int) -> dict[str, list[float]]:
    """Ten edits a second: each until something asked behind it is answered."""
    quick, behind = [], []
    for number in range(repeats):
        place = {"line": 2_000, "character": number % 40}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        told = {"uri": big.as_uri(), "version": number + 2}
        start = time.perf_counter()
        editor.tell("textDocument/didChange", {"textDocument": told, "contentChanges": [change]})
        editor.ask("postil/nothing", {})
        quick.append((time.perf_counter() - start) * 1000)
        if number % 5 == 0:
            start = time.perf_counter()
            editor.ask("textDocument/hover", _place(big, 7, 12))
            behind.append((time.perf_counter() - start) * 1000)
        time.sleep(max(0.0, 0.1 - (time.perf_counter() - start)))
    return {"keystroke (and an empty answer)": quick, "hover while typing": behind}


def _text() -> str:
    """700 functions of seven lines, each calling the one before."""
    parts = []
    for number in range(_FUNCTIONS):
        parts.append(
            f"def step_{number}(amount: int, rate: float = 1.0) -> float:\n"
            f'    """Step {number} of the long computation."""\n'
            f"    total = amount * rate + {number}\n"
            "    if total > 100:\n"
            "        total -= 1\n"
            "    return (\n"
            f"        step_{max(number - 1, 0)}(int(total)) if total else total)\n"
        )
    return "".join(parts)
