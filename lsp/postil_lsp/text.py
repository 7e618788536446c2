"""An open text that follows the editor's edits line by line.

pygls cuts lines at every character that Python takes for an end (a form feed, U+2028), which no
editor does, and copies the whole text at each edit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def kept_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last has none, and may be empty."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


class Text(TextDocument):
    """A text of the editor. See the module."""

    def __init__(self, uri: str, source: str | None = None, **more: Any) -> None:
        super().__init__(uri, source, **more)
        self._lines: list[str] | None = kept_lines(source) if source is not None else None
        self._joined: str | None = source

    @property
    def source(self) -> str:
        """The whole text."""
        if self._lines is None:
            return str(super().source)  # not open: what is on the disk
        if self._joined is None:
            self._joined = "".join(self._lines)
        return self._joined

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return self._lines if self._lines is not None else kept_lines(self.source)

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        if self._lines is None:
            self._lines = kept_lines(self.source)
        lines = self._lines
        first, start = self._place(lines, change.range.start)
        last, end = self._place(lines, change.range.end)
        new = lines[first][:start] + change.text + lines[last][end:]
        # A line end of two characters may come together, or be torn apart.
        if first and lines[first - 1].endswith("\r") and new.startswith("\n"):
            first -= 1
            new = lines[first] + new
        if last + 1 < len(lines):
            if (new.endswith("\r") and lines[last + 1].startswith("\n")) or not new.endswith(
                ("\n", "\r")
            ):
                last += 1
                new += lines[last]
            replaced = kept_lines(new)
            if last + 1 < len(lines) and replaced[-1] == "":
                replaced.pop()
        else:
            replaced = kept_lines(new)
        lines[first : last + 1] = replaced
        self._joined = None

    def _apply_full_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        self._lines, self._joined = kept_lines(change.text), change.text

    def _place(self, lines: list[str], position: types.Position) -> tuple[int, int]:
        """Line and column in code points; past the end of a line is its end."""
        if position.line >= len(lines):
            return len(lines) - 1, len(lines[-1])
        content = lines[position.line].rstrip("\r\n")
        if content.isascii():
            return position.line, min(position.character, len(content))
        copy = types.Position(0, position.character)
        place = self.position_codec.position_from_client_units([content], copy)
        return position.line, min(place.character, len(content))


class EditorTexts(Workspace):
    """The editor's open texts, each a `Text`."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> TextDocument:
        return Text(
            doc_uri,
            source,
            version=version,
            language_id=language_id,
            sync_kind=types.TextDocumentSyncKind.Incremental,
            position_codec=self.position_codec,
        )
