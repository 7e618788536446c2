"""Fixtures as one string: `### name` headers, `<|>` for the cursor, memories with their anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from postil import curate
from postil.model import Kind, Memory
from postil.workspace import Workspace, open_workspace
from support.project import make_project

CURSOR = "<|>"


@dataclass(frozen=True)
class Fixture:
    """Files without the cursor mark, where it stood, and the memories to be stored."""

    files: dict[str, str]
    path: str = ""
    line: int = 0
    column: int = 0
    memories: list[tuple[Memory, str]] = field(default_factory=list)


def read_fixture(text: str) -> Fixture:
    """Parse a fixture.

    `### a.py` starts a file; `### memory decision a.py#f` a memory, its reason after `why:`.
    """
    files: dict[str, str] = {}
    memories: list[tuple[Memory, str]] = []
    path, line, column = "", 0, 0
    parts = re.split(r"^### (.+)\n", dedent(text).lstrip("\n"), flags=re.MULTILINE)
    for header, body in zip(parts[1::2], parts[2::2], strict=True):
        if header.startswith("memory "):
            _, kind, where = header.split(" ", 2)
            what, _, why = body.strip().partition("\nwhy: ")
            memories.append((Memory(id="", what=what, why=why, kind=Kind.parse(kind)), where))
            continue
        if CURSOR in body:
            before = body[: body.index(CURSOR)]
            path, line = header, before.count("\n")
            column = len(before) - (before.rfind("\n") + 1)
            body = body.replace(CURSOR, "")
        files[header] = body
    return Fixture(files, path, line, column, memories)


@contextmanager
def opened(fixture: Fixture, root: Path) -> Iterator[Workspace]:
    """The fixture as a project on disk, mapped, with its memories stored."""
    workspace = open_workspace(make_project(root, fixture.files))
    try:
        workspace.update_map()
        for memory, where in fixture.memories:
            curate.write(workspace, memory, [where])
        yield workspace
    finally:
        workspace.close()
