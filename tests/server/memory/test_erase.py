"""What is erased on request is in no file any more. Bar 4; CO-15, SE-12, WR-12, MEM-08."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import apsw
import pytest
import sqlite_vec

from postil import curate
from postil.errors import ForgottenError, StoreError, UsageError
from postil.memory.facts import add_aliases, assert_fact
from postil.memory.vectors import refresh
from postil.memory.write import remember
from postil.model import Actor, Entity, Episode, Fact, Memory, Scope, Status
from postil.storage.sqlite import SqliteStore
from postil.transfer import copies, jsonl
from postil.workspace import Workspace
from postil_hooks import client, spool

PERSON = Actor()
AGENT = Actor("agent:claude", "claude", "s1")


def files_with(folder: Path, text: str) -> list[str]:
    """The files below a folder that hold a text, in UTF-8 or UTF-16, in any case."""
    wanted = [
        form
        for word in (text, text.lower(), text.upper(), text.capitalize())
        for form in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
    ]
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(one in path.read_bytes() for one in wanted)
    ]


def erase_about(workspace: Workspace, text: str, memory_id: str = "") -> int:
    selected = curate.doomed(workspace, text, memory_id, Actor())
    token = curate.offer_erasure(workspace, selected)
    done = curate.erase_selected(workspace, selected, token, PERSON)
    assert done.is_clean and done.uncleaned == ()
    return done.rows


@pytest.fixture
def data(home: Path) -> Path:
    return home / ".local" / "share" / "postil"


def test_no_file_of_the_data_folder_holds_what_was_erased(workspace: Workspace, data: Path) -> None:
    store = workspace.store
    secret = "Zephyrine"
    curate.write(workspace, Memory("", f"Client {secret} pays late", why=f"{secret} said so"))
    tagged = curate.write(workspace, Memory("", "A note", tags=(secret,), about=(secret,))).memory
    mine = Memory("", f"Call {secret} on Mondays", scope=Scope.USER)
    curate.write(workspace, mine)
    changed = curate.write(workspace, Memory("", f"Version one names {secret}")).memory

    def edit(old: Memory) -> Memory:
        from dataclasses import replace

        return replace(old, what="Version two names nobody")

    curate.update(workspace, changed.id, edit, PERSON)
    for number in range(300):
        remember(store, Memory("", f"Filler statement number n{number} about things"))
    turns = [
        Episode(f"e-{n}", "s", "user", f"turn {n} {secret if n == 3 else ''}") for n in range(9)
    ]
    workspace.add_episodes(turns, None)
    assert_fact(store, Fact("", secret, "lives in", "Ghent"))
    assert workspace.embedder is not None
    refresh(store, workspace.embedder, 1_000)
    copies.backup(store, None, SqliteStore)
    copies.backup(store, data / "elsewhere.db", SqliteStore)
    client.log(f"a log line that quotes {secret}")
    failed = Path(
        spool.put("claude-code", "Stop", str(workspace.root), f'{{"x":"{secret}"}}'.encode())
    )
    (failed.parent / "failed").mkdir(mode=0o700)
    failed.rename(failed.parent / "failed" / failed.name)
    assert len(files_with(data, secret)) >= 5

    rows = erase_about(workspace, secret.lower())

    assert rows == 5, "two memories, one of mine, one turn, one fact; not the one renamed since"
    assert files_with(data, secret) == []
    assert store.integrity() == "ok"
    assert store.memory(tagged.id) is None
    kept = store.memory(changed.id)
    assert kept is not None and kept.what == "Version two names nobody"
    assert len(list(store.every_episode())) == 8
    for copy in store.backups():
        assert SqliteStore(copy).integrity() == "ok"


def test_a_single_memory_goes_with_the_turn_that_quotes_it(
    workspace: Workspace, data: Path
) -> None:
    memory = curate.write(workspace, Memory("", "The vault stands behind the Xylograph")).memory
    turn = Episode("e-1", "s", "user", f"Note this: {memory.what}!")
    workspace.add_episodes([turn], None)

    assert erase_about(workspace, "", memory.id) == 2

    assert files_with(data, "Xylograph") == []


def test_what_was_erased_does_not_come_in_again(workspace: Workspace, tmp_path: Path) -> None:
    """MEM-08: not by writing, under another kind, by its transcript, an export or a copy."""
    store = workspace.store
    draft = Memory("", "Quokkas deploy on Sundays")
    memory = curate.write(workspace, draft).memory
    turn = Episode("e-1", "s", "user", "Quokkas deploy on Sundays, remember that")
    workspace.add_episodes([turn], None)
    exported = tmp_path / "before.jsonl"
    curate.export_to(workspace, "jsonl", False, exported, Actor(), lambda _: None)
    copy = copies.backup(store, tmp_path / "copy.db", SqliteStore).path
    kept_copy = tmp_path / "unknown-copy.db"
    kept_copy.write_bytes(copy.read_bytes())
    erase_about(workspace, "quokkas")

    with pytest.raises(ForgottenError):
        curate.write(workspace, draft)
    from postil.model import Kind

    with pytest.raises(ForgottenError):
        curate.write(workspace, Memory("", "quokkas deploy on  sundays.", kind=Kind.RULE, why="x"))
    assert workspace.add_episodes([turn], None) == 0
    jsonl.load(store, exported)
    curate.restore_backup(workspace, kept_copy, Actor(), lambda done, total: None)

    assert list(store.every_memory()) == []
    assert list(store.every_episode()) == []
    assert store.memory(memory.id) is None
    assert files_with(store.path.parent, "Quokkas") == []


@pytest.mark.parametrize("lost", ["deletions.log", "memory.db-shm", "project.json"])
def test_a_forgotten_text_stays_gone_whatever_file_is_lost(workspace: Workspace, lost: str) -> None:
    """MEM-08: the mark is in the store; a person can bring the memory back."""
    memory = curate.write(workspace, Memory("", "Deploy from a laptop")).memory
    curate.forget(workspace, [memory.id], AGENT)
    (workspace.store.path.parent / lost).unlink(missing_ok=True)

    with pytest.raises(ForgottenError, match="was forgotten on") as told:
        curate.write(workspace, Memory("", "deploy from a laptop"))
    assert f"postil restore {memory.id}" in told.value.hint
    with pytest.raises(UsageError, match="only a person"):
        curate.restore(workspace, memory.id, AGENT)
    assert curate.restore(workspace, memory.id, PERSON).status is Status.ACTIVE
    assert not curate.write(workspace, Memory("", "deploy from a laptop")).created


def test_a_restored_copy_knows_what_was_forgotten_since(
    workspace: Workspace, tmp_path: Path
) -> None:
    memory = curate.write(workspace, Memory("", "Use the old gateway")).memory
    copy = copies.backup(workspace.store, tmp_path / "copy.db", SqliteStore).path
    curate.forget(workspace, [memory.id], PERSON)

    curate.restore_backup(workspace, copy, Actor(), lambda done, total: None)

    found = workspace.store.memory(memory.id)
    assert found is not None and found.status is Status.FORGOTTEN
    assert curate.restore(workspace, memory.id, PERSON).what == "Use the old gateway"


def test_the_token_holds_once_and_for_exactly_what_was_shown(workspace: Workspace) -> None:
    """CO-16: a row that came or changed after the preview is not removed."""
    first = curate.write(workspace, Memory("", "Narwhal one")).memory
    second = curate.write(workspace, Memory("", "Narwhal two swims")).memory
    selected = curate.doomed(workspace, "narwhal", "", Actor())
    token = curate.offer_erasure(workspace, selected)
    third = curate.write(workspace, Memory("", "Narwhal three came later")).memory
    curate.keep(workspace, second.id, PERSON)

    again = curate.doomed(workspace, "narwhal", "", Actor())
    with pytest.raises(UsageError, match="unknown, spent"):
        curate.erase_selected(
            workspace, curate.doomed(workspace, "narwha", "", PERSON), token, PERSON
        )
    token = curate.offer_erasure(workspace, selected)
    done = curate.erase_selected(workspace, again, token, PERSON)

    assert done.rows == 1
    assert workspace.store.memory(first.id) is None
    assert workspace.store.memory(second.id) is not None, "it changed since it was shown"
    assert workspace.store.memory(third.id) is not None, "it was not shown"
    with pytest.raises(UsageError, match="unknown, spent"):
        curate.erase_selected(workspace, again, token, PERSON)


def test_a_token_grows_old(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    curate.write(workspace, Memory("", "Narwhal one"))
    monkeypatch.setattr("postil.memory.bulk.LIFETIME", -1.0)
    selected = curate.doomed(workspace, "narwhal", "", Actor())
    token = curate.offer_erasure(workspace, selected)

    with pytest.raises(UsageError, match="too old"):
        curate.erase_selected(workspace, selected, token, PERSON)


def test_only_a_person_erases(workspace: Workspace) -> None:
    curate.write(workspace, Memory("", "Narwhal one"))
    selected = curate.doomed(workspace, "narwhal", "", Actor())
    token = curate.offer_erasure(workspace, selected)

    with pytest.raises(UsageError, match="only a person"):
        curate.erase_selected(workspace, selected, token, AGENT)


def test_without_a_log_nothing_is_taken_away(workspace: Workspace) -> None:
    """WR-12: the log is written first; it holds digests and ids, no text."""
    memory = curate.write(workspace, Memory("", "Okapi")).memory
    log = workspace.store.path.parent / "deletions.log"
    log.mkdir()
    with pytest.raises(StoreError, match="nothing was deleted"):
        curate.forget(workspace, [memory.id], PERSON)
    assert workspace.store.memory(memory.id) == memory
    log.rmdir()

    curate.forget(workspace, [memory.id], PERSON)

    lines = log.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 and memory.id in lines[0] and "Okapi" not in lines[0]
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_erasure_that_a_reader_holds_up_is_finished_later(
    workspace: Workspace, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postil.storage.connect.BUSY_MILLISECONDS", 200)
    memory = curate.write(workspace, Memory("", "Ibexes climb")).memory
    path = workspace.store.path
    reader = SqliteStore(path)
    eraser = SqliteStore(path)
    workspace.store.close()
    workspace.store = eraser
    with reader._db.read() as db:
        assert db.execute("select count(*) from memory").get == 1
        selected = curate.doomed(workspace, "", memory.id, Actor())
        token = curate.offer_erasure(workspace, selected)
        done = curate.erase_selected(workspace, selected, token, PERSON)
    assert not done.is_clean
    assert eraser.erasures()
    reader.close()

    assert curate.maintain(workspace).is_clean

    assert files_with(data, "Ibexes") == []
    assert eraser.erasures() == []


def test_forgetting_in_one_project_touches_no_other(
    workspace: Workspace, tmp_path: Path, home: Path
) -> None:
    """MEM-07: the same id in two projects; 61 at once; no orphan in any side table."""
    from postil.workspace import open_workspace
    from support.project import make_project

    other = open_workspace(make_project(tmp_path / "other", {"a.py": ""}))
    for each in (workspace, other):
        for number in range(61):
            draft = Memory(f"m-{number}", f"Row n{number} of sixty-one", tags=("t",), about=("x",))
            curate.write(each, draft)
    ids = [f"m-{number}" for number in range(61)]

    assert len(curate.forget(workspace, ids, PERSON)) == 61
    doomed = curate.doomed(workspace, "of sixty-one", "", Actor())
    token = curate.offer_erasure(workspace, doomed)
    assert curate.erase_selected(workspace, doomed, token, PERSON).rows == 61

    assert {one.status for one in other.store.every_memory()} == {Status.ACTIVE}
    db = workspace.store._db.connection()  # type: ignore[attr-defined]
    for table in ("memory", "anchor", "memory_words", "suggestion", "request"):
        assert db.execute(f"select count(*) from {table}").get == 0, table
    other.close()


def test_only_whole_words_are_no_condition_but_three_letters_are(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="too short"):
        curate.doomed(workspace, "ab", "", Actor())


def backed_up(workspace: Workspace, target: Path | None = None) -> Path:
    return curate.backup(workspace, target, lambda done, total: None).path


def test_copies_are_known_after_one_of_them_was_restored(workspace: Workspace, data: Path) -> None:
    curate.write(workspace, Memory("", "The code is zanzibar-77"))
    first = backed_up(workspace)
    second = backed_up(workspace)
    before, _ = curate.restore_backup(workspace, first, PERSON, lambda done, total: None)

    assert {first, second, before.path} <= set(workspace.store.backups())
    erase_about(workspace, "zanzibar")
    assert files_with(data, "zanzibar") == []


def test_erasing_makes_no_copy_of_an_old_copy(workspace: Workspace, data: Path) -> None:
    curate.write(workspace, Memory("", "The code is saturnine-42"))
    workspace.store.path.with_suffix(".v1.bak").write_bytes(backed_up(workspace).read_bytes())
    with sqlite_file(workspace.store.path.with_suffix(".v1.bak")) as copy:
        copy.pragma("user_version", 1)
        copy.execute("drop table event; drop table fact; drop table tombstone")

    selected = curate.doomed(workspace, "saturnine", "", PERSON)
    token = curate.offer_erasure(workspace, selected)
    done = curate.erase_selected(workspace, selected, token, PERSON)

    left = [name for name in files_with(data, "saturnine") if "v1.bak" not in name]
    assert left == []
    assert len(done.uncleaned) == 1, "a copy that cannot be read is named"
    assert not list(workspace.store.path.parent.glob("*.v1.v1.bak"))


@contextmanager
def sqlite_file(path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path))
    try:
        yield connection
    finally:
        connection.close()


def test_a_copy_of_an_older_schema_is_cleaned(workspace: Workspace, data: Path) -> None:
    old = workspace.store.path.with_suffix(".v1.bak")
    with sqlite_file(old) as copy:
        copy.enable_load_extension(True)
        copy.load_extension(sqlite_vec.loadable_path())
        schema = files("postil.storage").joinpath("schema", "memory", "0001_init.sql")
        copy.execute(schema.read_text(encoding="utf-8"))
        copy.pragma("user_version", 1)
        copy.execute(
            "insert into memory (id, scope, kind, what, created_at, updated_at, content_key)"
            " values ('m-1', 'project', 'note', 'The code is saturnine-42', 1, 1, 'k')"
        )
    curate.write(workspace, Memory("m-1", "The code is saturnine-42"))

    erase_about(workspace, "saturnine")

    assert files_with(data, "saturnine") == []
    assert not list(workspace.store.path.parent.glob("*.v1.v1.bak"))


def test_what_stands_only_in_history_and_names_goes_too(workspace: Workspace, data: Path) -> None:
    memory = curate.write(workspace, Memory("", "Call Jane Quirkberry")).memory
    curate.update(workspace, memory.id, lambda old: replace(old, what="Call Jane"), PERSON)
    add_aliases(workspace.store, Entity("payroll", aliases=("quirkberry system",)), PERSON)
    assert files_with(data, "quirkberry")

    assert erase_about(workspace, "Quirkberry") == 0
    assert files_with(data, "quirkberry") == []
    assert [one.what for one in workspace.store.every_memory()] == ["Call Jane"]


def test_another_spelling_of_the_same_letters_is_found(workspace: Workspace) -> None:
    curate.write(workspace, Memory("", "Caf\u00e9 M\u00fcller pays late"))

    assert erase_about(workspace, "Cafe\u0301 Mu\u0308ller") == 1


def test_the_history_of_others_stays(workspace: Workspace) -> None:
    """A short reason stands in many a word; `person` is no text but who wrote it."""
    gone = curate.write(workspace, Memory("", "Deploys go out by noon", why="bug")).memory
    kept = curate.write(workspace, Memory("", "The debug flag stays off")).memory
    curate.update(workspace, kept.id, lambda old: replace(old, how="x"), PERSON)

    erase_about(workspace, "", gone.id)
    erase_about(workspace, "in person")

    _, events = curate.history(workspace, kept.id, PERSON)
    assert [event.before is not None for event in events] == [False, True]


def test_a_short_statement_takes_no_other_along(workspace: Workspace) -> None:
    short = curate.write(workspace, Memory("", "no")).memory
    curate.write(workspace, Memory("", "There is no linter"))

    assert erase_about(workspace, "", short.id) == 1
    assert [one.what for one in workspace.store.every_memory()] == ["There is no linter"]


def test_an_export_from_before_brings_nothing_back(workspace: Workspace, tmp_path: Path) -> None:
    store = workspace.store
    old = curate.write(workspace, Memory("", "Quirkberry rents the flat")).memory
    new = curate.write(workspace, Memory("", "Quirkberry owns the flat"), supersedes=[old.id])
    curate.update(workspace, new.memory.id, lambda one: replace(one, how="deed"), PERSON)
    assert_fact(store, Fact("", "kraken", "code", "Quirkberry"))
    store.add_episodes([Episode("e-1", "s", "user", "Ask Quirkberry")], None)
    path = tmp_path / "before.jsonl"
    curate.export_to(workspace, "jsonl", False, path, Actor(), lambda count: None)
    erase_about(workspace, "Quirkberry")

    done = curate.import_from(workspace, path, "", Scope.PROJECT, PERSON, lambda count: None)

    assert done.skipped == 0
    again = io.StringIO()
    curate.export(workspace, "jsonl", False, again, Actor())
    assert "Quirkberry" not in again.getvalue()
    with pytest.raises(ForgottenError):
        assert_fact(store, Fact("", "kraken", "code", "Quirkberry"))


def test_a_moved_copy_brings_nothing_back_that_was_changed_since(
    workspace: Workspace, tmp_path: Path
) -> None:
    memory = curate.write(workspace, Memory("", "Ostrich code is juniper-5")).memory
    forgotten = curate.write(workspace, Memory("", "Zebulon owes 40 coins")).memory
    assert_fact(workspace.store, Fact("", "ffitch", "owes", "40"))
    copy = backed_up(workspace)
    moved = tmp_path / "elsewhere.db"
    copy.rename(moved)
    curate.update(workspace, memory.id, lambda old: replace(old, what="Ostrich: none"), PERSON)
    erase_about(workspace, "ostrich")
    erase_about(workspace, "ffitch")
    curate.update(workspace, forgotten.id, lambda old: replace(old, what="Zebulon paid"), PERSON)
    curate.forget(workspace, [forgotten.id], PERSON)

    curate.restore_backup(workspace, moved, PERSON, lambda done, total: None)

    held = [one for one in workspace.store.every_memory() if one.status.is_live]
    assert held == []
    assert list(workspace.store.every_fact()) == []


def test_rows_that_changed_after_the_preview_are_named(workspace: Workspace) -> None:
    memory = curate.write(workspace, Memory("", "Narwhal one")).memory
    selected = curate.doomed(workspace, "narwhal", "", PERSON)
    token = curate.offer_erasure(workspace, selected)
    curate.keep(workspace, memory.id, PERSON)

    selected = curate.doomed(workspace, "narwhal", "", PERSON)
    done = curate.erase_selected(workspace, selected, token, PERSON)

    assert (done.rows, done.changed) == (0, (memory.id,))
