"""An open document as the features see it: text and symbols, lines and columns in code points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from postil.codemap.languages import language_of
from postil.codemap.parse import FileFacts, parse
from postil.model import Symbol

# Characters; a longer text is data, and parsing it at each version would hold up the editor.
MAX_PARSED = 1_000_000
_WORD = re.compile(r"[^\W\d][\w$]*", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Range:
    """A place in a document: 0-based lines, columns in code points, the end exclusive."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """An open file of a project. `path` is relative to the project's root, with `/`."""

    path: str
    text: str

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines as editors count them: a form feed or a Unicode separator ends none."""
        return re.split(r"\r\n|\n|\r", self.text)

    @cached_property
    def facts(self) -> FileFacts:
        """The symbols of the text as it is now, saved or not."""
        language = language_of(self.path)
        if language is None or len(self.text) > MAX_PARSED:
            return FileFacts((), (), ())
        return parse(self.path, self.text.encode("utf-8", "replace"), language)

    def name_range(self, symbol: Symbol) -> Range:
        """Where the symbol's name stands in its definition."""
        line = self.lines[symbol.line - 1] if symbol.line <= len(self.lines) else ""
        column = len(line.encode()[: symbol.column].decode("utf-8", "replace"))
        match = re.compile(rf"(?<![\w$]){re.escape(symbol.name)}(?![\w$])").search(line, column)
        start = match.start() if match else column
        return Range(symbol.line - 1, start, start + len(symbol.name))

    def word_at(self, line: int, column: int) -> tuple[str, Range] | None:
        """The identifier around a position."""
        if line >= len(self.lines):
            return None
        for match in _WORD.finditer(self.lines[line]):
            if match.start() <= column <= match.end():
                return match.group(0), Range(line, match.start(), match.end())
        return None

    def symbol_at(self, line: int, column: int) -> Symbol | None:
        """The symbol whose name stands at a position of its own definition."""
        for symbol in self.facts.symbols:
            if symbol.line - 1 == line:
                place = self.name_range(symbol)
                if place.start <= column <= place.end:
                    return symbol
        return None
