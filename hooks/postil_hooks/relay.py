"""Asks the leader: whoever already runs for this working tree and answers for it."""

import _socket as socket  # the module `socket` costs more to import than all else here
import os

from postil_hooks.paths import endpoint_path

LIMIT = 64 * 1024 * 1024
# An empty or broken answer counts as none, so every answer ends in this.
END = b"\n.\n"


def ask(root: str, request: bytes, deadline: float) -> bytes | None:
    """The leader's answer to `request`, or None when there is no leader or it is too slow.

    `root` is the real path of the working tree, `deadline` the seconds for each step.
    """
    try:
        connection = _connect(endpoint_path(root), deadline)
    except (OSError, ValueError):
        return None
    try:
        view = memoryview(request)
        while view:
            view = view[connection.send(view[:65536]) :]
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while True:
            part = connection.recv(65536)
            if not part:
                break
            parts.append(part)
    except OSError:
        return None
    finally:
        connection.close()
    answer = b"".join(parts)
    return answer[: -len(END)] if answer.endswith(END) else None


def _connect(path: str, deadline: float) -> "socket.socket":
    if hasattr(socket, "AF_UNIX") and not os.path.isfile(path):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(deadline)
        connection.connect(path)
        return connection
    # Without Unix sockets: a loopback port, with a token that only the file's owner can read.
    with open(path, "rb") as file:
        port, token = file.read(200).split()
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.settimeout(deadline)
    connection.connect(("127.0.0.1", int(port)))
    connection.send(token + b"\n")
    return connection
