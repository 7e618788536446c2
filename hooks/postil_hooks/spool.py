"""Events that nobody was there to take: one private file each, written whole or not at all."""

import os
import time

from postil_hooks.paths import spool_dir


def put(client: str, event: str, folder: str, payload: bytes) -> str:
    """Keep an event for later; the path of its file."""
    place = spool_dir()
    os.makedirs(place, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    path = os.path.join(place, name + ".event")
    descriptor = os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    head = "\n".join((client, event, folder, "")).encode("utf-8", "surrogateescape")
    with os.fdopen(descriptor, "wb") as file:
        file.write(head + payload)
    os.replace(path + ".part", path)
    return path


def waiting() -> list[str]:
    """The paths of all waiting events, oldest first."""
    place = spool_dir()
    if not os.path.isdir(place):
        return []
    return sorted(
        os.path.join(place, name) for name in os.listdir(place) if name.endswith(".event")
    )


def read(path: str) -> tuple[str, str, str, bytes]:
    """Client, event, folder and payload of a waiting event."""
    with open(path, "rb") as file:
        client, event, folder, payload = file.read().split(b"\n", 3)
    return (
        client.decode(),
        event.decode(),
        folder.decode("utf-8", "surrogateescape"),
        payload,
    )
