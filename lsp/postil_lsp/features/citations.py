"""Citations in the text, `[m-…]`: where they stand, and which may be put where one is begun."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from postil.model import Memory
from postil.words import clip
from postil_hooks.quote import disarm
from postil_lsp.features.document import Document, Range

_CITATION = re.compile(r"\[(m-[0-9a-z]{8,16})\]")
_BEGUN = re.compile(r"\[(?:m-?)?[0-9a-z]*$")
_MOST = 500


@dataclass(frozen=True, slots=True)
class Citation:
    """A memory's id in brackets, and where it stands."""

    range: Range
    memory: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A citation that may be put in the place of `range`."""

    range: Range
    memory: str
    label: str
    detail: str


def citations(document: Document) -> list[Citation]:
    """All citations of a document."""
    found: list[Citation] = []
    for number, line in enumerate(document.lines):
        if "[m-" not in line:
            continue
        for one in _CITATION.finditer(line):
            found.append(Citation(Range(number, one.start(), one.end()), one[1]))
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def offers(document: Document, line: int, column: int, known: Iterable[Memory]) -> list[Offer]:
    """Memories to be cited where a bracket was opened; none anywhere else."""
    text = document.lines[line][:column] if line < len(document.lines) else ""
    begun = _BEGUN.search(text)
    if begun is None:
        return []
    end = column
    if document.lines[line][column : column + 1] == "]":
        end += 1  # an editor that closes brackets by itself has put it there
    place = Range(line, begun.start(), end)
    return [
        Offer(place, one.id, f"[{one.id}]", f"{one.kind}: {clip(disarm(one.what), 120)}")
        for one in known
    ]
