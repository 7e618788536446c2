"""What each session was already told."""

from __future__ import annotations

from collections.abc import Iterable

from postil.storage.connect import Tables
from postil.storage.rows import Row

# A session that was silent for so long has forgotten, and so may we.
_KEPT_SECONDS = 30 * 86_400


class SessionTable(Tables):
    """See `Sessions`."""

    def injected(self, session: str) -> dict[str, float]:
        """See `Sessions.injected`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select mark, at from injected where session = ? order by at, mark", (session,)
            ).fetchall()
        return dict(rows)

    def note_injected(self, session: str, marks: Iterable[str], at: float) -> None:
        """See `Sessions.note_injected`."""
        with self._db.write() as db:
            db.executemany(
                "insert or replace into injected (session, mark, at) values (?, ?, ?)",
                [(session, mark, at) for mark in marks],
            )
            db.execute("delete from injected where at < ?", (at - _KEPT_SECONDS,))

    def forget_injected(self, session: str) -> None:
        """See `Sessions.forget_injected`."""
        with self._db.write() as db:
            db.execute("delete from injected where session = ?", (session,))
