"""The descriptions of clients, for everyone who can tell a person that one does not exist."""

from __future__ import annotations

from typing import Any

from postil.errors import UsageError
from postil_hooks import spec


def load_client(client: str) -> dict[str, Any]:
    """The description of a client; UsageError when there is none of that name."""
    try:
        return spec.load(client)
    except KeyError:
        raise UsageError(
            f"there is no client {client!r}", hint=f"known: {', '.join(spec.names())}"
        ) from None


def wired_by_us() -> list[str]:
    """The clients that this version can wire; the others are wired by hand."""
    return [name for name in spec.names() if spec.load(name)["edits"]]
