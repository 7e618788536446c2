"""What may be done to a memory once it is there. Closing keeps history; only erasing removes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from postil.errors import UsageError
from postil.memory.draft import check_memory
from postil.memory.keys import keys_of
from postil.memory.revise import found, may_change, new_batch, require_person, revise
from postil.memory.write import (
    Policy,
    Terms,
    Written,
    close_superseded,
    refuse_forgotten,
    remember,
    union,
    within_quota,
)
from postil.model import (
    Action,
    Actor,
    Event,
    Memory,
    ScopeKind,
    Status,
    Suggestion,
    Verdict,
)
from postil.storage.store import Store

# Called with the ids and keys of what goes, before it goes; raises when it cannot be written down.
Logged = Callable[[Action, Sequence[tuple[str, str]]], None]


def supersede(store: Store, old_id: str, draft: Memory, terms: Terms | None = None) -> Written:
    """Store `draft` in place of the memory `old_id`, which is closed and linked."""
    terms = terms or Terms()
    return remember(store, draft, replace(terms, supersedes=(*terms.supersedes, old_id)))


def update(
    store: Store, memory_id: str, edit: Callable[[Memory], Memory], actor: Actor, policy: Policy
) -> Memory:
    """Change fields of a memory; the version before is kept.

    Where agents only propose, an agent proposes a successor instead of changing what holds.
    """
    old = found(store, memory_id, actor)
    may_change(actor, old)
    within_quota(store, actor.session, actor, policy)
    new, _ = check_memory(edit(old))
    if actor.agent and policy.agents_propose and old.status is Status.ACTIVE:
        draft = replace(new, id="", author=actor.author, client=actor.client, session=actor.session)
        terms = Terms(policy, supersedes=(old.id,), compares=False)
        return remember(store, replace(draft, created_at=0.0), terms).memory
    with store.transaction():
        old = found(store, memory_id, actor)
        _must_be(old, (Status.ACTIVE, Status.PROPOSED), "changed")
        new, _ = check_memory(edit(old))
        if replace(new, version=old.version) == old:
            return old
        if keys_of(new).text != keys_of(old).text:
            refuse_forgotten(store, keys_of(new).text)
        other = store.with_content(keys_of(new).content)
        if other is not None and other.id != old.id:
            raise UsageError(
                f"{other.id} already says that", hint=f"`postil forget {old.id}` drops this one"
            )
        return revise(store, old, new, Action.UPDATE, actor, new_batch())


def forget(
    store: Store, ids: Sequence[str], actor: Actor, log: Logged, policy: Policy | None = None
) -> list[Memory]:
    """Take memories out of every answer. They stay in the history and can be restored; the same
    text does not come in again. All or none.
    """
    with store.transaction():
        olds = [found(store, one, actor) for one in dict.fromkeys(ids)]
        for old in olds:
            may_change(actor, old, bool(policy and policy.agents_propose))
        gone = [old for old in olds if old.status is not Status.FORGOTTEN]
        log(Action.FORGET, [(old.id, keys_of(old).text) for old in gone])
        batch = new_batch()
        done = []
        for old in gone:
            store.add_tombstone(keys_of(old).text, old.id, time.time())
            new = replace(old, status=Status.FORGOTTEN)
            done.append(revise(store, old, new, Action.FORGET, actor, batch))
        return done


def archive(store: Store, ids: Sequence[str], actor: Actor) -> list[Memory]:
    """Close memories that no longer matter; they may come in again."""
    with store.transaction():
        batch = new_batch()
        olds = [found(store, one, actor) for one in dict.fromkeys(ids)]
        for old in olds:
            may_change(actor, old)
        return [
            revise(store, old, replace(old, status=Status.ARCHIVED), Action.ARCHIVE, actor, batch)
            for old in olds
            if old.status in (Status.ACTIVE, Status.PROPOSED)
        ]


def restore(
    store: Store, memory_id: str, actor: Actor, version: int = 0, policy: Policy | None = None
) -> Memory:
    """Bring a closed memory back, or an earlier version of one, as its newest version.

    An agent brings back only what agents closed: what waits for a person, or was put away by one,
    is theirs to decide.
    """
    with store.transaction():
        old = found(store, memory_id, actor)
        _may_restore(store, old, actor, bool(policy and policy.agents_propose))
        if version:
            earlier = _versions(store, old).get(version)
            if earlier is None:
                raise UsageError(
                    f"{memory_id} has no version {version}", hint=f"see `postil history {old.id}`"
                )
            new = replace(earlier, status=Status.ACTIVE, superseded_by="")
        elif old.status in (Status.ACTIVE, Status.PROPOSED):
            return old
        else:
            new = replace(old, status=Status.ACTIVE, superseded_by="", valid_until=0.0)
        other = store.with_content(keys_of(new).content)
        if other is not None and other.id != old.id:
            raise UsageError(f"{other.id} already says that", hint="nothing was restored")
        known = store.tombstone(keys_of(new).text)
        if known is not None and known[0] != old.id:
            refuse_forgotten(store, keys_of(new).text)
        store.lift_tombstones(old.id)
        return revise(store, old, new, Action.RESTORE, actor, new_batch())


def _may_restore(store: Store, old: Memory, actor: Actor, agents_propose: bool) -> None:
    if actor.is_person:
        return
    if old.scope.kind is ScopeKind.TEAM or old.status is Status.PROPOSED or agents_propose:
        require_person(actor, f"{old.id} waits for approval or holds by it")
    events = store.events_of(old.id)
    if old.status is not Status.ACTIVE and events and events[-1].actor.is_person:
        require_person(actor, f"{old.id} was closed by a person")
    if old.status is Status.FORGOTTEN:
        require_person(actor, f"{old.id} was forgotten")


def keep(
    store: Store, memory_id: str, actor: Actor, pinned: bool = True, policy: Policy | None = None
) -> Memory:
    """Pin a memory, so that it comes first and is never put away; or let it go again."""
    with store.transaction():
        old = found(store, memory_id, actor)
        may_change(actor, old, bool(policy and policy.agents_propose))
        _must_be(old, (Status.ACTIVE, Status.PROPOSED), "kept")
        if old.pinned == pinned:
            return old
        return revise(store, old, replace(old, pinned=pinned), Action.UPDATE, actor, new_batch())


def fold(store: Store, ids: Sequence[str], summary: Memory, terms: Terms | None = None) -> Written:
    """Store a summary that cites memories, and archive them: all of it or nothing."""
    actor = Actor(summary.author or "person", summary.client, summary.session)
    with store.transaction():
        sources = tuple(dict.fromkeys((*summary.sources, *ids)))
        written = remember(store, replace(summary, sources=sources), terms)
        archive(store, [one for one in ids if one != written.memory.id], actor)
        return written


def approve(store: Store, memory_id: str, actor: Actor) -> Memory:
    """Let a proposed memory hold; what it replaces is closed. A person's right."""
    require_person(actor, "approval")
    with store.transaction():
        old = found(store, memory_id, actor)
        _must_be(old, (Status.PROPOSED,), "approved")
        batch = new_batch()
        new = replace(old, status=Status.ACTIVE)
        approved = revise(store, old, new, Action.APPROVE, actor, batch)
        close_superseded(store, approved, actor, batch)
        return approved


def reject(store: Store, memory_id: str, actor: Actor) -> Memory:
    """Put a proposed memory away. A person's right."""
    require_person(actor, "rejection")
    with store.transaction():
        old = found(store, memory_id, actor)
        _must_be(old, (Status.PROPOSED,), "rejected")
        new = replace(old, status=Status.ARCHIVED)
        return revise(store, old, new, Action.REJECT, actor, new_batch())


def settle(store: Store, suggestion: Suggestion, verdict: Verdict, actor: Actor) -> None:
    """Do what a person says of a pair: `update` closes the old one, `duplicate` the new one."""
    require_person(actor, "settling a pair")
    with store.transaction():
        new = found(store, suggestion.new, actor)
        old = found(store, suggestion.old, actor)
        batch = new_batch()
        match verdict:
            case Verdict.UPDATE | Verdict.CONTRADICT:
                if new.status is Status.PROPOSED:  # who lets it replace the other lets it hold
                    active = replace(new, status=Status.ACTIVE)
                    new = revise(store, new, active, Action.APPROVE, actor, batch)
                _must_be(new, (Status.ACTIVE,), "put in place of another")
                linked = replace(new, supersedes=(*new.supersedes, old.id))
                new = revise(store, new, linked, Action.UPDATE, actor, batch)
                close_superseded(store, new, actor, batch)
            case Verdict.DUPLICATE:
                kept, closing = (old, new) if _holds(old) or not _holds(new) else (new, old)
                closed = replace(closing, status=Status.SUPERSEDED, superseded_by=kept.id)
                revise(store, closing, closed, Action.MERGE, actor, batch)
            case Verdict.ADD | Verdict.UNSURE:
                pass
        store.close_suggestions([suggestion.id])


def _holds(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE


def history(store: Store, memory_id: str, actor: Actor) -> tuple[Memory, list[Event]]:
    """A memory as it is, and what was done to it, oldest first; each event has what was before."""
    memory = found(store, memory_id, actor)
    return memory, store.events_of(memory.id)


def _versions(store: Store, memory: Memory) -> dict[int, Memory]:
    earlier = [event.before for event in store.events_of(memory.id)]
    versions = {one.version: one for one in earlier if isinstance(one, Memory)}
    return versions | {memory.version: memory}


def _must_be(memory: Memory, statuses: tuple[Status, ...], what: str) -> None:
    if memory.status not in statuses:
        raise UsageError(
            f"{memory.id} is {memory.status} and cannot be {what}",
            hint=f"`postil restore {memory.id}` brings a closed memory back",
        )


def merge_twins(store: Store, actor: Actor) -> int:
    """Make one of memories that say the same under keys of an older Postil; how many were merged.

    Tags, sources and places are united, the others closed with a link. Done again it does nothing.
    """
    merged = 0
    with store.transaction():
        for ids in store.twins():
            batch = new_batch()
            rows = [memory for one in ids if (memory := store.memory(one)) is not None]
            first, *rest = rows
            kept = first
            for other in rest:
                kept = replace(
                    kept,
                    tags=union(kept.tags, other.tags),
                    about=union(kept.about, other.about),
                    sources=union(kept.sources, other.sources),
                    anchors=tuple(dict.fromkeys((*kept.anchors, *other.anchors))),
                    importance=max(kept.importance, other.importance),
                )
                closed = replace(other, status=Status.SUPERSEDED, superseded_by=first.id)
                revise(store, other, closed, Action.MERGE, actor, batch)
                merged += 1
            revise(store, first, kept, Action.MERGE, actor, batch)
    return merged
