"""Nothing crosses scopes, in any order of operations. CO-12, CO-13, PRJ-05; past fault 33."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil import curate, tools
from postil.embed import HashEmbedder
from postil.errors import UsageError
from postil.memory import vectors
from postil.memory.facts import as_of, assert_fact
from postil.memory.recall import Query, brief
from postil.memory.write import Terms, remember
from postil.model import Actor, Anchor, Episode, Fact, Kind, Memory, Scope
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Shelf
from postil.workspace import Workspace, open_workspace
from support.answers import rows
from support.project import make_project
from support.search import found as answer
from support.search import rows_with

SCOPES = ("project", "team", "session:one", "session:two", "diary:claude", "diary:codex", "user")
NAMES = st.sampled_from(SCOPES)
TEXTS = st.sampled_from(["Use cents", "Use cents, not euros", "The port is 1", "The port is 2"])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(writes=st.lists(st.tuples(NAMES, TEXTS), min_size=1, max_size=12), asked=st.sets(NAMES))
def test_no_read_and_no_judgement_ever_crosses(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[str, str]], asked: set[str]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("scopes") / "memory.db")
    embedder = HashEmbedder()
    for name, text in writes:
        scope = Scope.parse(name)
        draft = Memory("", text, scope=scope, kind=Kind.RULE, anchors=(Anchor("a.py"),))
        written = remember(store, draft, Terms(embedder=embedder))
        assert written.memory.scope == scope, "merged within its scope only"
        for one in written.suggestions:
            assert store.memory(one.old).scope == scope  # type: ignore[union-attr]
        assert_fact(store, Fact("", "port", "is", text, scope))
        vectors.refresh(store, embedder, 1_000)
    distinct = {(name, text) for name, text in writes}
    scopes = tuple(Scope.parse(name) for name in asked)
    filters = Filters(scopes)
    expected = {pair for pair in distinct if pair[0] in asked}

    def seen(found: list[Memory]) -> set[tuple[str, str]]:
        return {(str(memory.scope), memory.what) for memory in found}

    assert seen(store.list_memories(filters, 100)) == expected
    assert seen(store.newest_memories(filters, 100)) == expected
    assert seen(brief([store], scopes, 100)) == expected
    assert seen(store.tied_to("a.py", [], [], [], scopes)) == expected
    # Only in a diary are two equal lines two.
    lines = [pair for pair in writes if pair[0] in asked and pair[0].startswith("diary")]
    others = {pair for pair in expected if not pair[0].startswith("diary")}
    assert sum(store.counts(scopes).values()) == len(lines) + len(others)
    for embedding in (embedder, None):
        found = answer([store], embedding, Query("use port", 20_000, 100, filters))
        assert seen([hit.memory for hit in found.hits if hit.memory]) <= expected
    words = rows_with(store, Shelf.MEMORY, ["use", "port"], filters, 100)
    assert seen(list(store.memories(words).values())) == expected
    fit = store.current_fit()
    assert fit is not None
    vector = embedder.embed(["use port"], fit)[0].tobytes()
    near = store.match_vector(Shelf.MEMORY, vector, fit.number, filters, 100)
    assert seen(list(store.memories(list(near)).values())) <= expected
    facts = as_of(store, scopes, "port", 1e10)
    assert {str(fact.scope) for fact in facts} == {name for name, _ in expected}


def test_episodes_are_the_projects(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    store.add_episodes([Episode("e-1", "one", "user", "walrus")], None)

    def found(*scopes: Scope) -> int:
        return len(answer([store], None, Query("walrus", filters=Filters(scopes))).hits)

    assert found(Scope.PROJECT) == 1
    assert found(Scope.USER, Scope.parse("session:two"), Scope.TEAM) == 0
    assert found() == 0


AGENT = Actor("agent:claude", "claude", "one")
OTHER = Actor("agent:codex", "codex", "two")


def test_a_diary_and_a_session_are_their_owners_alone(workspace: Workspace) -> None:
    """PRJ-05, fault 33: an agent can name no scope but its own."""

    def write(actor: Actor, scope: str) -> str:
        arguments = {"what": f"A walrus of {actor.agent} in {scope}", "scope": scope}
        return str(tools.call(workspace, "memory_write", arguments, actor).data["id"])

    diary, session = write(AGENT, "diary"), write(AGENT, "session")
    project = write(AGENT, "project")

    def sees(actor: Actor, **more: object) -> set[str]:
        arguments = {"query": "walrus", **more}
        found = tools.call(workspace, "memory_search", arguments, actor)
        return {row["id"] for row in rows(found, "hits")}

    assert sees(AGENT) == {diary, session, project}
    assert sees(OTHER) == {project}
    assert sees(AGENT, scopes=["diary"]) == {diary}
    assert sees(Actor()) == {project}
    person = curate.recent(workspace, (Scope.parse("diary:claude"),), 9)
    assert [memory.id for memory in person] == [diary], "a person may look, by asking"
    for attempt in (
        lambda: curate.get(workspace, diary, OTHER),
        lambda: curate.forget(workspace, [session], OTHER),
        lambda: tools.call(workspace, "memory_history", {"id": diary}, OTHER),
        lambda: curate.write(
            workspace, Memory("", "x y", author="agent:codex"), supersedes=[diary]
        ),
    ):
        with pytest.raises(UsageError):
            attempt()
    assert workspace.store.memory(diary).superseded_by == ""  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", ["diary:../x", "diary:a'b", "session:", "diary", "team:x", "org", "", "session:a b"]
)
def test_a_scope_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown scope"):
        Scope.parse(name)


def test_two_projects_with_the_same_words_share_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    """PRJ-05: on every way of reading; only what is mine is in both."""
    other = open_workspace(
        make_project(tmp_path / "bank" / "shop", {"pay.py": "def charge(): 1\n"})
    )
    other.update_map()
    for each, tag in ((workspace, "first"), (other, "second")):
        curate.write(
            each,
            Memory("", f"Walrus note of {tag}", kind=Kind.RULE, scope=Scope.PROJECT),
            ["pay.py#charge"],
        )
        each.add_episodes([Episode(f"e-{tag}", "s", "user", f"walrus said in {tag}")], None)
    curate.write(workspace, Memory("", "Walrus of mine", kind=Kind.RULE, scope=Scope.USER))

    for each, tag, foreign in ((workspace, "first", "second"), (other, "second", "first")):
        texts = [
            tools.call(each, "memory_search", {"query": "walrus"}, AGENT).text,
            tools.call(each, "memory_brief", {"tokens": 2_000}, AGENT).text,
            str(each.memories_in("pay.py")),
        ]
        exported = tmp_path / f"{tag}.jsonl"
        curate.export_to(each, "jsonl", False, exported, Actor(), lambda _: None)
        page = tmp_path / f"{tag}.md"
        curate.export_to(each, "markdown", False, page, Actor(), lambda _: None)
        texts += [exported.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")]
        assert all(foreign not in text for text in texts)
        assert all(tag in text for text in texts)
        assert "Walrus of mine" in texts[0] and "Walrus of mine" in texts[1]
    other.close()


def test_among_equals_the_scope_decides_and_is_named(workspace: Workspace) -> None:
    """CO-13: a team's rule before a project's before one's own."""
    for scope in (Scope.USER, Scope.PROJECT, Scope.TEAM):
        curate.write(workspace, Memory("", "Walrus rule", kind=Kind.RULE, scope=scope))
    answer = tools.call(workspace, "memory_search", {"query": "walrus rule"}, Actor())

    assert [hit["scope"] for hit in rows(answer, "hits")] == ["team", "project", "user"]
    assert "rule, team" in answer.text and "rule, user" in answer.text
    assert replace(AGENT).scopes[0] == Scope.parse("session:one")
