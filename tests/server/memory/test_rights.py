"""Agents propose, people own: no way round a person's approval. WR-3, WR-4, SEC, past faults."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from postil import curate
from postil.errors import ForgottenError, QuotaError, UsageError
from postil.memory import change
from postil.memory.change import approve, forget, reject, restore, settle, update
from postil.memory.facts import assert_fact
from postil.memory.write import Policy, Terms, remember
from postil.model import Actor, Fact, Kind, Memory, Scope, ScopeKind, Status, Suggestion, Verdict
from postil.storage.sqlite import SqliteStore
from postil.workspace import Workspace
from support.drafts import by

PERSON = Actor()
AGENT = Actor("agent:claude", "claude", "s1")
STRICT = Policy(agents_propose=True)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def proposed(store: SqliteStore, what: str = "The team ships on Fridays") -> Memory:
    memory = remember(store, by(AGENT, what, scope=Scope.TEAM)).memory
    assert memory.status is Status.PROPOSED
    return memory


@pytest.mark.parametrize("version", [0, 1])
def test_an_agent_brings_no_proposal_to_hold_by_restoring_it(
    store: SqliteStore, version: int
) -> None:
    waiting, refused = proposed(store), proposed(store, "The team never ships")
    reject(store, refused.id, PERSON)

    for one in (waiting, refused):
        with pytest.raises(UsageError, match="only a person"):
            restore(store, one.id, AGENT, version)
        found = store.memory(one.id)
        assert found is not None and found.status is not Status.ACTIVE


def test_where_agents_only_propose_they_close_and_reopen_nothing(store: SqliteStore) -> None:
    held = remember(store, by(PERSON, "We deploy on Fridays")).memory
    own = remember(store, by(AGENT, "We deploy with Helm"), Terms(STRICT)).memory

    with pytest.raises(UsageError, match="only a person"):
        forget(store, [held.id], AGENT, lambda *_: None, STRICT)
    with pytest.raises(UsageError, match="only a person"):
        change.keep(store, held.id, AGENT, policy=STRICT)
    with pytest.raises(UsageError, match="only a person"):
        restore(store, own.id, AGENT, 1, STRICT)
    assert forget(store, [own.id], AGENT, lambda *_: None, STRICT)[0].id == own.id


def test_what_a_person_closed_an_agent_does_not_reopen(store: SqliteStore) -> None:
    memory = remember(store, by(AGENT, "The cache has a limit of 5 MB")).memory
    change.archive(store, [memory.id], PERSON)

    with pytest.raises(UsageError, match="closed by a person"):
        restore(store, memory.id, AGENT)
    assert restore(store, memory.id, PERSON).status is Status.ACTIVE


def test_bulk_ways_in_are_a_persons(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    rows = [{"record": "postil", "version": 1}, {"record": "memory", "id": "m-1", "what": "Obey"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    with pytest.raises(UsageError, match="only a person"):
        curate.import_from(workspace, path, "", Scope.TEAM, AGENT, lambda _: None)
    with pytest.raises(UsageError, match="only a person"):
        curate.restore_backup(workspace, path, AGENT, lambda *_: None)
    with pytest.raises(UsageError, match="only a person"):
        curate.export_to(workspace, "jsonl", False, tmp_path / "out", AGENT, lambda _: None)
    with pytest.raises(UsageError, match="only a person"):
        curate.doomed(workspace, "Obey", "", AGENT)
    assert list(workspace.store.every_memory()) == []


@pytest.mark.parametrize("scope", [Scope(ScopeKind.DIARY, "bob"), Scope(ScopeKind.SESSION, "s9")])
def test_an_agent_writes_into_no_scope_but_its_own(store: SqliteStore, scope: Scope) -> None:
    with pytest.raises(UsageError, match="not yours to write"):
        remember(store, by(AGENT, "A thought", scope=scope))
    with pytest.raises(UsageError, match="not yours to write"):
        assert_fact(store, Fact("", "api", "owner", "mallory", scope, author=AGENT.author))


def test_what_only_one_session_sees_replaces_nothing_for_all(store: SqliteStore) -> None:
    old = remember(store, by(PERSON, "The deploy target is Heroku")).memory
    mine = by(AGENT, "The deploy target is Fly", scope=Scope(ScopeKind.SESSION, "s1"))

    with pytest.raises(UsageError, match="cannot be replaced from session:s1"):
        remember(store, mine, Terms(supersedes=(old.id,)))
    assert store.memory(old.id) == old


def test_forgotten_text_comes_in_by_no_correction(store: SqliteStore) -> None:
    gone = remember(store, by(PERSON, "Customer Zed pays late")).memory
    other = remember(store, by(PERSON, "Customer Yan pays early")).memory
    forget(store, [gone.id], PERSON, lambda *_: None)

    with pytest.raises(ForgottenError):
        update(store, other.id, lambda old: replace(old, what=gone.what), AGENT, Policy())


def test_corrections_count_towards_the_quota(store: SqliteStore) -> None:
    policy = Policy(session_memories=5)
    memory = remember(store, by(AGENT, "Version 0"), Terms(policy)).memory

    with pytest.raises(QuotaError):
        for number in range(10):
            text = f"Version {number + 1}"
            update(store, memory.id, lambda old, text=text: replace(old, what=text), AGENT, policy)  # type: ignore[misc]


def test_settling_a_pair_with_a_proposal_leaves_something_that_holds(store: SqliteStore) -> None:
    old = remember(store, by(PERSON, "The limit is 5")).memory
    new = remember(store, by(AGENT, "The limit is 6"), Terms(STRICT)).memory
    settle(
        store, Suggestion("s-1", new.id, old.id, Verdict.UNSURE, "", 0.0), Verdict.UPDATE, PERSON
    )

    winner, loser = store.memory(new.id), store.memory(old.id)
    assert winner is not None and winner.status is Status.ACTIVE
    assert loser is not None and loser.superseded_by == new.id

    again = remember(store, by(AGENT, "The limit is 7"), Terms(STRICT)).memory
    pair = Suggestion("s-2", new.id, again.id, Verdict.UNSURE, "", 0.0)
    settle(store, pair, Verdict.DUPLICATE, PERSON)
    assert [one.id for one in store.every_memory() if one.status is Status.ACTIVE] == [new.id]


def test_a_person_who_says_the_same_approves_it(store: SqliteStore) -> None:
    old = remember(store, by(PERSON, "The deploy target is Heroku")).memory
    terms = Terms(STRICT, supersedes=(old.id,), compares=False)
    waiting = remember(store, by(AGENT, "The deploy target is Fly"), terms).memory

    said = remember(store, by(PERSON, "The deploy target is Fly")).memory

    assert (said.id, said.status) == (waiting.id, Status.ACTIVE)
    closed = store.memory(old.id)
    assert closed is not None and closed.status is Status.SUPERSEDED


def test_a_proposal_can_be_approved_after_what_it_replaces_was_erased(
    workspace: Workspace,
) -> None:
    old = curate.write(workspace, by(PERSON, "The deploy target is Heroku")).memory
    terms = Terms(STRICT, supersedes=(old.id,))
    new = remember(workspace.store, by(AGENT, "Fly is the deploy target"), terms).memory
    selected = curate.doomed(workspace, "Heroku", "", PERSON)
    token = curate.offer_erasure(workspace, selected)
    curate.erase_selected(workspace, selected, token, PERSON)

    assert approve(workspace.store, new.id, PERSON).status is Status.ACTIVE


def test_a_person_sees_what_waits_in_every_scope(workspace: Workspace) -> None:
    draft = by(AGENT, "Only for now", scope=Scope(ScopeKind.SESSION, "s1"))
    memory = remember(workspace.store, draft, Terms(STRICT)).memory

    assert [one.id for one in curate.waiting(workspace, PERSON).proposed] == [memory.id]
    assert curate.waiting(workspace, Actor("agent:x", "x", "s2")).proposed == ()


def test_nothing_that_was_told_is_dropped_by_a_merge(store: SqliteStore) -> None:
    first = remember(store, by(PERSON, "Deploy the site", how="make deploy")).memory
    second = remember(store, by(AGENT, "Deploy the site", how="./ship.sh --prod"))
    assert second.verdict is Verdict.UNSURE and second.memory.id != first.id

    bare = remember(store, by(PERSON, "Run the linter")).memory
    filled = remember(store, by(PERSON, "Run the linter", how="make lint", valid_until=9e9))
    assert (filled.memory.id, filled.memory.how) == (bare.id, "make lint")
    assert filled.memory.valid_until == 9e9


def test_what_replaces_a_dear_memory_is_as_dear(store: SqliteStore) -> None:
    fields = {"tags": ("ci",), "importance": 0.9, "pinned": True}
    old = remember(store, by(PERSON, "CI runs on every push", **fields)).memory
    new = remember(store, by(AGENT, "CI runs on every push", why="it is cheap"))

    assert new.verdict is Verdict.UPDATE and new.closed == (old.id,)
    assert (new.memory.tags, new.memory.importance, new.memory.pinned) == (("ci",), 0.9, True)


def test_what_is_said_in_many_sessions_can_still_be_changed(store: SqliteStore) -> None:
    for number in range(45):
        draft = by(PERSON, "Use tabs", sources=(f"e-{number}",), tags=(f"t{number}",))
        memory = remember(store, draft).memory

    assert len(memory.sources) == len(memory.tags) == 30 and memory.sources[-1] == "e-44"
    changed = update(store, memory.id, lambda old: replace(old, why="wide"), PERSON, Policy())
    assert changed.why == "wide"


def test_case_and_indentation_of_code_make_another_memory(store: SqliteStore) -> None:
    texts = ["curl with -k", "curl with -K"]
    assert len({remember(store, by(PERSON, text)).memory.id for text in texts}) == 2

    snippets = ["if a:\n    b()\nc()", "if a:\n    b()\n    c()"]
    ids = {remember(store, by(PERSON, text, kind=Kind.SNIPPET)).memory.id for text in snippets}
    assert len(ids) == 2


def test_replacing_by_what_is_known_closes_the_old_one(store: SqliteStore) -> None:
    old = remember(store, by(PERSON, "Beta runs on port 80")).memory
    known = remember(store, by(PERSON, "Gamma listens on port 81")).memory

    done = remember(store, by(PERSON, "Gamma listens on port 81"), Terms(supersedes=(old.id,)))

    assert (done.memory.id, done.closed) == (known.id, (old.id,))
    closed = store.memory(old.id)
    assert closed is not None and closed.superseded_by == known.id
