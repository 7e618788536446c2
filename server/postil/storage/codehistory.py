"""Commits in the code map's file: which files were changed for what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from postil.model import CommitHit
from postil.storage.connect import Database
from postil.words import code_words, indexable, match_expression

# Commits that vote for one question, and the files of a commit that are kept: one that changes
# more says little about each.
_VOTERS = 20
MOST_FILES = 40
_WEIGHTS = "1.0, 0.4"
# A commit of a year ago counts half as much as one of today.
_YEAR = 31_557_600
_BODY = 4_000


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit: what it said, the files it changed, and (old, new) names of those it renamed."""

    sha: str
    at: int
    subject: str
    body: str
    files: Sequence[str]
    renames: Sequence[tuple[str, str]] = ()


class CodeHistory:
    """The commits of one code map, in its file."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, commits: Iterable[PastCommit], are_newer: bool) -> int:
        """Enter commits, the newest first; how many were new.

        `are_newer`: they come after those that are known, whose paths they may have renamed.
        """
        added = 0
        with self._db.write() as db:
            batch = list(commits)
            if are_newer:
                for one in reversed(batch):
                    for old, new in one.renames:
                        db.execute(
                            "update or replace commit_file set path = ? where path = ?", (new, old)
                        )
                        _rename(db, old, new)
            for one in batch:
                added += _enter(db, one)
                if not are_newer:
                    for old, new in one.renames:
                        _rename(db, old, _today(db, new))
        return added

    def forget(self) -> None:
        """Drop all commits: history was rewritten."""
        with self._db.write() as db:
            for table in ("commit_file", "commit_row", "renamed"):
                db.execute(f"delete from {table}")
            db.execute("delete from commit_words")

    def count(self) -> int:
        """How many commits are known."""
        with self._db.read() as db:
            return int(db.execute("select count(*) from commit_row").get)

    def votes(self, terms: list[str]) -> dict[str, float]:
        """Files that commits changed which speak of these terms: the best has 1."""
        rows = self._matching(terms, _VOTERS)
        if not rows:
            return {}
        scores = dict(rows)
        best = max(scores.values())
        with self._db.read() as db:
            newest = db.execute("select max(at) from commit_row").get
            changed: list[tuple[Any, ...]] = db.execute(
                "select commit_row, files, at, path from commit_file"
                " join commit_row on commit_row.rowid = commit_row"
                " where commit_row in (select value from json_each(?))",
                (json.dumps(list(scores)),),
            ).fetchall()
        votes: dict[str, float] = {}
        for commit, files, at, path in changed:
            share = (scores[commit] / best) ** 2 / sqrt(files)
            votes[path] = votes.get(path, 0.0) + share / (1 + (newest - at) / _YEAR)
        top = max(votes.values(), default=1.0)
        return {path: vote / top for path, vote in votes.items()}

    def search(self, terms: list[str], limit: int) -> list[CommitHit]:
        """Commits that speak of these terms, the best first, with some of their files."""
        scores = dict(self._matching(terms, limit))
        with self._db.read() as db:
            rows: list[tuple[Any, ...]] = db.execute(
                "select rowid, sha, at, subject, (select group_concat(path, char(10)) from"
                "  (select path from commit_file where commit_row = commit_row.rowid"
                "   order by path limit 5))"
                " from commit_row where rowid in (select value from json_each(?))",
                (json.dumps(list(scores)),),
            ).fetchall()
        hits = [
            CommitHit(sha, at, subject, tuple((files or "").split("\n")), scores[row])
            for row, sha, at, subject, files in rows
        ]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.at))

    def changed_lately(self, paths: Iterable[str]) -> dict[str, int]:
        """When each of these files was last changed by a commit (seconds since the epoch)."""
        with self._db.read() as db:
            rows: list[tuple[Any, ...]] = db.execute(
                "select path, max(at) from commit_file join commit_row"
                " on commit_row.rowid = commit_row"
                " where path in (select value from json_each(?)) group by path",
                (json.dumps(list(paths)),),
            ).fetchall()
        return dict(rows)

    def _matching(self, terms: list[str], limit: int) -> list[tuple[Any, ...]]:
        with self._db.read() as db:
            rows: list[tuple[Any, ...]] = db.execute(
                f"select rowid, -bm25(commit_words, {_WEIGHTS}) as score from commit_words"
                " where commit_words match ? order by score desc, rowid desc limit ?",
                (match_expression(terms), limit),
            ).fetchall()
        return rows


def _enter(db: Any, one: PastCommit) -> bool:
    db.execute(
        "insert or ignore into commit_row (sha, at, subject, files) values (?, ?, ?, ?)",
        (one.sha, one.at, one.subject, max(len(one.files), 1)),
    )
    if not db.changes():
        return False
    row = db.last_insert_rowid()
    words = (code_words(one.subject), indexable(one.body[:_BODY]))
    db.execute("insert into commit_words (rowid, subject, body) values (?, ?, ?)", (row, *words))
    if len(one.files) <= MOST_FILES:
        db.executemany(
            "insert or ignore into commit_file (commit_row, path) values (?, ?)",
            [(row, _today(db, path)) for path in one.files],
        )
    return True


def _today(db: Any, path: str) -> str:
    return db.execute("select new from renamed where old = ?", (path,)).get or path


def _rename(db: Any, old: str, new: str) -> None:
    db.execute("update renamed set new = ? where new = ?", (new, old))
    db.execute("delete from renamed where old = ?", (new,))
    if old != new:
        db.execute("insert or replace into renamed (old, new) values (?, ?)", (old, new))
