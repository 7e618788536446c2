"""From a transcript to episodes in the store: redacted, once each, with their place of origin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from postil.capture.formats import FORMATS
from postil.capture.transcript import Reading, Turn, read_since
from postil.model import Episode
from postil.redact import redact
from postil.storage.store import Cursor, Store

_BATCH = 200
# A pasted file is no conversation: its beginning is enough to find it again.
MAX_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a reading brought, and what it could not read."""

    added: int
    malformed: int
    oversized: int


def ingest(
    store: Store,
    client: str,
    format_name: str,
    transcript: Path,
    session: str,
    heard: Callable[[Episode], None] = lambda turn: None,
) -> Ingested:
    """Store the turns added to `transcript` since the last time. Safe to repeat and to run twice.

    `heard` is told of each once it is stored; after a crash possibly again.
    Raises OSError when the transcript cannot be read, KeyError for an unknown format.
    """
    reading = Reading(store.cursor(str(transcript)).offset)
    batch: list[Episode] = []
    added = 0
    for turn, start, end in read_since(transcript, reading, FORMATS[format_name]):
        turn = replace(turn, session=turn.session or session, start=start, end=end)
        batch.append(to_episode(turn, client, str(transcript)))
        if len(batch) == _BATCH:
            added += _store(store, batch, Cursor(str(transcript), reading.offset), heard)
            batch = []
    added += _store(store, batch, Cursor(str(transcript), reading.offset), heard)
    return Ingested(added, reading.malformed, reading.oversized)


def store_turns(store: Store, turns: Sequence[Turn], client: str) -> tuple[list[Episode], int]:
    """Store turns that no transcript tells of: as episodes, and how many of them were new."""
    episodes = [to_episode(turn, client, "") for turn in turns]
    return episodes, store.add_episodes(episodes, None)


def _store(
    store: Store, batch: Sequence[Episode], cursor: Cursor, heard: Callable[[Episode], None]
) -> int:
    # Without the cursor first: were this cut short, all would be heard once more.
    added = store.add_episodes(batch, None)
    for turn in batch:
        heard(turn)
    store.add_episodes((), cursor)
    return added


def to_episode(turn: Turn, client: str, transcript: str) -> Episode:
    """The episode of a turn: secrets out, its id made from client, session and the turn's own."""
    mark = "\0".join((client, turn.session, turn.id)).encode("utf-8", "replace")
    number = int.from_bytes(blake2b(mark, digest_size=8).digest(), "big")
    # Redacted before it is cut: half a secret is recognised by nobody.
    text = redact(turn.text).text
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n[{len(text) - MAX_TEXT:,} more characters in the transcript]"
    return Episode(
        id=f"e-{number:016x}"[:14],
        session=turn.session,
        role=turn.role,
        text=text,
        client=client,
        at=turn.at,
        transcript=transcript,
        start=turn.start,
        end=turn.end,
        offset=turn.offset,
    )
