"""Searching as people do: tickets, paths, other scripts, slips, other names, times, floors."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.embed import open_embedder
from postil.memory import rank
from postil.memory.facts import add_aliases
from postil.memory.recall import Query
from postil.memory.write import Terms, remember
from postil.model import Actor, Entity, Episode, Kind, Memory, Recall, Scope
from postil.present import recall_budget, recall_text
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters
from postil.words import estimate_tokens
from support.search import found, what

NOW = 1_764_687_000.0  # 2025-12-02
DAY = 86_400.0


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


def ask(store: SqliteStore, text: str, embedder: str = "none", **fields: object) -> Recall:
    query = Query(text, now=NOW, offset=0, **fields)  # type: ignore[arg-type]
    return found([store], open_embedder(embedder), query)


FILLER = [
    "The mailer waits for the gateway",
    "Deploys never run on fridays",
    "Use tabs in the printer module",
    "缓存在夜间清空",
    "배치 작업은 밤에 실행",
]


@pytest.mark.parametrize("embedder", ["static", "hash", "none"])
@pytest.mark.parametrize(
    ("memory", "queries"),
    [
        ("ticket KIT-512 closed on 2026-03-14", ["KIT-512", "2026-03-14", "kit-512 closed"]),
        ("don't retry a charge", ["don't retry", "retry", "retry's"]),
        (
            "pkg.mod.Client in src/net/client.py moves 3 GB/s",
            ["pkg.mod.Client", "Client", "src/net/client.py", "client.py", "GB/s"],
        ),
        (
            "Queue moved to Redis because retries",
            ["why did we move the queue to redis", "queue redis", "retries"],
        ),
        ("登录需要两步验证", ["登录", "验证"]),
        ("배포는 금요일에 하지 않는다", ["배포"]),
        ("使用Redis缓存会话", ["redis", "会话"]),
        ("getUserName reads max_retry_count", ["user name", "getUserName", "retry count"]),
        ("run it with --no-cache and read ERR_CONN_RESET", ["--no-cache", "ERR_CONN_RESET"]),
    ],
)
def test_the_field_cases_are_found(
    store: SqliteStore, embedder: str, memory: str, queries: list[str]
) -> None:
    """SRC-01, 02, 04, 05, 07, 08."""
    for text in [*FILLER, memory]:
        remember(store, Memory("", text))
    for query in queries:
        hits = ask(store, query, embedder).hits
        assert hits and what(hits[0]) == memory, query


@pytest.mark.parametrize(
    "query", ['"', "'", "*", "(", "^", ":", "AND", "NEAR(", "a OR", "-", "\x00"]
)
def test_syntax_is_only_text(store: SqliteStore, query: str) -> None:
    """SRC-02."""
    remember(store, Memory("", "AND gates are NEAR the clock"))
    ask(store, query, "static")


@pytest.mark.parametrize("slip", ["kuberentes", "kubernets", "Kubernetez", "kubbernetes"])
def test_a_slip_of_the_keyboard_is_understood(store: SqliteStore, slip: str) -> None:
    for text in [*FILLER, "Kubernetes runs the staging cluster"]:
        remember(store, Memory("", text))

    assert what(ask(store, slip).hits[0]) == "Kubernetes runs the staging cluster"


def test_another_name_finds_it(store: SqliteStore) -> None:
    """RE-2."""
    for text in FILLER:
        remember(store, Memory("", text))
    wanted = remember(store, Memory("", "PostgreSQL needs a pool of 40", about=("PostgreSQL",)))
    add_aliases(store, Entity("PostgreSQL", aliases=("pg", "the big database")), Actor())

    for query in ("pg", "pg pool size", "what about the big database"):
        assert ask(store, query).hits[0].id == wanted.memory.id, query


def test_a_question_for_reasons_finds_the_reason(store: SqliteStore) -> None:
    """RE-4: the text that is shown has both."""
    remember(store, Memory("", "The queue is in Redis today"))
    reasoned = remember(store, Memory("", "The queue is in Redis", why="retries are simple there"))

    found_now = ask(store, "why is the queue in redis")

    assert found_now.hits[0].id == reasoned.memory.id
    assert "Why: retries are simple there" in recall_text(found_now, 800)


def test_a_time_finds_what_happened_then(store: SqliteStore) -> None:
    """RE-5: by the time of the event, not of the writing."""
    old = Memory("", "We chose Redis", when=NOW - 30 * DAY, created_at=NOW)
    new = Memory("", "We chose Kafka", when=NOW - DAY, created_at=NOW - 60 * DAY)
    for memory in (old, new):
        remember(store, memory)

    assert what(ask(store, "what did we choose yesterday").hits[0]) == "We chose Kafka"
    assert what(ask(store, "what did we do yesterday").hits[0]) == "We chose Kafka"


def test_before_an_event_is_before_what_is_remembered_of_it(store: SqliteStore) -> None:
    """RE-5."""
    for memory, at in (
        ("Sessions lived in files", 300),
        ("The migration to Postgres is done", 200),
        ("Sessions live in Postgres", 100),
    ):
        remember(store, Memory("", memory, created_at=NOW - at * DAY))

    assert what(ask(store, "where were sessions before the migration").hits[0]).endswith("files")
    assert what(ask(store, "sessions since the migration").hits[0]) == "Sessions live in Postgres"


def test_importance_standing_and_age_never_beat_an_exact_match(store: SqliteStore) -> None:
    """RE-3."""
    remember(store, Memory("", "The gateway is vital", importance=1.0, pinned=True))
    exact = Memory("", "Invoices are numbered per year", importance=0.0, created_at=1.0)
    remember(store, exact)

    for query in ("invoices per year", "how are invoices of the gateway numbered"):
        assert what(ask(store, query, "static").hits[0]) == "Invoices are numbered per year"


def test_what_says_the_same_is_one_hit(store: SqliteStore) -> None:
    """RE-14."""
    for end in ("today", "now", "again"):
        text = f"please run the whole test suite with full coverage on the big build machine {end}"
        store.add_episodes([Episode(f"e-{end}", end, "user", text)], None)

    hits = ask(store, "test suite coverage").hits

    assert len(hits) == 1 and len(hits[0].alike) == 2


def test_parts_reproduce_the_order(store: SqliteStore) -> None:
    """RE-10, RE-17."""
    for text in FILLER:
        remember(store, Memory("", text, why="of the gateway"))
    store.add_episodes([Episode("e-1", "s", "user", "the gateway waits")], None)

    first, again = ask(store, "gateway waits", "static"), ask(store, "gateway waits", "static")

    assert first == again
    sums = [round(sum(part for _, part in hit.parts), 9) for hit in first.hits]
    order = sorted(zip([-one for one in sums], [hit.id for hit in first.hits], strict=True))
    assert [name for _, name in order] == [hit.id for hit in first.hits]


@pytest.mark.parametrize(
    "query", ["how to bake sourdough bread", "weather on the moon", "zzzz qqqq"]
)
def test_nothing_relevant_costs_next_to_nothing(store: SqliteStore, query: str) -> None:
    """RE-15."""
    for text in FILLER * 8:
        remember(store, Memory("", text + " x"))
    answer = ask(store, query, "static")

    assert answer.hits == ()
    assert len(recall_text(answer, 800).encode()) < 200


@pytest.mark.parametrize("tokens", [60, 150, 400, 1_000])
def test_an_answer_keeps_to_its_budget_and_names_what_was_cut(
    store: SqliteStore, tokens: int
) -> None:
    """RE-11."""
    for number in range(30):
        why = f"the gateway of region {number} drops long requests. " * (number % 5)
        remember(store, Memory("", f"Gateway {number} retries {number * 7} times", why=why))

    answer = ask(store, "gateway retries", tokens=recall_budget(tokens), limit=30)
    text = recall_text(answer, tokens)

    assert len(answer.hits) == 1 or estimate_tokens(text) <= tokens
    assert answer.cut and f"[{answer.cut[0]}]" in text
    assert not {hit.id for hit in answer.hits} & set(answer.cut)


def test_a_short_hit_fills_what_a_long_one_leaves(store: SqliteStore) -> None:
    hits = ask(store, "x").hits
    assert hits == ()
    for number in range(4):
        remember(store, Memory("", f"walrus {number}", why="long " * 200 * (number == 1)))
    chosen, cut = rank.within_budget(
        ask(store, "walrus", tokens=10_000).hits,
        60,
        10,
        lambda hit: 500 * ("long long" in str(hit)) + 15,
    )
    assert len(chosen) == 3 and len(cut) == 1


def test_every_filter_takes_out_what_it_says(store: SqliteStore) -> None:
    """RE-6, RE-7."""
    early = Memory(
        "", "walrus one", Kind.RULE, tags=("a",), about=("Sea",), created_at=NOW - 9 * DAY,
        valid_until=NOW - DAY,
    )  # fmt: skip
    late = Memory("", "walrus two", author="agent:x", created_at=NOW - DAY, importance=0.9)
    for memory in (early, late):
        remember(store, memory)
    scopes = Actor().scopes
    cases = {
        "one": [
            Filters(scopes, kinds=(Kind.RULE,)),
            Filters(scopes, tags=("a",)),
            Filters(scopes, about=("sea",)),
            Filters(scopes, authors=("person",)),
            Filters(scopes, created=(NOW - 10 * DAY, NOW - 8 * DAY)),
            Filters(scopes, held=(0.0, NOW - 8 * DAY)),
        ],
        "two": [
            Filters(scopes, authors=("agent",)),
            Filters(scopes, authors=("agent:x",)),
            Filters(scopes, created=(NOW - 2 * DAY, 0.0)),
            Filters(scopes, held=(NOW, 0.0)),
            Filters(scopes, valid_at=NOW),
        ],
    }
    for name, every in cases.items():
        for filters in every:
            for embedder in ("static", "none"):
                hits = ask(store, "walrus", embedder, filters=filters).hits
                assert [what(hit) for hit in hits] == [f"walrus {name}"], filters


def test_a_time_asks_no_turn_from_outside_of_the_filter(store: SqliteStore) -> None:
    turns = [
        Episode(f"e-{number}", "s", "user", "the walrus sleeps", at=NOW - DAY + 60 * number)
        for number in range(20)
    ]
    store.add_episodes(turns, None)
    filters = Filters(Actor().scopes, created=(NOW - DAY + 600, 0.0))

    hits = ask(store, "walrus", filters=filters, limit=50, tokens=100_000).hits

    ids = {one for hit in hits for one in (hit.id, *hit.alike)}
    assert ids == {f"e-{number}" for number in range(10, 20)}


def test_what_others_did_that_day_hides_nothing(store: SqliteStore) -> None:
    for number in range(250):
        scope = Scope.parse("session:other")
        memory = Memory("", f"Other {number}", scope=scope, created_at=NOW - DAY + number)
        remember(store, memory, Terms(compares=False))
    mine = remember(store, Memory("", "Mine", created_at=NOW - DAY)).memory

    assert [hit.id for hit in ask(store, "what happened yesterday").hits] == [mine.id]


@pytest.mark.parametrize(
    "text",
    [
        "f\u0131ve days ago", "ton\u0131ght", "last n\u0131ght", "in \u017feptember 2024?",
        "\u017fep 2024", "foo \ud800 bar", "2024-01-01 log line\n" * 3_000,
    ],
)  # fmt: skip
def test_odd_letters_and_pasted_logs_are_only_text(store: SqliteStore, text: str) -> None:
    remember(store, Memory("", "The walrus sleeps"))
    for embedder in ("static", "hash", "none"):
        ask(store, text, embedder)


def test_a_thing_is_found_in_any_script(store: SqliteStore) -> None:
    remember(store, Memory("", "The walrus sleeps", about=("Ökonom",)))
    filters = Filters(Actor().scopes, about=("Ökonom",))

    assert len(ask(store, "walrus", filters=filters).hits) == 1
