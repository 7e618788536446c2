"""Copies of a store: made while it is in use, checked before they count, restored in one step."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from postil.errors import StoreError, UsageError
from postil.memory.erase import finish
from postil.memory.keys import keys_of
from postil.memory.revise import new_batch, revise
from postil.model import Action, Actor, Status
from postil.storage.deletions import DeletionLog
from postil.storage.store import Progress, Shelf, Store

OpenCopy = Callable[[Path], Store]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that was checked: where it lies, what it holds, its bytes."""

    path: Path
    memories: int
    episodes: int
    size: int


def backup(
    store: Store, target: Path | None, open_copy: OpenCopy, progress: Progress | None = None
) -> Copy:
    """Copy a store to `target` (a new file beside it by default) and check the copy."""
    if target is None:
        folder = store.path.parent / "backups"
        folder.mkdir(mode=0o700, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (f"{stamp}{f'-{number}' if number else ''}.db" for number in itertools.count())
        target = next(folder / name for name in names if not (folder / name).exists())
    if target.is_dir():
        raise UsageError(f"{target} is a folder", hint="name a file")
    if target.exists():
        raise UsageError(f"{target} exists", hint="name a new file")
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent} is no folder", hint="make it first")
    store.backup_to(target, progress)
    return _checked(target, open_copy)


def restore(
    store: Store,
    source: Path,
    log: DeletionLog,
    open_copy: OpenCopy,
    progress: Progress | None = None,
) -> tuple[Copy, Copy]:
    """Take over a copy's content; the copy of what was there before, and the one taken over.

    What was forgotten or erased since the copy was made stays gone.
    """
    if not source.is_file():
        raise UsageError(f"{source} is no file", hint="`postil backup list` shows copies")
    copy = _checked(source, open_copy)
    before = backup(store, None, open_copy)
    # A key whose memory is still there was forgotten, the others were erased.
    gone = {key: (target, at) for key, target, at in store.tombstones()}
    forgotten = {key for key, (target, _) in gone.items() if store.memory(target) is not None}
    store.restore_from(source, progress)
    gone |= {one.key: (one.target, one.at) for one in log.read() if one.action == "erase"}
    _keep_gone(store, gone, forgotten)
    return before, copy


def _keep_gone(store: Store, gone: dict[str, tuple[str, float]], forgotten: set[str]) -> None:
    batch = new_batch()
    with store.transaction():
        for key, (target, at) in gone.items():
            store.add_tombstone(key, target, at)
        doomed = [one.id for one in store.every_episode() if one.id in gone]
        for memory in list(store.every_memory()):
            key = keys_of(memory).text
            if key in forgotten and memory.status.is_live:
                closed = replace(memory, status=Status.FORGOTTEN)
                revise(store, memory, closed, Action.FORGET, Actor(), batch)
            elif key in gone and key not in forgotten:
                doomed.append(memory.id)
        if doomed:
            store.erase_rows(doomed, [], time.time())
    finish(store)


def _checked(path: Path, open_copy: OpenCopy) -> Copy:
    copy = open_copy(path)
    try:
        told = copy.integrity()
        if told != "ok":
            raise StoreError(f"{path} is damaged: {told[:200]}", hint="use another copy")
        counts = copy.row_counts()
        return Copy(path, counts[Shelf.MEMORY], counts[Shelf.EPISODE], path.stat().st_size)
    finally:
        copy.close()
