"""Asks the leader: whoever already runs for this working tree and answers for it."""

import _socket as socket  # the module `socket` costs more to import than all else here
import os
import time

from postil_hooks.paths import endpoint_path

LIMIT = 64 * 1024 * 1024
# An empty or broken answer counts as none, so every answer ends in this.
END = b"\n.\n"


def ask(root: str, request: bytes, deadline: float) -> bytes | None:
    """The leader's answer to `request`, or None when there is no leader or it is too slow.

    `root` is the real path of the working tree, `deadline` the seconds for all of it.
    """
    end = time.monotonic() + deadline
    try:
        connection, token = _connected(endpoint_path(root), deadline)
    except (OSError, ValueError):
        return None
    try:
        return _exchange(connection, token + request, end)
    except OSError:
        return None
    finally:
        connection.close()


def is_there(root: str) -> bool:
    """Whether a leader listens, answering or not."""
    try:
        connection, _ = _connected(endpoint_path(root), 0.1)
    except TimeoutError:
        return True
    except (OSError, ValueError):
        return False
    connection.close()
    return True


def note_hung(root: str) -> None:
    """Note that the leader of a working tree did not answer in time."""
    try:
        with open(endpoint_path(root) + ".hung", "wb"):
            return
    except OSError:
        return  # then the next event waits again


def is_hung(root: str, seconds: float) -> bool:
    """Whether the leader did not answer in time during the last `seconds`."""
    try:
        age = time.time() - os.stat(endpoint_path(root) + ".hung").st_mtime
    except OSError:
        return False
    return 0 <= age < seconds


def _connected(path: str, deadline: float) -> "tuple[socket.socket, bytes]":
    """A connection to the leader, and what must be said first."""
    # Without Unix sockets: a loopback port, with a token that only the file's owner can read.
    by_port = not hasattr(socket, "AF_UNIX") or os.path.isfile(path)
    family = socket.AF_INET if by_port else socket.AF_UNIX
    if not _is_ours(os.path.dirname(path)):
        raise OSError("the meeting place is not ours")
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(deadline)
        if not by_port:
            connection.connect(path)
            return connection, b""
        with open(path, "rb") as file:
            port, token = file.read(200).split()
        connection.connect(("127.0.0.1", int(port)))
        return connection, token + b"\n"
    except BaseException:
        connection.close()
        raise


def _is_ours(folder: str) -> bool:
    """Whether the meeting place is this person's alone: another could have made it first."""
    if not hasattr(os, "getuid"):
        return True
    info = os.lstat(folder)
    return info.st_uid == os.getuid() and not info.st_mode & 0o077


def _exchange(connection: "socket.socket", request: bytes, end: float) -> "bytes | None":
    view = memoryview(request)
    while view:
        connection.settimeout(max(end - time.monotonic(), 0.001))
        view = view[connection.send(view[:65536]) :]
    connection.shutdown(socket.SHUT_WR)
    parts = []
    while True:
        connection.settimeout(max(end - time.monotonic(), 0.001))
        part = connection.recv(65536)
        if not part:
            break
        parts.append(part)
    answer = b"".join(parts)
    return answer[: -len(END)] if answer.endswith(END) else None
