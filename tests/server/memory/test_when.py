"""Phrases of time: what they mean to the asker, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest

from postil.memory.when import event_of, phrases_in

# A Wednesday.
NOW = datetime(2026, 12, 2, 15, 30, tzinfo=UTC).timestamp()


def days(text: str, now: float = NOW, offset: int = 0) -> list[tuple[str, str]]:
    """The spans of a text as their first and last day."""
    zone = timezone(timedelta(minutes=offset))
    return [
        (
            f"{datetime.fromtimestamp(one.span.start, zone):%Y-%m-%d}",
            f"{datetime.fromtimestamp(one.span.end - 1, zone):%Y-%m-%d}",
        )
        for one in phrases_in(text, now, offset)
    ]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we decide last friday", "2026-11-27", "2026-11-27"),
        ("what was done on monday", "2026-11-30", "2026-11-30"),
        ("what changed since Monday", "2026-11-30", "2026-12-02"),
        ("what was decided yesterday?", "2026-12-01", "2026-12-01"),
        ("plans of today", "2026-12-02", "2026-12-02"),
        ("decisions of last week", "2026-11-23", "2026-11-29"),
        ("decisions of this week", "2026-11-30", "2026-12-06"),
        ("what we learned last month", "2026-11-01", "2026-11-30"),
        ("goals of last quarter", "2026-07-01", "2026-09-30"),
        ("goals of Q3", "2026-07-01", "2026-09-30"),
        ("goals of Q1 2025", "2025-01-01", "2025-03-31"),
        ("what broke last year", "2025-01-01", "2025-12-31"),
        ("what happened in May 2023?", "2023-05-01", "2023-05-31"),
        ("what happened in May?", "2026-05-01", "2026-05-31"),
        ("on 7 May 2023", "2023-05-07", "2023-05-07"),
        ("on May 7, 2023", "2023-05-07", "2023-05-07"),
        ("the outage of 2026-03-14", "2026-03-14", "2026-03-14"),
        ("releases of 2026-03", "2026-03-01", "2026-03-31"),
        ("what we did in 2024", "2024-01-01", "2024-12-31"),
        ("from 2026-03-01 to 2026-03-09", "2026-03-01", "2026-03-09"),
        ("between May 2025 and July 2025", "2025-05-01", "2025-07-31"),
        ("the last 3 days", "2026-11-29", "2026-12-02"),
        ("3 days ago", "2026-11-29", "2026-11-29"),
        ("two weeks ago", "2026-11-15", "2026-11-21"),
        ("before 2024", "1970-01-01", "2023-12-31"),
    ],
)
def test_a_phrase_means_these_days(text: str, first: str, last: str) -> None:
    """RE-5."""
    assert days(text) == [(first, last)]


def test_the_day_is_the_askers() -> None:
    """At 15:30 in London it is half past midnight of the next day in Tokyo."""
    assert days("yesterday", offset=0) == [("2026-12-01", "2026-12-01")]
    assert days("yesterday", offset=9 * 60) == [("2026-12-02", "2026-12-02")]


def test_an_event_is_named() -> None:
    assert event_of("what held before the migration to Postgres") == (
        "before",
        "migration to Postgres",
    )
    assert event_of("retry before failing") == ("", "")


LOOK_ALIKES = {
    "how does {} work": [
        "the march algorithm", "in memory caching", "the second retry", "the sun theme",
        "may_alias in the compiler", "the day picker widget", "the month view component",
        "the week number helper", "the year selector", "in mutex order", "in module scope",
        "the autumn palette", "the decimal month format", "jan the bot", "the octal parser",
        "marching cubes", "the last item lookup", "the first match rule", "the minute parser",
        "the hour glass cursor",
    ],
    "why is {} slow": [
        "in migration mode", "the monday.com importer", "the sat solver", "the wed form",
        "the fri lexer", "in method dispatch", "the tomorrow night theme", "mayday handler",
        "in map reduce", "the second pass", "the now() function", "the date column",
        "the time zone table", "version 2024.1.3", "port 2020", "error 1999 handler",
        "build-2024-rc", "the decrement loop", "the seconds counter", "the june-dev branch",
    ],
    "where is {} defined": [
        "MAY_FAIL", "the march flag -march=native", "last_seen", "this_week_total",
        "next_day_delivery", "yesterday_total", "today_view", "Quarter", "q4_weights",
        "weekend_rate", "month_of", "in middleware", "the sunday class", "JanSson", "Dec()",
        "Augment", "SeptupleHash", "Marcher", "febrile_check", "ISO8601",
    ],
    "rename {} in the api": [
        "day_of_week", "the month enum", "mayor", "the second argument", "previous_value",
        "the last parameter", "the past tense", "the current user", "the year field", "decode",
        "the octet stream", "the april fools flag", "the novelty score", "the marble class",
        "the junction table", "the july() stub", "the augur module", "the separator",
        "the mon field", "the weekly digest template",
    ],
    "{} fails with a timeout": [
        "it may be that it", "that may", "the march of requests", "a second request",
        "in may_block it", "the last retry", "this one", "the previous step",
        "each minute the job", "the daily job", "the monthly job", "the nightly build",
        "the weekly backup", "the current branch", "a few tests of it", "one of two workers",
        "the first of three hooks", "every quarter of the batch", "half a second of sleep",
        "the 24 hour clock",
    ],
    "explain {}": [
        "in memory of the cache", "how sun rays are drawn", "the fall through case",
        "the spring framework", "a day in the life of a request", "the may/must distinction",
        "the second law", "the march test", "the date-fns import", "timestamps",
        "the sat score", "sec ops", "min and max", "the day/night toggle", "the year 2038 bug",
        "node 20 support", "the 2020 resolution preset", "http 2 in may_use mode",
        "the last-write-wins rule", "the since() helper",
    ],
    "who owns {}": [
        "the march package", "the month service", "the may-queue", "the second shard",
        "the friday-bot", "the sunday-school example", "the today app", "the calendar week widget",
        "the quarterly report template", "the year-end script", "the decorator", "the augmentation",
        "the octopus deploy", "the marketing site", "the junk folder", "the monitor",
        "the tuesday.js file", "the weekday enum", "the time series store", "in-memory store",
    ],
    "document {} please": [
        "in m mode", "in ms units", "in mb", "in msgpack", "in macros", "in main", "in makefiles",
        "in markdown", "in maven", "in metrics", "in mocks", "in models", "in monads",
        "in monorepos", "in mounts", "in mqtt", "in mypy", "in mysql", "in mips", "in mixins",
    ],
    "test {} again": [
        "the second case", "may_retry", "the last case", "the next() call", "this case",
        "the previous case", "the day counter", "the sec field", "the mar parser", "decimal 2001",
        "port 1984", "line 2010", "issue 2021", "http 2019", "v2025", "id 1999-a", "rfc 2045",
        "error code 2002", "sha 1970abc", "the 2048 game",
    ],
    "the {} is wrong": [
        "month label", "day label", "year label", "may label", "march label", "second label",
        "week label", "sun icon", "moon icon", "time label", "date label", "today label",
        "tomorrow label", "yesterday label of the widget file", "last label", "next label",
        "this label", "past label", "future label", "quarter label",
    ],
}  # fmt: skip
QUESTIONS = [frame.format(word) for frame, words in LOOK_ALIKES.items() for word in words]


def test_what_only_looks_like_a_time_is_none() -> None:
    """RE-5: 200 questions about code, none about a time."""
    assert len(set(QUESTIONS)) == 200

    taken = {text: days(text) for text in QUESTIONS if days(text)}

    assert taken == {}


def test_no_text_fails() -> None:
    numbers, units = ("0", "99", "999", "a", "several"), ("day", "week", "month", "quarter", "year")
    for number, unit in product(numbers, units):
        phrases_in(f"{number} {unit}s ago and the last {number} {unit}s", NOW, 0)
    for text in ("on 31 February 2024", "2024-13-45", "Q9", "0000-00-00", "since since since"):
        phrases_in(text, NOW, -720)
