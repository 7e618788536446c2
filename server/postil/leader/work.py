"""A process that takes part: it leads when nobody else does, and then does the shared work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from postil.leader.answer import answer_call
from postil.leader.drain import drain
from postil.leader.endpoint import Endpoint
from postil.leader.hooks import Hooks
from postil.leader.lease import Lease
from postil.leader.watch import Watcher
from postil.memory.erase import finish
from postil.memory.mirror.reader import Mirror
from postil.workspace import Workspace
from postil_hooks import spool
from postil_hooks.client import log

# Seconds between two looks at what waits to be done, and at whether the lease is free.
_BEAT = 0.5
_EMBED_AT_ONCE = 500
# Seconds after which the tree is compared in any case: no watcher sees everything.
_LOOK = 60.0


class Participant:
    """Takes part for one workspace until it is closed. All its work is in one daemon thread.

    While leading it answers hooks and the command line, watches the tree, keeps the map and the
    vectors current and drains the spool. Failures are logged and tried again at the next beat.
    With `mirrors` it keeps what is searched in memory: faster for those that ask much, larger.
    """

    def __init__(self, workspace: Workspace, mirrors: bool = True) -> None:
        self._workspace = workspace
        self._has_mirrors = mirrors
        self._hooks = Hooks(workspace, self._catch_up)
        self._lease = Lease(workspace.root)
        self._stop = threading.Event()
        self._stale = threading.Event()
        self._spooled = threading.Event()
        self._endpoint: Endpoint | None = None
        self._watcher: Watcher | None = None
        self._embedded_at: tuple[int, ...] | None = None
        self._compared_at = float("-inf")
        self._mirrors: dict[Path, Mirror] = {}
        self._told = ""
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
                self._guarded(self._turn)
                self._stop.wait(_BEAT)
        finally:
            self._step_down()

    def _turn(self) -> None:
        if not self.leads and not self._take_lead():
            return
        if time.monotonic() - self._compared_at > _LOOK:
            self._stale.set()
        for flag, work in ((self._spooled, self._drain), (self._stale, self._map)):
            if flag.is_set() and not self._stop.is_set():
                flag.clear()
                self._guarded(work)
        self._guarded(self._embed)
        self._guarded(self._mirror)

    def _take_lead(self) -> bool:
        if not self._lease.try_acquire():
            return False
        try:
            self._endpoint = Endpoint(self._workspace.root, self._respond)
            if self._may_map():
                self._watcher = Watcher(self._workspace.root, self._stale.set)
        except BaseException:
            self._step_down()
            raise
        self._spooled.set()
        self._guarded(self._finish_erasures)
        return True

    def _finish_erasures(self) -> None:
        """What an earlier process was stopped in."""
        for store in self._workspace.stores:
            finish(store)

    def _may_map(self) -> bool:
        """Only a known project is read: not a home folder that a client started in."""
        return self._workspace.is_mapped or (self._workspace.root / ".git").exists()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - logged; the next beat tries again
            told = f"leader: {error!r}"[:300]
            if told != self._told:
                log(told)
            self._told = told

    def _drain(self) -> None:
        if drain(self._workspace):
            self._spooled.set()
        self._embedded_at = None

    def _map(self) -> None:
        self._compared_at = time.monotonic()
        if not self._may_map():
            return
        workspace = self._workspace
        workspace.update_map()
        workspace.read_history()
        self._embedded_at = None
        if self._watcher is not None:
            listed = {*workspace.index.files(), *(skip.path for skip in workspace.skips())}
            added, refused = self._watcher.watch(
                {path.split("/", 1)[0] for path in listed if "/" in path}
            )
            # Where watching is refused, searches compare the tree themselves.
            workspace.watched = refused == 0
            if added:
                self._stale.set()

    def _embed(self) -> None:
        """Embed what lacks a vector, when anything was written since the last time."""
        workspace = self._workspace
        now = (
            *(store.change_counter() for store in workspace.stores),
            workspace.index.change_counter(),
        )
        if now != self._embedded_at:
            # Noted before, not after: what is written meanwhile moves the counters again.
            done = workspace.embed_pending(limit=_EMBED_AT_ONCE)
            self._embedded_at = None if done else now

    def _mirror(self) -> None:
        """Keep what is searched in memory: whoever leads answers for all."""
        if not self._has_mirrors:
            return
        for store in self._workspace.stores:
            mirror = self._mirrors.setdefault(store.path, Mirror(store))
            mirror.refresh()
            self._workspace.readers[store.path] = mirror

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
            return self._hooks.answer(client.decode(), native.decode(), payload)
        if verb == b"call":
            return answer_call(self._workspace, rest)
        if verb == b"drain":
            self._spooled.set()
            return b"ok"
        if verb == b"ping":
            return b"pong"
        raise ValueError(f"unknown request {verb[:20]!r}")

    def _catch_up(self, client: str, native: str, folder: str, payload: bytes) -> None:
        spool.put(client, native, folder, payload)
        self._spooled.set()

    def _step_down(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
        if self._endpoint is not None:
            self._endpoint.close()
            self._endpoint = None
        self._lease.release()
        self._mirrors.clear()
        self._workspace.readers.clear()
        self._workspace.watched = False
