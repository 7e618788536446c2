"""Texts that any editor can open as files: memories to be read, drafts to be filled in."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pygls.uris import from_fs_path

from postil import curate, present
from postil.config.paths import cache_dir, private
from postil.errors import UsageError
from postil.model import Actor, Episode, Kind, Memory, Scope
from postil.workspace import Workspace

_HEAD = "<!-- Fill this in and save it. Close it as it is, and nothing is remembered. -->"
_FIELD = re.compile(r"^(what|why|kind|where|scope|replaces|corrects): ?(.*)$")
_PERSON = Actor()


def page_of(workspace: Workspace, memory: Memory) -> Path:
    """A file that shows a memory, its history below it."""
    known, events = curate.history(workspace, memory.id, _PERSON)
    text = f"{present.memory_page(known)}\n\n{present.history_text(known, events)}\n"
    return _write(f"{memory.id}.md", text)


def page_of_source(workspace: Workspace, memory: Memory) -> Path:
    """A file that shows the turns that a memory came from. UsageError when there are none."""
    turns = [turn for one in memory.sources if (turn := _turn(workspace, one)) is not None]
    if not turns:
        told = memory.source or memory.author or "nothing that was stored"
        raise UsageError(f"[{memory.id}] came from no stored turn, but from {told}")
    text = "\n\n".join(f"## {one.role}, session {one.session}\n\n{one.text}" for one in turns)
    return _write(f"{memory.id}-source.md", f"# Where [{memory.id}] came from\n\n{text}\n")


def page_links(workspace: Workspace) -> Callable[[Memory], list[tuple[str, str]]]:
    """Links to pages about a memory, written as they are shown: any editor can follow them."""

    def links(memory: Memory) -> list[tuple[str, str]]:
        found = [("history", uri_of(page_of(workspace, memory)))]
        if any(_turn(workspace, one) is not None for one in memory.sources):
            found.append(("source", uri_of(page_of_source(workspace, memory))))
        return found

    return links


def uri_of(path: Path) -> str:
    """A file's URI."""
    return from_fs_path(str(path)) or path.as_uri()


def _turn(workspace: Workspace, name: str) -> Episode | None:
    found = (store.episode(name) for store in workspace.stores)
    return next((one for one in found if one is not None), None)


def page(name: str, text: str) -> Path:
    """A file with any text."""
    return _write(name, text)


def _write(name: str, text: str) -> Path:
    path = private(cache_dir() / "shown") / name
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person wrote down."""

    what: str
    why: str
    kind: Kind
    where: tuple[str, ...]
    scope: Scope
    replaces: str
    corrects: str


@dataclass(slots=True)
class _Open:
    """A draft in an editor: what it began with, and the save last looked at (ns, bytes)."""

    workspace: Workspace
    begun: bytes
    seen: tuple[int, bytes] = (0, b"")


class Drafts:
    """The drafts that are open in this editor, each taken once it was saved with a statement."""

    def __init__(self) -> None:
        self._open: dict[Path, _Open] = {}

    def begin(self, workspace: Workspace, **fields: str) -> Path:
        """A new draft with some fields filled in."""
        names = ("kind", "where", "scope", "what", "why")
        told = {"kind": "decision", "scope": "project", **fields}
        lines = [f"{one}: {told.get(one, '')}" for one in names]
        lines += [f"{one}: {told[one]}" for one in ("replaces", "corrects") if told.get(one)]
        text = "\n".join([_HEAD, *lines, ""]).encode()
        path = private(cache_dir() / "drafts") / f"memory-{secrets.token_hex(4)}.md"
        path.write_bytes(text)
        self._open[path] = _Open(workspace, text)
        return path

    def saved(self) -> Iterator[tuple[Workspace, Draft]]:
        """The drafts that were saved with something in them.

        A draft is removed once the next one is asked for, so that one that could not be stored
        stays; it comes again when it is saved again. UsageError names a wrong field.
        """
        for path, one in list(self._open.items()):
            try:
                now = path.stat().st_mtime_ns, path.read_bytes()
            except FileNotFoundError:
                del self._open[path]
                continue
            except OSError:
                continue  # an editor is writing it: the next look reads it
            if now == one.seen or now[1] == one.begun:
                continue
            one.seen = now
            try:
                draft = read_draft(now[1].decode())
            except UnicodeDecodeError:
                raise UsageError(f"{path} is not UTF-8", hint="save it in that encoding") from None
            if draft is not None:
                yield one.workspace, draft
                del self._open[path]
                with contextlib.suppress(OSError):  # it is stored, so the file may stay
                    path.unlink()


def read_draft(text: str) -> Draft | None:
    """What a draft says; None as long as it states nothing. UsageError names a wrong field."""
    told: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        found = _FIELD.match(line)
        if found is not None:
            name, told[found[1]] = found[1], found[2].strip()
        elif name and line.strip() and not line.startswith("<!--"):
            told[name] += f"\n{line.strip()}"
    if not told.get("what"):
        return None
    return Draft(
        told["what"],
        told.get("why", ""),
        Kind.parse(told.get("kind") or "note"),
        tuple(one.strip() for one in told.get("where", "").split(",") if one.strip()),
        Scope.parse(told.get("scope") or "project"),
        told.get("replaces", ""),
        told.get("corrects", ""),
    )
