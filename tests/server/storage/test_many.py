"""Many processes on one store: no error reaches anybody, and totals are exact.

Bar 3 of the memory core; STO-01, STO-02, CO-1, CO-4.
"""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from postil.memory.change import update
from postil.memory.write import Policy, remember
from postil.model import Actor, Episode, Memory, Scope
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Shelf
from postil.transfer import copies
from support.search import rows_with
from support.workload import Workload

PROCESSES = 20
STEPS = 200
MIX = ("write", "write", "supersede", "forget", "fold", "fact", "turn", "import")


def in_processes(count: int, work: Callable[[int], None]) -> list[str]:
    """Run `work(number)` in as many processes at once; what went wrong, one text each."""
    children: list[tuple[int, int]] = []
    for number in range(count):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                work(number)
            except BaseException:  # noqa: BLE001 - told to the parent
                os.write(writing, traceback.format_exc()[-3_000:].encode())
            finally:
                os._exit(0)
        os.close(writing)
        children.append((child, reading))
    errors = []
    for child, reading in children:
        told = b""
        while part := os.read(reading, 65_536):
            told += part
        os.close(reading)
        os.waitpid(child, 0)
        if told:
            errors.append(told.decode())
    return errors


def mixed(path: Path) -> Callable[[int], None]:
    def work(number: int) -> None:
        store = SqliteStore(path)
        workload = Workload(store, f"p{number}", lambda line: None)
        done = Counter(workload.step(MIX).name for _ in range(STEPS))
        store.close()
        (path.parent / f"done{number}").write_text(repr(dict(done)), encoding="utf-8")

    return work


def totals(path: Path) -> Counter[str]:
    total: Counter[str] = Counter()
    for file in path.parent.glob("done*"):
        total.update(eval(file.read_text(encoding="utf-8")))
    return total


def check(path: Path) -> None:
    store = SqliteStore(path)
    done = totals(path)
    assert sum(done.values()) == PROCESSES * STEPS
    memories = list(store.every_memory())
    expected = done["write"] + done["supersede"] + 4 * done["fold"] + 7 * done["import"]
    assert len(memories) == expected
    assert len({memory.id for memory in memories}) == expected
    status = Counter(memory.status.value for memory in memories)
    assert status["superseded"] == done["supersede"]
    assert status["forgotten"] == done["forget"]
    assert status["archived"] == 3 * done["fold"]
    assert store.row_counts()[Shelf.EPISODE] == done["turn"]
    assert len(store.tombstones()) == done["forget"]
    assert store.integrity() == "ok"
    store.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("long_read", [False, True], ids=["alone", "beside a long read"])
def test_20_processes_do_200_mixed_steps_each(tmp_path: Path, long_read: bool) -> None:
    path = tmp_path / "memory.db"
    remember(SqliteStore(path), Memory("", "The first statement"))
    reader = SqliteStore(path)
    if long_read:
        with reader._db.read() as db:
            before = db.execute("select count(*) from memory").get
            errors = in_processes(PROCESSES, mixed(path))
            assert db.execute("select count(*) from memory").get == before == 1, "one state"
    else:
        errors = in_processes(PROCESSES, mixed(path))
    reader.close()

    assert errors == []
    first = SqliteStore(path)
    rows = first._db.connection()
    rows.execute("delete from memory_words where rowid = 1")
    rows.execute("delete from memory where rowid = 1")
    first.close()
    check(path)


@pytest.mark.slow
def test_8_writers_4_readers_and_an_indexer(tmp_path: Path) -> None:
    """STO-01."""
    path = tmp_path / "memory.db"
    SqliteStore(path).close()

    def work(number: int) -> None:
        store = SqliteStore(path)
        for step in range(200):
            if number < 8:
                remember(store, Memory("", f"Writer w{number} says n{step}"))
            elif number < 12:
                rows_with(store, Shelf.MEMORY, ["writer"], Filters(Actor().scopes), 20)
                store.list_memories(Filters(Actor().scopes), 20)
            else:
                turn = Episode(f"e-{step}", "s", "user", f"Turn {step}")
                store.add_episodes([turn], None)
        store.close()

    assert in_processes(13, work) == []
    assert SqliteStore(path).row_counts() == {Shelf.MEMORY: 1_600, Shelf.EPISODE: 200}


@pytest.mark.slow
def test_20_processes_begin_on_an_empty_folder(tmp_path: Path) -> None:
    """STO-02: one schema, and everybody's first write is there."""
    path = tmp_path / "new" / "memory.db"

    def work(number: int) -> None:
        remember(SqliteStore(path), Memory("", f"Process p{number} was here"))

    assert in_processes(20, work) == []
    assert SqliteStore(path).row_counts()[Shelf.MEMORY] == 20


@pytest.mark.slow
def test_a_backup_during_1000_writes_is_whole(tmp_path: Path) -> None:
    """CO-4, STO-07: the copy is sound and restores to the same content."""
    path = tmp_path / "memory.db"
    remember(SqliteStore(path), Memory("", "The first statement"))
    targets = [tmp_path / f"copy{n}.db" for n in range(5)]

    def work(number: int) -> None:
        store = SqliteStore(path)
        if number == 0:
            for target in targets:
                copies.backup(store, target, SqliteStore)
            return
        for step in range(250):
            remember(store, Memory("", f"Writer w{number} says n{step}"))

    assert in_processes(5, work) == []
    store = SqliteStore(path)
    assert store.row_counts()[Shelf.MEMORY] == 1_001
    last = copies.backup(store, tmp_path / "last.db", SqliteStore)
    assert last.memories == 1_001
    for target in targets:
        copy = SqliteStore(target)
        assert copy.integrity() == "ok"
        held = {memory.id: memory for memory in copy.every_memory()}
        assert held.items() <= {memory.id: memory for memory in store.every_memory()}.items()
        copy.close()


@pytest.mark.slow
def test_two_agents_that_contradict_in_the_same_second(tmp_path: Path) -> None:
    """Both statements are kept, and the pair waits for a person, whoever came first."""
    path = tmp_path / "memory.db"
    SqliteStore(path).close()

    def work(number: int) -> None:
        port = (5432, 5433)[number]
        agent = f"agent:a{number}"
        remember(SqliteStore(path), Memory("", f"The database port is {port}", author=agent))

    assert in_processes(2, work) == []
    store = SqliteStore(path)
    assert store.row_counts()[Shelf.MEMORY] == 2
    assert [one.verdict.value for one in store.suggestions()] == ["contradict"]


@pytest.mark.slow
def test_updates_of_one_memory_by_many_are_all_in_its_history(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memory = remember(
        SqliteStore(path), Memory("", "A counter of tags", scope=Scope.PROJECT)
    ).memory

    def work(number: int) -> None:
        store = SqliteStore(path)
        for step in range(10):
            tag = f"t{number}-{step}"
            update(
                store,
                memory.id,
                lambda old, tag=tag: replaced(old, tag),  # type: ignore[misc]
                Actor(),
                Policy(),
            )

    assert in_processes(8, work) == []
    store = SqliteStore(path)
    final = store.memory(memory.id)
    assert final is not None and final.version == 81
    assert len(store.events_of(memory.id)) == 81


def replaced(old: Memory, tag: str) -> Memory:
    from dataclasses import replace

    return replace(old, tags=(*old.tags, tag)[-20:])
