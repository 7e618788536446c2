"""Tells the editor to ask again when an agent, another editor or a person wrote something."""

from __future__ import annotations

import asyncio

from postil.errors import PostilError
from postil_lsp import commands
from postil_lsp.margin_server import PostilServer

# Seconds between two looks at the stores' change counters (some 10 microseconds each).
PERIOD = 0.6


async def watch(server: PostilServer) -> None:
    """Refresh whenever somebody else wrote a store or a map; take drafts that were saved.

    Runs until cancelled.
    """
    seen: dict[int, tuple[int, ...]] = {}
    while True:
        await asyncio.sleep(PERIOD)
        commands.take_drafts(server)
        moved = False
        for workspace in server.session.workspaces:
            try:
                now = server.session.counters(workspace)
            except PostilError:
                continue  # busy: the next look sees it
            moved |= seen.get(id(workspace), now) != now
            seen[id(workspace)] = now
        if moved:
            server.refresh()
            for uri in list(server.open):
                server.push_later(uri)
