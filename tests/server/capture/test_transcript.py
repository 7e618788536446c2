"""Transcripts are read once, whole lines only, and only what somebody said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil.capture.ingest import ingest
from postil.capture.transcript import MAX_LINE
from postil.model import Actor
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Shelf
from support.search import rows_with


def line(uuid: str, content: object, role: str = "user", **more: object) -> str:
    row = {"type": role, "uuid": uuid, "sessionId": "s", "timestamp": "2026-11-30T10:00:00.000Z"}
    return (
        json.dumps(
            {**row, "message": {"role": role, "content": content}, **more}, ensure_ascii=False
        )
        + "\n"
    )


TOOL = {"type": "tool_use", "name": "Read", "input": {"file_path": "a.py"}}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def texts(store: SqliteStore) -> list[str]:
    episodes = store.episodes(range(1, 1000)).values()
    return [one.text for one in sorted(episodes, key=lambda one: one.ordinal)]


def read(store: SqliteStore, transcript: Path) -> int:
    return ingest(store, "claude-code", "claude", transcript, "s").added


def test_only_what_was_said_is_kept(store: SqliteStore, transcript: Path) -> None:
    transcript.write_text(
        line("1", "hello <system-reminder>injected</system-reminder>there")
        + line("2", [{"type": "text", "text": "I look"}, TOOL], "assistant")
        + line("3", [{"type": "tool_result", "content": "x" * 100}])
        + line("4", "meta", isMeta=True)
        + line("5", "side", isSidechain=True)
        + line("6", "summary", isCompactSummary=True)
        + line("7", "<command-name>/compact</command-name>")
        + line("8", "system", "system")
        + json.dumps({"type": "mode"}) + "\n"
        + "not json\n[1]\n"
        + line("9", "line\u2028separator"), encoding="utf-8"
    )  # fmt: skip

    done = ingest(store, "claude-code", "claude", transcript, "s")

    assert texts(store) == ["hello there", "I look\n[used Read: a.py]", "line\u2028separator"]
    assert (done.added, done.malformed) == (3, 1)
    first = store.episodes([1])[1]
    assert first.at == 1796032800.0
    assert transcript.read_bytes()[first.start : first.end].endswith(b"\n")


def test_a_transcript_is_read_on_from_where_it_ended(store: SqliteStore, transcript: Path) -> None:
    transcript.write_text(line("1", "one"), encoding="utf-8")
    assert read(store, transcript) == 1
    assert read(store, transcript) == 0

    with transcript.open("a", encoding="utf-8") as file:
        file.write(line("2", "two") + line("3", "three")[:20])
    assert read(store, transcript) == 1
    with transcript.open("a", encoding="utf-8") as file:
        file.write(line("3", "three")[20:])
    assert read(store, transcript) == 1
    assert texts(store) == ["one", "two", "three"]


def test_a_rewritten_transcript_counts_nothing_twice(store: SqliteStore, transcript: Path) -> None:
    transcript.write_text(line("1", "one") + line("2", "two"), encoding="utf-8")
    read(store, transcript)

    transcript.write_text(line("2", "two"), encoding="utf-8")
    assert read(store, transcript) == 0
    with transcript.open("a", encoding="utf-8") as file:
        file.write(line("3", "three"))
    assert read(store, transcript) == 1


def test_a_huge_line_is_passed_over_and_counted(store: SqliteStore, transcript: Path) -> None:
    with transcript.open("w", encoding="utf-8") as file:
        file.write(line("1", "one"))
        file.write(line("2", "x" * (MAX_LINE + 10)))
        file.write(line("3", "three"))

    done = ingest(store, "claude-code", "claude", transcript, "s")

    assert texts(store) == ["one", "three"]
    assert done.oversized == 1


def test_secrets_are_out_before_anything_is_stored(store: SqliteStore, transcript: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    transcript.write_text(line("1", f"use {token} here"), encoding="utf-8")
    read(store, transcript)

    assert texts(store) == ["use [secret:github#1] here"]
    assert not rows_with(store, Shelf.EPISODE, [token.lower()], Filters(Actor().scopes), 10)
    assert all(
        token.encode() not in path.read_bytes() for path in transcript.parent.glob("memory.db*")
    )
