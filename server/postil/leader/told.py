"""What each session was told: known at once, written down a moment later."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from postil.errors import PostilError
from postil.workspace import Workspace
from postil_hooks.client import log

# Sessions whose marks are held; those of others are in the store.
_HELD = 64


class Told:
    """The marks of sessions: a hook's answer does not wait until they are on the disk."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, "postil-told")
        workspace.before_closing.append(self.close)

    def of(self, session: str) -> dict[str, float]:
        """The marks of a session (ids of memories among them) and when they were set, by time."""
        with self._lock:
            if session not in self._known:
                self._known[session] = self._workspace.store.injected(session)
                while len(self._known) > _HELD:
                    self._known.popitem(last=False)
            return dict(self._known[session])

    def note(self, session: str, marks: Sequence[str]) -> None:
        """Set marks of a session."""
        at = time.time()
        known = self.of(session)
        with self._lock:
            self._known[session] = {**known, **dict.fromkeys(marks, at)}
        store = self._workspace.store
        self._later(lambda: store.note_injected(session, marks, at))

    def forget(self, session: str) -> None:
        """Take away all marks of a session."""
        with self._lock:
            self._known[session] = {}
        self._later(lambda: self._workspace.store.forget_injected(session))

    def close(self) -> None:
        """Wait until all is written."""
        self._writer.shutdown(wait=True)

    def _later(self, write: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                write()
            except PostilError as error:  # it is told again, once another process leads
                log(f"leader: what a session was told was not written: {error}")

        self._writer.submit(guarded)
