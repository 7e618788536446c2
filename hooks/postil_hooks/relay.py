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
    path = endpoint_path(root)
    # Without Unix sockets: a loopback port, with a token that only the file's owner can read.
    by_port = not hasattr(socket, "AF_UNIX") or os.path.isfile(path)
    family = socket.AF_INET if by_port else socket.AF_UNIX
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        if not _is_ours(os.path.dirname(path)):
            return None
        connection.settimeout(deadline)
        if by_port:
            with open(path, "rb") as file:
                port, token = file.read(200).split()
            connection.connect(("127.0.0.1", int(port)))
            request = token + b"\n" + request
        else:
            connection.connect(path)
        return _exchange(connection, request)
    except (OSError, ValueError):
        return None
    finally:
        connection.close()


def _is_ours(folder: str) -> bool:
    """Whether the meeting place is this person's alone: another could have made it first."""
    if not hasattr(os, "getuid"):
        return True
    info = os.lstat(folder)
    return info.st_uid == os.getuid() and not info.st_mode & 0o077


def _exchange(connection: "socket.socket", request: bytes) -> "bytes | None":
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
    answer = b"".join(parts)
    return answer[: -len(END)] if answer.endswith(END) else None
