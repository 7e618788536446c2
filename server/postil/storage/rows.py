"""Between rows of the store and values of the model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from postil.model import (
    Action,
    Actor,
    Anchor,
    Episode,
    Event,
    Fact,
    FactStatus,
    Kind,
    Memory,
    Pattern,
    Scope,
    Status,
    Suggestion,
    Tier,
    Verdict,
)
from postil.record import from_plain, snapshot, to_plain
from postil.storage.store import Keys
from postil.times import day_words
from postil.words import clean, indexable

MEMORY_COLUMNS = (
    "rowid, id, scope, kind, what, why, tags, importance, pinned, status, author, client, session,"
    " source, created_at, updated_at, superseded_by, who, how, event_at, about, tier, valid_from,"
    " valid_until, sources, commit_id, zone_offset, version, supersedes, pattern"
)
EPISODE_COLUMNS = (
    "rowid, id, session, ordinal, role, text, client, at, transcript, start_byte, end_byte,"
    " zone_offset"
)
EVENT_COLUMNS = "number, target, action, author, client, session, at, batch, before"
FACT_COLUMNS = (
    "rowid, id, scope, subject, predicate, object, valid_from, valid_until, recorded_at, status,"
    " author, client, session, sources"
)
SUGGESTION_COLUMNS = "id, new_memory, old_memory, verdict, reason, at, opinion"

# A row as apsw returns it: the columns above, in order.
Row = tuple[Any, ...]
Bindings = Mapping[str, str | int | float]


def listed(texts: Iterable[str]) -> str:
    """Texts as the JSON list that a column holds."""
    return json.dumps([clean(text) for text in texts], ensure_ascii=False)


def memory_values(memory: Memory, keys: Keys) -> Bindings:
    """The columns of `memory` but for its row."""
    return {
        "id": memory.id,
        "scope": str(memory.scope),
        "kind": memory.kind.value,
        "what": clean(memory.what),
        "why": clean(memory.why),
        "who": clean(memory.who),
        "how": clean(memory.how),
        "event_at": memory.when,
        "about": listed(memory.about),
        "tags": listed(memory.tags),
        "importance": memory.importance,
        "tier": memory.tier.value,
        "pinned": int(memory.pinned),
        "status": memory.status.value,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "author": clean(memory.author),
        "client": clean(memory.client),
        "session": clean(memory.session),
        "source": clean(memory.source),
        "sources": listed(memory.sources),
        "commit_id": memory.commit,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "zone_offset": memory.offset,
        "version": memory.version,
        "supersedes": listed(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "pattern": json.dumps(to_plain(memory.pattern)) if memory.pattern else "",
        "content_key": keys.content,
        "text_key": keys.text,
    }


def memory_words(memory: Memory) -> tuple[str, str, str]:
    """The columns `what`, `why` and `extra` of the word index."""
    extra = [*memory.tags, memory.kind.value, *memory.about, memory.who, memory.how]
    for anchor in memory.anchors:
        extra += [anchor.path, anchor.symbol]
    words = (memory.what, memory.why, " ".join(extra))
    return indexable(clean(words[0])), indexable(clean(words[1])), indexable(clean(words[2]))


def episode_words(episode: Episode) -> tuple[str]:
    """The column `text` of the word index: what was said, and the day, as people write it."""
    return (f"{indexable(clean(episode.text))} {day_words(episode.at, episode.offset)}".rstrip(),)


def _texts(listed_texts: str) -> tuple[str, ...]:
    """The texts of a list; most are empty, and thousands are read for one answer."""
    return tuple(json.loads(listed_texts)) if listed_texts != "[]" else ()


def to_memory(row: Row, anchors: Iterable[Anchor]) -> Memory:
    """A memory from its row."""
    return Memory(
        id=row[1],
        scope=Scope.parse(row[2]),
        kind=Kind(row[3]),
        what=row[4],
        why=row[5],
        tags=_texts(row[6]),
        importance=row[7],
        pinned=bool(row[8]),
        status=Status(row[9]),
        author=row[10],
        client=row[11],
        session=row[12],
        source=row[13],
        created_at=row[14],
        updated_at=row[15],
        superseded_by=row[16],
        who=row[17],
        how=row[18],
        when=row[19],
        about=_texts(row[20]),
        tier=Tier(row[21]),
        valid_from=row[22],
        valid_until=row[23],
        sources=_texts(row[24]),
        commit=row[25],
        offset=row[26],
        version=row[27],
        supersedes=_texts(row[28]),
        pattern=from_plain(json.loads(row[29]), Pattern) if row[29] else Pattern(),
        anchors=tuple(anchors),
    )


def to_episode(row: Row) -> Episode:
    """An episode from its row."""
    return Episode(
        id=row[1],
        session=row[2],
        ordinal=row[3],
        role=row[4],
        text=row[5],
        client=row[6],
        at=row[7],
        transcript=row[8],
        start=row[9],
        end=row[10],
        offset=row[11],
    )


def event_values(event: Event) -> tuple[str | float | None, ...]:
    """The columns of `event` but for its number."""
    before = None
    if event.before is not None:
        before = json.dumps(to_plain(event.before), ensure_ascii=False)
    who = event.actor
    return (
        event.target,
        event.action.value,
        clean(who.author),
        clean(who.client),
        clean(who.session),
        event.at,
        event.batch,
        before,
    )


def to_event(row: Row) -> Event:
    """A change from its row."""
    number, target, action, author, client, session, at, batch, before = row
    return Event(
        target=target,
        action=Action(action),
        actor=Actor(author, client, session),
        at=at,
        batch=batch,
        before=snapshot(json.loads(before)) if before else None,
        number=number,
    )


def fact_values(fact: Fact, subject_key: str, object_key: str) -> Bindings:
    """The columns of `fact` but for its row."""
    return {
        "id": fact.id,
        "scope": str(fact.scope),
        "subject": fact.subject,
        "subject_key": subject_key,
        "predicate": fact.predicate,
        "object": fact.object,
        "object_key": object_key,
        "valid_from": fact.valid_from,
        "valid_until": fact.valid_until,
        "recorded_at": fact.recorded_at,
        "status": fact.status.value,
        "author": clean(fact.author),
        "client": clean(fact.client),
        "session": clean(fact.session),
        "sources": listed(fact.sources),
    }


def to_fact(row: Row) -> Fact:
    """A fact from its row."""
    return Fact(
        id=row[1],
        scope=Scope.parse(row[2]),
        subject=row[3],
        predicate=row[4],
        object=row[5],
        valid_from=row[6],
        valid_until=row[7],
        recorded_at=row[8],
        status=FactStatus(row[9]),
        author=row[10],
        client=row[11],
        session=row[12],
        sources=_texts(row[13]),
    )


def to_suggestion(row: Row) -> Suggestion:
    """A suggestion from its row."""
    return Suggestion(
        id=row[0],
        new=row[1],
        old=row[2],
        verdict=Verdict(row[3]),
        reason=row[4],
        at=row[5],
        opinion=row[6],
    )
