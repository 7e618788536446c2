"""A store as lines of JSON: everything that matters but vectors, in an order that never differs.

The first line names the format. Each other line is one record with its sort under `record`. An
export of what was imported from an export is the same, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TypeVar

from postil.errors import PostilError, StoreError, UsageError
from postil.memory.draft import (
    MAX_LIST,
    check_actor,
    check_episode,
    check_fact,
    check_id,
    check_memory,
    check_names,
    check_times,
)
from postil.memory.facts import keys_of_fact
from postil.memory.keys import entity_key, fact_key, keys_of, name_key
from postil.model import Entity, Episode, Event, Fact, Memory, Suggestion
from postil.record import Plain, from_plain, snapshot, to_plain
from postil.redact import redact
from postil.storage.store import Cursor, Store

_VERSION = 1
FORMAT = {"record": "postil", "version": _VERSION}
Record = TypeVar("Record")
Progress = Callable[[int], None]
# Rows that are stored in one transaction. Up to here an import is all or nothing; a longer one is
# a row of such steps, and done again it passes over what is there.
BATCH = 2_000
_MAX_LINE = 40_000_000


@dataclass(slots=True)
class Imported:
    """What an import brought; `problems` names lines that were passed over, the first ten."""

    added: int = 0
    known: int = 0
    skipped: int = 0
    redacted: int = 0
    problems: tuple[str, ...] = ()

    def skip(self, line: int, error: Exception) -> None:
        """Count a line that could not be taken."""
        self.skipped += 1
        if len(self.problems) < 10:
            self.problems = (*self.problems, f"line {line}: {error}")


def export(
    store: Store, sink: IO[str], progress: Progress | None = None, mine: bool = False
) -> int:
    """Write all of a store; how many records. `mine` says that it is a person's own."""
    count = 0
    for count, row in enumerate(_rows(store, mine)):
        sink.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
        if progress is not None and count % BATCH == BATCH - 1:
            progress(BATCH)
    return count


def _rows(store: Store, mine: bool) -> Iterator[Plain]:
    yield {**FORMAT, "mine": True} if mine else dict(FORMAT)
    kinds: tuple[tuple[str, Iterable[object]], ...] = (
        ("memory", store.every_memory()),
        ("episode", store.every_episode()),
        ("fact", store.every_fact()),
        ("entity", store.every_entity()),
        ("suggestion", store.suggestions()),
    )
    for name, records in kinds:
        for record in records:
            yield {"record": name, **to_plain(record)}
    for event in store.every_event():
        yield _event_row(event)
    for key, target, at in store.tombstones():
        yield {"record": "tombstone", "key": key, "target": target, "at": at}
    for cursor in store.cursors():
        yield {"record": "cursor", "path": cursor.path, "offset": cursor.offset}


def _event_row(event: Event) -> Plain:
    row = {"record": "event", **to_plain(replace(event, before=None, number=0))}
    if event.before is not None:
        row["before"] = to_plain(event.before)
    return row


def is_export(first_line: str) -> bool:
    """Whether a file that begins with this line is one of ours."""
    try:
        row = json.loads(first_line)
    except ValueError:
        return False
    return isinstance(row, dict) and row.get("record") == "postil"


def is_mine(path: Path) -> bool:
    """Whether an export is of somebody's own memories."""
    with path.open(encoding="utf-8", errors="replace") as file:
        header = file.readline(_MAX_LINE)
    return is_export(header) and json.loads(header).get("mine") is True


def load(store: Store, path: Path, progress: Progress | None = None) -> Imported:
    """Take over an export. Records that are there already (by id or by content) are left alone.

    Everything is checked and redacted as if it were written anew; what was forgotten here stays
    gone. A line that is no record is counted and named, and the others are taken.
    """
    done = Imported()
    if not path.is_file():
        raise UsageError(f"{path} is no file")
    with path.open(encoding="utf-8", errors="replace") as file:
        header = file.readline(_MAX_LINE)
        if not is_export(header):
            raise UsageError(f"{path} is no export of Postil", hint="its first line names it")
        version = json.loads(header).get("version")
        if not isinstance(version, int):
            raise UsageError(f"{path} names no version", hint="its first line was changed")
        if version > _VERSION:
            raise StoreError(f"{path} was written by a newer Postil", hint="update Postil")
        batch: list[tuple[int, str]] = []
        for number, line in enumerate(file, start=2):
            batch.append((number, line))
            if len(batch) == BATCH:
                _take(store, batch, done)
                batch = []
                if progress is not None:
                    progress(BATCH)
        _take(store, batch, done)
    return done


