"""What was done, what must not come back, what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from postil.model import Event, Suggestion, Verdict
from postil.storage.connect import Tables
from postil.storage.rows import (
    EVENT_COLUMNS,
    SUGGESTION_COLUMNS,
    Row,
    event_values,
    to_event,
    to_suggestion,
)

_BATCH = 500


class JournalTables(Tables):
    """See `Journal`."""

    def add_event(self, event: Event) -> None:
        """See `Journal.add_event`."""
        with self._db.write() as db:
            db.execute(
                "insert into event (target, action, author, client, session, at, batch, before)"
                " values (?, ?, ?, ?, ?, ?, ?, ?)",
                event_values(event),
            )

    def events_of(self, target: str) -> list[Event]:
        """See `Journal.events_of`."""
        return self._events("target = ? order by number", target)

    def events_in(self, session: str) -> list[Event]:
        """See `Journal.events_in`."""
        return self._events("session = ? order by number", session)

    def every_event(self) -> Iterator[Event]:
        """See `Journal.every_event`."""
        last = 0
        while True:
            rows = self._events("number > ? order by number limit ?", last, _BATCH)
            yield from rows
            if len(rows) < _BATCH:
                return
            last = rows[-1].number

    def add_tombstone(self, key: str, target: str, at: float) -> None:
        """See `Journal.add_tombstone`."""
        with self._db.write() as db:
            db.execute(
                "insert or replace into tombstone (key, target, at) values (?, ?, ?)",
                (key, target, at),
            )

    def tombstone(self, key: str) -> tuple[str, float] | None:
        """See `Journal.tombstone`."""
        with self._db.read() as db:
            row: Row | None = db.execute(
                "select target, at from tombstone where key = ?", (key,)
            ).get
        return (row[0], row[1]) if row else None

    def lift_tombstones(self, target: str) -> None:
        """See `Journal.lift_tombstones`."""
        with self._db.write() as db:
            db.execute("delete from tombstone where target = ?", (target,))

    def tombstones(self) -> list[tuple[str, str, float]]:
        """See `Journal.tombstones`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select key, target, at from tombstone order by key"
            ).fetchall()
        return [(key, target, at) for key, target, at in rows]

    def is_gone(self, target: str) -> bool:
        """See `Journal.is_gone`."""
        with self._db.read() as db:
            return bool(
                db.execute(
                    "select exists (select 1 from tombstone where target = ?1)"
                    " and not exists (select 1 from memory where id = ?1)",
                    (target,),
                ).get
            )

    def has_event(self, event: Event) -> bool:
        """See `Journal.has_event`."""
        values = event_values(event)
        with self._db.read() as db:
            return bool(
                db.execute(
                    "select exists (select 1 from event where target = ? and action = ? and author"
                    " = ? and client = ? and session = ? and at = ? and batch = ?)",
                    values[:7],
                ).get
            )

    def request(self, key: str) -> tuple[str, str] | None:
        """See `Journal.request`."""
        with self._db.read() as db:
            row: Row | None = db.execute(
                "select digest, target from request where key = ?", (key,)
            ).get
        return (row[0], row[1]) if row else None

    def add_request(self, key: str, digest: str, target: str, at: float) -> None:
        """See `Journal.add_request`."""
        with self._db.write() as db:
            db.execute(
                "insert into request (key, digest, target, at) values (?, ?, ?, ?)",
                (key, digest, target, at),
            )

    def add_suggestion(self, suggestion: Suggestion) -> bool:
        """See `Journal.add_suggestion`."""
        one = suggestion
        with self._db.write() as db:
            db.execute(
                f"insert or ignore into suggestion ({SUGGESTION_COLUMNS})"
                " values (?, ?, ?, ?, ?, ?, ?)",
                (one.id, one.new, one.old, one.verdict.value, one.reason, one.at, one.opinion),
            )
            return db.changes() > 0

    def suggestions(self) -> list[Suggestion]:
        """See `Journal.suggestions`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {SUGGESTION_COLUMNS} from suggestion where is_open = 1 and not exists ("
                " select 1 from memory where id in (new_memory, old_memory)"
                " and status not in ('active', 'proposed')) order by at, id"
            ).fetchall()
        return [to_suggestion(row) for row in rows]

    def judge_suggestion(self, suggestion_id: str, verdict: Verdict, opinion: str) -> None:
        """See `Journal.judge_suggestion`."""
        with self._db.write() as db:
            db.execute(
                "update suggestion set verdict = ?, opinion = ? where id = ?",
                (verdict.value, opinion, suggestion_id),
            )

    def close_suggestions(self, ids: Sequence[str]) -> None:
        """See `Journal.close_suggestions`."""
        with self._db.write() as db:
            for one in ids:
                db.execute("update suggestion set is_open = 0 where id = ?", (one,))

    def add_preview(self, digest: str, action: str, selection: str, expires_at: float) -> None:
        """See `Journal.add_preview`."""
        with self._db.write() as db:
            db.execute(
                "insert into preview (digest, action, selection, expires_at) values (?, ?, ?, ?)",
                (digest, action, selection, expires_at),
            )

    def take_preview(self, digest: str, now: float) -> tuple[str, str] | None:
        """See `Journal.take_preview`."""
        with self._db.write() as db:
            db.execute("delete from preview where expires_at < ?", (now,))
            row: Row | None = db.execute(
                "delete from preview where digest = ? returning action, selection", (digest,)
            ).get
        return (row[0], row[1]) if row else None

    def _events(self, where: str, *values: str | int) -> list[Event]:
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {EVENT_COLUMNS} from event where {where}", values
            ).fetchall()
        return [to_event(row) for row in rows]
