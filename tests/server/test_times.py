"""Instants are UTC, days are where the reader is, whatever the zone. TIM-01, TIM-02; fault 48."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from postil import curate, present, tools
from postil.capture.ingest import ingest
from postil.errors import UsageError
from postil.memory.write import remember
from postil.model import Actor, Kind, Memory
from postil.storage.sqlite import SqliteStore
from postil.times import local_day, offset_at, parse_instant, parse_when
from postil.workspace import Workspace
from postil_lsp.features.document import Document
from postil_lsp.features.hover import hover
from postil_lsp.features.margin import Margin

INSTANT = 1_781_555_400.0  # 2026-06-15T20:30:00Z


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    """This process in a time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


@pytest.fixture(
    params=["Pacific/Kiritimati", "America/Bogota", "Asia/Kolkata", "Pacific/Auckland", "UTC"]
)
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    with machine_in(request.param):
        yield request.param


DAYS = {
    "Pacific/Kiritimati": "2026-06-16",
    "America/Bogota": "2026-06-15",
    "Asia/Kolkata": "2026-06-16",
    "Pacific/Auckland": "2026-06-16",
    "UTC": "2026-06-15",
}


@pytest.mark.parametrize(
    "text",
    [
        "2026-06-15T20:30:00Z",
        "2026-06-16T02:00:00+05:30",
        "2026-06-15T15:30:00-05:00",
        "1781555400",
        "1781555400000",
        "1781555400.0",
    ],
)
def test_every_form_is_one_instant_in_every_zone(zone: str, text: str) -> None:
    assert parse_instant(text)[0] == INSTANT
    assert local_day(INSTANT) == DAYS[zone]


def test_a_time_without_a_zone_is_the_machines(zone: str) -> None:
    at, offset = parse_instant("2026-06-15T20:30:00")

    assert at == INSTANT - offset * 60
    assert offset == offset_at(at)


def test_the_offset_follows_summer_time() -> None:
    with machine_in("Europe/Berlin"):
        assert offset_at(parse_instant("2026-03-29T00:30:00Z")[0]) == 60
        assert offset_at(parse_instant("2026-03-29T01:30:00Z")[0]) == 120
        assert parse_instant("2026-03-29T00:30:00Z")[1] == 60


def test_every_face_shows_the_same_day(workspace: Workspace, zone: str) -> None:
    draft = Memory("", "Use cents", Kind.RULE, created_at=INSTANT)
    memory = curate.write(workspace, draft, ["pay.py#charge"]).memory
    row = tools.call(workspace, "memory_search", {"query": "cents"}, Actor())
    text = (workspace.root / "pay.py").read_text(encoding="utf-8")
    margin = Margin(workspace.memories_in("pay.py"))
    found = hover(workspace, Document("pay.py", text), margin, 0, text.index("charge"))
    assert found is not None
    card = found[0]
    faces = [
        row.text,
        tools.call(workspace, "memory_brief", {}, Actor()).text,
        present.memory_page(memory),
        str(card),
    ]

    assert [DAYS[zone] in face for face in faces] == [True] * 4
    assert memory.offset == offset_at(time.time())
    assert row.data["hits"][0]["created_at"] == INSTANT  # type: ignore[index, call-overload]


def test_a_turn_knows_the_zone_it_was_taken_in(tmp_path: Path, zone: str) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    rows = [
        {
            "type": "user",
            "uuid": str(n),
            "sessionId": "s",
            "timestamp": stamp,
            "message": {"content": f"turn {n}"},
        }
        for n, stamp in enumerate(("2026-06-15T20:30:00Z", "2026-06-15T19:00:00-05:00", "nonsense"))
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    ingest(store, "claude-code", "claude", path, "s")

    first, second, third = store.every_episode()
    assert (first.at, first.offset) == (INSTANT, offset_at(INSTANT))
    assert (second.at, second.offset) == (1_781_568_000.0, -300)
    assert (third.at, third.offset) == (0.0, 0)


def test_relative_words_are_the_writers_day(zone: str) -> None:
    """TIM-02: at 19:00 five hours west of UTC, tomorrow is not the day after tomorrow."""
    now = parse_instant("2026-06-16T00:00:00Z")[0]

    tomorrow = parse_when("tomorrow", now, -300)

    assert tomorrow == parse_instant("2026-06-16T12:00:00-05:00")[0]
    assert parse_when("yesterday", now, -300) == parse_instant("2026-06-14T12:00:00-05:00")[0]
    assert parse_when("3 days ago", now, -300) == now - 3 * 86_400
    assert parse_when("2026-05-31", now, 330) == parse_instant("2026-05-31T12:00:00+05:30")[0]
    assert parse_when("2026-05-31T08:00", now, -300) == parse_instant("2026-05-31T13:00:00Z")[0]
    with pytest.raises(UsageError, match="is no time"):
        parse_when("soonish", now, 0)


def test_when_it_happened_is_not_when_it_was_written(workspace: Workspace) -> None:
    given = {"what": "We left Heroku", "when": "2019-05-01", "kind": "decision"}
    row = tools.call(workspace, "memory_write", given, Actor()).data["memory"]

    assert local_day(row["when"]) == "2019-05-01"  # type: ignore[index, call-overload, arg-type]
    assert row["created_at"] == pytest.approx(time.time(), abs=60)  # type: ignore[index, call-overload]
    assert "2019-05-01" in tools.call(workspace, "memory_search", {"query": "Heroku"}, Actor()).text


def test_the_future_is_marked_and_on_top_of_nothing(workspace: Workspace) -> None:
    ahead = Memory("", "Walrus of next year", created_at=time.time() + 300 * 86_400)
    remember(workspace.store, ahead)
    remember(workspace.store, Memory("", "Walrus of today"))

    newest = curate.recent(workspace, Actor().scopes, 9)
    listed = [memory.what for memory in newest]
    text = tools.call(workspace, "memory_search", {"query": "walrus of next year"}, Actor()).text

    assert listed[0] == "Walrus of today"
    assert "(in the future)" in text


def test_a_clock_that_jumps_back_loses_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from postil.memory.change import update
    from postil.memory.write import Policy

    store = SqliteStore(tmp_path / "memory.db")
    memory = remember(store, Memory("", "One")).memory
    monkeypatch.setattr(time, "time", lambda: memory.created_at - 7_200)
    changed = update(store, memory.id, lambda old: replace(old, what="Two"), Actor(), Policy())

    assert changed.updated_at >= memory.updated_at
    assert [event.number for event in store.events_of(memory.id)] == [1, 2]
    later = remember(store, Memory("", "Three")).memory
    assert later.id != memory.id


def test_what_has_ceased_to_hold_is_found_only_in_the_history(workspace: Workspace) -> None:
    given = {"what": "The walrus freeze lasts", "until": "2020-01-01"}
    tools.call(workspace, "memory_write", given, Actor())

    def hits(**more: object) -> int:
        arguments = {"query": "walrus freeze", **more}
        found = tools.call(workspace, "memory_search", arguments, Actor()).data["hits"]
        return len(found)  # type: ignore[arg-type]

    assert (hits(), hits(history=True)) == (0, 1)


def test_years_beyond_2038_are_years(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    at = parse_instant("2061-07-28T00:00:00Z")[0]
    memory = remember(store, Memory("", "The comet is back", when=at)).memory

    found = store.memory(memory.id)
    assert found is not None and found.when == at
