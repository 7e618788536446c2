"""Lists for an editor's views: the memories of a file or a project, and what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from postil import curate
from postil.anchors import Tied
from postil.errors import ForgottenError, UsageError
from postil.model import Actor, Memory
from postil.storage.store import Filters
from postil.workspace import Workspace
from postil_lsp.features.margin import Margin, doubt, in_order

_PERSON = Actor()
# More than so many are found by searching, not by scrolling.
_MOST = 500
Row = dict[str, Any]


def of_file(workspace: Workspace, path: str, margin: Margin) -> list[Row]:
    """The memories of a file, symbol by symbol in the order of their lines."""
    rows = [
        _row(workspace, memory, now.path, now.symbol, now.line, doubt((memory, now), margin))
        for tied in _by_line(margin.tied)
        for memory, now in in_order(tied)
    ]
    return [{**row, "path": row["path"] or path} for row in rows]


def of_project(workspace: Workspace) -> list[Row]:
    """The memories of a project and of its person, the most binding first."""
    found = []
    for store in workspace.stores:
        memories = store.list_memories(Filters(_PERSON.scopes), _MOST)
        found += [_placed(workspace, memory) for memory in memories]
    return found[:_MOST]


def named(workspace: Workspace, ids: Sequence[object]) -> list[Row]:
    """Those of some memories that this project knows."""
    rows = []
    for one in ids[:_MOST]:
        try:
            rows.append(_placed(workspace, curate.get(workspace, str(one), _PERSON)))
        except (UsageError, ForgottenError):
            continue  # of another project, or forgotten since it was drawn
    return rows


def proposals(workspace: Workspace) -> list[Row]:
    """What agents propose, until a person accepts or rejects it."""
    waiting = curate.waiting(workspace, _PERSON).proposed
    return [_row(workspace, memory, "", "", 0, "proposed") for memory in waiting]


def _placed(workspace: Workspace, memory: Memory) -> Row:
    now = next(iter(workspace.anchors.resolve_all(memory)), None)
    place = (now.path, now.symbol, now.line) if now is not None else ("", "", 0)
    state = doubt((memory, now), Margin()) if now is not None else ""
    return _row(workspace, memory, *place, state)


def _by_line(tied: Mapping[str, Sequence[Tied]]) -> Iterator[Sequence[Tied]]:
    yield from sorted(tied.values(), key=lambda rows: rows[0][1].line if rows[0][1].symbol else 0)


def _row(
    workspace: Workspace, memory: Memory, path: str, symbol: str, line: int, state: str
) -> Row:
    """A memory as a view shows it; `state` is why it is in doubt."""
    return {
        "id": memory.id,
        "kind": str(memory.kind),
        "what": memory.what,
        "why": memory.why,
        "author": memory.author,
        "pinned": memory.pinned,
        "file": str(workspace.root / path) if path else "",
        "path": path,
        "symbol": symbol,
        "line": line,
        "state": state,
    }
