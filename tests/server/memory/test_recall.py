"""Recall finds the right thing, within its budget, the same way each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.embed import open_embedder
from postil.memory.recall import Query, brief
from postil.memory.write import remember
from postil.model import Actor, Episode, Hit, Kind, Memory, Recall
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters
from postil.words import estimate_tokens
from support.search import found as answer

NOW = 1_800_000_000.0
KNOWN = [
    (Kind.DECISION, "Billing uses PostgreSQL", "we need serializable isolation"),
    (Kind.RULE, "Never log card numbers", "audit"),
    (Kind.FACT, "The staging cluster has three nodes", ""),
    (Kind.LESSON, "Retrying a charge doubled it", "the gateway is not idempotent"),
    (Kind.PREFERENCE, "Tabs, not spaces", ""),
    (Kind.PLAN, "Move the mailer to a queue", "it blocks requests"),
]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "memory.db")
    for kind, what, why in KNOWN:
        remember(store, Memory(id="", what=what, why=why, kind=kind))
    return store


def ask(
    store: SqliteStore, text: str, embedder: str = "static", tokens: int = 800, limit: int = 10
) -> Recall:
    query = Query(text, tokens=tokens, limit=limit, now=NOW)
    return answer([store], open_embedder(embedder), query)


def what(hit: Hit) -> str:
    assert hit.memory is not None
    return hit.memory.what


@pytest.mark.parametrize("embedder", ["static", "hash", "none"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("why does billing use postgres or postgresql", "Billing uses PostgreSQL"),
        ("logging of card numbers", "Never log card numbers"),
        ("isolation", "Billing uses PostgreSQL"),
        ("how many nodes has staging", "The staging cluster has three nodes"),
    ],
)
def test_words_find_it_with_every_embedder(
    store: SqliteStore, embedder: str, query: str, expected: str
) -> None:
    assert what(ask(store, query, embedder).hits[0]) == expected


def test_meaning_finds_what_no_word_does(store: SqliteStore) -> None:
    assert not ask(store, "indentation whitespace", "none").hits

    assert what(ask(store, "indentation whitespace").hits[0]) == "Tabs, not spaces"


def test_parts_add_up_to_the_score_and_the_order_is_stable(store: SqliteStore) -> None:
    first, second = ask(store, "charge the card"), ask(store, "charge the card")

    assert first == second
    for hit in first.hits:
        assert hit.score == pytest.approx(sum(part for _, part in hit.parts))


def test_the_answer_keeps_to_its_budget_and_says_what_it_left_out(store: SqliteStore) -> None:
    for number in range(40):
        remember(store, Memory(id="", what=f"The queue rule number {number} is about queues " * 3))

    found = ask(store, "queue", tokens=300, limit=50)

    cost = sum(estimate_tokens(what(hit)) for hit in found.hits)
    assert 0 < cost <= 300
    assert len(found.cut) >= 5


def test_a_turn_is_found_by_the_question_beside_it(store: SqliteStore) -> None:
    talk = [
        "How do we rotate the zookeeper certificates?",
        "With the script in ops, monthly.",
        "Ok.",
    ]
    store.add_episodes(
        [Episode(id=f"e-{n}", session="s", role="user", text=text) for n, text in enumerate(talk)],
        None,
    )

    found = ask(store, "zookeeper certificates", "none")

    assert [hit.id for hit in found.hits[:2]] == ["e-0", "e-1"]
    assert dict(found.hits[1].parts)["neighbour"] > 0


def test_no_episode_and_no_other_kind_where_they_are_not_wanted(store: SqliteStore) -> None:
    store.add_episodes([Episode(id="e-1", session="s", role="user", text="card numbers")], None)
    query = Query(
        "card numbers", filters=Filters(Actor().scopes, kinds=(Kind.LESSON,)), episodes=False
    )

    found = answer([store], open_embedder("static"), query)

    assert {hit.memory.kind for hit in found.hits if hit.memory} <= {Kind.LESSON}
    assert all(hit.episode is None for hit in found.hits)


def test_importance_never_beats_a_match(store: SqliteStore) -> None:
    remember(store, Memory(id="", what="Unrelated but vital words on billing", importance=1.0))
    remember(store, Memory(id="", what="Invoices are numbered per year", importance=0.0))

    assert what(ask(store, "how are invoices numbered").hits[0]) == "Invoices are numbered per year"


def test_the_brief_begins_with_rules_and_decisions(store: SqliteStore) -> None:
    kinds = [memory.kind for memory in brief([store], Actor().scopes, 10)]

    assert set(kinds[:2]) == {Kind.RULE, Kind.PREFERENCE}
    assert kinds[2] is Kind.DECISION


def test_vectors_follow_a_store_that_grows_tenfold(store: SqliteStore) -> None:
    assert ask(store, "indentation whitespace").hits
    for number in range(100):
        remember(store, Memory(id="", what=f"Service {number} listens on port {7000 + number}"))

    found = ask(store, "indentation whitespace")

    assert what(found.hits[0]) == "Tabs, not spaces"
    fit = store.current_fit()
    assert fit is not None and fit.fitted_rows > 50
    assert store.without_vector(10) == []


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(min_size=1, max_size=40))
def test_no_query_fails(store: SqliteStore, text: str) -> None:
    found = ask(store, text)

    assert all(hit.score == hit.score for hit in found.hits)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    words=st.lists(
        st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=2, max_size=9),
        min_size=1,
        max_size=4,
    )
)
def test_a_memory_is_found_by_any_of_its_words(store: SqliteStore, words: list[str]) -> None:
    written = remember(store, Memory(id="", what=" ".join(words))).memory

    for word in words:
        found = ask(store, word, "none", limit=100, tokens=20_000)
        ids = {one for hit in found.hits for one in (hit.id, *hit.alike)}
        assert written.id in ids, word
