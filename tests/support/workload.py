"""A mixed workload on one store, told step by step, so that others can check what it left."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from postil.memory import erase
from postil.memory.change import fold, forget, supersede
from postil.memory.facts import assert_fact
from postil.memory.write import remember
from postil.model import Action, Actor, Episode, Fact, Memory, Status
from postil.record import to_plain
from postil.storage.deletions import DeletionLog
from postil.storage.sqlite import SqliteStore
from postil.transfer import jsonl

IMPORTED = 7


def log_of(store: SqliteStore) -> DeletionLog:
    return DeletionLog(store.path.parent / "deletions.log")


def erase_memory(store: SqliteStore, memory: Memory) -> erase.Erased:
    """Erase as the command does, past its preview."""
    log = log_of(store)

    def logged(action: Action, marks: object) -> None:
        log.append(action.value, marks, "person")  # type: ignore[arg-type]

    return erase.erase(store, erase.of(store, memory), Actor(), logged, SqliteStore)


def forget_memory(store: SqliteStore, memory_id: str) -> None:
    log = log_of(store)
    forget(store, [memory_id], Actor(), lambda act, marks: log.append(act.value, marks, "person"))


@dataclass(frozen=True, slots=True)
class Step:
    """One operation: what it does, a word that stands in all its texts, and on what."""

    name: str
    word: str
    target: str = ""

    def line(self, sign: str) -> bytes:
        return f"{sign} {self.name} {self.word} {self.target or '-'}\n".encode()


class Workload:
    """Steps chosen by chance; `tell` hears of each before (`?`) and after (`!`) it."""

    def __init__(self, store: SqliteStore, seed: str, tell: Callable[[bytes], object]) -> None:
        self.store = store
        self._chance = random.Random(seed)
        self._seed = seed
        self._tell = tell
        self._made: list[str] = []
        self._number = 0
        self._do = {
            "write": self._write,
            "supersede": self._supersede,
            "erase": self._erase,
            "import": self._import,
            "fold": self._fold,
            "forget": self._forget,
            "fact": self._fact,
            "turn": self._turn,
        }

    def step(self, names: tuple[str, ...] = ()) -> Step:
        """Do one step."""
        self._number += 1
        name = self._chance.choice(names or tuple(self._do))
        if name in ("supersede", "erase", "forget") and not self._made:
            name = "write"
        target = ""
        if name in ("supersede", "erase", "forget"):
            target = self._made.pop(self._chance.randrange(len(self._made)))
        step = Step(name, f"zq{self._seed}x{self._number}", target)
        self._tell(step.line("?"))
        self._do[name](step)
        self._tell(step.line("!"))
        return step

    def _write(self, step: Step) -> None:
        memory = Memory("", f"Statement {step.word} of the workload", why=f"since {step.word}")
        self._made.append(remember(self.store, memory).memory.id)

    def _supersede(self, step: Step) -> None:
        draft = Memory("", f"Replaced {step.word} by the workload")
        self._made.append(supersede(self.store, step.target, draft).memory.id)

    def _erase(self, step: Step) -> None:
        memory = self.store.memory(step.target)
        assert memory is not None
        erase_memory(self.store, memory)

    def _forget(self, step: Step) -> None:
        forget_memory(self.store, step.target)

    def _import(self, step: Step) -> None:
        path = self.store.path.parent / f"{step.word}.jsonl"
        rows = [
            {"record": "memory"}
            | to_plain(Memory(f"m-{step.word}{n}", f"Imported {step.word} row {n}", created_at=1.0))
            for n in range(IMPORTED)
        ]
        text = "\n".join(json.dumps(row) for row in [jsonl.FORMAT, *rows])
        path.write_text(text + "\n", encoding="utf-8")
        try:
            jsonl.load(self.store, path)
        finally:
            path.unlink()

    def _fold(self, step: Step) -> None:
        ids = [
            remember(self.store, Memory("", f"Part {n} {step.word} to be folded")).memory.id
            for n in range(3)
        ]
        fold(self.store, ids, Memory("", f"Summary {step.word} of three"))

    def _fact(self, step: Step) -> None:
        assert_fact(self.store, Fact("", "workload", "step", step.word))

    def _turn(self, step: Step) -> None:
        turn = Episode(f"e-{step.word}", self._seed, "user", f"Turn {step.word} said")
        self.store.add_episodes([turn], None)


def run_for_ever(path: Path, seed: str, pipe: int) -> None:
    """Steps until somebody ends this process."""
    store = SqliteStore(path)
    workload = Workload(store, seed, lambda line: os.write(pipe, line))
    while True:
        workload.step()


def with_word(store: SqliteStore, word: str) -> list[Memory]:
    """All memories in which a word stands, of any status."""
    return [memory for memory in store.every_memory() if f" {word} " in f" {memory.what} "]


def live(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE
