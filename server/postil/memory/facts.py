"""Facts: subject, predicate, object, and the time in which they hold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postil.errors import UsageError
from postil.memory.draft import check_fact, check_names
from postil.memory.keys import entity_key, fact_key
from postil.memory.revise import new_batch, require_person
from postil.memory.write import Policy, must_own, refuse_forgotten, within_quota
from postil.model import Action, Actor, Entity, Event, Fact, FactStatus, Scope, ScopeKind, new_id
from postil.storage.store import Store


@dataclass(frozen=True, slots=True)
class Asserted:
    """A fact as it is stored; `closed` are those whose time it ended, `known` if nothing is new."""

    fact: Fact
    closed: tuple[Fact, ...] = ()
    known: bool = False
    redacted: tuple[str, ...] = ()


def assert_fact(
    store: Store, draft: Fact, policy: Policy | None = None, also: bool = False
) -> Asserted:
    """Store a fact that holds from `valid_from` (0: from now on).

    A subject has one object for a predicate at a time: the fact ends the one that held, unless it
    holds `also`. One that began earlier than what is known fills the time before it.
    """
    policy = policy or Policy()
    checked, findings = check_fact(draft)
    now = time.time()
    fact = replace(checked, id=new_id("f"), recorded_at=now, valid_from=checked.valid_from or now)
    actor = Actor(fact.author or "person", fact.client, fact.session)
    must_own(actor, fact.scope)
    if fact.scope.kind is ScopeKind.TEAM or policy.agents_propose:
        require_person(actor, "asserting a fact here")
    with store.transaction():
        within_quota(store, fact.session, actor, policy)
        refuse_forgotten(store, fact_key(fact))
        for name in (fact.subject, fact.object):
            if entity_key(name) == store.main_key(fact.scope, entity_key(name)):
                store.put_entity(Entity(name, fact.scope), entity_key(name), ())
        subject_key, object_key = keys_of_fact(store, fact)
        others = _holding(store.facts((fact.scope,), subject_key, fact.predicate), fact)
        for other in others:
            if keys_of_fact(store, other)[1] == object_key and _covers(other, fact):
                return Asserted(other, known=True, redacted=tuple(findings.secrets))
        batch = new_batch()
        closed = [] if also else _make_room(store, fact, others, actor, batch)
        if not also:
            fact = _ended_by_later(fact, others)
        store.put_fact(fact, subject_key, object_key)
        store.add_event(Event(fact.id, Action.WRITE, actor, now, batch))
    return Asserted(fact, tuple(closed), redacted=tuple(findings.secrets))


def invalidate(store: Store, fact_id: str, actor: Actor, ended: float = 0.0) -> Fact:
    """Say that a fact never held, or (with `ended`) no longer holds from then on."""
    with store.transaction():
        fact = store.fact(fact_id)
        if fact is None or not (actor.is_person or fact.scope in actor.scopes):
            raise UsageError(f"there is no fact {fact_id!r}", hint="`postil facts about` lists ids")
        if fact.scope.kind is ScopeKind.TEAM:
            require_person(actor, f"{fact_id} is the team's")
        if ended and ended <= fact.valid_from:
            raise UsageError("it ends before it begins", hint="without an end, it never held")
        new = (
            replace(fact, valid_until=ended) if ended else replace(fact, status=FactStatus.INVALID)
        )
        _change(store, fact, new, actor, new_batch())
        return new


def as_of(store: Store, scopes: Sequence[Scope], subject: str, at: float) -> list[Fact]:
    """The facts on a subject that held at an instant."""
    return [fact for fact in timeline(store, scopes, subject) if held(fact, at)]


def timeline(
    store: Store, scopes: Sequence[Scope], subject: str, predicate: str = ""
) -> list[Fact]:
    """The facts on a subject, under any of its names, by the time they began."""
    found: list[Fact] = []
    for scope in scopes:
        key = store.main_key(scope, entity_key(subject))
        found += store.facts((scope,), key, predicate.lower())
    asserted = (fact for fact in found if fact.status is FactStatus.ASSERTED)
    return sorted(asserted, key=lambda fact: (fact.valid_from, fact.recorded_at, fact.id))


def add_aliases(store: Store, entity: Entity, actor: Actor) -> Entity:
    """Let an entity go by other names too; facts under those names are found under this one."""
    if entity.scope.kind is ScopeKind.TEAM:
        require_person(actor, "naming the team's things")
    name, *aliases = check_names((entity.name, *entity.aliases))
    with store.transaction():
        key = store.main_key(entity.scope, entity_key(name))
        for alias in aliases:
            other = store.main_key(entity.scope, entity_key(alias))
            if other not in (key, entity_key(alias)):
                raise UsageError(f"{alias!r} is already another name of {other!r}")
        store.put_entity(
            Entity(name, entity.scope), key, [(entity_key(alias), alias) for alias in aliases]
        )
    return Entity(name, entity.scope, tuple(aliases))


def keys_of_fact(store: Store, fact: Fact) -> tuple[str, str]:
    """The keys of a fact's subject and object: of the entities, under whatever name."""
    return (
        store.main_key(fact.scope, entity_key(fact.subject)),
        store.main_key(fact.scope, entity_key(fact.object)),
    )


def held(fact: Fact, at: float) -> bool:
    """Whether a fact held at an instant."""
    return fact.valid_from <= at and (not fact.valid_until or at < fact.valid_until)


def _end(fact: Fact) -> float:
    return fact.valid_until or float("inf")


def _covers(other: Fact, fact: Fact) -> bool:
    return other.valid_from <= fact.valid_from and _end(other) >= _end(fact)


def _holding(others: list[Fact], fact: Fact) -> list[Fact]:
    """Those whose time meets the fact's."""
    return [
        other
        for other in others
        if other.status is FactStatus.ASSERTED
        and other.valid_from < _end(fact)
        and _end(other) > fact.valid_from
    ]


def _make_room(
    store: Store, fact: Fact, others: list[Fact], actor: Actor, batch: str
) -> list[Fact]:
    """End what held when the fact begins; what goes on after its end begins anew there."""
    closed = []
    for other in others:
        if other.valid_from > fact.valid_from:
            continue
        if fact.valid_until and _end(other) > fact.valid_until:
            rest = replace(other, id=new_id("f"), valid_from=fact.valid_until)
            store.put_fact(rest, *keys_of_fact(store, rest))
            store.add_event(Event(rest.id, Action.WRITE, actor, fact.recorded_at, batch))
        if other.valid_from == fact.valid_from:
            new = replace(other, status=FactStatus.INVALID)
        else:
            new = replace(other, valid_until=fact.valid_from)
        _change(store, other, new, actor, batch)
        closed.append(new)
    return closed


def _ended_by_later(fact: Fact, others: list[Fact]) -> Fact:
    later = [other.valid_from for other in others if other.valid_from > fact.valid_from]
    return replace(fact, valid_until=min(later)) if later else fact


def _change(store: Store, old: Fact, new: Fact, actor: Actor, batch: str) -> None:
    store.put_fact(new, *keys_of_fact(store, new))
    store.add_event(Event(old.id, Action.SUPERSEDE, actor, time.time(), batch, before=old))
