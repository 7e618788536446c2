"""Copies of a store: made while it is in use, checked before they count, restored in one step."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from postil.errors import StoreError, UsageError
from postil.memory.erase import finish
from postil.memory.keys import fact_key, keys_of
from postil.memory.revise import new_batch, revise
from postil.model import Action, Actor, Status
from postil.storage.connect import create_private, is_store
from postil.storage.deletions import DeletionLog
from postil.storage.store import Progress, Shelf, Store

# How often a restoration begins anew when somebody writes meanwhile.
_ATTEMPTS = 5

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

    What was forgotten or erased since the copy was made stays gone: that is settled in a draft,
    which then replaces the store in one step.
    """
    if not source.is_file():
        raise UsageError(f"{source} is no file", hint="`postil backup list` shows copies")
    if not is_store(source):
        raise UsageError(
            f"{source} is no copy of a store", hint="`postil backup list` shows copies"
        )
    for _ in range(_ATTEMPTS):
        counter = store.change_counter()
        known = store.backups()
        before = backup(store, None, open_copy)
        with _draft(store, source, open_copy) as (path, draft):
            copy = replace(_checked(path, open_copy), path=source)
            _keep_gone(draft, _gone(store, log))
            draft.note_backups([*known, before.path, source])
            draft.close()
            # What others wrote since the copy was put aside would be lost.
            if store.change_counter() == counter:
                store.restore_from(path, progress)
                return before, copy
    raise StoreError(
        f"{store.path} is being written all the time: nothing was restored",
        hint="close the other sessions and try again",
    )


@contextmanager
def _draft(store: Store, source: Path, open_copy: OpenCopy) -> Iterator[tuple[Path, Store]]:
    """A copy of a copy beside the store, to be changed before it counts."""
    with tempfile.TemporaryDirectory(dir=store.path.parent, prefix="restoring-") as folder:
        path = Path(folder) / "memory.db"
        create_private(path)
        shutil.copyfile(source, path)
        draft = open_copy(path)
        try:
            yield path, draft
        finally:
            draft.close()


@dataclass(frozen=True, slots=True)
class _Gone:
    """What must stay gone: keys with what bore them, and the ids and keys of what was erased."""

    keys: dict[str, tuple[str, float]]
    erased: frozenset[str]


def _gone(store: Store, log: DeletionLog) -> _Gone:
    keys = {key: (target, at) for key, target, at in store.tombstones()}
    erased: set[str] = set()
    for key, (target, _) in keys.items():
        if store.memory(target) is None:  # a key whose memory is still there was forgotten
            erased |= {key, target}
    for one in log.read():
        if one.action == "erase":
            keys[one.key] = (one.target, one.at)
            erased |= {one.key, one.target}
    return _Gone(keys, frozenset(erased))


def _keep_gone(draft: Store, gone: _Gone) -> None:
    batch = new_batch()
    forgotten = {key for key in gone.keys if key not in gone.erased}
    forgotten |= {target for key, (target, _) in gone.keys.items() if key in forgotten}
    with draft.transaction():
        for key, (target, at) in gone.keys.items():
            draft.add_tombstone(key, target, at)
        doomed = [one.id for one in draft.every_episode() if one.id in gone.erased]
        doomed += [
            fact.id for fact in draft.every_fact() if {fact.id, fact_key(fact)} & gone.erased
        ]
        for memory in list(draft.every_memory()):
            marks = {memory.id, keys_of(memory).text}
            if marks & gone.erased:
                doomed.append(memory.id)
            elif marks & forgotten and memory.status.is_live:
                closed = replace(memory, status=Status.FORGOTTEN)
                revise(draft, memory, closed, Action.FORGET, Actor(), batch)
        if doomed:
            draft.erase_rows(doomed, [], [], time.time())
    finish(draft)


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
