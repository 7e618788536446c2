"""Erasing on request: out of rows, words, vectors, history, logs and Postil's own copies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.errors import PostilError, UsageError
from postil.memory.change import Logged
from postil.memory.keys import keys_of
from postil.memory.revise import new_batch, require_person
from postil.model import Action, Actor, Episode, Event, Fact, Memory
from postil.storage.store import Store

OpenCopy = Callable[[Path], Store]
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Doomed:
    """What an erasure removes, and the texts that no file may hold afterwards."""

    memories: tuple[Memory, ...] = ()
    episodes: tuple[Episode, ...] = ()
    facts: tuple[Fact, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Ids with versions."""
        rows = [(memory.id, memory.version) for memory in self.memories]
        rows += [(turn.id, 0) for turn in self.episodes]
        return rows + [(fact.id, 0) for fact in self.facts]


@dataclass(frozen=True, slots=True)
class Erased:
    """How many rows went; copies that could not be cleaned; whether the file itself is clean."""

    rows: int
    uncleaned: tuple[str, ...] = ()
    is_clean: bool = True


def about(store: Store, text: str) -> Doomed:
    """Everything in which a text stands, whatever its case."""
    wanted = text.strip()
    if len(wanted) < _SHORTEST:
        raise UsageError(f"{text!r} is too short to erase by", hint="at least three characters")
    facts = [
        fact
        for fact in store.every_fact()
        if wanted.casefold() in f"{fact.subject} {fact.predicate} {fact.object}".casefold()
    ]
    return Doomed(
        tuple(store.holding(wanted)), tuple(store.turns_holding(wanted)), tuple(facts), (wanted,)
    )


def of(store: Store, memory: Memory) -> Doomed:
    """A memory, and the turns and memories in which its statement stands word by word."""
    texts = tuple(text for text in (memory.what, memory.why) if len(text) >= _SHORTEST)
    others = {one.id: one for one in store.holding(memory.what)} | {memory.id: memory}
    return Doomed(tuple(others.values()), tuple(store.turns_holding(memory.what)), texts=texts)


def erase(store: Store, doomed: Doomed, actor: Actor, log: Logged, open_copy: OpenCopy) -> Erased:
    """Remove it all. The copies first: while they are cleaned nothing is lost that must stay.

    Nothing with the same text or of the same turn comes in again. A person's right.
    """
    require_person(actor, "erasing")
    ids = [row[0] for row in doomed.rows]
    marks = [(memory.id, keys_of(memory).text) for memory in doomed.memories]
    marks += [(turn.id, turn.id) for turn in doomed.episodes]
    log(Action.ERASE, marks)
    uncleaned = _clean_copies(store, ids, doomed.texts, open_copy)
    now = time.time()
    with store.transaction():
        batch = new_batch()
        for target, key in marks:
            store.add_tombstone(key, target, now)
            store.add_event(Event(target, Action.ERASE, actor, now, batch))
        store.erase_rows(ids, doomed.texts, now)
    return Erased(len(ids), tuple(uncleaned), finish(store))


def finish(store: Store) -> bool:
    """Clean the file of what was erased, also where an earlier erasure was cut short.

    False while another process still reads an older state: the next call tries again.
    """
    pending = store.erasures()
    if not pending:
        return True
    if not store.scrub():
        return False
    for number, _ in pending:
        store.end_erasure(number)
    # The list of what was erased is itself a row now deleted; nothing of it is text.
    return True


def _clean_copies(
    store: Store, ids: Sequence[str], texts: Sequence[str], open_copy: OpenCopy
) -> list[str]:
    uncleaned = []
    for path in store.backups():
        if not path.exists():
            continue
        try:
            copy = open_copy(path)
            try:
                with copy.transaction():
                    number = copy.erase_rows(ids, texts, time.time())
                if copy.scrub():
                    copy.end_erasure(number)
            finally:
                copy.close()
        except PostilError as error:
            uncleaned.append(f"{path}: {error}")
    return uncleaned
