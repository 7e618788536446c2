"""After any edits, in any position encoding, the server's text is the client's (LSP-02)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from postil.model import Symbol
from postil_lsp.features.document import split_lines
from postil_lsp.margin_server import PostilServer
from postil_lsp.server import _edits, build_server
from postil_lsp.text import EditorTexts
from postil_lsp.texts import moved

UNITS = {
    types.PositionEncodingKind.Utf8: lambda text: len(text.encode()),
    types.PositionEncodingKind.Utf16: lambda text: len(text.encode("utf-16-le")) // 2,
    types.PositionEncodingKind.Utf32: len,
}
PIECES = st.sampled_from(
    ("a", "b ", "é", "🎉", "\n", "\r\n", "\u2028", "\x0c", "\t", "漢", "x = 1\n", "")
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
URI = "file:///nowhere/pay.py"


def _server(encoding: types.PositionEncodingKind, text: str) -> PostilServer:
    server = build_server()
    server.protocol._workspace = EditorTexts(  # what `initialize` makes
        None, types.TextDocumentSyncKind.Incremental, [], encoding
    )
    item = types.TextDocumentItem(URI, "python", 0, text)
    server.workspace.put_text_document(item)
    return server


def _position(text: str, at: int, encoding: Any) -> types.Position:
    before = split_lines(text[:at])
    return types.Position(len(before) - 1, UNITS[encoding](before[-1]))


@given(
    st.sampled_from(list(UNITS)),
    TEXTS,
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), TEXTS), max_size=8),
)
@example(types.PositionEncodingKind.Utf16, 'x = "🎉"; foo()\r\n', [(0.5, 0.5, "é")])
@settings(max_examples=400, deadline=None)
def test_the_texts_are_equal(
    encoding: types.PositionEncodingKind, text: str, edits: list[tuple[float, float, str]]
) -> None:
    server = _server(encoding, text)
    for version, (one, other, new) in enumerate(edits, start=1):
        start, end = sorted((int(one * len(text)), int(other * len(text))))
        # No client cuts a line end of two characters in half.
        start -= text[start - 1 : start + 1] == "\r\n"
        end += text[end - 1 : end + 1] == "\r\n"
        place = types.Range(_position(text, start, encoding), _position(text, end, encoding))
        change = types.TextDocumentContentChangePartial(text=new, range=place)
        server.workspace.update_text_document(
            types.VersionedTextDocumentIdentifier(version, URI), change
        )
        text = text[:start] + new + text[end:]
        assert server.workspace.get_text_document(URI).source == text


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 4)), max_size=5))
@settings(max_examples=300, deadline=None)
def test_symbols_move_with_their_lines(edits: list[tuple[int, int, int]]) -> None:
    """A definition that no edit touched stands on the line where its text is now."""
    lines = [f"def f{number}(): ..." for number in range(10)]
    symbols: list[Symbol] = [
        Symbol("a.py", f"f{number}", f"f{number}", "function", number + 1, number + 1)
        for number in range(10)
    ]
    told = []
    for first, count, new in edits:
        first = min(first, len(lines))
        last = min(first + count, len(lines))
        lines[first:last] = [f"# new {number}" for number in range(new)]
        # As editors send it: from the beginning of a line to the beginning of another.
        text = "\n" * new
        position = types.Position
        change = types.TextDocumentContentChangePartial(
            text=text, range=types.Range(position(first, 0), position(last, 0))
        )
        told += _edits([change]) or []

    for symbol in moved(symbols, told):
        if f"def {symbol.name}(): ..." in lines:
            assert lines[symbol.line - 1] == f"def {symbol.name}(): ..."


def test_line_ends_are_those_of_editors() -> None:
    text = "a\nb\r\nc\rd\u2028e\x0cf"
    assert split_lines(text) == ["a", "b", "c", "d\u2028e\x0cf"]
    assert len(re.findall(r"\r\n|\n|\r", text)) == 3


@pytest.mark.parametrize("encoding", list(UNITS))
def test_long_files_and_empty_ones(encoding: types.PositionEncodingKind) -> None:
    for text in ("", "x = 1\n" * 50_000):
        server = _server(encoding, text)
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        change = types.TextDocumentContentChangePartial(text="# 🎉\n", range=place)
        server.workspace.update_text_document(types.VersionedTextDocumentIdentifier(1, URI), change)
        assert server.workspace.get_text_document(URI).source == "# 🎉\n" + text
