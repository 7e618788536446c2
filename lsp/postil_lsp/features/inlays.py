"""Inlay hints: a mark at the end of a definition's line, the text in its tooltip."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from postil.words import clip
from postil_hooks.quote import disarm
from postil_lsp.features.document import Document, Range
from postil_lsp.features.margin import MARKS, POINT, Margin, doubt

# Hints push what stands beside them: they are marks, not texts.
_MOST_MARKS = 3
_TOLD = 5


@dataclass(frozen=True, slots=True)
class Inlay:
    """A mark behind a line, what it means, and the ids of its memories."""

    range: Range
    label: str
    tooltip: str
    ids: tuple[str, ...]


def inlays(
    document: Document, margin: Margin, first: int, last: int, typed: int | None = None
) -> list[Inlay]:
    """The marks of the lines `first` to `last` (0-based), but for the one that is being typed.

    What is doubtful gets none: its code may not be meant any more.
    """
    found = []
    for place, tied, _ in margin.placed(document):
        if not first <= place.line <= last or place.line == typed:
            continue
        sure = [
            one for one in tied if not doubt(one, margin) or doubt(one, margin).endswith("since")
        ]
        if not sure:
            continue
        counts = Counter(MARKS.get(memory.kind, POINT) for memory, _ in sure)
        label = " ".join(f"{mark}{count}" for mark, count in list(counts.items())[:_MOST_MARKS])
        lines = [f"{memory.kind}: {clip(disarm(memory.what), 200)}" for memory, _ in sure[:_TOLD]]
        if len(sure) > _TOLD:
            lines.append(f"{len(sure) - _TOLD} more")
        ids = tuple(memory.id for memory, _ in sure)
        found.append(Inlay(document.end_of(place.line), label, "\n".join(lines), ids))
    return found
