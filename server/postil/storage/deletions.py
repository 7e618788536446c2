"""The log of what was taken away: written and synced before anything goes. Digests, never text.

It lies beside the store and outlives it: a store that is restored from an older copy is told from
here what must stay gone.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.config.paths import data_dir
from postil.errors import StoreError
from postil.storage.connect import create_private


@dataclass(frozen=True, slots=True)
class Deletion:
    """One memory, turn or fact that was taken away: what was done, its id, its key, and when."""

    action: str
    target: str
    key: str
    at: float
    author: str


class DeletionLog:
    """Append-only, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, action: str, marks: Sequence[tuple[str, str]], author: str) -> None:
        """Write down what will go; StoreError when that cannot be done, and then nothing may go."""
        now = time.time()
        rows = [
            json.dumps({"at": now, "action": action, "id": target, "key": key, "author": author})
            for target, key in marks
        ]
        create_private(self.path)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{row}\n" for row in rows))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written ({error.strerror}): nothing was deleted",
                hint="check the disk and the file's mode",
            ) from error

    def read(self) -> Iterator[Deletion]:
        """Everything that was taken away, oldest first; a line cut short by a crash is passed."""
        if not self.path.exists():
            return
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    row = json.loads(line)
                    yield Deletion(row["action"], row["id"], row["key"], row["at"], row["author"])
                except (ValueError, KeyError, TypeError):
                    continue


def forget_in_logs(texts: Sequence[str]) -> None:
    """Take each line that holds one of the texts out of Postil's logs, and set-aside events."""
    # As it stands, and as JSON writes what is not ASCII.
    wanted = [form.casefold() for text in texts for form in (text, json.dumps(text)[1:-1])]
    folder = data_dir()
    for path in (folder / "hooks.log", folder / "hooks.log.old"):
        if not path.is_file():
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        kept = [line for line in lines if not _holds(line, wanted)]
        if len(kept) < len(lines):
            part = path.with_name(f"{path.name}.part")
            part.unlink(missing_ok=True)
            create_private(part)
            part.write_text("".join(kept), encoding="utf-8")
            part.replace(path)
    aside = folder / "spool" / "failed"
    for event in sorted(aside.iterdir()) if aside.is_dir() else ():
        if _holds(event.read_text(encoding="utf-8", errors="replace"), wanted):
            event.unlink()


def _holds(text: str, wanted: Sequence[str]) -> bool:
    folded = text.casefold()
    return any(one in folded for one in wanted)
