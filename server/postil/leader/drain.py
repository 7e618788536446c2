"""Takes the waiting events from the spool and stores what they tell of."""

from __future__ import annotations

import time
from pathlib import Path

from filelock import FileLock, Timeout

from postil.config.paths import private
from postil.errors import PostilError
from postil.leader.hooks import take_event
from postil.workspace import Workspace, open_workspace
from postil_hooks import spool
from postil_hooks.client import log
from postil_hooks.paths import spool_dir, work_tree

# Seconds. A transcript that has not caught up with its event by then never will.
_PATIENCE = 10.0
_PAUSE = 0.25
# What was set aside may hold a prompt: it is kept to be looked into, not for ever.
_KEPT_DAYS = 30


def drain(own: Workspace | None = None) -> int:
    """Take each waiting event once, oldest first; how many still wait.

    An event is removed only when it is stored. One that waits for its transcript or for a busy
    store stays; one that can never be taken is set aside in `spool/failed` and logged. Only one
    process drains at a time, and the others need not wait for it.
    """
    if not spool.waiting():
        return 0
    folder = private(Path(spool_dir()))
    try:
        with FileLock(folder / ".lock", timeout=0, mode=0o600):
            for path in spool.waiting():
                _take(Path(path), own)
            _forget_old(folder / "failed")
    except Timeout:
        return 0  # whoever drains takes the new ones as well: `drain_all` looks again
    return len(spool.waiting())


def drain_all() -> None:
    """Drain until nothing waits, or only what cannot be taken now."""
    end = time.monotonic() + _PATIENCE + 2
    while drain() and time.monotonic() < end:
        time.sleep(_PAUSE)


def _take(path: Path, own: Workspace | None) -> None:
    try:
        client, native, folder, payload = spool.read(str(path))
        is_own = own is not None and work_tree(folder) == str(own.root)
        workspace = own if own is not None and is_own else open_workspace(folder)
        try:
            is_late = _age(path) > _PATIENCE
            taken = take_event(workspace, client, native, payload, is_late)
        finally:
            if not is_own:
                workspace.close()
    except PostilError as error:
        if not error.retryable:
            _set_aside(path, error)
    except Exception as error:  # noqa: BLE001 - one event must not stop all that come after it
        _set_aside(path, error)
    else:
        if not taken.is_behind or is_late:
            path.unlink(missing_ok=True)


def _set_aside(path: Path, error: Exception) -> None:
    log(f"event {path.name} set aside: {error!r}"[:500])
    path.replace(private(path.parent / "failed") / path.name)


def _age(path: Path) -> float:
    """Seconds since the event came; its name begins with the time."""
    try:
        return time.time() - int(path.name.split("-", 1)[0]) / 1e9
    except ValueError:
        return _PATIENCE + 1


def _forget_old(folder: Path) -> None:
    if folder.is_dir():
        for path in folder.iterdir():
            if _age(path) > _KEPT_DAYS * 86_400:
                path.unlink(missing_ok=True)
