"""Between rows of the store and values of the model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from postil.model import Anchor, Episode, Kind, Memory, Scope, Status
from postil.words import clean, indexable

MEMORY_COLUMNS = (
    "rowid, id, scope, kind, what, why, tags, importance, pinned, status, author, client, session,"
    " source, created_at, updated_at, superseded_by"
)
EPISODE_COLUMNS = (
    "rowid, id, session, ordinal, role, text, client, at, transcript, start_byte, end_byte"
)

# A row as apsw returns it: the columns above, in order.
Row = tuple[Any, ...]


def memory_values(memory: Memory, content_key: str) -> Mapping[str, str | int | float]:
    """The bindings of an insert into `memory`."""
    return {
        "id": memory.id,
        "scope": memory.scope.value,
        "kind": memory.kind.value,
        "what": clean(memory.what),
        "why": clean(memory.why),
        "tags": json.dumps([clean(tag) for tag in memory.tags], ensure_ascii=False),
        "importance": memory.importance,
        "pinned": int(memory.pinned),
        "status": memory.status.value,
        "author": clean(memory.author),
        "client": clean(memory.client),
        "session": clean(memory.session),
        "source": clean(memory.source),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "superseded_by": memory.superseded_by,
        "content_key": content_key,
    }


def memory_words(memory: Memory) -> tuple[str, str, str]:
    """The columns `what`, `why` and `extra` of the word index."""
    extra = [*memory.tags, memory.kind.value]
    for anchor in memory.anchors:
        extra += [anchor.path, anchor.symbol]
    return indexable(clean(memory.what)), indexable(clean(memory.why)), indexable(" ".join(extra))


def to_memory(row: Row, anchors: Iterable[Anchor]) -> Memory:
    """A memory from its row."""
    return Memory(
        id=row[1],
        scope=Scope(row[2]),
        kind=Kind(row[3]),
        what=row[4],
        why=row[5],
        tags=tuple(json.loads(row[6])),
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
    )
