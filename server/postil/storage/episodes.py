"""The table of episodes: turns of conversations, and how far transcripts were read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import apsw

from postil.model import Episode
from postil.storage.connect import Tables
from postil.storage.rows import EPISODE_COLUMNS, Row, episode_words, to_episode
from postil.storage.store import Cursor
from postil.words import clean

_BATCH = 500


class EpisodeTable(Tables):
    """See `Episodes`."""

    def add_episodes(self, episodes: Sequence[Episode], cursor: Cursor | None) -> int:
        """See `Episodes.add_episodes`."""
        added = 0
        with self._db.write() as db:
            for episode in episodes:
                added += _insert(db, episode)
            if cursor is not None:
                db.execute(
                    "insert or replace into transcript_cursor (path, offset) values (?, ?)",
                    (cursor.path, cursor.offset),
                )
        return added

    def cursor(self, path: str) -> Cursor:
        """See `Episodes.cursor`."""
        with self._db.read() as db:
            offset = db.execute("select offset from transcript_cursor where path = ?", (path,)).get
        return Cursor(path, offset or 0)

    def cursors(self) -> list[Cursor]:
        """See `Episodes.cursors`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                "select path, offset from transcript_cursor order by path"
            ).fetchall()
        return [Cursor(*row) for row in rows]

    def last_turn(self, session: str, role: str) -> Episode | None:
        """See `Episodes.last_turn`."""
        with self._db.read() as db:
            row = db.execute(
                f"select {EPISODE_COLUMNS} from episode where session = ? and role = ?"
                " order by ordinal desc limit 1",
                (session, role),
            ).get
        return to_episode(row) if row else None

    def episode(self, episode_id: str) -> Episode | None:
        """See `Episodes.episode`."""
        with self._db.read() as db:
            row = db.execute(
                f"select {EPISODE_COLUMNS} from episode where id = ?", (episode_id,)
            ).get
        return to_episode(row) if row else None

    def episodes(self, rowids: Sequence[int]) -> dict[int, Episode]:
        """See `Episodes.episodes`."""
        with self._db.read() as db:
            return episodes_by_row(db, rowids)

    def turns_around(self, session: str, ordinal: int, count: int) -> list[Episode]:
        """See `Episodes.turns_around`."""
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {EPISODE_COLUMNS} from episode where session = ?"
                " and ordinal between ? and ? order by ordinal",
                (session, ordinal - count, ordinal + count),
            ).fetchall()
        return [to_episode(row) for row in rows]

    def turns_holding(self, text: str) -> list[Episode]:
        """See `Episodes.turns_holding`."""
        wanted = text.casefold()
        return [turn for turn in self.every_episode() if wanted in turn.text.casefold()]

    def every_episode(self) -> Iterator[Episode]:
        """See `Episodes.every_episode`."""
        last = 0
        while True:
            with self._db.read() as db:
                rows: list[Row] = db.execute(
                    f"select {EPISODE_COLUMNS} from episode where rowid > ? order by rowid limit ?",
                    (last, _BATCH),
                ).fetchall()
            yield from map(to_episode, rows)
            if len(rows) < _BATCH:
                return
            last = rows[-1][0]


def episodes_by_row(db: apsw.Connection, rowids: Sequence[int]) -> dict[int, Episode]:
    """Turns by row."""
    rows: list[Row] = db.execute(
        f"select {EPISODE_COLUMNS} from episode where rowid in (select value from json_each(?))",
        (json.dumps(list(rowids)),),
    ).fetchall()
    return {row[0]: to_episode(row) for row in rows}


def _insert(db: apsw.Connection, episode: Episode) -> int:
    # A turn that was erased is known by its id, however often its transcript is read again.
    if db.execute("select 1 from tombstone where key = ?", (episode.id,)).get:
        return 0
    db.execute(
        "insert or ignore into episode (id, session, ordinal, role, text, client, at, transcript,"
        " start_byte, end_byte, zone_offset) values (?1, ?2,"
        " (select coalesce(max(ordinal) + 1, 0) from episode where session = ?2),"
        " ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        (
            episode.id,
            episode.session,
            episode.role,
            clean(episode.text),
            episode.client,
            episode.at,
            episode.transcript,
            episode.start,
            episode.end,
            episode.offset,
        ),
    )
    if not db.changes():
        return 0
    db.execute(
        "insert into episode_words (rowid, text) values (?, ?)",
        (db.last_insert_rowid(), *episode_words(episode)),
    )
    return 1
