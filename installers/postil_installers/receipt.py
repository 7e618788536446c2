"""What an installation wrote, so that it can be taken out to the byte."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from postil.config.paths import data_dir, private
from postil.errors import StoreError
from postil_installers.parts import Part


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its bytes before the first installation (None: there was none) and after.

    `made_folders` were not there either, the innermost first.
    """

    path: str
    before: bytes | None
    after: bytes
    parts: tuple[Part, ...] = ()
    made_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """All files of an installation of a client, for a person or in one project.

    `doing` is `install` or `uninstall` until that is done: who finds it so completes it.
    """

    client: str = ""
    project: str = ""
    entries: tuple[Entry, ...] = ()
    at: float = 0.0
    doing: str = ""

    def entry(self, path: Path) -> Entry | None:
        """What is known of a file."""
        return next((one for one in self.entries if one.path == str(path)), None)

    def with_entry(self, entry: Entry) -> Receipt:
        """The receipt with this in the place of what it said of the file."""
        rest = tuple(one for one in self.entries if one.path != entry.path)
        return replace(self, entries=(*rest, entry))


def save(receipt: Receipt) -> None:
    """Keep a receipt, in place of an older one. Private: clients' files may hold secrets."""
    rows = [
        {"path": one.path, "made_folders": one.made_folders}
        | {"parts": [part.to_row() for part in one.parts]}
        | {"before": _encoded(one.before), "after": _encoded(one.after)}
        for one in receipt.entries
    ]
    told = {"version": 2, "client": receipt.client, "project": receipt.project}
    told |= {"at": receipt.at, "doing": receipt.doing}
    path = _path(receipt.client, receipt.project)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({**told, "files": rows}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def recall(client: str, project: Path | None = None) -> Receipt:
    """The receipt of a client; an empty one when it was never installed there."""
    where = str(project) if project is not None else ""
    path = _path(client, where)
    return _read(path) if path.exists() else Receipt(client, where)


def recall_all() -> Iterator[Receipt]:
    """The receipts of all clients, for the person and in all projects."""
    for path in sorted(private(data_dir() / "installed").glob("*.json")):
        yield _read(path)


def forget(receipt: Receipt) -> None:
    """Remove a receipt."""
    _path(receipt.client, receipt.project).unlink(missing_ok=True)


def _read(path: Path) -> Receipt:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        entries = tuple(_entry(row) for row in told["files"])
        return Receipt(told["client"], told["project"], entries, told["at"], told["doing"])
    except (ValueError, KeyError, TypeError) as wrong:
        raise StoreError(
            f"{path} is damaged: {wrong}",
            hint="move it aside: `postil uninstall` then removes what is recognised as ours",
        ) from wrong


def _path(client: str, project: str) -> Path:
    where = f"@{blake2b(os.fsencode(project), digest_size=8).hexdigest()}" if project else ""
    return private(data_dir() / "installed") / f"{client}{where}.json"


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(
        row["path"],
        _decoded(row["before"]),
        _decoded(row["after"]) or b"",
        tuple(Part.from_row(one) for one in row["parts"]),
        tuple(row["made_folders"]),
    )


def _encoded(text: bytes | None) -> str | None:
    return None if text is None else base64.b64encode(text).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
