"""Knowledge goes out and comes in whole. Bar 7 at full size is `make bench`; CO-4, CO-5, STO-07."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil import curate
from postil.errors import StoreError, UsageError
from postil.memory.facts import add_aliases, assert_fact
from postil.memory.write import remember
from postil.model import (
    Action,
    Actor,
    Anchor,
    Entity,
    Episode,
    Fact,
    Kind,
    Memory,
    Scope,
    Status,
    Tier,
)
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Cursor, Filters
from postil.transfer import jsonl
from postil.workspace import Workspace
from support.workload import Workload

MIX = ("write", "supersede", "forget", "fold", "fact", "turn", "erase")


def exported(store: SqliteStore) -> str:
    sink = io.StringIO()
    jsonl.export(store, sink)
    return sink.getvalue()


def loaded(folder: Path, text: str) -> SqliteStore:
    folder.mkdir()
    path = folder / "in.jsonl"
    path.write_text(text, encoding="utf-8")
    store = SqliteStore(folder / "memory.db")
    done = jsonl.load(store, path)
    assert done.skipped == 0, done.problems
    return store


def full(store: SqliteStore) -> None:
    """Rows of every sort, with every field set."""
    remember(
        store,
        Memory(
            "",
            "Billing uses PostgreSQL 😀",
            Kind.DECISION,
            Scope.TEAM,
            why="isolation\nand more",
            who="Ana",
            how="through pgbouncer",
            when=1_780_000_000.5,
            about=("PostgreSQL", "billing"),
            tags=("db", "größe"),
            anchors=(Anchor("a/b.py", "X.y", "method", "abc", "c0ffee"),),
            importance=0.9,
            tier=Tier.CORE,
            pinned=True,
            valid_from=1.0,
            valid_until=2e9,
            author="person",
            client="cli",
            session="s",
            source="https://example.org/x",
            sources=("e-1",),
            commit="c0ffee",
            created_at=1_700_000_000.25,
            offset=330,
        ),
    )
    remember(store, Memory("", "The port is 5432"))
    remember(store, Memory("", "The port is 5433"))
    assert_fact(store, Fact("", "api", "database", "MySQL", valid_from=1.0))
    assert_fact(store, Fact("", "api", "database", "PostgreSQL", valid_from=2.0))
    add_aliases(store, Entity("PostgreSQL", aliases=("pg", "postgres")), Actor())
    store.add_episodes(
        [Episode("e-1", "s", "user", "hi\u2028there", at=5.5, offset=-300)], Cursor("/t.jsonl", 77)
    )


def test_what_goes_out_comes_in_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    first = SqliteStore(tmp_path / "a" / "memory.db")
    full(first)
    workload = Workload(first, "w", lambda line: None)
    for _ in range(80):
        workload.step(MIX)
    text = exported(first)

    second = loaded(tmp_path / "b", text)

    assert exported(second) == text
    assert list(second.every_memory()) == list(first.every_memory())
    assert [replace(one, number=0) for one in second.every_event()] == [
        replace(one, number=0) for one in first.every_event()
    ]
    assert second.tombstones() == first.tombstones()
    assert second.cursor("/t.jsonl").offset == 77
    kinds = {json.loads(line)["record"] for line in text.split("\n")[:-1]}
    assert kinds == {
        "postil",
        "memory",
        "episode",
        "fact",
        "entity",
        "suggestion",
        "event",
        "tombstone",
        "cursor",
    }
    again = tmp_path / "b" / "in.jsonl"
    assert jsonl.load(second, again).added == 0 and exported(second) == text, "known already"


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(st.text(min_size=1, max_size=60).filter(str.strip), min_size=1, max_size=6),
    seed=st.integers(0, 9),
)
def test_any_text_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    (folder / "a").mkdir()
    store = SqliteStore(folder / "a" / "memory.db")
    chance = random.Random(seed)
    for text in texts:
        remember(store, Memory("", text, why=chance.choice(texts), tags=(text,)))
    out = exported(store)

    assert exported(loaded(folder / "b", out)) == out


def test_lines_that_are_no_record_are_counted_and_the_others_taken(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    path = tmp_path / "x" / "in.jsonl"
    lines = [
        json.dumps(jsonl.FORMAT),
        '{"record":"memory","id":"m-1","what":"good"}',
        "no json",
        "[1]",
        '{"record":"surprise"}',
        '{"record":"memory","id":"m-2","what":7}',
        '{"record":"memory","id":"m-3","what":"x","importance":9}',
        '{"record":"memory","id":"m-4","what":"x","scope":"moon"}',
        '{"record":"memory","id":"m-5","what":"x","color":"red"}',
        '{"record":"memory","id":"m-6","what":"x","created_at":NaN}',
        '{"record":"memory","id":"m-7","what":"also good"}',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    store = SqliteStore(tmp_path / "x" / "memory.db")

    done = jsonl.load(store, path)

    assert (done.added, done.skipped) == (2, 8)
    assert done.problems[0].startswith("line 3: ") and "importance" in " ".join(done.problems)
    assert {memory.what for memory in store.every_memory()} == {"good", "also good"}


def test_another_file_and_a_newer_export_are_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no export of Postil"):
        jsonl.load(store, path)
    path.write_text('{"record":"postil","version":99}\n', encoding="utf-8")
    with pytest.raises(StoreError, match="newer Postil"):
        jsonl.load(store, path)


def test_markdown_is_for_people(workspace: Workspace, tmp_path: Path) -> None:
    curate.write(
        workspace,
        Memory("", "Use cents", Kind.RULE, why="floats lose money", tags=("money",)),
        ["pay.py#charge"],
    )
    page = tmp_path / "out.md"
    curate.export_to(workspace, "markdown", False, page, Actor(), lambda _: None)
    text = page.read_text(encoding="utf-8")

    assert text.startswith("# What is remembered of shop\n\n## Rule\n\n- Use cents  `[m-")
    assert "  - Why: floats lose money\n" in text
    assert "  - Where: `pay.py#charge`\n" in text
    assert page.stat().st_mode & 0o777 == 0o600


def test_an_export_that_cannot_be_written_leaves_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="cannot be"):
        curate.export_to(
            workspace, "jsonl", False, tmp_path / "no" / "out.jsonl", Actor(), lambda _: None
        )
    assert list(tmp_path.glob("**/*.part")) == []


MCP = """{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tabs",\
"Owns billing"]}
{"type":"relation","from":"Ana","to":"billing","relationType":"owns"}
garbage
"""
CLAUDE = {
    "MEMORY.md": "# Memory\n\n- [Feedback](feedback.md): on tests\n",
    "feedback.md": "---\nname: tests\ndescription: Run the tests first\ntype: feedback\n---\n"
    "Always run the tests before saying done.\n",
    "deep/plain.md": "A paragraph of knowledge.\n\nAnother one.\n",
}
BASIC = """---
title: Coffee
tags: [brew]
---
# Coffee

## Observations
- [method] Pour over takes 3 minutes #slow (measured)
- [decision] We use a scale
- [ ] buy beans

## Relations
- relates_to [[Tea]]
"""
MEM0 = {
    "results": [
        {
            "id": "1",
            "memory": "Prefers dark mode",
            "created_at": "2026-05-01T10:00:00Z",
            "categories": ["ui"],
        },
        {"id": "2", "nothing": 1},
    ]
}


def brought(
    workspace: Workspace, path: Path, name: str = ""
) -> tuple[jsonl.Imported, list[Memory]]:
    done = curate.import_from(workspace, path, name, Scope.PROJECT, Actor(), lambda _: None)
    return done, workspace.store.list_memories(Filters(Actor().scopes), 99)


def test_the_graph_of_the_mcp_reference_server(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    path.write_text(MCP, encoding="utf-8")

    done, memories = brought(workspace, path)

    assert (done.added, done.skipped) == (3, 1)
    assert {memory.what for memory in memories} == {"Ana: Likes tabs", "Ana: Owns billing"}
    assert {(memory.kind, memory.about, memory.tags) for memory in memories} == {
        (Kind.FACT, ("Ana",), ("person",))
    }
    (fact,) = workspace.store.every_fact()
    assert (fact.subject, fact.predicate, fact.object) == ("Ana", "owns", "billing")
    assert brought(workspace, path)[0].added == 0, "again, nothing is new"


def test_claude_codes_own_memory(workspace: Workspace, tmp_path: Path) -> None:
    for name, text in CLAUDE.items():
        file = tmp_path / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    done, memories = brought(workspace, tmp_path / "notes")

    by_text = {memory.what.splitlines()[0]: memory for memory in memories}
    assert done.added == 4
    assert by_text["Run the tests first"].kind is Kind.RULE
    assert by_text["Run the tests first"].source == "claude:feedback.md"
    assert "A paragraph of knowledge." in by_text


def test_notes_of_basic_memory(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "coffee.md"
    path.write_text(BASIC, encoding="utf-8")

    done, memories = brought(workspace, path)

    by_kind = {memory.kind: memory for memory in memories}
    assert by_kind[Kind.DECISION].what == "Coffee: We use a scale"
    assert by_kind[Kind.NOTE].tags == ("brew", "method", "slow")
    assert by_kind[Kind.NOTE].about == ("Coffee",)
    assert len(memories) == 2 and done.skipped == 1
    assert [fact.object for fact in workspace.store.every_fact()] == ["Tea"]


def test_an_export_of_mem0(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps(MEM0), encoding="utf-8")

    done, (memory,) = brought(workspace, path)

    assert (done.added, done.skipped) == (1, 1)
    assert (memory.what, memory.tags, memory.source) == ("Prefers dark mode", ("ui",), "mem0:1")
    assert memory.created_at == 1_777_629_600.0


def test_a_file_of_no_known_format_is_named(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01")
    with pytest.raises(UsageError, match="no known format"):
        brought(workspace, path)


def test_a_backup_holds_what_is_not_yet_in_the_main_file(tmp_path: Path) -> None:
    """STO-07: ten writes that are still in the log; checked before it counts; never overwritten."""
    from postil.transfer import copies

    store = SqliteStore(tmp_path / "memory.db")
    for number in range(10):
        remember(store, Memory("", f"Statement number n{number}"))
    assert (tmp_path / "memory.db-wal").stat().st_size > 0

    copy = copies.backup(store, None, SqliteStore)

    assert copy.memories == 10 and copy.path.parent == tmp_path / "backups"
    assert store.backups() == [copy.path]
    assert copy.path.stat().st_mode & 0o777 == 0o600
    restored = SqliteStore(copy.path)
    assert list(restored.every_memory()) == list(store.every_memory())
    with pytest.raises(UsageError, match="exists"):
        copies.backup(store, copy.path, SqliteStore)
    with pytest.raises(UsageError, match="no folder"):
        copies.backup(store, tmp_path / "no" / "x.db", SqliteStore)


def test_restoring_keeps_what_was_there_and_refuses_what_is_no_store(
    workspace: Workspace, tmp_path: Path
) -> None:
    curate.write(workspace, Memory("", "Before"))
    copy = curate.backup(workspace, tmp_path / "copy.db", lambda done, total: None)
    curate.write(workspace, Memory("", "After"))

    before, taken = curate.restore_backup(workspace, copy.path, Actor(), lambda done, total: None)

    assert [memory.what for memory in workspace.store.every_memory()] == ["Before"]
    assert (before.memories, taken.memories) == (2, 1)
    curate.restore_backup(workspace, before.path, Actor(), lambda done, total: None)
    assert len(list(workspace.store.every_memory())) == 2
    broken = tmp_path / "broken.db"
    broken.write_bytes(copy.path.read_bytes()[:9_000] + b"x" * 9_000)
    with pytest.raises(StoreError):
        curate.restore_backup(workspace, broken, Actor(), lambda done, total: None)
    assert len(list(workspace.store.every_memory())) == 2


def test_actions_and_states_have_one_spelling() -> None:
    """They are in exports: renaming one breaks those."""
    assert {str(one) for one in Action} == {
        "write",
        "merge",
        "update",
        "supersede",
        "forget",
        "restore",
        "archive",
        "approve",
        "reject",
        "erase",
        "undo",
    }
    assert {str(one) for one in Status} == {
        "active",
        "proposed",
        "superseded",
        "archived",
        "forgotten",
    }
