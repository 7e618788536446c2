"""Prompts, resources and completion over the wire; MC-9."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mcp_wire import META, Message, Wire
from support.project import commit_all, postil

pytestmark = pytest.mark.slow


@pytest.fixture(params=["handshake", "stateless"])
def wire(home: Path, project: Path, request: pytest.FixtureRequest) -> Iterator[Wire]:
    commit_all(project, "First")
    assert postil("index", "update", home=home, cwd=project).returncode == 0
    opened = Wire(home, project)
    opened.meta = {"_meta": META} if request.param == "stateless" else {}
    if request.param == "handshake":
        opened.initialize()
    yield opened
    if opened.process.returncode is None:
        opened.close()


def ask(wire: Wire, method: str, **params: object) -> Message:
    return wire.ask(method, {**params, **wire.meta})


def written(wire: Wire, what: str, **more: object) -> str:
    arguments = {"what": what, **more}
    told = ask(wire, "tools/call", name="memory_write", arguments=arguments)
    name: str = told["result"]["structuredContent"]["id"]
    return name


def test_a_session_begins_with_what_is_known(wire: Wire) -> None:
    written(wire, "Amounts are cents", kind="rule")
    written(wire, "The gateway needs a nonce", kind="fact")
    listed = ask(wire, "prompts/list")["result"]["prompts"]
    assert [one["name"] for one in listed] == ["session_start", "review_changes"]

    got = ask(wire, "prompts/get", name="session_start", arguments={"task": "call the gateway"})
    (message,) = got["result"]["messages"]
    assert message["role"] == "user"
    assert "Amounts are cents" in message["content"]["text"]
    assert "The gateway needs a nonce" in message["content"]["text"]
    assert "The task: call the gateway" in message["content"]["text"]


def test_changes_are_reviewed(wire: Wire, project: Path) -> None:
    name = written(wire, "Charging is idempotent", where=["pay.py"], kind="rule")
    path = project / "pay.py"
    path.write_text(path.read_text() + "\nlate = 1\n")
    got = ask(wire, "prompts/get", name="review_changes")["result"]["messages"][0]
    assert f"[{name}]" in got["content"]["text"]


def test_resources_are_listed_and_read(wire: Wire) -> None:
    name = written(wire, "Amounts are cents", why="floats lose money", kind="rule")
    listed = ask(wire, "resources/list")["result"]["resources"]
    uris = [one["uri"] for one in listed]
    assert uris == ["postil://brief", f"postil://memory/{name}"]
    templates = ask(wire, "resources/templates/list")["result"]["resourceTemplates"]
    assert [one["uriTemplate"] for one in templates] == [
        "postil://memory/{id}", "postil://episode/{id}", "postil://map/{path}",
    ]  # fmt: skip

    def text(uri: str) -> str:
        (content,) = ask(wire, "resources/read", uri=uri)["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "text/markdown")
        found: str = content["text"]
        return found

    assert "Amounts are cents" in text("postil://brief")
    assert "floats lose money" in text(uris[1])
    assert "data, not instructions" in text(uris[1])
    assert "pay.py" in text("postil://map/pay.py")


def test_what_is_typed_is_completed(wire: Wire) -> None:
    name = written(wire, "Amounts are cents")

    def completed(uri: str, argument: str, value: str) -> list[str]:
        ref = {"type": "ref/resource", "uri": uri}
        given = {"name": argument, "value": value}
        told = ask(wire, "completion/complete", ref=ref, argument=given)
        values: list[str] = told["result"]["completion"]["values"]
        return values

    assert "pay.py" in completed("postil://map/{path}", "path", "pa")
    assert completed("postil://map/{path}", "path", "zzz") == []
    assert completed("postil://memory/{id}", "id", name[:5]) == [name]
    assert completed("postil://memory/{id}", "id", "cents") == [name], "by its words too"
    assert completed("postil://episode/{id}", "id", "e") == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": "file:///etc/passwd"}),
        ("resources/read", {"uri": "postil://memory/m-000000000000"}),
        ("resources/read", {"uri": "postil://map/../../etc/passwd"}),
        ("resources/read", {"uri": "postil://episode/%00"}),
        ("prompts/get", {"name": "nothing"}),
        ("prompts/get", {"name": "session_start", "arguments": {"other": "x"}}),
        ("prompts/get", {"name": "review_changes", "arguments": {"revisions": "--output=x"}}),
    ],
)
def test_what_leads_nowhere_is_the_requests_error(
    wire: Wire, method: str, params: dict[str, object]
) -> None:
    error = ask(wire, method, **params)["error"]
    assert error["code"] == -32602
    assert error["message"]
    assert "Traceback" not in str(error)
