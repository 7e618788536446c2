"""A loopback stand-in for the Messages API: the real client runs, only the model is scripted.

The newest text of the user decides: `TOOL:Name {json}` is answered with that tool call, anything
else with "stub: ok". All requests are kept.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_DIRECTIVE = re.compile(r"TOOL:(\S+) (\{.*\})")
Block = dict[str, Any]


class Stub(ThreadingHTTPServer):
    """The server, and the bodies of the message requests it was sent."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.bodies: list[Block] = []

    @property
    def url(self) -> str:
        """Where the client is to find it."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def seen(self) -> str:
        """Everything the model would have read, as one text."""
        return "\n".join(
            json.dumps([body.get("system"), body.get("messages")], ensure_ascii=False)
            for body in self.bodies
        )


@contextmanager
def running(server: Stub) -> Iterator[Stub]:
    """The server, running."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def stub() -> AbstractContextManager[Stub]:
    """A running stub of the Messages API."""
    return running(Stub(_Handler))


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": len(raw) // 4 + 1})
            return
        if path != "/v1/messages":
            self._json(
                404, {"type": "error", "error": {"type": "not_found_error", "message": path}}
            )
            return
        body = json.loads(raw)
        self.server.bodies.append(body)
        message = _message(body, len(self.server.bodies))
        if not body.get("stream"):
            self._json(200, message)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in _events(message):
            row = json.dumps({"type": name, **data})
            self.wfile.write(f"event: {name}\ndata: {row}\n\n".encode())
        self.close_connection = True

    def _json(self, status: int, value: Block) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _message(body: Block, number: int) -> Block:
    blocks = _reply(body, number)
    called = blocks[-1]["type"] == "tool_use"
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": blocks,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }


def _reply(body: Block, number: int) -> list[Block]:
    # Text that hooks inject comes after the user's, as messages of the role "system".
    told = [one for one in body.get("messages", []) if one["role"] != "system"]
    content = told[-1]["content"] if told else ""
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if any(block["type"] == "tool_result" for block in blocks):
        return [{"type": "text", "text": "stub: the tool is done"}]
    for block in reversed(blocks):
        match = _DIRECTIVE.search(block.get("text", ""))
        if match and (given := _json_or_none(match[2])) is not None:
            called = {"name": match[1], "input": given}
            return [{"type": "tool_use", "id": f"toolu_{number}", **called}]
    return [{"type": "text", "text": "stub: ok"}]


def _json_or_none(text: str) -> object:
    """A client may quote what was said, as for a title: then it is no call."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _events(message: Block) -> Iterator[tuple[str, Block]]:
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        start: Block = {"type": "text", "text": ""}
        delta: Block = {"type": "text_delta", "text": block.get("text")}
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    reason = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": reason, "usage": {"output_tokens": 9}}
    yield "message_stop", {}
