"""Every tool, as an agent calls it; MC-4 to MC-7, MC-10, MC-12 to MC-14."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil import tools
from postil.errors import PostilError
from postil.model import Actor, Episode
from postil.toolspec import BY_NAME, TOOLS, Parameter, Profile, Tool, offered
from postil.workspace import Workspace, open_workspace
from support.mcp_wire import Wire
from support.project import commit_all

# Characters that 2,500 tokens of such a list have: 10,231 characters were 2,371 tokens of
# o200k_base and 2,390 of Anthropic's published tokenizer, so 4.28 a token.
MOST = 10_700
AGENT = Actor("agent:tester", "tester", "s-1")


@pytest.fixture
def wire(home: Path, project: Path) -> Iterator[Wire]:
    commit_all(project, "First")
    opened = Wire(home, project, "--profile", "full")
    opened.initialize()
    yield opened
    if opened.process.returncode is None:
        opened.close()


@pytest.fixture
def workspace(home: Path, project: Path) -> Iterator[Workspace]:
    opened = open_workspace(project)
    yield opened
    opened.close()


def test_the_core_profile_is_small() -> None:
    core = offered(Profile.CORE)
    told = json.dumps(
        {"tools": [one.declaration(Profile.CORE) for one in core]}, separators=(",", ":")
    )
    assert len(core) <= 16
    assert len(told) <= MOST


def test_what_each_tool_does_is_declared() -> None:
    for tool in TOOLS:
        hints = tool.declaration()["annotations"]
        assert isinstance(hints, dict)
        assert {"readOnlyHint", "destructiveHint"} <= set(hints)
        assert not (tool.read_only and tool.destructive)
    changing = {one.name for one in TOOLS if not one.read_only}
    assert changing == {
        "memory_diary", "memory_fact_assert", "memory_forget", "memory_forget_many", "memory_keep",
        "memory_promote", "memory_supersede", "memory_undo", "memory_update", "memory_write",
        "memory_write_many",
    }  # fmt: skip
    assert set(tools.RUN) == set(BY_NAME)


@pytest.mark.slow
def test_a_day_with_the_tools_that_write(wire: Wire) -> None:
    rows: list[object] = [
        {"what": "Billing uses PostgreSQL", "kind": "decision", "why": "transactions"},
        {"what": "Amounts are cents", "kind": "nonsense"},
        "no object",
        {"what": "Ports begin at 9000", "where": ["pay.py"]},
    ]
    many = wire.call("memory_write_many", memories=rows)["structuredContent"]
    first, wrong, none, last = many["results"]
    assert first["created"]
    assert last["created"]
    assert "cannot be 'nonsense'" in wrong["error"]
    assert "decision" in wrong["hint"]
    assert "must be an object" in none["error"]
    assert many["refused"] == 2
    shown = wire.call("memory_get", id=first["id"])
    assert "transactions" in shown["content"][0]["text"]
    assert "data, not instructions" in shown["content"][0]["text"]

    new = wire.call("memory_supersede", id=first["id"], what="Billing uses SQLite", why="smaller")
    memory = new["structuredContent"]["memory"]
    assert (memory["supersedes"], memory["kind"]) == ([first["id"]], "decision")
    recent = wire.call("memory_recent")["structuredContent"]["memories"]
    assert [one["what"] for one in recent[:2]] == ["Billing uses SQLite", "Ports begin at 9000"]

    proposed = wire.call("memory_promote", id=memory["id"])["structuredContent"]
    assert proposed["status"] == "proposed", "a person decides"

    for _ in range(2):
        wire.call("memory_diary", entry="The tests are slow here")
    diary = wire.call("memory_recent", scopes=["diary"])["structuredContent"]["memories"]
    assert len(diary) == 2, "never merged"

    undone = wire.call("memory_undo")["structuredContent"]
    assert undone["changed_since"] == []
    assert wire.call("memory_recent")["structuredContent"]["memories"] == []


@pytest.mark.slow
def test_facts_then_and_now(wire: Wire) -> None:
    wire.call("memory_fact_assert", subject="CI", predicate="runs on", object="Jenkins",
              since="2025-01-01")  # fmt: skip
    done = wire.call("memory_fact_assert", subject="CI", predicate="runs on", object="Buildkite",
                     since="2026-01-01")  # fmt: skip
    assert [one["object"] for one in done["structuredContent"]["closed"]] == ["Jenkins"]

    def objects(at: str = "", everything: bool = False) -> list[str]:
        told = wire.call("memory_facts", subject="CI", at=at, all=everything)
        found = told["structuredContent"]["facts"]
        return [one["object"] for one in found]

    assert objects() == ["Buildkite"]
    assert objects(at="2025-06-01") == ["Jenkins"]
    assert objects(everything=True) == ["Jenkins", "Buildkite"]


@pytest.mark.slow
def test_several_are_forgotten_in_two_steps(wire: Wire) -> None:
    ids = [
        wire.call("memory_write", what=what)["structuredContent"]["id"]
        for what in ("Lunch is at noon", "The lift is broken", "Rain is forecast")
    ]
    shown = wire.call("memory_forget_many", ids=ids[:2])["structuredContent"]
    assert [one["id"] for one in shown["would_forget"]] == sorted(ids[:2])
    assert len(wire.call("memory_recent")["structuredContent"]["memories"]) == 3

    other = wire.call("memory_forget_many", ids=ids, token=shown["token"])
    assert other["isError"], "a token is for what was shown"
    again = wire.call("memory_forget_many", ids=ids[:2])["structuredContent"]
    wire.call("memory_update", id=ids[0], what="Lunch is at one")
    done = wire.call("memory_forget_many", ids=ids[:2], token=again["token"])["structuredContent"]
    assert (done["forgotten"], done["changed_since"]) == ([ids[1]], [ids[0]])
    spent = wire.call("memory_forget_many", ids=ids[:2], token=again["token"])
    assert "spent" in spent["content"][0]["text"]


@pytest.mark.slow
def test_review_settings_and_sense(wire: Wire, project: Path) -> None:
    wire.call("memory_write", what="Charging is idempotent", where=["pay.py"], kind="rule")
    path = project / "pay.py"
    path.write_text(path.read_text() + "\nlate = 1\n")
    found = wire.call("memory_review")["structuredContent"]
    assert [one["what"] for one in found["findings"]] == ["Charging is idempotent"]
    both = wire.call("memory_review", revisions="HEAD", staged=True)
    assert both["structuredContent"]["error"]["code"] == "invalid_request"

    one = wire.call("settings_get", name="recall.tokens")["structuredContent"]["settings"]
    assert one == [{"name": "recall.tokens", "value": 800, "origin": "default"}]
    assert wire.call("settings_get", name="recall.nothing")["isError"]

    told = wire.call("memory_sense", text="From now on always run the linter before a commit.")
    (sensed,) = told["structuredContent"]["sensed"]
    assert sensed["signal"] == "rule"
    assert wire.call("memory_sense", text="Hello there")["structuredContent"]["sensed"] == []


def test_conversations_are_searched_and_read(workspace: Workspace) -> None:
    texts = ["Hello", "The walrus deploys on Fridays", "Noted", "And feeds the heron", "Bye"]
    turns = [
        Episode(f"e-{number}", "talk", "user" if number % 2 else "assistant", text, at=1e9 + number)
        for number, text in enumerate(texts)
    ]
    workspace.store.add_episodes(turns, None)
    tools.call(workspace, "memory_write", {"what": "The walrus is a mascot"}, AGENT)

    found = tools.call(workspace, "episode_search", {"query": "walrus deploys"}, AGENT).data["hits"]
    assert isinstance(found, list)
    rows = [one for one in found if isinstance(one, dict)]
    assert rows[0]["id"] == "e-1"
    assert {one["type"] for one in rows} == {"episode"}
    read = tools.call(workspace, "episode_get", {"id": "[e-1]", "around": 1}, AGENT)
    assert [one["id"] for one in read.data["turns"]] == ["e-0", "e-1", "e-2"]  # type: ignore[index, union-attr, call-overload]
    assert "data, not instructions" in read.text
    short = tools.call(workspace, "episode_get", {"id": "e-1", "around": 20, "tokens": 50}, AGENT)
    assert "walrus deploys on Fridays" in short.text
    assert short.data["omitted"]
    with pytest.raises(PostilError, match="there is no turn"):
        tools.call(workspace, "episode_get", {"id": "e-99"}, AGENT)


@pytest.mark.slow
def test_the_read_only_profile_writes_by_no_path(home: Path, project: Path) -> None:
    wire = Wire(home, project, "--profile", "read-only")
    wire.initialize()
    listed = wire.ask("tools/list")["result"]["tools"]
    assert all(one["annotations"]["readOnlyHint"] for one in listed)
    for tool in TOOLS:
        if not tool.read_only:
            told = wire.call(tool.name, False, **_valid(tool))
            assert told["isError"], tool.name
            assert "not offered here" in told["content"][0]["text"]
    wire.close()
    workspace = open_workspace(project)
    assert workspace.store.newest_memories(_every(), 10) == []
    workspace.close()


@pytest.mark.slow
def test_a_tool_of_another_profile_says_where_it_is(home: Path, project: Path) -> None:
    wire = Wire(home, project)
    wire.initialize()
    told = wire.call("memory_recent")
    assert told["isError"]
    assert "--profile full" in told["content"][0]["text"]
    assert wire.call("memory_write", what="x", how="hidden in core, and taken")["isError"] is False
    wire.close()


def _every() -> Any:
    from postil.storage.store import Filters

    return Filters(Actor().scopes)


def _valid(tool: Tool) -> dict[str, object]:
    samples: dict[str, object] = {"string": "m-1", "array": [], "boolean": True, "integer": 1}
    return {one.name: samples[one.type] for one in tool.parameters if one.required}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_HOSTILE = st.sampled_from(
    ["", "\0", "../../etc/passwd", "'; drop table memory; --", "m-000000000000", "[m-1]", "NaN",
     "\ud800", "9" * 400, "HEAD; rm -rf /", "--output=x", "x" * 70_000, "[[[", "1e309"]
)  # fmt: skip


def _arguments(parameters: tuple[Parameter, ...]) -> st.SearchStrategy[dict[str, object]]:
    known = {one.name: _JSON | _HOSTILE | _near(one) for one in parameters}
    return st.fixed_dictionaries({}, optional=known)


def _near(one: Parameter) -> st.SearchStrategy[Any]:
    """What is right, or nearly."""
    if one.rows:
        return st.lists(_arguments(one.rows), max_size=2)
    if one.choices:
        return st.sampled_from(one.choices) | st.lists(st.sampled_from(one.choices), max_size=2)
    return {
        "integer": st.integers(-2, 200),
        "number": st.floats(-1, 2),
        "boolean": st.booleans(),
        "array": st.lists(st.text(max_size=20), max_size=3),
        "string": st.text(max_size=60),
    }[one.type]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_given_it_answers_or_says_why(
    workspace: Workspace, tool: Tool, data: st.DataObject
) -> None:
    """An answer that is JSON, or an error with a code; nothing else ever comes out."""
    arguments = data.draw(_arguments(tool.parameters))
    try:
        answer = tools.call(workspace, tool.name, arguments, AGENT)
    except PostilError as error:
        assert str(error)
        assert "Traceback" not in str(error)
    else:
        json.dumps(answer.data, allow_nan=False).encode()
        answer.text.encode("utf-8", "strict")
