"""A process that is killed at any moment loses nothing that it acknowledged, and halves nothing.

Bar 2 of the memory core; CO-6, STO-05.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from postil.memory.erase import finish
from postil.model import Memory, Status
from postil.storage.sqlite import SqliteStore
from support.workload import IMPORTED, Step, run_for_ever, with_word

KILLS = 200
KILLS_OF_ONE_STORE = 20


def killed_run(path: Path, seed: str, chance: random.Random) -> tuple[list[Step], Step | None]:
    """What a process did until it was killed: steps that it acknowledged, and the one begun."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            run_for_ever(path, seed, writing)
        finally:
            os._exit(1)
    os.close(writing)
    heard = b""
    wanted = chance.randrange(1, 14)
    while heard.count(b"\n") < wanted:
        part = os.read(reading, 65_536)
        assert part, "the process failed by itself"
        heard += part
    time.sleep(chance.random() * 0.012)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while part := os.read(reading, 65_536):
        heard += part
    os.close(reading)
    done: list[Step] = []
    begun: Step | None = None
    for line in heard.decode().split("\n")[:-1]:
        sign, name, word, target = line.split(" ")
        step = Step(name, word, "" if target == "-" else target)
        begun = step if sign == "?" else None
        if sign == "!":
            done.append(step)
    return done, begun


def states(store: SqliteStore, step: Step) -> Iterator[bool]:
    """For each part of a step, whether it is there."""
    rows = with_word(store, step.word)
    target = store.memory(step.target) if step.target else None
    match step.name:
        case "write":
            yield len(rows) == 1
        case "supersede":
            yield len(rows) == 1
            if target is not None:  # it may have been erased since
                yield target.status is Status.SUPERSEDED
        case "erase":
            yield target is None
        case "forget":
            yield target is None or target.status is Status.FORGOTTEN
        case "import":
            yield from (n < len(rows) for n in range(IMPORTED))
        case "fold":
            folded = [one for one in rows if one.what.startswith("Part")]
            summary = [one for one in rows if one.what.startswith("Summary")]
            yield len(summary) == 1
            yield all(one.status is not Status.ACTIVE for one in folded) and len(folded) == 3
        case "fact":
            yield any(fact.object == step.word for fact in store.every_fact())
        case "turn":
            yield store.episode(f"e-{step.word}") is not None


def is_gone(memory: Memory | None) -> bool:
    return memory is None or memory.status is not Status.ACTIVE


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_200_kills_at_random_points_lose_and_halve_nothing(tmp_path: Path) -> None:
    chance = random.Random(20_261_201)
    names: set[str] = set()
    cut_short = 0
    for round_number in range(KILLS // KILLS_OF_ONE_STORE):
        folder = tmp_path / f"round{round_number}"
        folder.mkdir()
        path = folder / "memory.db"
        SqliteStore(path).close()
        history: list[Step] = []
        erased: set[str] = set()
        for kill in range(KILLS_OF_ONE_STORE):
            done, begun = killed_run(path, f"{round_number}k{kill}", chance)
            history += done
            names |= {step.name for step in done}
            store = SqliteStore(path)
            finish(store)
            assert store.integrity() == "ok"
            erased |= {step.target for step in done if step.name == "erase"}
            for step in done:
                present = list(states(store, step))
                made_later_gone = step.name in ("write", "supersede") and not with_word(
                    store, step.word
                )
                assert all(present) or made_later_gone, step
            if begun is not None:
                cut_short += 1
                present = list(states(store, begun))
                if begun.name != "fold":  # its parts are written one by one before the fold itself
                    assert all(present) or not any(present), begun
                else:
                    assert present[0] == present[1], begun
                erased |= {begun.target} if begun.name == "erase" and all(present) else set()
            assert all(store.memory(one) is None for one in erased)
            counts = store._db.connection().execute(
                "select (select count(*) from memory), (select count(*) from memory_words),"
                " (select count(*) from episode), (select count(*) from episode_words)"
            )
            memories, memory_words, turns, turn_words = counts.fetchall()[0]
            assert (memories, turns) == (memory_words, turn_words)
            store.close()
    assert names >= {"write", "supersede", "erase", "import", "fold", "forget", "fact", "turn"}
    assert cut_short > KILLS // 10, "kills must hit steps, not the pauses between them"
