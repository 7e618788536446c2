"""Code lenses: above a symbol, how much is remembered of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from postil.anchors import Tied
from postil.present import counted
from postil_lsp.features.document import Document, Range
from postil_lsp.features.margin import ORDER, Margin

# More than so many in one file are noise, and cost the editor more than us.
_MOST = 100


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of text above a symbol (`symbol`: its qualified name), and the memories it counts."""

    range: Range
    title: str
    ids: tuple[str, ...]
    symbol: str = ""


def lenses(document: Document, margin: Margin) -> list[Lens]:
    """One lens for each symbol that memories are tied to, and one for the file, in order."""
    return [
        Lens(place, title(tied), tuple(memory.id for memory, _ in tied), symbol)
        for place, tied, symbol in islice(margin.placed(document), _MOST)
    ]


def title(tied: Sequence[Tied], callers: int | None = None) -> str:
    """How many of each kind, and from how many places a symbol is called."""
    counts = Counter(memory.kind for memory, _ in tied)
    order = [*(kind for kind in ORDER if kind in counts)]
    order += sorted(set(counts) - set(ORDER))
    parts = [counted(counts[kind], kind) for kind in order]
    if callers:
        parts.append(counted(callers, "caller"))
    return " · ".join(parts)