def _take(store: Store, batch: list[tuple[int, str]], done: Imported) -> None:
    with store.transaction():
        for number, line in batch:
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise UsageError("no object")
                take = _TAKERS.get(row.pop("record", ""))
                if take is None:
                    raise UsageError("no known record")
                take(store, row, done)
            except (StoreError, MemoryError):
                raise
            except (
                PostilError,
                ValueError,
                RecursionError,
                KeyError,
                TypeError,
                OverflowError,
            ) as error:
                done.skip(number, error)


def _memory(store: Store, row: Plain, done: Imported) -> None:
    raw = from_plain(row, Memory)
    # Older stores had longer lists.
    raw = replace(raw, sources=raw.sources[-MAX_LIST:], tags=raw.tags[:MAX_LIST])
    memory, found = check_memory(raw)
    check_id(memory.id)
    keys = keys_of(memory)
    is_gone = _was_erased(store, memory.id, keys.text) or (
        memory.status.is_live and store.tombstone(keys.text) is not None
    )
    is_there = store.memory(memory.id) is not None or (
        memory.status.is_live and store.with_content(keys.content) is not None
    )
    if is_gone or is_there:
        done.known += 1
        return
    store.insert_memory(memory, keys)
    done.added += 1
    done.redacted += len(found.secrets)


def _was_erased(store: Store, target: str, key: str) -> bool:
    """Whether a record or what it says was erased here: then it comes back in no form."""
    known = store.tombstone(key)
    return store.is_gone(target) or (known is not None and store.is_gone(known[0]))


def _episode(store: Store, row: Plain, done: Imported) -> None:
    episode, found = check_episode(from_plain(row, Episode))
    added = store.add_episodes([episode], None)
    done.added += added
    done.known += 1 - added
    done.redacted += len(found.secrets)


def _fact(store: Store, row: Plain, done: Imported) -> None:
    fact, found = check_fact(from_plain(row, Fact))
    check_id(fact.id)
    if store.fact(fact.id) is not None or _was_erased(store, fact.id, fact_key(fact)):
        done.known += 1
        return
    store.put_fact(fact, *keys_of_fact(store, fact))
    done.added += 1
    done.redacted += len(found.secrets)


def _entity(store: Store, row: Plain, done: Imported) -> None:
    entity = from_plain(row, Entity)
    names = check_names((entity.name, *entity.aliases))
    known = [one for one in names if store.tombstone(name_key(entity.scope, one)) is None]
    if not known or known[0] != names[0]:
        done.known += 1
        return
    name, *aliases = known
    key = store.main_key(entity.scope, entity_key(name))
    pairs = [(entity_key(alias), alias) for alias in aliases]
    is_new = store.put_entity(Entity(name, entity.scope), key, pairs)
    done.added += is_new
    done.known += not is_new


def _suggestion(store: Store, row: Plain, done: Imported) -> None:
    suggestion = from_plain(row, Suggestion)
    reason, opinion = redact(suggestion.reason).text, redact(suggestion.opinion).text
    is_new = store.add_suggestion(replace(suggestion, reason=reason, opinion=opinion))
    done.added += is_new
    done.known += not is_new


def _event(store: Store, row: Plain, done: Imported) -> None:
    before = row.pop("before", None)
    event = from_plain(row, Event)
    kept: Memory | Fact | None = None
    if before is not None:
        record = snapshot(before)
        kept = check_memory(record)[0] if isinstance(record, Memory) else check_fact(record)[0]
    check_id(event.target)
    if kept is not None:
        key = keys_of(kept).text if isinstance(kept, Memory) else fact_key(kept)
        if _was_erased(store, event.target, key):
            kept = None
    event = replace(event, before=kept, actor=check_actor(event.actor), batch=event.batch[:80])
    if store.has_event(event):
        done.known += 1
        return
    store.add_event(event)
    done.added += 1


def _tombstone(store: Store, row: Plain, done: Imported) -> None:
    key, target, at = row["key"], row["target"], row["at"]
    if not (isinstance(key, str) and isinstance(target, str) and isinstance(at, int | float)):
        raise UsageError("no tombstone")
    check_times(float(at), 0.0)
    if store.tombstone(key) is None:
        store.add_tombstone(key, target, float(at))


def _cursor(store: Store, row: Plain, done: Imported) -> None:
    cursor = from_plain(row, Cursor)
    if store.cursor(cursor.path).offset < cursor.offset:
        store.add_episodes([], cursor)


_TAKERS: dict[str, Callable[[Store, Plain, Imported], None]] = {
    "memory": _memory,
    "episode": _episode,
    "fact": _fact,
    "entity": _entity,
    "suggestion": _suggestion,
    "event": _event,
    "tombstone": _tombstone,
    "cursor": _cursor,
}
