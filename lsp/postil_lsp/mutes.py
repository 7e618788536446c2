"""What a person does not want to see in the editor: kept for them, outside of any repository."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from filelock import FileLock

from postil.config.paths import data_dir, private
from postil.errors import StoreError

_FOREVER = 0.0


class Mutes:
    """Muted memories, files and surfaces, each until a time (0: for good). Read when changed."""

    def __init__(self) -> None:
        self._path = private(data_dir()) / "margin.json"
        self._seen = -1
        self._rows: dict[str, float] = {}

    def hides(self, sort: str, name: str) -> bool:
        """Whether a `memory`, a `file` (by its whole path) or a `surface` is muted."""
        return self._holds(f"{sort}:{name}")

    def is_snoozed(self) -> bool:
        """Whether everything is quiet for a while."""
        return self._holds("all:")

    def shows(self, surface: str, file: str) -> bool:
        """Whether a surface may show anything in a file."""
        return not (self.is_snoozed() or self.hides("surface", surface) or self.hides("file", file))

    def mute(self, sort: str, name: str, minutes: float = 0.0) -> None:
        """Mute something, for so many minutes or for good."""
        until = time.time() + 60 * minutes if minutes else _FOREVER
        self._change({f"{sort}:{name}": until})

    def unmute(self, sort: str = "", name: str = "") -> int:
        """Show something again, or everything; how many mutes went."""
        wanted = f"{sort}:{name}"
        gone = [one for one in self._known() if not sort or one == wanted]
        self._change({}, gone)
        return len(gone)

    def _holds(self, key: str) -> bool:
        until = self._known().get(key)
        return until is not None and (until == _FOREVER or until > time.time())

    def _known(self) -> dict[str, float]:
        try:
            stamp = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            stamp = 0
        if stamp != self._seen:
            self._rows, self._seen = self._load(), stamp
        return self._rows

    def _load(self) -> dict[str, float]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(key): float(until) for key, until in found.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, AttributeError, TypeError) as wrong:
            raise StoreError(
                f"{self._path} is damaged: {wrong}", hint="remove it: nothing is muted then"
            ) from wrong

    def _change(self, added: dict[str, float], gone: list[str] | None = None) -> None:
        with FileLock(f"{self._path}.lock", timeout=5, mode=0o600):
            rows = {key: until for key, until in self._load().items() if key not in (gone or ())}
            part = Path(f"{self._path}.{os.getpid()}.part")
            part.write_text(json.dumps({**rows, **added}, indent=1), encoding="utf-8")
            part.replace(self._path)
        self._seen = -1
