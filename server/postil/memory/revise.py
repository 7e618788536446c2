"""The one way in which a memory changes: a new version is written, the old one is kept."""

from __future__ import annotations

import time
from dataclasses import replace

from postil.errors import UsageError
from postil.memory.keys import keys_of
from postil.model import Action, Actor, Event, Memory, Scope, ScopeKind, Status, new_id
from postil.storage.store import Store


def new_batch() -> str:
    """The name of one operation; its events share it."""
    return new_id("b")


def revise(
    store: Store, old: Memory, new: Memory, action: Action, actor: Actor, batch: str
) -> Memory:
    """Write `new` over `old` and keep `old` in the history. Part of a transaction.

    The time of change never goes back, whatever the clock does.
    """
    changed = replace(new, version=old.version + 1, updated_at=max(time.time(), old.updated_at))
    store.replace_memory(changed, keys_of(changed))
    store.add_event(Event(old.id, action, actor, changed.updated_at, batch, before=old))
    return changed


def found(store: Store, memory_id: str, actor: Actor) -> Memory:
    """The memory of this id that the actor may see; UsageError when there is none."""
    memory = store.memory(memory_id)
    if memory is None or not _may_see(actor, memory.scope):
        raise UsageError(f"there is no memory {memory_id!r}", hint="`postil search` lists ids")
    return memory


def may_change(actor: Actor, memory: Memory, agents_propose: bool = False) -> None:
    """Refuse an agent what is the team's and, where agents only propose, all that holds."""
    if memory.status is not Status.PROPOSED:
        if memory.scope.kind is ScopeKind.TEAM:
            require_person(actor, f"{memory.id} is the team's")
        if agents_propose:
            require_person(actor, f"{memory.id} holds, and agents only propose here")


def require_person(actor: Actor, what: str) -> None:
    """Refuse an agent; UsageError."""
    if not actor.is_person:
        raise UsageError(f"{what}: only a person may do that", hint="ask the user to do it")


def _may_see(actor: Actor, scope: Scope) -> bool:
    """A person may see everything on the machine, an agent what it is given."""
    return actor.is_person or scope in actor.scopes
