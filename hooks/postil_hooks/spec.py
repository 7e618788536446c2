"""A client is a data file: its events and payload fields, read here; the rest by the installer."""

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients")


def names() -> list[str]:
    """The clients that Postil knows."""
    return sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".json"))


def load(client: str) -> "dict[str, Any]":
    """The description of a client. KeyError when there is none of that name."""
    if client not in names():
        raise KeyError(client)
    with open(os.path.join(FOLDER, client + ".json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found
