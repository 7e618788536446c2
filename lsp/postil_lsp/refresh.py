"""Tells the editor to ask again when an agent, another editor or a person wrote something."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from postil.errors import PostilError
from postil_lsp import commands
from postil_lsp.margin_server import PostilServer

# Seconds after which the stores' change counters are looked at in any case: not every disk tells
# of writes.
PERIOD = 1.0
# Seconds in which writes come together.
_PAUSE = 0.05


class _Stores(FileSystemEventHandler):
    """Calls back when a file of a store was written."""

    def __init__(self, written: Callable[[], object]) -> None:
        self._written = written
        self._observer = Observer()
        self._observer.daemon = True
        self._watched: set[Path] = set()

    def watch(self, folder: Path) -> None:
        """Watch the files of a store; where the system refuses, the period has to do."""
        if folder in self._watched:
            return
        if not self._watched:
            self._observer.start()
        self._watched.add(folder)
        try:
            self._observer.schedule(self, str(folder))
        except OSError:
            return

    def on_modified(self, event: FileSystemEvent) -> None:
        """A file was written."""
        if str(event.src_path).endswith(("-wal", ".db")):
            self._written()

    def close(self) -> None:
        """Stop watching."""
        if self._watched:
            self._observer.stop()


async def watch(server: PostilServer) -> None:
    """Refresh whenever somebody else wrote a store or a map; take drafts that were saved.

    Runs until cancelled.
    """
    written = asyncio.Event()
    loop = asyncio.get_running_loop()
    stores = _Stores(lambda: loop.call_soon_threadsafe(written.set))
    seen: dict[int, tuple[int, ...]] = {}
    lost: dict[Path, int] = {}
    told = ""
    try:
        while True:
            try:
                _look(server, stores, seen, lost)
            except Exception as error:  # noqa: BLE001 - said once; the next look may do
                if repr(error) != told:
                    told = repr(error)
                    server.report_server_error(error, watch)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(written.wait(), PERIOD)
                await asyncio.sleep(_PAUSE)
            written.clear()
    finally:
        stores.close()


def _look(
    server: PostilServer,
    stores: _Stores,
    seen: dict[int, tuple[int, ...]],
    lost: dict[Path, int],
) -> None:
    for workspace in server.session.workspaces:
        for store in workspace.stores:
            stores.watch(store.path.parent)
    commands.take_drafts(server)
    _tell_of_lost(server, lost)
    if _moved(server, seen):
        server.refresh()
        for uri in list(server.open):
            server.push_later(uri)


def _tell_of_lost(server: PostilServer, lost: dict[Path, int]) -> None:
    """Say once that a store was removed: what the editor shows now is what is there."""
    for workspace in server.session.workspaces:
        for store in workspace.stores:
            if store.reopened > lost.get(store.path, 0):
                lost[store.path] = store.reopened
                server.tell(
                    f"The memory of {workspace.project.name} was removed: {store.path}. "
                    "From here on what lies there is used; it begins empty if nothing does. "
                    "`postil backup list` shows copies, `postil backup restore` takes one over.",
                    is_wrong=True,
                )


def _moved(server: PostilServer, seen: dict[int, tuple[int, ...]]) -> bool:
    """Whether anything was written since the last look."""
    moved = False
    for workspace in server.session.workspaces:
        try:
            now = server.session.counters(workspace)
        except PostilError:
            now = ()  # what is shown may not be so any more: the requests say what is wrong
        before = seen.get(id(workspace)) or server.session.at_opening(workspace)
        moved |= before != now
        seen[id(workspace)] = now
    return moved
