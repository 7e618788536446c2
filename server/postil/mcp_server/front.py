"""The first second of `postil mcp`: importing the SDK takes about one, a client asks at once.

The front answers `initialize`, `server/discover`, `ping` and `tools/list` from the manifest while
the SDK loads in a thread, then steps aside and only passes lines on. Everything else waits for the
SDK. Nothing but protocol lines ever reaches standard output.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from postil.mcp_server import manifest
from postil.toolspec import Json

# Serves the protocol from a binary file to another until the first ends.
Backend = Callable[[BinaryIO, BinaryIO], None]

_REPLAYED = "postil-front-initialize"


class Front:
    """Pumps lines between a client and the backend; answers what it can until that is ready."""

    def __init__(self, source: BinaryIO, sink: BinaryIO, load: Callable[[], Backend]) -> None:
        self._source = source
        self._sink = sink
        self._load = load
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._to_backend: BinaryIO | None = None
        self._failed = ""

    def run(self) -> None:
        """Serve until the client closes its side, then until the backend has answered all."""
        backend = threading.Thread(target=self._serve, name="postil-mcp")
        backend.start()
        while line := self._source.readline():
            self._take(line)
        self._ready.wait()
        with self._lock:
            if self._to_backend is not None:
                self._to_backend.close()
        backend.join()

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        with self._lock:
            # Checked here at all times: the SDK passes over a broken line without a word.
            message = self._parsed(line)
            if message is None:
                return
            if self._to_backend is not None:
                self._forward(line)
                return
            reply = self._own_reply(message)
            if reply is not None:
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": reply})
            if message.get("method") == "initialize":
                self._waiting.append(_replay(message))
            elif reply is None:
                self._refuse(message) if self._failed else self._waiting.append(line)

    def _parsed(self, line: bytes) -> dict[str, Any] | None:
        try:
            message = json.loads(line)
        except ValueError:
            error: Json = {"code": -32700, "message": "Parse error: a line must be one JSON object"}
            self._send({"jsonrpc": "2.0", "id": None, "error": error})
            return None
        if not isinstance(message, dict):
            error = {"code": -32600, "message": "Invalid request: a JSON object is wanted"}
            self._send({"jsonrpc": "2.0", "id": None, "error": error})
            return None
        return message

    def _own_reply(self, message: dict[str, Any]) -> dict[str, Json] | None:
        if message.get("id") is None:
            return None
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        version = (params.get("_meta") or {}).get(manifest.VERSION_KEY)
        if version is not None and version not in manifest.STATELESS_VERSIONS:
            return None  # the SDK knows how to refuse a revision
        match message.get("method"):
            case "initialize":
                return manifest.initialize(str(params.get("protocolVersion", "")))
            case "server/discover" if version is not None:
                return manifest.discover()
            case "ping" if version is None:
                return {}
            case "tools/list":
                return manifest.tools_list(stateless=version is not None)
        return None

    def _serve(self) -> None:
        try:
            backend = self._load()
            backend_in, to_backend = os.pipe()
            from_backend, backend_out = os.pipe()
        except Exception as error:  # noqa: BLE001 - said to the client, in each answer from here on
            self._give_up(error)
            return
        pump = threading.Thread(target=self._pump, args=(os.fdopen(from_backend, "rb"),))
        pump.start()
        with self._lock:
            self._to_backend = os.fdopen(to_backend, "wb", buffering=0)
            for line in self._waiting:
                self._forward(line)
            self._waiting.clear()
        self._ready.set()
        try:
            with os.fdopen(backend_in, "rb") as lines_in, os.fdopen(backend_out, "wb") as lines_out:
                backend(lines_in, lines_out)
            pump.join()
        except Exception as error:  # noqa: BLE001 - a dead server is seen, a hanging one is not
            print(f"postil mcp: stopped: {error}", file=sys.stderr)
            os._exit(1)

    def _give_up(self, error: Exception) -> None:
        with self._lock:
            self._failed = str(error)
            for line in self._waiting:
                self._refuse(json.loads(line))
            self._waiting.clear()
        print(f"postil mcp: {error}", file=sys.stderr)
        self._ready.set()

    def _refuse(self, message: dict[str, Any]) -> None:
        if message.get("id") not in (None, _REPLAYED):
            error: Json = {"code": -32603, "message": f"Postil cannot start: {self._failed}"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _forward(self, line: bytes) -> None:
        assert self._to_backend is not None
        data = line if line.endswith(b"\n") else line + b"\n"
        while data:
            data = data[self._to_backend.write(data) :]

    def _pump(self, lines: BinaryIO) -> None:
        with lines:
            for line in lines:
                if _REPLAYED.encode() not in line:  # the client has had this answer
                    self._write(line)

    def _send(self, message: dict[str, Json]) -> None:
        self._write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def _write(self, line: bytes) -> None:
        self._sink.write(line)
        self._sink.flush()


def _replay(message: dict[str, Any]) -> bytes:
    return json.dumps({**message, "id": _REPLAYED}).encode() + b"\n"


def claim_stdio() -> tuple[BinaryIO, BinaryIO]:
    """The wire, for the front alone: stray prints go to standard error, children read nothing."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return source, sink
