"""Which clients are on this machine."""

from __future__ import annotations

import os

from postil.config.clients import load_client
from postil_hooks import spec as clients
from postil_installers.machine import Machine


def detected(machine: Machine) -> list[str]:
    """The clients whose folder or program is here."""
    return [name for name in clients.names() if is_here(name, machine)]


def is_here(client: str, machine: Machine) -> bool:
    """Whether a client's folder or program is on this machine."""
    told = load_client(client).get("detect", {})
    folders = (machine.expand(one) for one in told.get("folders", ()))
    return any(map(os.path.isdir, folders)) or any(map(machine.find, told.get("programs", ())))
