"""First contact with a project: its store, what it already says about itself, its code map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from postil import git
from postil.capture import knowledge
from postil.capture.knowledge import Commit, Draft
from postil.codemap.update import Updated
from postil.embed.choose import Measured
from postil.errors import ForgottenError, SecretRefusedError
from postil.memory import write
from postil.model import Anchor, Memory, Symbol
from postil.workspace import Workspace

_COMMITS = 1_000
_NOTE_BYTES = 200_000

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the steps just done, and how many there are (0: unknown)."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What calibration did."""

    map: Updated
    learned: int
    known_before: int
    refused: int
    embedded: int
    embedders: tuple[Measured, ...] = ()


def calibrate(workspace: Workspace, progress: Progress) -> Calibrated:
    """Map the code, read first knowledge, embed both. Safe to repeat: nothing is stored twice."""
    mapped = workspace.update_map(progress)
    workspace.read_history()
    created = known = refused = 0
    terms = write.Terms(compares=False)  # each has its place; the same text is known all the same
    for draft in _drafts(workspace, progress):
        try:
            written = write.remember(workspace.store, _to_memory(workspace, draft), terms)
        except (SecretRefusedError, ForgottenError):
            refused += 1
            continue
        created += written.created
        known += not written.created
    measured = workspace.pick_embedder()
    waiting = workspace.index.totals()[1] + created

    def embedded(count: int) -> None:
        progress("learning the words", count, waiting)

    done = workspace.embed_pending(limit=1 << 40, progress=embedded)
    return Calibrated(mapped, created, known, refused, done, measured)


def _drafts(workspace: Workspace, progress: Progress) -> Iterator[Draft]:
    paths = [*workspace.index.files(), *(skip.path for skip in workspace.skips())]
    mapped = list(workspace.index.files())
    texts = ((path, _text(workspace, path)) for path in mapped)

    def comments() -> Iterator[Draft]:
        for path, text in texts:
            progress("reading first knowledge", 1, len(mapped))
            yield from knowledge.from_comments(path, text)

    notes = (
        draft
        for path in paths
        if knowledge.is_note(path)
        for draft in knowledge.from_notes(path, _text(workspace, path))
    )
    records = (
        draft
        for path in paths
        if knowledge.is_record(path)
        for draft in knowledge.from_record(path, _text(workspace, path))
    )
    return chain(notes, records, comments(), knowledge.from_commits(_commits(workspace)))


def _to_memory(workspace: Workspace, draft: Draft) -> Memory:
    tied: tuple[Anchor, ...] = ()
    if draft.path:
        symbol = _enclosing(workspace.index.symbols_in(draft.path), draft.line)
        places = workspace.anchors
        tied = (places.to_anchor(symbol) if symbol else places.to_file(draft.path),)
    return Memory(
        id="",
        what=draft.what,
        why=draft.why,
        kind=draft.kind,
        anchors=tied,
        author="calibrate",
        source=draft.source,
        created_at=draft.at,
    )


def _enclosing(symbols: list[Symbol], line: int) -> Symbol | None:
    """The innermost symbol around `line`, or the one that starts just below its comment."""
    around = [one for one in symbols if one.line <= line <= one.end_line]
    if around:
        return max(around, key=lambda one: one.line)
    below = [one for one in symbols if line < one.line <= line + 8]
    return min(below, key=lambda one: one.line) if below else None


def _commits(workspace: Workspace) -> list[Commit]:
    out = git.run(
        workspace.root,
        "log",
        f"--max-count={_COMMITS}",
        "--no-merges",
        "--format=%H%x1f%at%x1f%s%x1f%b%x1e",
    )
    commits = []
    for row in (out or b"").decode("utf-8", "replace").split("\x1e"):
        fields = row.strip("\n").split("\x1f")
        if len(fields) == 4:
            commits.append(Commit(fields[0], float(fields[1]), fields[2], fields[3]))
    return commits


def _text(workspace: Workspace, path: str) -> str:
    """A file's text; "" for what is no regular file of a readable size inside the project."""
    place = workspace.root / path
    if place.is_symlink() or not place.is_file() or place.stat().st_size > _NOTE_BYTES * 5:
        return ""
    return place.read_text(encoding="utf-8", errors="replace")
