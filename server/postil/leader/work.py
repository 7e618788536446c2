"""A process that takes part: it leads when nobody else does, and then does the shared work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from postil.errors import PostilError
from postil.leader.answer import answer_call, answer_hook
from postil.leader.drain import drain
from postil.leader.endpoint import Endpoint
from postil.leader.lease import Lease
from postil.leader.watch import Watcher
from postil.workspace import Workspace, open_workspace
from postil_hooks.client import log
from postil_hooks.paths import work_tree

# Seconds between two looks at what waits to be done, and at whether the lease is free.
_BEAT = 0.5
_EMBED_AT_ONCE = 500


class Participant:
    """Takes part for one workspace until it is closed. All its work is in one daemon thread.

    While leading it answers hooks and the command line, watches the tree, keeps the map and the
    vectors current and drains the spool. Failures are logged and tried again at the next beat.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lease = Lease(workspace.root)
        self._stop = threading.Event()
        self._stale = threading.Event()
        self._spooled = threading.Event()
        self._endpoint: Endpoint | None = None
        self._watcher: Watcher | None = None
        self._embedded_at: tuple[int, int] | None = None
        self._thread = threading.Thread(target=self._run, name="postil-leader", daemon=True)
        self._thread.start()

    @property
    def leads(self) -> bool:
        """Whether this process is the leader now."""
        return self._endpoint is not None

    def close(self) -> None:
        """Stop, and let the next process lead."""
        self._stop.set()
        self._stale.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if self.leads or self._take_lead():
                    self._beat()
                self._stop.wait(_BEAT)
        finally:
            self._step_down()

    def _take_lead(self) -> bool:
        if not self._lease.try_acquire():
            return False
        self._endpoint = Endpoint(self._workspace.root, self._respond)
        self._spooled.set()
        if self._may_map():
            self._stale.set()
            self._watcher = Watcher(self._stale.set)
        return True

    def _may_map(self) -> bool:
        """Only a known project is read: not a home folder that a client started in."""
        return self._workspace.is_mapped or (self._workspace.root / ".git").exists()

    def _beat(self) -> None:
        for flag, work in ((self._spooled, self._drain), (self._stale, self._map)):
            if flag.is_set() and not self._stop.is_set():
                flag.clear()
                self._guarded(work)
        self._guarded(self._embed)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (PostilError, OSError) as error:
            log(f"leader: {error}")

    def _drain(self) -> None:
        mine = self._workspace
        drain(lambda folder: mine if _same_tree(mine, folder) else open_workspace(folder))

    def _map(self) -> None:
        workspace = self._workspace
        workspace.update_map()
        folders = {workspace.root}
        for path in workspace.index.files():
            folders.update(workspace.root / parent for parent in Path(path).parents)
        if self._watcher is not None:
            added, refused = self._watcher.watch(folders)
            # Where watching is refused, searches compare the tree themselves.
            workspace.watched = refused == 0
            if added:
                self._stale.set()

    def _embed(self) -> None:
        workspace = self._workspace
        now = (workspace.store.change_counter(), workspace.index.change_counter())
        if now != self._embedded_at:
            # Noted before, not after: what is written meanwhile moves the counters again.
            done = workspace.embed_pending(limit=_EMBED_AT_ONCE)
            self._embedded_at = None if done else now

    def _respond(self, request: bytes) -> bytes:
        try:
            return self._answer(request)
        except Exception as error:
            log(f"leader: request refused: {error!r}"[:500])
            raise OSError("refused") from error

    def _answer(self, request: bytes) -> bytes:
        verb, _, rest = request.partition(b"\n")
        if verb == b"hook":
            client, native, payload = rest.split(b"\n", 2)
            return answer_hook(self._workspace, client.decode(), native.decode(), payload)
        if verb == b"call":
            return answer_call(self._workspace, rest)
        if verb == b"drain":
            self._spooled.set()
            return b"ok"
        if verb == b"ping":
            return b"pong"
        raise ValueError(f"unknown request {verb[:20]!r}")

    def _step_down(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
        if self._endpoint is not None:
            self._endpoint.close()
            self._endpoint = None
            self._lease.release()
        self._workspace.watched = False


def _same_tree(workspace: Workspace, folder: str) -> bool:
    return work_tree(folder) == str(workspace.root)
