"""The first second of `postil mcp`: importing the SDK takes about one, a client asks at once.

The front answers `initialize`, `server/discover`, `ping` and `tools/list` from the manifest while
the SDK loads in a thread, then steps aside and only passes lines on. Everything else waits for the
SDK. Nothing but protocol lines ever reaches standard output.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, BinaryIO

from postil.mcp_server import manifest
from postil.toolspec import Json, Profile

# Serves the protocol from a binary file to another until the first ends.
Backend = Callable[[BinaryIO, BinaryIO], None]
Message = dict[str, Any]

# Seconds that answers may take once the client has closed its side.
_LAST_ANSWERS = 20.0


class Front:
    """Passes lines between a client and the backend; answers what it can until that is ready.

    Lines for the backend go through a queue that never blocks, so a client can send as much as it
    likes before anybody reads.
    """

    def __init__(
        self,
        source: BinaryIO,
        sink: BinaryIO,
        load: Callable[[], Backend],
        profile: Profile = Profile.CORE,
    ) -> None:
        self._profile = profile
        self._source = source
        self._sink = sink
        self._load = load
        self._lock = threading.Lock()
        # The ids of what the backend was asked and has not answered, as JSON.
        self._asked: set[str] = set()
        self._answered = threading.Condition()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_ready = False
        self._failure: str | None = None
        # The id under which the client's `initialize` is told to the SDK: nobody else uses it.
        self._replayed = f"postil-{secrets.token_hex(8)}"

    def run(self) -> None:
        """Serve until the client closes its side, then until the backend has answered all."""
        backend = threading.Thread(target=self._serve, name="postil-mcp")
        backend.start()
        try:
            while line := self._source.readline():
                if line.strip():
                    self._take(line if line.endswith(b"\n") else line + b"\n")
        finally:
            # What was asked before the client closed its side is still answered.
            with self._answered:
                self._answered.wait_for(lambda: not self._asked, timeout=_LAST_ANSWERS)
            self._lines.put(None)
            backend.join()

    def _take(self, line: bytes) -> None:
        # Checked here at all times: the SDK passes over a broken line without a word.
        message = self._parsed(line)
        if message is None:
            return
        with self._lock:
            if self._failure is not None:
                self._refuse(message)
                return
            if not self._is_ready:
                reply = self._own_reply(message)
                if reply is not None:
                    self._send({"jsonrpc": "2.0", "id": message["id"], "result": reply})
                    if message["method"] != "initialize":
                        return
                    line = json.dumps({**message, "id": self._replayed}).encode() + b"\n"
            if message.get("method") is not None and message.get("id") is not None:
                self._asked.add(json.dumps(json.loads(line)["id"]))
            self._lines.put(line)

    def _parsed(self, line: bytes) -> Message | None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._send_error(-32700, "Parse error: a line must be one JSON object")
            return None
        if not isinstance(message, dict):
            self._send_error(-32600, "Invalid request: a JSON object is wanted")
            return None
        return message

    def _own_reply(self, message: Message) -> dict[str, Json] | None:
        if message.get("id") is None:
            return None
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(manifest.VERSION_KEY) if isinstance(meta, dict) else None
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
                return manifest.tools_list(self._profile, stateless=version is not None)
        return None

    def _serve(self) -> None:
        try:
            backend = self._load()
        except Exception as error:  # noqa: BLE001 - said to the client, in each answer from here on
            self._give_up(error)
            return
        backend_in, to_backend = os.pipe()
        from_backend, backend_out = os.pipe()
        feeder = threading.Thread(target=self._feed, args=(os.fdopen(to_backend, "wb"),))
        pump = threading.Thread(target=self._pump, args=(os.fdopen(from_backend, "rb"),))
        feeder.start()
        pump.start()
        with self._lock:
            self._is_ready = True
        try:
            with os.fdopen(backend_in, "rb") as lines_in, os.fdopen(backend_out, "wb") as lines_out:
                backend(lines_in, lines_out)
            pump.join()
        except Exception as error:  # noqa: BLE001 - a dead server is seen, a hanging one is not
            print(f"postil mcp: stopped: {error}", file=sys.stderr)
            os._exit(1)

    def _give_up(self, error: Exception) -> None:
        print(f"postil mcp: {error}", file=sys.stderr)
        with self._lock:
            self._failure = str(error) or type(error).__name__
            self._asked.clear()
            while not self._lines.empty():
                line = self._lines.get()
                if line is not None:
                    self._refuse(json.loads(line))

    def _refuse(self, message: Message) -> None:
        if message.get("id") not in (None, self._replayed):
            self._send_error(-32603, f"Postil cannot start: {self._failure}", message["id"])

    def _feed(self, to_backend: BinaryIO) -> None:
        with to_backend:
            while (line := self._lines.get()) is not None:
                to_backend.write(line)
                to_backend.flush()

    def _pump(self, lines: BinaryIO) -> None:
        with lines:
            for line in lines:
                message = json.loads(line)
                if message.get("id") != self._replayed:  # that answer the client has had
                    self._write(line)
                if "method" not in message:
                    with self._answered:
                        self._asked.discard(json.dumps(message.get("id")))
                        self._answered.notify_all()

    def _send_error(self, code: int, text: str, message_id: Json = None) -> None:
        self._send({"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": text}})

    def _send(self, message: dict[str, Json]) -> None:
        self._write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def _write(self, line: bytes) -> None:
        self._sink.write(line)
        self._sink.flush()


def claim_stdio() -> tuple[BinaryIO, BinaryIO]:
    """The wire, for the front alone: stray prints go to standard error, children read nothing."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return source, sink
