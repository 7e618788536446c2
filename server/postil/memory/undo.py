"""Takes back everything that one session changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postil.errors import UsageError
from postil.memory.facts import keys_of_fact
from postil.memory.keys import keys_of
from postil.memory.revise import new_batch, require_person, revise
from postil.model import Action, Actor, Event, Fact, FactStatus, Memory, Status
from postil.storage.store import Store


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, and what was left since others changed it later."""

    reverted: tuple[str, ...]
    changed_since: tuple[str, ...]


def undo_session(store: Store, session: str, actor: Actor) -> Undone:
    """Put each memory and fact back to what it was before the session; all or nothing.

    What the session made is archived. What somebody else changed afterwards is left and reported.
    The undoing is itself a change: history keeps all of it. A person's right; an agent may take
    back its own session.
    """
    if not actor.session or actor.session != session:
        require_person(actor, "undoing another session")
    if not session.strip():
        raise UsageError("no session is named", hint="`postil history ID` shows sessions")
    reverted: list[str] = []
    later: list[str] = []
    with store.transaction():
        batch = new_batch()
        # Backwards: what was made last may stand on what was made first.
        targets = dict.fromkeys(event.target for event in reversed(store.events_in(session)))
        for target in targets:
            events = store.events_of(target)
            if events[-1].action in (Action.UNDO, Action.ERASE):
                continue
            first = _tail(events, session)
            if events[-1].actor.session != session or not _is_known(store, target, first):
                later.append(target)
            elif _revert(store, target, first, actor, batch):
                reverted.append(target)
    return Undone(tuple(reverted), tuple(later))


def _tail(events: Sequence[Event], session: str) -> Event:
    """The first of the session's changes that nobody else's change follows."""
    first = events[-1]
    for event in reversed(events):
        if event.actor.session != session:
            break
        first = event
    return first


def _is_known(store: Store, target: str, first: Event) -> bool:
    """Whether it is known what to go back to, and nothing else has taken its place."""
    if first.before is None:
        return first.action is Action.WRITE  # else what was before has been erased
    if isinstance(first.before, Memory) and first.before.status.is_live:
        other = store.with_content(keys_of(first.before).content)
        return other is None or other.id == target
    return True


def _revert(store: Store, target: str, first: Event, actor: Actor, batch: str) -> bool:
    memory, fact = store.memory(target), store.fact(target)
    if memory is not None:
        before = first.before if isinstance(first.before, Memory) else None
        new = before or replace(memory, status=Status.ARCHIVED)
        store.lift_tombstones(target)
        revise(store, memory, new, Action.UNDO, actor, batch)
        return True
    if fact is not None:
        earlier = first.before if isinstance(first.before, Fact) else None
        new_fact = earlier or replace(fact, status=FactStatus.INVALID)
        store.put_fact(new_fact, *keys_of_fact(store, new_fact))
        store.add_event(Event(target, Action.UNDO, actor, new_fact.recorded_at, batch, fact))
        return True
    return False
