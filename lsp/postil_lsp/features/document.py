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
MAX_PARSED = 2_000_000
_WORD = re.compile(r"[^\W\d][\w$]*", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Range:
    """A place in a document: 0-based lines, columns in code points, the end exclusive."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """An open file of a project. `path` is relative to the project's root, with `/`.

    `known` are its symbols where they were found already, as far as lines have moved since.
    """

    path: str
    text: str
    known: Sequence[Symbol] | None = None

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines as editors count them: a form feed or a Unicode separator ends none."""
        return split_lines(self.text)

    @cached_property
    def symbols(self) -> Sequence[Symbol]:
        """The symbols of the text as it is now, saved or not."""
        return self.known if self.known is not None else facts_of(self.path, self.text).symbols

    @cached_property
    def by_line(self) -> dict[int, list[Symbol]]:
        """The symbols by the line (0-based) on which their definition begins."""
        found: dict[int, list[Symbol]] = {}
        for symbol in self.symbols:
            found.setdefault(symbol.line - 1, []).append(symbol)
        return found

    @cached_property
    def by_name(self) -> dict[str, Symbol]:
        """The symbols by their qualified name; of equal ones the first."""
        return {symbol.qualified: symbol for symbol in reversed(self.symbols)}

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
        for symbol in self.by_line.get(line, ()):
            place = self.name_range(symbol)
            if place.start <= column <= place.end:
                return symbol
        return None

    def symbol_around(self, line: int) -> Symbol | None:
        """The innermost definition that a line (0-based) lies in."""
        around = [one for one in self.symbols if one.line - 1 <= line <= one.end_line - 1]
        return max(around, key=lambda one: (one.line, -one.end_line), default=None)

    def end_of(self, line: int) -> Range:
        """The place behind the last character of a line."""
        length = len(self.lines[line].rstrip()) if line < len(self.lines) else 0
        return Range(line, length, length)


def split_lines(text: str) -> list[str]:
    """The lines of a text as editors count them."""
    return re.split(r"\r\n|\n|\r", text)


def facts_of(path: str, text: str) -> FileFacts:
    """What a text defines; nothing where it is too long or of no mapped language."""
    language = language_of(path)
    if language is None or len(text) > MAX_PARSED:
        return FileFacts((), (), ())
    return parse(path, text.encode("utf-8", "replace"), language)
