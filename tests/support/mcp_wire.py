"""An MCP server that is spoken to line by line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from support.project import POSTIL, clean_environment

Message = dict[str, Any]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """A running server, spoken to line by line."""

    def __init__(self, home: Path, project: Path, *options: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [POSTIL, "mcp", *options],
            cwd=project,
            env=clean_environment(home, **environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ids = 0
        self.meta: Message = {}

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Message:
        assert self.process.stdout is not None
        message: Message = json.loads(self.process.stdout.readline())
        return message

    def ask(self, method: str, params: Message | None = None) -> Message:
        self._ids += 1
        row: Message = {"jsonrpc": "2.0", "id": self._ids, "method": method}
        self.send(json.dumps(row if params is None else {**row, "params": params}).encode())
        answer = self.receive()
        assert answer["id"] == self._ids
        return answer

    def initialize(self, version: str = "2025-06-18") -> Message:
        client = {"name": "tester", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer = self.ask("initialize", params)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def call(self, tool: str, modern: bool = False, **arguments: object) -> Message:
        params: Message = {"name": tool, "arguments": arguments}
        answer = self.ask("tools/call", {**params, "_meta": META} if modern else params)
        result: Message = answer["result"]
        return result

    def close(self) -> tuple[int, bytes, bytes]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err
