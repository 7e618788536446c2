"""What git's history tells of the code: which files were changed for what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from postil import git
from postil.storage.codehistory import PastCommit
from postil.storage.codeindex import CodeIndex

# Commits that are read in all, and at one time: the newest tell most.
MOST_COMMITS = 10_000
BATCH = 500
# git gives up looking for renames in a commit of more files.
_RENAME_LIMIT = 200
# Of so many of the newest the reasons are worth keeping.
_TOLD = 2_000
Told = Callable[[Sequence[PastCommit]], None]
# How long a query may wait for the first commits.
_SECONDS = 60.0


def read_history(
    root: Path, index: CodeIndex, most: int = MOST_COMMITS, told: Told | None = None
) -> int:
    """Enter commits that are not known yet, at most `most` of them; how many were entered.

    The newest come first, and what was broken off goes on with older ones the next time. `told`
    is given the newest ones before they are entered.
    """
    head = git.head(root)
    if not head:
        return 0
    added = _newer(root, index, head, told)
    while added < most and index.meta("history_read") != "all":
        read = int(index.meta("history_read") or 0)
        batch = list(_commits(root, index.meta("history_from"), BATCH, skip=read))
        if told is not None and read < _TOLD:
            told(batch)
        added += index.history.add(batch, are_newer=False)
        read += len(batch)
        is_all = len(batch) < BATCH or read >= MOST_COMMITS
        index.set_meta("history_read", "all" if is_all else str(read))
    return added


def _newer(root: Path, index: CodeIndex, head: str, told: Told | None) -> int:
    """Enter what came on top of what is known; all is read anew where history was rewritten."""
    known = index.meta("history_head")
    if known == head:
        return 0
    if known and git.run(root, "merge-base", "--is-ancestor", known, head) is not None:
        batch = list(_commits(root, f"{known}..{head}", MOST_COMMITS))
        if told is not None:
            told(batch[:_TOLD])
        added = index.history.add(batch, are_newer=True)
    else:
        index.history.forget()
        index.set_meta("history_from", head)
        index.set_meta("history_read", "")
        added = 0
    index.set_meta("history_head", head)
    return added


def _commits(root: Path, revisions: str, most: int, skip: int = 0) -> Iterator[PastCommit]:
    """Commits without merges, the newest first."""
    out = git.run(
        root, "log", "-z", "--no-merges", "--name-status", "-M", f"-l{_RENAME_LIMIT}",
        "--no-ext-diff", "--no-textconv", "--format=%x01%H%x02%ct%x02%s%x02%b%x02",
        f"-n{most}", f"--skip={skip}", revisions, "--", timeout=_SECONDS,
    )  # fmt: skip
    for record in (out or b"").decode("utf-8", "replace").split("\x01")[1:]:
        sha, at, subject, body, listed = record.split("\x02", 4)
        files, renames = _files(listed.strip("\n").split("\0"))
        yield PastCommit(sha, int(at), subject, body, files, renames)


def _files(parts: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Paths and renames of `--name-status -z`."""
    files: list[str] = []
    renames: list[tuple[str, str]] = []
    fields = iter([part.strip("\n") for part in parts if part.strip("\n")])
    for status in fields:
        path = next(fields, "")
        if status[0] in "RC":
            new = next(fields, "")
            if status[0] == "R":
                renames.append((path, new))
            path = new
        files.append(path)
    return files, renames
