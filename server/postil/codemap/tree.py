"""The files of a tree as imports see them: by name, by folder, by what its manifests say."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

# Files that say where modules lie.
MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml"})


class Tree:
    """The files of one tree: `paths` are those that are mapped, `root` is where they lie."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = root
        self.paths = frozenset(paths)
        self.by_name: dict[str, list[str]] = {}
        self.folders: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            folder, _, name = path.rpartition("/")
            self.by_name.setdefault(name, []).append(path)
            self.folders.setdefault(folder, []).append(path)
        self._folders_by_name: dict[str, list[str]] = {}
        for folder in self.folders:
            self._folders_by_name.setdefault(folder.rpartition("/")[2], []).append(folder)
        # Where modules of a name can lie, as far as somebody asked.
        self.homes: dict[str, list[str]] = {}
        self._packages: dict[str, str] | None = None
        self._go_modules: dict[str, str] | None = None
        self._crates: dict[str, str] | None = None
        self.read_json = cache(self._read_json)

    def beside(self, path: str, written: str, endings: Iterable[str] = ("",)) -> Iterator[str]:
        """The file `written` beside `path`, with the first ending that is there."""
        base = join(path.rpartition("/")[0], written)
        if base is not None:
            yield from self.first(base, endings)

    def first(self, base: str, endings: Iterable[str]) -> Iterator[str]:
        """The first of `base` with these endings that is a file here."""
        for ending in endings:
            if base + ending in self.paths:
                yield base + ending
                return

    def ending(self, tail: str, near: str, endings: Iterable[str] = ("",)) -> Iterator[str]:
        """The file whose path ends in `tail`, the nearest to `near` when there are several."""
        for ending in endings:
            whole = tail + ending
            found = [
                one
                for one in self.by_name.get(whole.rpartition("/")[2], ())
                if one == whole or one.endswith("/" + whole)
            ]
            if found:
                yield max(found, key=lambda one: (shared(one, near), -len(one)))
                return

    def folder(self, name: str, endings: tuple[str, ...]) -> list[str]:
        """The files of a folder with these endings."""
        return [one for one in self.folders.get(name, ()) if one.endswith(endings)]

    def folders_ending(self, tail: str) -> list[str]:
        """The folders whose path ends in `tail`."""
        named = self._folders_by_name.get(tail.rpartition("/")[2], ())
        return [one for one in named if one == tail or one.endswith("/" + tail)]

    def files_of(self, folders: Iterable[str], endings: tuple[str, ...]) -> list[str]:
        """The files with these endings in all of these folders."""
        return [one for name in folders for one in self.folder(name, endings)]

    def has_folder(self, name: str) -> bool:
        """Whether files lie directly in this folder."""
        return name in self.folders

    def above(self, path: str, name: str) -> Iterator[str]:
        """The folders above `path` that hold a file `name`, nearest first."""
        folder = path.rpartition("/")[0]
        while True:
            if (f"{folder}/{name}" if folder else name) in self.paths:
                yield folder
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    # -- what the manifests say ------------------------------------------------------------------

    @property
    def packages(self) -> dict[str, str]:
        """Folders of the packages of this tree (workspaces), by name."""
        if self._packages is None:
            self._packages = {}
            for path in self.by_name.get("package.json", ()):
                name = self.read_json(path).get("name")
                if isinstance(name, str):
                    self._packages.setdefault(name, path.rpartition("/")[0])
        return self._packages

    @property
    def go_modules(self) -> dict[str, str]:
        """Folders of Go modules by module path."""
        if self._go_modules is None:
            self._go_modules = dict(self._manifests("go.mod", r"(?m)^module\s+(\S+)"))
        return self._go_modules

    @property
    def crates(self) -> dict[str, str]:
        """Folders of Rust crates by the name that code calls them by."""
        if self._crates is None:
            found = self._manifests("Cargo.toml", r'(?ms)^\[package\].*?^name\s*=\s*"([^"]+)"')
            self._crates = {name.replace("-", "_"): folder for name, folder in found}
        return self._crates

    def _manifests(self, name: str, pattern: str) -> Iterator[tuple[str, str]]:
        known = set(self.by_name.get(name, ()))
        folders = {one.rpartition("/")[0] for one in known} | set(parents(self.folders))
        for folder in sorted(folders):
            path = f"{folder}/{name}" if folder else name
            found = re.search(pattern, self._read(path))
            if found:
                yield found[1], folder

    def _read(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:  # not there, or not to be read: then it says nothing
            return ""

    def _read_json(self, path: str) -> dict[str, Any]:
        """A JSON file, with comments and last commas; {} when it is not one."""
        text = re.sub(
            r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/',
            lambda one: one[1] or "",
            self._read(path),
            flags=re.S,
        )
        try:
            data = json.loads(re.sub(r",(?=\s*[}\]])", "", text))
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}


def join(folder: str, written: str) -> str | None:
    """A path below the root; None when it leads out."""
    place = posixpath.normpath(posixpath.join(folder, written))
    if place.startswith(("../", "/")) or place == "..":
        return None
    return "" if place == "." else place


def inside(folder: str, name: str) -> str:
    """A path in a folder; "" is the root."""
    return f"{folder}/{name}" if folder else name


def shared(one: str, other: str) -> int:
    """How many folders two paths have in common from the root."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def star(pattern: str, wanted: str) -> str | None:
    """What a star of `pattern` stands for in `wanted`; "" without one, None when they differ."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == wanted else None
    fits = (
        wanted.startswith(head) and wanted.endswith(tail) and len(wanted) >= len(head) + len(tail)
    )
    return wanted[len(head) : len(wanted) - len(tail)] if fits else None


def parents(folders: Iterable[str]) -> Iterator[str]:
    """All folders above these, and the root."""
    seen = {""}
    yield ""
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]
