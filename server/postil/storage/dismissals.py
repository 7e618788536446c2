"""Where a rule may be broken, since a person said why."""

from __future__ import annotations

import json
from collections.abc import Sequence

from postil.storage.connect import Tables
from postil.storage.rows import Row
from postil.storage.values import Dismissal


class DismissalTable(Tables):
    """See `Dismissals`."""

    def add_dismissal(self, dismissal: Dismissal) -> None:
        """See `Dismissals.add_dismissal`."""
        with self._db.write() as db:
            db.execute(
                "insert or replace into dismissal (memory, path, line, reason, author, at)"
                " values (?, ?, ?, ?, ?, ?)",
                (
                    dismissal.memory,
                    dismissal.path,
                    dismissal.line,
                    dismissal.reason,
                    dismissal.author,
                    dismissal.at,
                ),
            )

    def dismissals(self, memories: Sequence[str]) -> list[Dismissal]:
        """See `Dismissals.dismissals`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select memory, path, line, reason, author, at from dismissal"
                " where memory in (select value from json_each(?)) order by at, path",
                (json.dumps(list(memories)),),
            ).fetchall()
        return [Dismissal(*row) for row in rows]

    def remove_dismissal(self, dismissal: Dismissal) -> None:
        """See `Dismissals.remove_dismissal`."""
        with self._db.write() as db:
            db.execute(
                "delete from dismissal where memory = ? and path = ? and line = ?",
                (dismissal.memory, dismissal.path, dismissal.line),
            )
