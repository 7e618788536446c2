"""A correction closes and links; history is complete; a session can be taken back.

CO-10, CO-11, CO-17, WR-2, WR-4, WR-13, WR-17, WR-18, MEM-01, MEM-02, MEM-04, MEM-05.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from postil import curate, tools
from postil.embed import open_embedder
from postil.errors import QuotaError, UsageError
from postil.memory.change import (
    approve,
    fold,
    forget,
    keep,
    merge_twins,
    reject,
    restore,
    settle,
    supersede,
    update,
)
from postil.memory.keys import keys_of
from postil.memory.recall import Query
from postil.memory.undo import undo_session
from postil.memory.write import Policy, Terms, Written, remember
from postil.model import Action, Actor, Kind, Memory, Scope, Status, Verdict, new_id
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Keys
from postil.workspace import Workspace
from support.answers import rows
from support.drafts import by
from support.search import found as answer

PERSON = Actor()
AGENT = Actor("agent:claude", "claude", "s1")
POLICY = Policy()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def active(store: SqliteStore) -> list[str]:
    return [one.what for one in store.every_memory() if one.status is Status.ACTIVE]


def logged(store: SqliteStore, memory_id: str, actor: Actor = PERSON) -> None:
    forget(store, [memory_id], actor, lambda action, marks: None)


def test_one_call_writes_and_closes_and_only_the_new_one_is_found(workspace: Workspace) -> None:
    """MEM-01."""
    old = curate.write(workspace, Memory("", "The deploy target is Heroku", created_at=1.0)).memory
    new = curate.write(
        workspace, Memory("", "The deploy target is Fly.io now, not Heroku"), supersedes=[old.id]
    )

    assert new.verdict is Verdict.UPDATE and new.closed == (old.id,)
    for arguments, expected in (
        ({"query": "deploy target"}, {new.memory.id}),
        ({"query": "deploy target", "history": True}, {new.memory.id, old.id}),
    ):
        found = rows(tools.call(workspace, "memory_search", arguments, PERSON), "hits")
        assert {hit["id"] for hit in found} == expected
    text = tools.call(workspace, "memory_history", {"id": old.id}, PERSON).text
    assert f"Replaced by [{new.memory.id}]" in text and "1970-01-01" in text
    closed = workspace.store.memory(old.id)
    assert closed is not None and closed.superseded_by == new.memory.id
    assert closed.valid_until == pytest.approx(new.memory.created_at)
    brief = tools.call(workspace, "memory_brief", {}, PERSON).text
    assert old.id not in brief


def test_what_contradicts_is_kept_beside_and_put_before_a_person(store: SqliteStore) -> None:
    """MEM-02, MEM-05: nothing is closed by itself; settled, the old one is closed, not erased."""
    old = remember(store, Memory("", "Enable the query cache")).memory
    new = remember(store, Memory("", "Don't enable the query cache"))

    assert new.verdict is Verdict.CONTRADICT
    assert len(active(store)) == 2
    (pair,) = store.suggestions()
    with pytest.raises(UsageError, match="only a person"):
        settle(store, pair, Verdict.UPDATE, AGENT)
    settle(store, pair, Verdict.UPDATE, PERSON)

    assert active(store) == ["Don't enable the query cache"]
    closed = store.memory(old.id)
    assert closed is not None and closed.status is Status.SUPERSEDED
    assert store.suggestions() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The timeout is 30 s", "The timeout is 300 s"),
        ("Enable the cache", "Don't enable the cache"),
        ("Port 8080 is used on web", "Port 8080 is used on api"),
        ("The database port is 5432", "The database port is 5433"),
        ("Always squash before merging", "Never squash before merging"),
        ("Use tabs, not spaces", "Use spaces, not tabs"),
        ("The rent is 2400", "The rent went from 2400 to 2600"),
        ("one says 2", "two says 1"),
        ("Postgres for orders, Redis for sessions", "Redis for orders, Postgres for sessions"),
    ],
)
def test_what_differs_in_a_value_a_denial_or_a_part_is_never_merged(
    store: SqliteStore, old: str, new: str
) -> None:
    """MEM-05, WR-1."""
    remember(store, Memory("", old), Terms(embedder=open_embedder("static")))
    written = remember(store, Memory("", new), Terms(embedder=open_embedder("static")))

    assert written.created and written.closed == ()
    assert len(active(store)) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy to production on Heroku", "We no longer deploy to production on Heroku"),
        ("Analytics uses MySQL", "Analytics uses ClickHouse now"),
    ],
)
def test_a_likely_change_is_suggested(store: SqliteStore, old: str, new: str) -> None:
    remember(store, Memory("", old))

    assert remember(store, Memory("", new)).verdict is Verdict.CONTRADICT
    assert len(store.suggestions()) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Billing uses PostgreSQL", "PostgreSQL is used for billing"),
        ("The timeout is 30 s", "The timeout is 30 seconds"),
        ("Never commit secrets", "Secrets must not be committed"),
        ("Always run the tests before you push", "Run the tests before pushing, please"),
    ],
)
def test_a_restatement_is_one_memory(store: SqliteStore, old: str, new: str) -> None:
    first = remember(store, Memory("", old, tags=("a",))).memory
    second = remember(store, Memory("", new, tags=("b",)))

    assert second.verdict is Verdict.DUPLICATE
    assert second.memory.id == first.id and second.memory.tags == ("a", "b")
    assert len(active(store)) == 1


def test_a_reason_given_later_completes_the_statement(store: SqliteStore) -> None:
    old = remember(store, Memory("", "Billing uses PostgreSQL")).memory
    new = remember(store, Memory("", "Billing uses PostgreSQL because of its isolation"))

    assert new.verdict is Verdict.UPDATE and new.closed == (old.id,)
    assert active(store) == ["Billing uses PostgreSQL because of its isolation"]


def test_every_change_keeps_the_version_before(store: SqliteStore) -> None:
    """CO-10: who, when and what it was; restoring a version makes it the newest."""
    memory = remember(store, by(AGENT, "Version one", tags=("x",))).memory
    update(store, memory.id, lambda old: replace(old, what="Version two"), AGENT, POLICY)
    keep(store, memory.id, PERSON)
    events = store.events_of(memory.id)

    assert [event.action for event in events] == [Action.WRITE, Action.UPDATE, Action.UPDATE]
    assert [event.actor for event in events] == [AGENT, AGENT, PERSON]
    before = [event.before for event in events]
    assert before[0] is None and before[1] == memory
    assert isinstance(before[2], Memory) and before[2].what == "Version two"
    again = restore(store, memory.id, PERSON, version=1)
    assert (again.what, again.version, again.tags) == ("Version one", 4, ("x",))
    with pytest.raises(UsageError, match="no version 9"):
        restore(store, memory.id, PERSON, version=9)


def test_where_a_memory_came_from_is_known(workspace: Workspace) -> None:
    """CO-11: author, client, session, commit, and the turn that it was said in."""
    from postil import git
    from postil.model import Episode

    workspace.add_episodes([Episode("e-7", "s1", "user", "use cents")], None)
    memory = curate.write(workspace, by(AGENT, "Use cents"), ["pay.py#charge"]).memory

    assert (memory.author, memory.client, memory.session) == ("agent:claude", "claude", "s1")
    assert memory.commit == git.head(workspace.root) != ""
    assert memory.sources == ("e-7",)
    assert memory.anchors[0].commit == memory.commit


def test_a_session_is_taken_back_as_a_whole(store: SqliteStore) -> None:
    """WR-13: what it wrote is archived, what it changed is as before, what others did stays."""
    kept = remember(store, by(PERSON, "Kept as it was")).memory
    gone = remember(store, by(PERSON, "To be forgotten by the agent")).memory
    replaced = remember(store, by(PERSON, "The port is 1")).memory
    mine = remember(store, by(AGENT, "Written by the agent")).memory
    update(store, kept.id, lambda old: replace(old, what="Changed"), AGENT, POLICY)
    update(store, kept.id, lambda old: replace(old, what="Changed twice"), AGENT, POLICY)
    logged(store, gone.id, AGENT)
    supersede(store, replaced.id, by(AGENT, "The port is 2"))
    later = remember(store, by(AGENT, "Changed by a person later")).memory
    update(store, later.id, lambda old: replace(old, why="checked"), PERSON, POLICY)
    with pytest.raises(UsageError, match="only a person"):
        undo_session(store, "s1", replace(AGENT, session="s9"))

    done = undo_session(store, "s1", PERSON)

    assert set(active(store)) == {
        "Kept as it was",
        "To be forgotten by the agent",
        "The port is 1",
        "Changed by a person later",
    }
    assert done.changed_since == (later.id,)
    assert len(done.reverted) == 5
    assert undo_session(store, "s1", PERSON).reverted == ()
    assert restore(store, mine.id, PERSON).status is Status.ACTIVE
    assert remember(store, by(PERSON, "To be forgotten by the agent")).created is False


def test_a_session_may_write_only_so_much(store: SqliteStore) -> None:
    """WR-18: a looping agent is stopped with a message; a person and other sessions are not."""
    terms = Terms(Policy(session_memories=5, session_characters=1_000))
    for number in range(5):
        remember(store, by(AGENT, f"Loop number n{number}"), terms)

    with pytest.raises(QuotaError, match="has written 5 rows"):
        remember(store, by(AGENT, "One more"), terms)
    assert remember(store, by(PERSON, "A person's"), terms).created
    other = Actor("agent:claude", "claude", "s2")
    assert remember(store, by(other, "x" * 1_200), terms).created
    with pytest.raises(QuotaError, match="1,200 characters"):
        remember(store, by(other, "and more"), terms)


def test_the_same_request_is_one_write(store: SqliteStore) -> None:
    """WR-4."""
    terms = Terms(request="r-1")
    first = remember(store, Memory("", "Use cents"), terms)
    again = remember(store, Memory("", "Use cents"), terms)

    assert (first.created, again.created) == (True, False)
    assert again.memory.id == first.memory.id
    assert len(store.events_of(first.memory.id)) == 1
    with pytest.raises(UsageError, match="was used for another text"):
        remember(store, Memory("", "Use euros"), terms)
    other = Memory("", "Use euros", scope=Scope.TEAM)
    assert remember(store, other, terms).created, "a name is of one scope"


def test_team_knowledge_waits_for_a_person(store: SqliteStore) -> None:
    """WR-17: proposed, it is in no answer; approved, it closes what it replaces."""
    old = remember(store, by(PERSON, "Releases are on Friday", scope=Scope.TEAM)).memory
    new = supersede(store, old.id, by(AGENT, "Releases are on Tuesday", scope=Scope.TEAM)).memory

    assert new.status is Status.PROPOSED
    assert active(store) == ["Releases are on Friday"]
    found = answer([store], None, Query("releases"))
    assert [hit.id for hit in found.hits] == [old.id]
    for refused in (
        lambda: approve(store, new.id, AGENT),
        lambda: logged(store, old.id, AGENT),
        lambda: update(store, old.id, lambda one: replace(one, why="x"), AGENT, POLICY),
    ):
        with pytest.raises(UsageError, match="only a person"):
            refused()

    approve(store, new.id, PERSON)

    assert active(store) == ["Releases are on Tuesday"]
    assert store.memory(old.id).superseded_by == new.id  # type: ignore[union-attr]


def test_where_agents_only_propose_nothing_of_theirs_holds_by_itself(store: SqliteStore) -> None:
    policy = Policy(agents_propose=True)
    mine = remember(store, by(PERSON, "Kept", tags=("a",))).memory
    proposed = remember(store, by(AGENT, "Proposed"), Terms(policy)).memory
    merged = remember(store, by(AGENT, "Kept", tags=("b",)), Terms(policy)).memory
    successor = update(store, mine.id, lambda old: replace(old, what="Other"), AGENT, policy)

    assert active(store) == ["Kept"]
    assert merged == mine, "not even a tag is added"
    assert (proposed.status, successor.status) == (Status.PROPOSED, Status.PROPOSED)
    reject(store, proposed.id, PERSON)
    approve(store, successor.id, PERSON)
    assert active(store) == ["Other"]


def test_a_summary_and_what_it_folds_are_one_step(store: SqliteStore) -> None:
    """CO-6: originals are archived, cited, and can come back."""
    parts = [remember(store, Memory("", f"Part n{number} of it")).memory for number in range(3)]
    ids = [memory.id for memory in parts]
    written = fold(store, ids, Memory("", "It has three parts", kind=Kind.SUMMARY))

    assert active(store) == ["It has three parts"]
    assert written.memory.sources == tuple(ids)
    assert restore(store, ids[0], PERSON).status is Status.ACTIVE
    with pytest.raises(UsageError):
        fold(store, ["m-none"], Memory("", "Another summary"))
    assert "Another summary" not in active(store), "all or nothing"


def test_twins_become_one_and_stay_one(store: SqliteStore) -> None:
    """MEM-04: maintenance twice and in parallel; tags and sources are united."""
    for number, tag in enumerate("ab"):
        row = Memory(new_id("m"), "The same", tags=(tag,), sources=(f"e-{tag}",), created_at=1.0)
        store.insert_memory(row, Keys(f"old {number}", keys_of(row).text))
    done: list[int] = []
    threads = [
        threading.Thread(target=lambda: done.append(merge_twins(store, PERSON))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(done) == [0, 0, 0, 1]
    (kept,) = store.list_memories(Filters(PERSON.scopes), 9)
    assert (kept.tags, kept.sources) == (("a", "b"), ("e-a", "e-b"))
    assert merge_twins(store, PERSON) == 0


def test_importance_is_one_scale_and_each_step_changes_the_order(store: SqliteStore) -> None:
    """CO-17: from the default importance, up and down and a pin all show."""
    for name in "abc":
        remember(store, Memory("", f"Variant {name} of the walrus rule"), Terms(compares=False))
    first, second, third = store.list_memories(Filters(PERSON.scopes), 9)

    def order() -> list[str]:
        return [hit.id for hit in answer([store], None, Query("walrus rule")).hits]

    assert {first.importance} == {0.5}
    update(store, third.id, lambda old: replace(old, importance=0.6), PERSON, POLICY)
    assert order()[0] == third.id
    update(store, third.id, lambda old: replace(old, importance=0.4), PERSON, POLICY)
    assert order()[-1] == third.id
    keep(store, second.id, PERSON)
    assert order()[0] == second.id


def test_an_unknown_memory_is_named(store: SqliteStore) -> None:
    for attempt in (
        lambda: update(store, "m-none", lambda old: old, PERSON, POLICY),
        lambda: restore(store, "m-none", PERSON),
        lambda: logged(store, "m-none"),
        lambda: supersede(store, "m-none", Memory("", "x y")),
    ):
        with pytest.raises(UsageError, match="m-none"):
            attempt()
    assert active(store) == []


def test_written_tells_what_was_found(store: SqliteStore) -> None:
    written: Written = remember(store, Memory("", "Lone \ud800 surrogate and \x00 here"))

    assert written.notes == ("2 characters that no text can hold were replaced by \ufffd",)
    assert store.memory(written.memory.id) == written.memory


def test_undo_of_no_session_is_refused(store: SqliteStore) -> None:
    remember(store, by(PERSON, "Mine"))

    for nothing in ("", "  "):
        with pytest.raises(UsageError, match="no session"):
            undo_session(store, nothing, PERSON)
    assert active(store) == ["Mine"]


def test_undo_leaves_what_it_cannot_put_back(store: SqliteStore) -> None:
    """Its place is taken, or what was before has been erased: all else is undone."""
    old = remember(store, by(PERSON, "Gamma uses nine threads")).memory
    other = remember(store, by(PERSON, "The debug flag stays off")).memory
    third = remember(store, by(AGENT, "Made by the session")).memory
    update(store, old.id, lambda one: replace(one, what="Gamma uses ten threads"), AGENT, POLICY)
    update(store, other.id, lambda one: replace(one, how="x"), AGENT, POLICY)
    remember(store, by(PERSON, "Gamma uses nine threads"), Terms(compares=False))
    with store.transaction():
        store.erase_rows([], [], ["the debug flag stays off"], 1.0)

    undone = undo_session(store, "s1", PERSON)

    assert set(undone.changed_since) == {old.id, other.id}
    assert undone.reverted == (third.id,)
    assert "The debug flag stays off" in active(store)
