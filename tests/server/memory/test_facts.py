"""Facts hold for a time. RE-8, WR-2; past faults 19 and 31."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.memory.facts import add_aliases, as_of, assert_fact, invalidate, timeline
from postil.memory.undo import undo_session
from postil.memory.write import Policy
from postil.model import Actor, Entity, Fact, FactStatus, Scope
from postil.storage.sqlite import SqliteStore

PERSON = Actor()
AGENT = Actor("agent:claude", "claude", "s1")
SEEN = PERSON.scopes


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def say(store: SqliteStore, value: str, since: float, until: float = 0.0, **more: str) -> Fact:
    fact = Fact("", "api", "database", value, valid_from=since, valid_until=until, **more)  # type: ignore[arg-type]
    return assert_fact(store, fact).fact


def held(store: SqliteStore, at: float) -> list[str]:
    return [fact.object for fact in as_of(store, SEEN, "api", at)]


def test_each_time_has_its_value(store: SqliteStore) -> None:
    say(store, "MySQL", 100)
    say(store, "PostgreSQL", 200)
    say(store, "CockroachDB", 300)

    assert [held(store, at) for at in (50, 100, 199, 200, 299, 1e9)] == [
        [],
        ["MySQL"],
        ["MySQL"],
        ["PostgreSQL"],
        ["PostgreSQL"],
        ["CockroachDB"],
    ]
    spans = [
        (fact.object, fact.valid_from, fact.valid_until) for fact in timeline(store, SEEN, "API")
    ]
    assert spans == [("MySQL", 100, 200), ("PostgreSQL", 200, 300), ("CockroachDB", 300, 0)]


def test_what_is_learned_late_fills_the_time_before(store: SqliteStore) -> None:
    """Fault 19: an earlier beginning breaks nothing."""
    say(store, "PostgreSQL", 200)
    late = say(store, "MySQL", 100)

    assert late.valid_until == 200
    assert (held(store, 150), held(store, 250)) == (["MySQL"], ["PostgreSQL"])


def test_a_time_in_the_middle_leaves_both_sides(store: SqliteStore) -> None:
    say(store, "PostgreSQL", 100)
    say(store, "MySQL", 200, until=300)

    assert [held(store, at) for at in (150, 250, 350)] == [
        ["PostgreSQL"],
        ["MySQL"],
        ["PostgreSQL"],
    ]


def test_the_same_again_is_known_and_one_beginning_has_one_value(store: SqliteStore) -> None:
    first = say(store, "PostgreSQL", 100)
    again = assert_fact(store, Fact("", "API", "Database", "postgresql", valid_from=150))
    say(store, "MySQL", 100)

    assert again.known and again.fact.id == first.id
    assert held(store, 120) == ["MySQL"]
    wrong = store.fact(first.id)
    assert wrong is not None and wrong.status is FactStatus.INVALID


def test_what_holds_beside_others_ends_none(store: SqliteStore) -> None:
    for value in ("Ana", "Ben"):
        assert_fact(store, Fact("", "api", "owner", value, valid_from=100), also=True)

    assert sorted(held(store, 200)) == ["Ana", "Ben"]


def test_other_names_are_the_same_thing(store: SqliteStore) -> None:
    assert_fact(store, Fact("", "pg", "port", "5432", valid_from=100))
    add_aliases(store, Entity("PostgreSQL", aliases=("pg", "Postgres")), PERSON)
    assert_fact(store, Fact("", "postgres", "port", "5433", valid_from=200))

    for name in ("pg", "PostgreSQL", "POSTGRES"):
        assert [fact.object for fact in as_of(store, SEEN, name, 300)] == ["5433"]
    assert [fact.object for fact in as_of(store, SEEN, "pg", 150)] == ["5432"]
    with pytest.raises(UsageError, match="already another name"):
        add_aliases(store, Entity("MySQL", aliases=("pg",)), PERSON)


def test_it_can_end_or_never_have_held(store: SqliteStore) -> None:
    first = say(store, "PostgreSQL", 100)
    invalidate(store, first.id, PERSON, ended=200.0)
    assert (held(store, 150), held(store, 250)) == (["PostgreSQL"], [])
    invalidate(store, first.id, PERSON)
    assert held(store, 150) == []
    with pytest.raises(UsageError, match="before it begins"):
        invalidate(store, first.id, PERSON, ended=50.0)
    with pytest.raises(UsageError, match="no fact"):
        invalidate(store, "f-none", PERSON)


def test_an_agents_facts_are_taken_back_with_its_session(store: SqliteStore) -> None:
    say(store, "MySQL", 100)
    say(store, "PostgreSQL", 200, author=AGENT.author, client="claude", session="s1")

    undo_session(store, "s1", PERSON)

    assert (held(store, 150), held(store, 250)) == (["MySQL"], ["MySQL"])


def test_where_a_person_must_approve_an_agent_states_no_fact(store: SqliteStore) -> None:
    draft = Fact("", "api", "database", "x", author=AGENT.author)
    with pytest.raises(UsageError, match="only a person"):
        assert_fact(store, draft, Policy(agents_propose=True))
    team = Fact("", "api", "database", "x", Scope.TEAM, author=AGENT.author)
    with pytest.raises(UsageError, match="only a person"):
        assert_fact(store, team)
    with pytest.raises(UsageError, match="needs a object"):
        assert_fact(store, Fact("", "api", "database", " "))


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    said=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(1, 9), st.integers(0, 9)), max_size=8
    )
)
def test_at_no_time_are_there_two_values(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, int, int]]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("facts") / "memory.db")
    for value, start, length in said:
        say(store, value, start, until=start + length if length else 0.0)

    for at in range(20):
        assert len(held(store, at + 0.5)) <= 1
    if said:
        value, start, _ = said[-1]
        assert held(store, start + 0.5) == [value], "what was said last holds where it was said"
