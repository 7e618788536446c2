"""What an installation wrote, so that it can be taken out to the byte."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postil.config.paths import data_dir, private
from postil.errors import StoreError


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its bytes before the first installation (None: there was none) and after.

    `edit` is the place of its edit in the client's description; `made_folder` says that its folder
    was not there either.
    """

    path: str
    edit: int
    before: bytes | None
    after: bytes
    made_folder: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """All files of an installation."""

    entries: tuple[Entry, ...] = ()


def save(client: str, receipt: Receipt) -> None:
    """Keep a receipt, in place of an older one. Private: clients' files may hold secrets."""
    rows = [
        {"path": one.path, "edit": one.edit, "made_folder": one.made_folder}
        | {"before": _encoded(one.before), "after": _encoded(one.after)}
        for one in receipt.entries
    ]
    path = _path(client)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "files": rows}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def recall(client: str) -> Receipt:
    """The receipt of a client; an empty one when it was never installed."""
    path = _path(client)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["files"]
        return Receipt(tuple(_entry(row) for row in rows))
    except FileNotFoundError:
        return Receipt()
    except (ValueError, KeyError, TypeError) as wrong:
        raise StoreError(
            f"{path} is damaged: {wrong}",
            hint="move it aside: `postil uninstall` then removes what is marked as ours",
        ) from wrong


def forget(client: str) -> None:
    """Remove the receipt of a client."""
    _path(client).unlink(missing_ok=True)


def _path(client: str) -> Path:
    return private(data_dir() / "installed") / f"{client}.json"


def _entry(row: dict[str, Any]) -> Entry:
    after = _decoded(row["after"]) or b""
    return Entry(row["path"], row["edit"], _decoded(row["before"]), after, row["made_folder"])


def _encoded(text: bytes | None) -> str | None:
    return None if text is None else base64.b64encode(text).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
