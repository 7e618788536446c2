"""A language server that is sent raw messages."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from support.project import POSTIL, clean_environment


class Wire:
    """A server that is sent raw messages."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.process = subprocess.Popen(
            [POSTIL, "lsp"], cwd=folder, env=clean_environment(home),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        told = {
            "capabilities": {},
            "processId": os.getpid(),
            "initializationOptions": {"lens": True},
        }
        self.ask(1, "initialize", told)
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, number: int, method: str, params: object) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            answer = self.read()
            if answer.get("id") == number:
                return answer

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = int(self.process.stdout.readline().split(b":")[1])
        while self.process.stdout.readline().strip():
            pass
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def close(self) -> None:
        self.ask(999, "shutdown", None)
        self.send({"jsonrpc": "2.0", "method": "exit"})
        assert self.process.wait(20) == 0
        self.process.communicate()
