"""The MCP server on its wire: both eras, at once, and what the front says is what the SDK says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from postil.mcp_server import manifest
from postil.toolspec import BY_NAME, TOOLS, Profile, offered
from support.mcp_wire import META, Message, Wire
from support.project import postil


@pytest.fixture
def wire(home: Path, project: Path) -> Iterator[Wire]:
    opened = Wire(home, project)
    yield opened
    if opened.process.returncode is None:
        opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("version", [*manifest.HANDSHAKE_VERSIONS, "1999-01-01"])
def test_every_handshake_revision(wire: Wire, version: str) -> None:
    answer = wire.initialize(version)["result"]

    expected = version if version in manifest.HANDSHAKE_VERSIONS else "2025-11-25"
    assert answer["protocolVersion"] == expected
    assert "memory_search" in answer["instructions"]
    written = wire.call("memory_write", what="Use cents", kind="rule")
    assert written["structuredContent"]["created"] is True
    assert "Use cents" in wire.call("memory_search", query="cents")["content"][0]["text"]
    code, out, err = wire.close()
    assert (code, out, err) == (0, b"", b"")


@pytest.mark.slow
def test_the_stateless_era(wire: Wire) -> None:
    told = wire.ask("server/discover", {"_meta": META})["result"]
    assert told["supportedVersions"] == ["2026-07-28"]
    assert told["resultType"] == "complete"

    listed = wire.ask("tools/list", {"_meta": META})["result"]
    assert {tool["name"] for tool in listed["tools"]} == {
        tool.name for tool in offered(Profile.CORE)
    }
    assert listed["resultType"] == "complete"
    result = wire.call("memory_write", modern=True, what="Use cents")
    assert result["resultType"] == "complete"
    assert result["structuredContent"]["memory"]["author"] == "agent:tester"


def without_stamp(result: Message) -> Message:
    return {name: value for name, value in result.items() if name != "_meta"}


@pytest.mark.slow
@pytest.mark.parametrize("modern", [False, True])
def test_the_front_says_what_the_sdk_says(wire: Wire, modern: bool) -> None:
    meta = {"_meta": META} if modern else {}
    first = wire.ask("server/discover", meta) if modern else wire.initialize()
    listed = wire.ask("tools/list", meta)
    wire.call("memory_brief", modern=modern)  # from here on the SDK answers

    assert wire.ask("tools/list", meta)["result"] == listed["result"]
    if modern:
        again = wire.ask("server/discover", meta)
        assert again["result"] == first["result"]


@pytest.mark.slow
def test_errors_are_protocol_errors_or_results_that_help(wire: Wire) -> None:
    wire.send(b"this is not json")
    assert wire.receive()["error"]["code"] == -32700
    wire.send(b"[1]")
    assert wire.receive()["error"]["code"] == -32600
    wire.initialize()
    assert wire.ask("no/such/method")["error"]["code"] == -32601

    wrong = wire.call("memory_search", query="x", kinds=["poem"])
    assert wrong["isError"] is True
    assert wrong["structuredContent"]["error"]["code"] == "invalid_request"
    assert "one of: decision" in wrong["content"][0]["text"]
    secret = wire.call("memory_write", what="ghp_" + "a1B2c3D4e5" * 4)
    assert secret["isError"] is True
    assert "ghp_" not in json.dumps(secret)
    wire.send(b"{ broken")
    assert wire.receive()["error"]["code"] == -32700
    assert "result" in wire.ask("ping")


@pytest.mark.slow
def test_much_may_be_said_before_anybody_listens(wire: Wire) -> None:
    wire.initialize()
    wire.call("memory_write", what="x " * 100_000)

    found = wire.call("memory_search", query="postil-front-initialize is a word like any other")
    assert found["isError"] is False


@pytest.mark.slow
@pytest.mark.parametrize("meta", [3, [], {"io.modelcontextprotocol/protocolVersion": "1066-10-14"}])
def test_odd_metadata_is_answered(wire: Wire, meta: object) -> None:
    answer = wire.ask("tools/list", {"_meta": meta})
    assert "result" in answer or answer["error"]["code"] < 0

    wire.send(b"[" * 100_000)
    assert wire.receive()["error"]["code"] == -32700


@pytest.mark.slow
def test_arguments_as_text_are_understood(wire: Wire) -> None:
    wire.initialize()
    wire.call("memory_write", what="Use cents", tags="money, rule", importance="0.9")

    found = wire.call("memory_search", query="cents", limit="3", tags='["money"]', episodes="false")

    hits = found["structuredContent"]["hits"]
    assert [(hit["tags"], hit["importance"]) for hit in hits] == [(["money", "rule"], 0.9)]


@pytest.mark.slow
def test_a_server_that_cannot_start_says_so_in_each_answer(home: Path, tmp_path: Path) -> None:
    wire = Wire(home, tmp_path, POSTIL_HOME="/dev/null/nowhere")
    wire.initialize()

    answer = wire.ask("tools/call", {"name": "memory_brief", "arguments": {}})

    assert answer["error"]["code"] == -32603
    assert "cannot start" in answer["error"]["message"]
    code, out, err = wire.close()
    assert (code, out) == (0, b"")
    assert b"Traceback" not in err


@pytest.mark.slow
def test_what_was_asked_is_answered_though_the_client_says_no_more(
    home: Path, project: Path
) -> None:
    client = {"name": "t", "version": "1"}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    call = {"name": "memory_write", "arguments": {"what": "Use cents"}}
    rows = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/call", "params": call},
    ]
    said = "".join(json.dumps(row) + "\n" for row in rows).encode()

    done = postil("mcp", home=home, cwd=project, stdin=said)

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, "two"]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_it_ends_when_the_client_goes(wire: Wire) -> None:
    wire.initialize()
    code, out, err = wire.close()
    assert (code, out, err) == (0, b"", b"")


def test_schemas_are_what_strict_clients_accept() -> None:
    import jsonschema

    for tool in TOOLS:
        schema = json.loads(json.dumps(tool.input_schema()))
        jsonschema.Draft202012Validator.check_schema(schema)
        assert isinstance(schema["required"], list)
        assert schema["additionalProperties"] is False
        assert all("description" in one for one in schema["properties"].values())
        assert len(tool.description) < 2000
        assert "Call it" in tool.description, "the description says when to call"
    assert [tool.name for tool in TOOLS] == sorted(BY_NAME)


def test_kinds_and_scopes_are_those_of_the_model() -> None:
    from postil.model import Kind, ScopeKind

    choices = {one.name: one.choices for one in BY_NAME["memory_write"].parameters}
    assert choices["kind"] == tuple(Kind)
    assert set(choices["scope"]) == set(ScopeKind)
