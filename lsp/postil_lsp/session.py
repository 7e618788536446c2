"""What a session of an editor holds: its projects, and what is remembered in them, as asked for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pygls.uris import to_fs_path

from postil import curate
from postil.errors import UsageError
from postil.leader.work import Participant
from postil.model import Actor, Memory, Symbol, Verdict
from postil.review import dismissed
from postil.workspace import Workspace, open_workspace
from postil_hooks.paths import work_tree
from postil_lsp.features.hover import Around
from postil_lsp.features.margin import Margin
from postil_lsp.features.symbols import callers
from postil_lsp.mutes import Mutes

_PERSON = Actor()
_KEPT = 256


@dataclass(slots=True)
class Seen:
    """What was read of a workspace since something was last written there."""

    counters: tuple[int, ...]
    margins: dict[str, Margin] = field(default_factory=dict)
    around: dict[tuple[str, str], Around] = field(default_factory=dict)
    rules: list[Memory] | None = None
    contested: dict[str, Memory] | None = None
    dismissed: dict[tuple[str, str, str], str] | None = None


class Session:
    """The workspaces of one editor, opened as their files are; each takes part in leading."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Workspace, Participant]] = {}
        self._roots: dict[str, str | None] = {}
        self._seen: dict[int, Seen] = {}
        self._at_opening: dict[int, tuple[int, ...]] = {}
        self._lock = threading.Lock()
        self.mutes = Mutes()

    @property
    def workspaces(self) -> list[Workspace]:
        """All workspaces opened so far."""
        return [workspace for workspace, _ in self._open.values()]

    def locate(self, uri: str) -> tuple[Workspace, str] | None:
        """The workspace of a file and the file's path in it; None for what is in no project."""
        if not uri.startswith("file:"):
            return None
        told = to_fs_path(uri)
        if not told:
            return None
        path = Path(told).resolve()
        root = self._root_of(path.parent)
        if root is None:
            return None
        if root not in self._open:
            try:
                workspace = open_workspace(root, enter=False)
            except UsageError:
                # No repository, and nobody made a project of it: a settings file, a home folder.
                self._roots[str(path.parent)] = None
                return None
            # An editor asks for what is at hand, hardly ever a search: it stays small.
            self._at_opening[id(workspace)] = self.counters(workspace)
            self._open[root] = (workspace, Participant(workspace, mirrors=False))
        return self._open[root][0], path.relative_to(root).as_posix()

    def _root_of(self, folder: Path) -> str | None:
        name = str(folder)
        if name not in self._roots:
            if not folder.is_dir():
                return None
            self._roots[name] = work_tree(name)
        return self._roots[name]

    def margin(self, workspace: Workspace, path: str) -> Margin:
        """The memories of a file, without those that are muted."""
        seen = self._fresh(workspace)
        if path not in seen.margins:
            if seen.contested is None:
                seen.contested = _contested(workspace)
            if len(seen.margins) >= _KEPT:
                seen.margins.clear()
            seen.margins[path] = Margin(workspace.memories_in(path), seen.contested)
        whole = seen.margins[path]
        tied = {
            name: [one for one in rows if not self._is_muted(one[0])]
            for name, rows in whole.tied.items()
        }
        return Margin({name: rows for name, rows in tied.items() if rows}, whole.contested)

    def _is_muted(self, memory: Memory) -> bool:
        return self.mutes.hides("memory", memory.id) or self.mutes.hides("kind", str(memory.kind))

    def rules(self, workspace: Workspace) -> Sequence[Memory]:
        """The rules that can be checked, without those that are muted."""
        seen = self._fresh(workspace)
        if seen.rules is None:
            seen.rules = [
                rule for store in workspace.stores for rule in store.with_pattern(_PERSON.scopes)
            ]
        return [one for one in seen.rules if not self._is_muted(one)]

    def dismissed(self, workspace: Workspace) -> dict[tuple[str, str, str], str]:
        """Where rules may be broken."""
        seen = self._fresh(workspace)
        if seen.dismissed is None:
            rules = self.rules(workspace)
            seen.dismissed = dismissed(workspace, [one.id for one in rules])
        return seen.dismissed

    def around(self, workspace: Workspace, symbol: Symbol) -> Around:
        """How the rest of the code uses a symbol. May take a while; kept."""
        seen = self._fresh(workspace)
        key = (symbol.path, symbol.qualified)
        if key not in seen.around:
            own = next(
                (
                    one
                    for one in workspace.index.symbols_in(symbol.path)
                    if one.qualified == symbol.qualified
                ),
                None,
            )
            count = len(callers(workspace, own)) if own is not None else 0
            importers = len(workspace.index.graph.linked(symbol.path, outgoing=False))
            seen.around[key] = Around(count, importers)
        return seen.around[key]

    def around_if_known(self, workspace: Workspace, symbol: Symbol) -> Around | None:
        """The same as far as it was looked up already."""
        return self._fresh(workspace).around.get((symbol.path, symbol.qualified))

    def counters(self, workspace: Workspace) -> tuple[int, ...]:
        """What changes whenever somebody writes a store or the map."""
        return (
            *(store.change_counter() for store in workspace.stores),
            workspace.index.change_counter(),
        )

    def at_opening(self, workspace: Workspace) -> tuple[int, ...]:
        """The counters before anything was read: what is written since is news to the editor."""
        return self._at_opening[id(workspace)]

    def _fresh(self, workspace: Workspace) -> Seen:
        now = self.counters(workspace)
        with self._lock:
            seen = self._seen.get(id(workspace))
            if seen is None or seen.counters != now:
                seen = self._seen[id(workspace)] = Seen(now)
            return seen

    def forget(self) -> None:
        """What was read is read again: something was written here."""
        with self._lock:
            self._seen.clear()

    def close(self) -> None:
        """Let go of all projects."""
        for workspace, participant in self._open.values():
            participant.close()
            workspace.close()
        self._open.clear()
        self._seen.clear()


def _contested(workspace: Workspace) -> dict[str, Memory]:
    """Memories that may contradict another, until a person settles it."""
    found: dict[str, Memory] = {}
    for pair in curate.waiting(workspace, _PERSON).pairs:
        if pair.suggestion.verdict is Verdict.CONTRADICT:
            found[pair.old.id], found[pair.new.id] = pair.new, pair.old
    return found
