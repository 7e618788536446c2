"""The leader's private socket. Only the holder of the lease may bind it; the asking side is
`postil_hooks.relay`."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from postil.config.paths import private
from postil_hooks.paths import endpoint_path
from postil_hooks.relay import END, LIMIT

_TIMEOUT = 10.0
_WORKERS = 4

Respond = Callable[[bytes], bytes]


class Endpoint:
    """Listens for the tree `root` and answers up to four requests at once.

    `respond` gets the whole request; when it raises, the asker gets no answer and helps itself.
    Without Unix sockets (or with `unix=False`) it is a loopback port, with a token in a file that
    only its owner can read.
    """

    def __init__(
        self, root: Path, respond: Respond, unix: bool = hasattr(socket, "AF_UNIX")
    ) -> None:
        self._path = Path(endpoint_path(str(root)))
        self._respond = respond
        self._token = b""
        private(self._path.parent)
        self._path.unlink(missing_ok=True)
        if unix:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.bind(str(self._path))
            self._path.chmod(0o600)
        else:
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._socket.bind(("127.0.0.1", 0))
            self._token = secrets.token_hex(24).encode()
            self._write_address(self._socket.getsockname()[1])
        self._socket.listen(64)
        self._closing = False
        # A fixed number of threads: each keeps its own database connections open.
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="postil-answer")
        self._thread = threading.Thread(target=self._accept, name="postil-endpoint", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and take the socket away."""
        self._closing = True
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # a socket that was never connected cannot be shut down
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=2)
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _write_address(self, port: int) -> None:
        part = self._path.with_suffix(".part")
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"%d %s" % (port, self._token))
        part.replace(self._path)

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if not self._closing:
                    time.sleep(0.05)  # out of file handles for a moment: others are being closed
                continue
            self._workers.submit(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(_TIMEOUT)
            # The asker went away or broke off: it knows, and there is nobody else to tell.
            with contextlib.suppress(OSError):
                request = _receive(connection)
                if self._token:
                    token, _, request = request.partition(b"\n")
                    if not hmac.compare_digest(token, self._token):
                        return
                connection.sendall(self._respond(request) + END)


def _receive(connection: socket.socket) -> bytes:
    parts = []
    length = 0
    while part := connection.recv(1 << 16):
        parts.append(part)
        length += len(part)
        if length > LIMIT:
            raise OSError("the request is too long")
    return b"".join(parts)
