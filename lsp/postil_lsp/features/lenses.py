"""Code lenses: above a symbol, how much is remembered of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from postil.model import Kind, Memory
from postil.present import counted
from postil.workspace import Workspace
from postil_lsp.features.document import Document, Range

# Which kinds come first in a lens; the others follow by name.
_ORDER = (Kind.RULE, Kind.DECISION, Kind.LESSON, Kind.FACT)


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of text above a symbol, and the ids of the memories it counts."""

    range: Range
    title: str
    ids: tuple[str, ...]


def lenses(workspace: Workspace, document: Document) -> list[Lens]:
    """One lens for each symbol that memories are tied to, and one for the file, in order."""
    tied = workspace.memories_in(document.path)
    rows = []
    if "" in tied:
        rows.append(_lens(Range(0, 0, 0), [memory for memory, _ in tied[""]]))
    for symbol in document.facts.symbols:
        if symbol.qualified in tied:
            memories = [memory for memory, _ in tied.pop(symbol.qualified)]
            rows.append(_lens(document.name_range(symbol), memories))
    return rows


def _lens(place: Range, memories: Sequence[Memory]) -> Lens:
    counts = Counter(memory.kind for memory in memories)
    order = [*(kind for kind in _ORDER if kind in counts)]
    order += sorted(set(counts) - set(_ORDER))
    title = " · ".join(counted(counts[kind], kind) for kind in order)
    return Lens(place, title, tuple(memory.id for memory in memories))
