"""Erasing on request: out of rows, words, vectors, history, logs and Postil's own copies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.errors import PostilError, UsageError
from postil.memory.change import Logged
from postil.memory.keys import fact_key, keys_of, name_key
from postil.memory.revise import new_batch, require_person
from postil.model import Action, Actor, Episode, Event, Fact, Memory
from postil.storage.store import Store
from postil.words import clean

OpenCopy = Callable[[Path], Store]
_SHORTEST = 3
# A statement that is shorter stands by chance in others.
_TELLING = 12


@dataclass(frozen=True, slots=True)
class Doomed:
    """What an erasure removes, and what no file may hold afterwards.

    `texts` are looked for wherever they stand, `wholes` only where they are all that a field says:
    a reason of one word stands in what has nothing to do with it. `traces` counts earlier versions,
    names and suggestions in which they stand.
    """

    memories: tuple[Memory, ...] = ()
    episodes: tuple[Episode, ...] = ()
    facts: tuple[Fact, ...] = ()
    texts: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    traces: int = 0

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Ids with versions."""
        rows = [(memory.id, memory.version) for memory in self.memories]
        rows += [(turn.id, 0) for turn in self.episodes]
        return rows + [(fact.id, 0) for fact in self.facts]


@dataclass(frozen=True, slots=True)
class Erased:
    """How many rows went; copies that could not be cleaned; whether the file itself is clean.

    `changed` are rows that were left, since they are not what was shown.
    """

    rows: int
    uncleaned: tuple[str, ...] = ()
    is_clean: bool = True
    changed: tuple[str, ...] = ()


def about(store: Store, text: str) -> Doomed:
    """Everything in which a text stands, whatever its case."""
    wanted = clean(text).strip()
    if len(wanted) < _SHORTEST:
        raise UsageError(f"{text!r} is too short to erase by", hint="at least three characters")
    facts = [
        fact
        for fact in store.every_fact()
        if wanted.casefold() in f"{fact.subject} {fact.predicate} {fact.object}".casefold()
    ]
    return Doomed(
        tuple(store.holding(wanted)),
        tuple(store.turns_holding(wanted)),
        tuple(facts),
        (wanted,),
        traces=store.traces(wanted),
    )


def of(store: Store, memory: Memory) -> Doomed:
    """A memory, and the turns and memories in which its statement stands word by word."""
    wholes = tuple(text for text in (memory.what, memory.why, memory.how) if text)
    texts = tuple(text for text in wholes if len(text) >= _TELLING)
    if memory.what not in texts:
        return Doomed((memory,), wholes=wholes)
    others = {one.id: one for one in store.holding(memory.what)} | {memory.id: memory}
    turns = tuple(store.turns_holding(memory.what))
    return Doomed(tuple(others.values()), turns, texts=texts, wholes=wholes)


def erase(store: Store, doomed: Doomed, actor: Actor, log: Logged, open_copy: OpenCopy) -> Erased:
    """Remove it all. The copies first: while they are cleaned nothing is lost that must stay.

    Nothing with the same text or of the same turn comes in again. A person's right.
    """
    require_person(actor, "erasing")
    ids = [row[0] for row in doomed.rows]
    marks = [(memory.id, keys_of(memory).text) for memory in doomed.memories]
    marks += [(turn.id, turn.id) for turn in doomed.episodes]
    marks += [(fact.id, fact_key(fact)) for fact in doomed.facts]
    marks += _names(store, doomed)
    log(Action.ERASE, marks)
    uncleaned = _clean_copies(store, ids, doomed, open_copy)
    now = time.time()
    with store.transaction():
        batch = new_batch()
        for target, key in marks:
            store.add_tombstone(key, target, now)
            store.add_event(Event(target, Action.ERASE, actor, now, batch))
        store.erase_rows(ids, doomed.texts, doomed.wholes, now)
    return Erased(len(ids), tuple(uncleaned), finish(store))


def _names(store: Store, doomed: Doomed) -> list[tuple[str, str]]:
    """Marks of the names of things that go, by their digest: a name has no id."""
    wanted = [text.casefold() for text in doomed.texts]
    names = [
        name_key(entity.scope, name)
        for entity in store.every_entity()
        for name in (entity.name, *entity.aliases)
        if any(text in name.casefold() for text in wanted)
    ]
    return [(key, key) for key in names]


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
    store: Store, ids: Sequence[str], doomed: Doomed, open_copy: OpenCopy
) -> list[str]:
    uncleaned = []
    for path in store.backups():
        if not path.exists():
            continue
        try:
            copy = open_copy(path)
            try:
                with copy.transaction():
                    number = copy.erase_rows(ids, doomed.texts, doomed.wholes, time.time())
                if copy.scrub():
                    copy.end_erasure(number)
            finally:
                copy.close()
        except PostilError as error:
            uncleaned.append(f"{path}: {error}")
    return uncleaned
