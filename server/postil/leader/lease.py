"""The lease: an operating system lock that ends with the process that holds it."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from postil.config.paths import private
from postil_hooks.paths import endpoint_name, run_dir


class Lease:
    """The right to lead for one working tree."""

    def __init__(self, root: Path) -> None:
        folder = private(Path(run_dir()))
        self._lock = FileLock(folder / f"{endpoint_name(str(root))}.lock", mode=0o600)

    def try_acquire(self) -> bool:
        """Take the lease if nobody has it; at once, without waiting."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Give the lease back."""
        self._lock.release()
