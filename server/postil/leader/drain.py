"""Takes the waiting events from the spool and stores what they tell of."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from postil.config.paths import private
from postil.errors import PostilError
from postil.leader.answer import take_event
from postil.workspace import Workspace
from postil_hooks import spool
from postil_hooks.client import log
from postil_hooks.paths import spool_dir

# How often, and how long apart (seconds), a transcript that lags its event is looked at again.
_TRIES = 6
_PAUSE = 0.25

Open = Callable[[str], Workspace]


def drain(open_for: Open) -> int:
    """Handle all waiting events, oldest first; how many were taken.

    An event is removed only when it is stored; one that cannot be handled is set aside in
    `spool/failed` and logged. Only one process drains at a time; the others need not wait, since
    whoever drains goes on until nothing waits.
    """
    done = 0
    while spool.waiting():
        try:
            with FileLock(private(Path(spool_dir())) / ".lock", timeout=0):
                for path in spool.waiting():
                    _take(Path(path), open_for)
                    done += 1
        except Timeout:
            return done
    return done


def _take(path: Path, open_for: Open) -> None:
    try:
        client, native, folder, payload = spool.read(str(path))
        workspace = open_for(folder)
        for _ in range(_TRIES):
            told = take_event(workspace, client, native, payload)
            if not told.endswith("behind") and ": behind" not in told:
                break
            time.sleep(_PAUSE)
    except (PostilError, OSError, ValueError, KeyError) as error:
        log(f"event {path.name} set aside: {error!r}"[:500])
        failed = private(path.parent / "failed")
        path.replace(failed / path.name)
        return
    path.unlink()
