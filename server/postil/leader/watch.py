"""Watches a working tree and says, a moment after the last change, that something changed."""

from __future__ import annotations

import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

# Seconds of quiet before a burst of changes (a save, a checkout) counts as over, and how long a
# file that is written all the time can put that off.
QUIET = 0.15
LONGEST = 2.0
# Trees of products and of other people's code, where no ignore file needs to say so.
_NEVER = frozenset((".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox"))
# It warns on standard error of events that come while it is being closed.
logging.getLogger("watchdog").addHandler(logging.NullHandler())
logging.getLogger("watchdog").propagate = False
# And when a folder made within a new folder is seen twice, by its event and by the look into the
# folder above it: the same watch is put in the same place again.
warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
_SILENT = ("opened", "closed_no_write")


class Watcher(FileSystemEventHandler):
    """Calls `changed` in a thread of its own after changes below `root`.

    The root itself is watched, and each of its folders that is worth it with all that lies below:
    one thread for each, none for ignored trees. An event only means "compare again"; what is
    missed all the same (a system's limit, a network disk) is found by the leader's regular look.
    """

    def __init__(self, root: Path, changed: Callable[[], None]) -> None:
        self._root = root
        self._changed = changed
        self._observer = Observer()
        self._watches: dict[str, ObservedWatch] = {}
        self._lock = threading.Lock()
        self._first = self._last = 0.0
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._debounce, name="postil-watch", daemon=True)
        self._observer.start()
        self._thread.start()
        self._watch("")

    def watch(self, names: Iterable[str]) -> tuple[int, int]:
        """Watch these folders of the root too; how many are new, how many could not be watched.

        What happened in a new one before it was watched is not known: compare once more.
        """
        results = [self._watch(name) for name in names if name not in _NEVER]
        return results.count(True), results.count(None)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note that something happened; reading a file is nothing."""
        if event.event_type in _SILENT:
            return
        for raw in (event.src_path, event.dest_path):
            path = Path(os.fsdecode(raw)) if raw else self._root
            if event.is_directory and path.parent == self._root and path.name not in _NEVER:
                # Taken away and made again, a folder is another one to the system.
                self._unwatch(path.name)
                if path.is_dir():
                    self._watch(path.name)
        now = time.monotonic()
        self._first = self._first or now
        self._last = now
        self._wake.set()

    def close(self) -> None:
        """Stop watching."""
        self._closing = True
        self._wake.set()
        self._observer.stop()
        self._observer.join(timeout=2)
        self._thread.join(timeout=2)

    def _watch(self, name: str) -> bool | None:
        """Watch a folder of the root: True when it is new, None when it cannot be watched."""
        with self._lock:
            if name in self._watches:
                return False
            try:
                self._watches[name] = self._observer.schedule(
                    self, str(self._root / name), recursive=bool(name)
                )
            except OSError:  # gone again, or the system's limit is reached
                return None
            return True

    def _unwatch(self, name: str) -> None:
        with self._lock:
            known = self._watches.pop(name, None)
            if known is not None:
                self._observer.unschedule(known)

    def _debounce(self) -> None:
        while True:
            self._wake.wait()
            if self._closing:
                return
            self._wake.clear()
            while (now := time.monotonic()) - self._last < QUIET and now - self._first < LONGEST:
                time.sleep(QUIET / 3)
            self._first = 0.0
            self._changed()
