"""Where clients keep the transcripts of their sessions, and which of them are of a project."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# A session says where it runs within its first lines.
_LINES = 40
_LONGEST = 1_000_000
_CWD = (
    ("cwd",),
    ("payload", "cwd"),
    ("data", "cwd"),
    ("data", "context", "cwd"),
    ("$set", "cwd"),
)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session's file: its client, the format it is written in, its size in bytes."""

    client: str
    format: str
    path: Path
    size: int


def transcripts(
    specs: Mapping[str, Mapping[str, Any]], root: Path, environment: Mapping[str, str]
) -> Iterator[Transcript]:
    """The transcripts of sessions in the working tree `root`, by client and path."""
    for name, spec in sorted(specs.items()):
        place = spec.get("transcripts")
        if not place:
            continue
        for path in sorted(_home(place, environment).glob(place["glob"])):
            if path.is_file() and not path.is_symlink() and _is_of(path, root, place):
                yield Transcript(name, spec["transcript"], path, path.stat().st_size)


def _home(place: Mapping[str, str], environment: Mapping[str, str]) -> Path:
    chosen = environment.get(place["variable"], "")
    return Path(chosen) if chosen else Path(place["home"]).expanduser()


def _is_of(path: Path, root: Path, place: Mapping[str, str]) -> bool:
    folder = _folder(path)
    if folder:
        here = Path(os.path.realpath(folder))
        return here == root or root in here.parents
    part = path.parts[-int(place["project_part"])] if "project_part" in place else ""
    return bool(part) and part.strip("-") in (slug(str(root)), root.name)


def _folder(path: Path) -> str:
    """The working folder that a transcript tells of; "" when its first lines do not."""
    with path.open("rb") as file:
        for _ in range(_LINES):
            line = file.readline(_LONGEST)
            if not line:
                break
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            for keys in _CWD:
                value = row
                for key in keys:
                    value = value.get(key) if isinstance(value, dict) else None
                if isinstance(value, str) and value:
                    return value
    return ""


def slug(path: str) -> str:
    """A folder as clients write it into one name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")
