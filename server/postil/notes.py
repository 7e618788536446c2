"""Notes that agents keep in files, brought into memory: of this project, and of the person.

Instructions (CLAUDE.md, AGENTS.md, rules of Cursor) are read and stay where they are, since agents
go on reading them. Files that are nothing but memories can be put aside once they are brought in,
and are given back when Postil is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil import curate
from postil.capture import knowledge
from postil.capture.find import slug
from postil.errors import ForgottenError, SecretRefusedError
from postil.memory import write
from postil.model import Actor, Memory, Scope
from postil.workspace import Workspace

_NOTE_BYTES = 1_000_000
# Where a person keeps instructions for all projects, by the variable that may name the folder.
_PERSONAL = (
    ("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md"),
    ("CODEX_HOME", ".codex", "AGENTS.md"),
    ("GEMINI_HOME", ".gemini", "GEMINI.md"),
)


@dataclass(frozen=True, slots=True)
class Note:
    """A file of notes. `is_memory`: it holds nothing but memories, so that it can be put aside."""

    path: Path
    scope: Scope
    is_memory: bool


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of notes: how many were new, known before, refused (secrets, forgotten)."""

    added: int
    known: int
    refused: int


def find(workspace: Workspace, environment: Mapping[str, str]) -> list[Note]:
    """The notes about this project, and the person's own for all projects."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    found = [Note(path, Scope.PROJECT, path.suffix == ".mdc") for path in _of_project(workspace)]
    for variable, folder, name in _PERSONAL:
        path = Path(environment.get(variable) or home / folder, name)
        if path.is_file():
            found.append(Note(path, Scope.USER, False))
    config = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    own = slug(str(workspace.root))
    found += [
        Note(path, Scope.PROJECT, True)
        for path in sorted((config / "projects").glob("*/memory/*.md"))
        if slug(path.parts[-3]) == own
    ]
    return found


def bring(workspace: Workspace, notes: Sequence[Note], actor: Actor) -> Brought:
    """Store what notes say, redacted. Safe to repeat: nothing is stored twice."""
    added = known = refused = 0
    for note in notes:
        if note.is_memory and note.path.suffix == ".md":
            done = curate.import_from(
                workspace, note.path, "claude", note.scope, actor, lambda count: None
            )
            added, known = added + done.added, known + done.known
            refused += done.skipped
            continue
        for draft in _drafts(workspace, note):
            try:
                terms = write.Terms(compares=False)
                written = write.remember(workspace.store_of(note.scope), draft, terms)
            except (SecretRefusedError, ForgottenError):
                refused += 1
                continue
            added += written.created
            known += not written.created
    return Brought(added, known, refused)


def _of_project(workspace: Workspace) -> Iterator[Path]:
    names = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
    more = (".github/copilot-instructions.md", ".claude/CLAUDE.md", ".windsurfrules")
    for name in (*names, *more):
        path = workspace.root / name
        if path.is_file() and not path.is_symlink():
            yield path
    yield from sorted((workspace.root / ".cursor/rules").glob("*.mdc"))


def _drafts(workspace: Workspace, note: Note) -> Iterator[Memory]:
    if note.path.stat().st_size > _NOTE_BYTES:
        return
    name = note.path.name
    if note.scope is Scope.PROJECT:
        name = note.path.relative_to(workspace.root).as_posix()
    text = note.path.read_text(encoding="utf-8", errors="replace")
    for draft in knowledge.from_notes(name, text):
        yield Memory(
            id="",
            what=draft.what,
            why=draft.why,
            kind=draft.kind,
            scope=note.scope,
            author="import",
            source=draft.source,
        )
