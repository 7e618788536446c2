"""Files of notes that a person no longer wants where they were: put aside, and given back."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from postil.config.paths import data_dir, private
from postil.errors import StoreError


class _Row(TypedDict):
    text: str
    mode: int


def put_aside(paths: Sequence[Path]) -> None:
    """Take files away; their bytes are kept first."""
    kept = _kept()
    for path in paths:
        text = base64.b64encode(path.read_bytes()).decode()
        kept[str(path.absolute())] = {"text": text, "mode": path.stat().st_mode & 0o7777}
    _save(kept)
    for path in paths:
        path.unlink()


def give_back() -> Iterator[tuple[Path, str]]:
    """Put every file back; each with `restored`, or `kept` where something new stands there."""
    kept = _kept()
    for name, row in list(kept.items()):
        path = Path(name)
        if path.exists():
            yield path, "kept"
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.postil-part")
        part.write_bytes(base64.b64decode(row["text"]))
        part.chmod(row["mode"])
        part.replace(path)
        del kept[name]
        _save(kept)
        yield path, "restored"


def _kept() -> dict[str, _Row]:
    try:
        found: dict[str, _Row] = json.loads(_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as wrong:
        raise StoreError(
            f"{_path()} is damaged: {wrong}", hint="notes that were put aside are in it; mend it"
        ) from wrong
    return found


def _save(kept: dict[str, _Row]) -> None:
    if not kept:
        _path().unlink(missing_ok=True)
        return
    part = _path().with_suffix(".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(kept, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(_path())


def _path() -> Path:
    return private(data_dir() / "installed") / "notes.aside"
