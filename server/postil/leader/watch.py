"""Watches the folders that hold mapped files and says, a moment after the last change, that some
changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

# Seconds of quiet before a burst of changes (a save, a checkout) counts as over.
QUIET = 0.15


class Watcher(FileSystemEventHandler):
    """Calls `changed` in a thread of its own after changes below the folders given to `watch`.

    Folders are watched one by one, not recursively, so that ignored trees (node_modules) cost
    nothing. Whatever happens in them only means "compare again": no event can be lost for good.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._observer = Observer()
        self._watched: set[Path] = set()
        self._last = 0.0
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._debounce, name="postil-watch", daemon=True)
        self._observer.start()
        self._thread.start()

    def watch(self, folders: Iterable[Path]) -> tuple[int, int]:
        """Watch these folders too; how many are new, and how many could not be watched.

        What happened in a new one before it was watched is not known: compare once more.
        """
        added = refused = 0
        for folder in set(folders) - self._watched:
            try:
                self._observer.schedule(self, str(folder), recursive=False)
                self._watched.add(folder)
                added += 1
            except OSError:  # gone again, or the system's limit is reached
                refused += 1
        return added, refused

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note that something happened; reading a file is nothing."""
        if event.event_type in ("opened", "closed_no_write"):
            return
        self._last = time.monotonic()
        self._wake.set()

    def close(self) -> None:
        """Stop watching."""
        self._closing = True
        self._wake.set()
        self._observer.stop()
        self._observer.join(timeout=2)
        self._thread.join(timeout=2)

    def _debounce(self) -> None:
        while True:
            self._wake.wait()
            if self._closing:
                return
            self._wake.clear()
            while time.monotonic() - self._last < QUIET:
                time.sleep(QUIET / 3)
            self._changed()
