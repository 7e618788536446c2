"""Loopback stand-ins for the APIs of OpenAI (responses) and Gemini: the real clients run, only the
model is scripted.

The newest words of the user decide: `TOOL:name {json}` is answered with that call, for OpenAI
`PATCH:<<text>>` with a patch, anything else with "stub: ok". All requests are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from support.anthropic_stub import Stub, running

Body = dict[str, Any]
_SAID = "stub: ok"
_TOOL = re.compile(r"TOOL:(\S+) (\{.*?\})(?=\s*(?:$|\n|<))", re.DOTALL)
_PATCH = re.compile(r"PATCH:<<(.*?)>>", re.DOTALL)


class ModelStub(Stub):
    """The server, and the bodies of the requests that it was sent."""

    # What a chat is answered with.
    said = "{}"

    def seen(self) -> str:
        """Everything the models would have read, as one text."""
        return "\n".join(json.dumps(body, ensure_ascii=False) for body in self.bodies)


@contextmanager
def model_stub() -> Iterator[ModelStub]:
    """A running stub."""
    server = ModelStub(_Handler)
    with running(server):
        yield server


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on standard error."""

    def do_GET(self) -> None:
        self._send(404, "application/json", "{}")

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        self.server.bodies.append(body)
        if self.path.split("?")[0].endswith("/responses"):
            self._send(200, "text/event-stream", _responses(body))
        elif self.path.endswith("/chat/completions"):
            said = self.server.said if isinstance(self.server, ModelStub) else ""
            self._send(
                200, "application/json", json.dumps({"choices": [{"message": {"content": said}}]})
            )
        elif "countTokens" in self.path:
            self._send(200, "application/json", json.dumps({"totalTokens": 7}))
        elif "streamGenerateContent" in self.path:
            self._send(200, "text/event-stream", f"data: {json.dumps(_gemini(body))}\r\n\r\n")
        else:
            self._send(200, "application/json", json.dumps(_gemini(body)))

    def _send(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _responses(body: Body) -> str:
    item = _item(body)
    usage = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
    whole = {"id": "r1", "object": "response", "status": "completed", "output": [item]}
    events: list[Body] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**whole, "usage": usage}},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)


def _item(body: Body) -> Body:
    items = [one for one in body.get("input", []) if isinstance(one, dict)]
    is_done = any(str(one.get("type")).endswith("_output") for one in items)
    said = " ".join(
        str(part.get("text") or "")
        for one in items
        if one.get("role") == "user"
        for part in one.get("content") or []
    )
    if not is_done and (patch := _PATCH.search(said)):
        called = {"name": "apply_patch", "input": patch[1], "call_id": "c1", "id": "ct1"}
        return {"type": "custom_tool_call", "status": "completed", **called}
    if not is_done and (tool := _TOOL.search(said)):
        called = {"name": tool[1], "arguments": tool[2], "call_id": "c1", "id": "fc1"}
        return {"type": "function_call", "status": "completed", **called}
    part = {"type": "output_text", "text": _SAID, "annotations": []}
    return {"type": "message", "id": "m1", "role": "assistant", "content": [part]}


def _gemini(body: Body) -> Body:
    """An answer; the client's own question which model to use wants JSON."""
    config = body.get("generationConfig") or {}
    route = {"reasoning": "stub", "model_choice": "flash", "complexity_score": 1}
    is_json = config.get("responseMimeType") == "application/json"
    text = json.dumps({**route, "complexity_reasoning": "stub"}) if is_json else _SAID
    part: Body = {"text": text}
    contents = body.get("contents") or [{}]
    last = contents[-1].get("parts") or []
    tool = _TOOL.search(" ".join(str(one.get("text") or "") for one in last))
    if tool and not is_json and not any("functionResponse" in one for one in last):
        part = {"functionCall": {"name": tool[1], "args": json.loads(tool[2])}}
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12},
    }
