"""What comes in may be anything: it is passed over and named, or refused, and never half taken."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from postil import curate
from postil.errors import UsageError
from postil.model import Actor, Memory, Scope
from postil.transfer import jsonl
from postil.workspace import Workspace


def brought(workspace: Workspace, path: Path, name: str) -> jsonl.Imported:
    return curate.import_from(workspace, path, name, Scope.PROJECT, Actor(), lambda _: None)


def imported_rows(workspace: Workspace, folder: Path, *rows: object) -> jsonl.Imported:
    path = folder / "rows.jsonl"
    header = {"record": "postil", "version": 1}
    path.write_text("".join(json.dumps(row) + "\n" for row in (header, *rows)), encoding="utf-8")
    return curate.import_from(workspace, path, "jsonl", Scope.PROJECT, Actor(), lambda _: None)


@pytest.mark.parametrize(
    "row",
    [
        {"record": "memory", "id": "m-1", "what": "x", "version": 99999999999999999999},
        {"record": "memory", "id": "m-\x1b[31m", "what": "x"},
        {"record": "memory", "id": "m-1", "what": "x", "pinned": 1},
        {"record": "cursor", "path": "p", "offset": 10**30},
        {
            "record": "episode",
            "id": "e-1",
            "session": "s",
            "role": "user",
            "text": "t",
            "start": 1e400,
        },
        {"record": "tombstone", "key": "k", "target": "t", "at": 10**400},
        {"record": "tombstone", "key": "k", "target": "t", "at": float("nan")},
        {"record": "fact", "id": "f 1", "subject": "a", "predicate": "b", "object": "c"},
    ],
)
def test_a_record_with_impossible_values_is_passed_over(
    workspace: Workspace, tmp_path: Path, row: object
) -> None:
    done = imported_rows(
        workspace, tmp_path, row, {"record": "memory", "id": "m-2", "what": "Sound"}
    )

    assert (done.added, done.skipped) == (1, 1), done.problems


@pytest.mark.parametrize("header", ['{"record":"postil","version":"2"}', '{"record":"postil"}'])
def test_a_changed_first_line_is_named(workspace: Workspace, tmp_path: Path, header: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(header + "\n", encoding="utf-8")

    with pytest.raises(UsageError, match="version"):
        curate.import_from(workspace, path, "jsonl", Scope.PROJECT, Actor(), lambda _: None)
    with pytest.raises(UsageError, match="no file"):
        curate.import_from(workspace, tmp_path, "jsonl", Scope.PROJECT, Actor(), lambda _: None)


@pytest.mark.parametrize(
    ("name", "file", "text", "added"),
    [
        ("mcp", "g.jsonl", '{"type":"entity","name":"a","observations":"tea"}', 1),
        ("mcp", "g.jsonl", '{"type":"entity","name":"a","observations":5}', 1),
        ("claude", "n.md", "---\ndate: 2024-02-30\n---\n- Use tabs", 1),
    ],
)
def test_odd_notes_of_others_are_taken_as_they_are_meant(
    workspace: Workspace, tmp_path: Path, name: str, file: str, text: str, added: int
) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")

    assert brought(workspace, tmp_path / file, name).added == added


def test_json_that_is_too_deep_is_named(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("[" * 200_000, encoding="utf-8")

    with pytest.raises(UsageError, match="no JSON"):
        brought(workspace, tmp_path / "m.json", "mem0")


def test_ones_own_memories_come_back_as_ones_own(workspace: Workspace, tmp_path: Path) -> None:
    curate.write(workspace, Memory("", "I like tabs", scope=Scope.USER))
    path = tmp_path / "mine.jsonl"
    curate.export_to(workspace, "jsonl", True, path, Actor(), lambda count: None)
    mine = workspace.store_of(Scope.USER)
    with mine.transaction():
        mine.erase_rows([one.id for one in mine.every_memory()], [], [], 1.0)

    curate.import_from(workspace, path, "", Scope.PROJECT, Actor(), lambda _: None)

    assert [one.what for one in mine.every_memory()] == ["I like tabs"]
    assert list(workspace.store.every_memory()) == []


@pytest.mark.parametrize("content", [b"", b"no database at all", None])
def test_what_is_no_store_is_neither_restored_nor_changed(
    workspace: Workspace, tmp_path: Path, content: bytes | None
) -> None:
    curate.write(workspace, Memory("", "Kept"))
    path = tmp_path / "other.db"
    if content is None:
        connection = apsw.Connection(str(path))
        connection.execute("create table accounts (id)")
        connection.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()

    with pytest.raises(UsageError, match="no copy of a store"):
        curate.restore_backup(workspace, path, Actor(), lambda done, total: None)

    assert path.read_bytes() == before
    assert [one.what for one in workspace.store.every_memory()] == ["Kept"]


def test_events_of_one_memory_are_looked_up_one_by_one(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Not read all for each: 4,000 of them took minutes. What is counted is work, not time."""
    events = [
        {
            "record": "event",
            "target": "m-1",
            "action": "update",
            "at": float(number),
            "batch": "b",
            "actor": {"author": "person"},
        }
        for number in range(1, 1_001)
    ]
    read: list[str] = []
    store = workspace.store
    original = store.events_of
    store.events_of = lambda target: read.append(target) or original(target)  # type: ignore[method-assign,func-returns-value]

    assert imported_rows(workspace, tmp_path, *events).added == 1_000
    assert imported_rows(workspace, tmp_path, *events).known == 1_000
    assert read == []
