"""What a session of an editor holds: its projects and its open documents."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pygls.uris import to_fs_path

from postil.leader.work import Participant
from postil.workspace import Workspace, open_workspace
from postil_hooks.paths import work_tree
from postil_lsp.features.document import Document


class Session:
    """The workspaces of one editor, opened as their files are; each takes part in leading."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Workspace, Participant]] = {}

    @property
    def workspaces(self) -> list[Workspace]:
        """All workspaces opened so far."""
        return [workspace for workspace, _ in self._open.values()]

    def locate(self, uri: str) -> tuple[Workspace, str] | None:
        """The workspace of a file and the file's path in it; None for what is no file on disk."""
        if not uri.startswith("file:"):
            return None
        told = to_fs_path(uri)
        if not told:
            return None
        path = Path(told).resolve()
        if not path.parent.is_dir():
            return None
        root = work_tree(str(path.parent))
        if root not in self._open:
            workspace = open_workspace(root)
            self._open[root] = (workspace, Participant(workspace))
        return self._open[root][0], path.relative_to(root).as_posix()

    def close(self) -> None:
        """Let go of all projects."""
        for workspace, participant in self._open.values():
            participant.close()
            workspace.close()
        self._open.clear()


@lru_cache(maxsize=32)
def document(path: str, text: str, version: int | None) -> Document:
    """The document of a version; kept, since one version is asked about many times."""
    return Document(path, text)
