"""The texts that are open in the editor, and their symbols: read beside the typing, never in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from postil.model import Symbol
from postil_lsp.features.document import Document, facts_of

# Seconds after the last change until symbols are read anew.
PAUSE = 0.2
# Symbols that so many edits have moved are read anew when they are asked for.
_MOST_EDITS = 2_000


@dataclass(frozen=True, slots=True)
class Edit:
    """A range (0-based lines, characters) that became a text of `count` lines."""

    first: int
    start: int
    last: int
    end: int
    count: int


@dataclass(slots=True)
class _Open:
    """What is known of an open text: its symbols at a version, and the edits since."""

    path: str
    symbols: Sequence[Symbol] | None = None
    version: int | None = None
    edits: list[Edit] = field(default_factory=list)
    document: tuple[int | None, Document] | None = None
    timer: asyncio.TimerHandle | None = None


class Texts:
    """Open texts by their URI. `read` is called with a URI once its symbols are known anew."""

    def __init__(self, workers: Executor, read: Callable[[str], None]) -> None:
        self._workers = workers
        self._read = read
        self._open: dict[str, _Open] = {}

    def changed(self, uri: str, edits: Sequence[Edit] | None) -> None:
        """A text was edited; None when all of it was."""
        known = self._open.get(uri)
        if known is None:
            return
        known.document = None
        if edits is None:
            known.symbols = None
        else:
            known.edits += edits
            if len(known.edits) > _MOST_EDITS:
                known.symbols, known.edits = None, []

    def closed(self, uri: str) -> None:
        """A text was closed."""
        known = self._open.pop(uri, None)
        if known is not None and known.timer is not None:
            known.timer.cancel()

    def later(self, uri: str, source: Callable[[], tuple[str, int | None]]) -> None:
        """Read the symbols of a text once it rests; `source` gives its text and version then."""
        known = self._open.get(uri)
        if known is None:
            return
        if known.timer is not None:
            known.timer.cancel()
        loop = asyncio.get_running_loop()
        known.timer = loop.call_later(
            PAUSE, lambda: asyncio.ensure_future(self._reread(uri, source))
        )

    async def document(self, uri: str, path: str, text: str, version: int | None) -> Document:
        """The document at a version, its symbols as far as they are known."""
        known = self._open.setdefault(uri, _Open(path))
        if known.document is not None and known.document[0] == version:
            return known.document[1]
        if known.symbols is None:
            await self._parse(known, text, version)
        symbols = moved(known.symbols or (), known.edits)
        document = Document(path, text, symbols)
        known.document = (version, document)
        return document

    async def _reread(self, uri: str, source: Callable[[], tuple[str, int | None]]) -> None:
        known = self._open.get(uri)
        if known is None:
            return
        text, version = source()
        if known.version != version or known.symbols is None:
            await self._parse(known, text, version)
            known.document = None
            self._read(uri)

    async def _parse(self, known: _Open, text: str, version: int | None) -> None:
        edits = len(known.edits)
        loop = asyncio.get_running_loop()
        facts = await loop.run_in_executor(self._workers, facts_of, known.path, text)
        known.symbols, known.version = facts.symbols, version
        del known.edits[:edits]


def moved(symbols: Sequence[Symbol], edits: Sequence[Edit]) -> Sequence[Symbol]:
    """Symbols on the lines where edits have put them; those whose beginning went are left out."""
    for edit in edits:
        if edit.first != edit.last or edit.count != 1:
            symbols = [
                symbol._replace(line=line, end_line=max(_after(symbol.end_line, _END, edit), line))
                for symbol in symbols
                if (line := _after(symbol.line, symbol.column, edit))
            ]
    return symbols


# A column behind all others of a line.
_END = 1 << 30


def _after(line: int, column: int, edit: Edit) -> int:
    """Where a place (its line 1-based) is after an edit; 0 when it went with it."""
    at = line - 1
    if at < edit.first or (at == edit.first and column < edit.start):
        return line
    if at > edit.last or (at == edit.last and column >= edit.end):
        return line + edit.count - 1 - (edit.last - edit.first)
    return 0
