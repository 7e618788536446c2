"""Tells the editor to ask again when an agent, another editor or a person wrote something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from postil.errors import PostilError
from postil_lsp.session import Session

# Seconds between two looks at the stores' change counters (some 10 microseconds each).
PERIOD = 0.5


async def watch_stores(session: Session, changed: Callable[[], None]) -> None:
    """Call `changed` whenever somebody else wrote a store or a map. Runs until cancelled."""
    seen: dict[int, tuple[int, ...]] = {}
    while True:
        await asyncio.sleep(PERIOD)
        moved = False
        for workspace in session.workspaces:
            try:
                now = (
                    *(store.change_counter() for store in workspace.stores),
                    workspace.index.change_counter(),
                )
            except PostilError:
                continue  # busy: the next look sees it
            moved |= seen.get(id(workspace), now) != now
            seen[id(workspace)] = now
        if moved:
            changed()
