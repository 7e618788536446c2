"""What belongs into the margin of a document: its memories, without those that are muted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from postil.anchors import Tied
from postil.model import AnchorState, Kind, Memory, Symbol
from postil_lsp.features.document import Document, Range

# Which kinds come first; the others follow by name.
ORDER = (Kind.RULE, Kind.PREFERENCE, Kind.DECISION, Kind.LESSON, Kind.FACT)
# How a kind is marked at the end of a line; every other is a point.
MARKS = {Kind.RULE: "§", Kind.PREFERENCE: "§", Kind.DECISION: "⚖", Kind.LESSON: "!"}
POINT = "•"


@dataclass(frozen=True, slots=True)
class Margin:
    """The memories of one file by qualified symbol name ("" is the file).

    `contested` are memories that another one contradicts, with that one, until it is settled.
    """

    tied: Mapping[str, Sequence[Tied]] = field(default_factory=dict)
    contested: Mapping[str, Memory] = field(default_factory=dict)

    def of(self, symbol: Symbol) -> Sequence[Tied]:
        """The memories of a symbol, the most binding first."""
        return in_order(self.tied.get(symbol.qualified, ()))

    def around(self, document: Document, line: int) -> Sequence[Tied]:
        """The memories of the innermost definition around a line that has any, else of the file."""
        around = [one for one in document.symbols if one.line - 1 <= line <= one.end_line - 1]
        for symbol in sorted(around, key=lambda one: (-one.line, one.end_line)):
            if symbol.qualified in self.tied:
                return self.of(symbol)
        return in_order(self.tied.get("", ()))

    def placed(self, document: Document) -> Iterator[tuple[Range, Sequence[Tied], str]]:
        """Where memories belong in a document as it is now, from top to bottom; with the symbol."""
        if "" in self.tied:
            yield Range(0, 0, 0), in_order(self.tied[""]), ""
        known = [document.by_name[name] for name in self.tied if name in document.by_name]
        for symbol in sorted(known, key=lambda one: one.line):
            yield document.name_range(symbol), self.of(symbol), symbol.qualified


def in_order(tied: Sequence[Tied]) -> list[Tied]:
    """Rules first, then by importance and age."""
    return sorted(tied, key=lambda one: (_rank(one[0]), -one[0].importance, -one[0].created_at))


def _rank(memory: Memory) -> int:
    return ORDER.index(memory.kind) if memory.kind in ORDER else len(ORDER)


def doubt(tied: Tied, margin: Margin) -> str:
    """Why a memory may not hold any more, in a few words; "" for no reason."""
    memory, now = tied
    if memory.id in margin.contested:
        return "contradicted"
    if 0 < memory.valid_until <= time.time():
        return "expired"
    if now.state is AnchorState.DRIFTED:
        return "code changed since"
    return "code moved since" if now.state is AnchorState.MOVED else ""
