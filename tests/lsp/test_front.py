"""`initialize` is answered before the server is there: with what the server itself would say."""

from __future__ import annotations

import json
import re
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import client_capabilities

from postil_lsp.front import Replay, Without, serve
from support.project import POSTIL, clean_environment


def message(body: dict[str, Any]) -> bytes:
    text = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(text) + text


def bodies(data: bytes) -> list[dict[str, Any]]:
    found = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        length = int(re.findall(rb"Content-Length: (\d+)", head)[0])
        found.append(json.loads(rest[:length]))
        data = rest[length:]
    return found


@pytest.mark.parametrize("profile", ["visual_studio_code", "neovim", "emacs"])
def test_both_say_the_same(profile: str, home: Path) -> None:
    params = types.InitializeParams(capabilities=client_capabilities(profile))
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": get_converter().unstructure(params),
    }
    source = message(asked) + message({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})
    source += message({"jsonrpc": "2.0", "method": "exit"})
    said: list[bytes] = []

    def whole(stream: Any, sink: Any) -> None:
        """As if the front had said nothing: what the server itself answers."""
        said.append(stream.read())

    early = BytesIO()
    serve(BytesIO(source), early, lambda: whole)
    (first,) = bodies(early.getvalue())
    done = subprocess.run(
        [Path(POSTIL).with_name("python"), "-c", _SERVER],
        input=source, env=clean_environment(home), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    theirs = next(one for one in bodies(done.stdout) if one.get("id") == 1)

    own, full = first["result"]["capabilities"], theirs["result"]["capabilities"]
    assert own["positionEncoding"] == full["positionEncoding"]
    assert {name: own[name] for name in full} == full
    assert first["result"]["serverInfo"] == theirs["result"]["serverInfo"]


_SERVER = """
import sys
from postil_lsp import server
server.serve(sys.stdin.buffer, sys.stdout.buffer)
"""


def test_the_stream_begins_with_what_was_read() -> None:
    stream = Replay(b"a\nb\n", BytesIO(b"c\nd"))
    assert [stream.readline(), stream.read(1), stream.readline()] == [b"a\n", b"b", b"\n"]
    assert [stream.readline(), stream.read(5), stream.readline()] == [b"c\n", b"d", b""]


def test_only_one_answer_is_dropped() -> None:
    sink = BytesIO()
    stream = Without(sink)
    for text in (b"log", b'{"capabilities": 1}', b'{"capabilities": 2}'):
        stream.write(text)
    assert sink.getvalue() == b'log{"capabilities": 2}'


def test_an_editor_that_goes_at_once(home: Path) -> None:
    for source in (b"", b"Content-Le", b"Content-Length: 50\r\n\r\n{"):
        done = subprocess.run(
            [POSTIL, "lsp"], input=source, env=clean_environment(home), capture_output=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.stdout == b""
