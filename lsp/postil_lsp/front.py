"""The first moments of `postil lsp`: an editor waits for the answer to `initialize`.

What the server can is known beforehand (`capabilities.json`), so it is said at once, while pygls
and the rest are still being imported. Then the same message goes to the server, whose own answer
is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from postil import __version__

CAPABILITIES = Path(__file__).with_name("capabilities.json")


class Source(Protocol):
    """What the protocol is read from."""

    def readline(self) -> bytes:
        """The next line."""

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes."""


class Sink(Protocol):
    """What it is written to."""

    def write(self, data: bytes, /) -> int:
        """Write a message."""

    def flush(self) -> None:
        """Send it."""

    def close(self) -> None:
        """Close it."""


# Serves the protocol from one to the other until the first ends.
Backend = Callable[[Source, Sink], None]
_LONGEST_HEADER = 1_000


def serve(source: BinaryIO, sink: BinaryIO, load: Callable[[], Backend]) -> None:
    """Answer `initialize`, then serve by what `load` brings."""
    first = _message(source)
    body = _parsed(first)
    answered = body is not None and body.get("method") == "initialize" and "id" in body
    if answered and body is not None:
        sink.write(_answer(body))
        sink.flush()
    if first:
        load()(Replay(first, source), Without(sink) if answered else sink)


def _message(source: BinaryIO) -> bytes:
    """The first message with its headers; nothing when the editor has gone."""
    header, length = b"", 0
    while not header.endswith(b"\r\n\r\n") and len(header) < _LONGEST_HEADER:
        line = source.readline()
        if not line:
            return b""
        header += line
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    body = source.read(length)
    return header + body if len(body) == length else b""


def _parsed(message: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(message.partition(b"\r\n\r\n")[2])
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _answer(body: dict[str, Any]) -> bytes:
    capabilities = json.loads(CAPABILITIES.read_text(encoding="utf-8"))
    capabilities["positionEncoding"] = _encoding(body.get("params"))
    result = {
        "capabilities": capabilities,
        "serverInfo": {"name": "postil", "version": __version__},
    }
    text = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(text) + text


def _encoding(params: object) -> str:
    """The first encoding of the client's that we know: what pygls takes as well."""
    told: object = params
    for name in ("capabilities", "general", "positionEncodings"):
        told = told.get(name) if isinstance(told, dict) else None
    names = told if isinstance(told, list) else []
    return next((str(one) for one in names if one in ("utf-8", "utf-16", "utf-32")), "utf-16")


class Replay:
    """A stream that begins with a message that was read already."""

    def __init__(self, first: bytes, source: BinaryIO) -> None:
        self._first = BytesIO(first)
        self._rest = source

    def readline(self) -> bytes:
        """The next line."""
        return self._first.readline() or self._rest.readline()

    def read(self, size: int = -1) -> bytes:
        """So many bytes."""
        return self._first.read(size) or self._rest.read(size)


class Without:
    """A stream that drops the one answer that was given already."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._is_dropped = False

    def write(self, data: bytes) -> int:
        """Pass a message on, but for the first that tells capabilities."""
        if not self._is_dropped and b'"capabilities"' in data:
            self._is_dropped = True
            return len(data)
        return self._sink.write(data)

    def flush(self) -> None:
        """Send what was written."""
        self._sink.flush()

    def close(self) -> None:
        """Close the stream behind."""
        self._sink.close()
