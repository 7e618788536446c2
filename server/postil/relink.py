"""A project whose folder was moved or renamed, brought together again with what it remembers."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from postil.config.paths import data_dir
from postil.memory.revise import require_person
from postil.model import Actor
from postil.project import Known
from postil.project import link as link_project
from postil.project import moved_from as moved_projects
from postil.storage.connect import create_private
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Shelf
from postil.transfer import jsonl
from postil.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Orphan:
    """A project whose folder is gone and may have been moved here."""

    known: Known
    place: str
    memories: int


def moved_from(workspace: Workspace) -> list[Orphan]:
    """Projects that this folder may have been before it was moved."""
    found = []
    for known in moved_projects(workspace.project, data_dir() / "projects"):
        path = known.home / workspace.project.store_path.name
        if not path.exists():
            continue
        store = SqliteStore(path)
        count = store.row_counts()[Shelf.MEMORY]
        store.close()
        found.append(Orphan(known, known.identity.place, count))
    return found


def link(workspace: Workspace, orphan: Orphan, actor: Actor) -> int:
    """Take the records of this folder along into the old project, and be it from now on.

    A person's right.
    """
    require_person(actor, "linking projects")
    store = SqliteStore(orphan.known.home / workspace.project.store_path.name)
    try:
        with tempfile.TemporaryDirectory(dir=workspace.project.home) as folder:
            path = Path(folder) / "records.jsonl"
            create_private(path)
            with path.open("w", encoding="utf-8") as sink:
                jsonl.export(workspace.store, sink)
            done = jsonl.load(store, path)
    finally:
        store.close()
    link_project(workspace.project, orphan.known)
    return done.added
