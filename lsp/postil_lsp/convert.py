"""Between the protocol's values and ours. Position encodings live here only."""

from __future__ import annotations

from lsprotocol import types
from pygls.workspace.position_codec import PositionCodec

from postil_lsp.features.document import Document, Range
from postil_lsp.features.hover import HoverCard
from postil_lsp.features.lenses import Lens

SHOW_MEMORIES = "postil.showMemories"
SEARCH = "postil.search"


def from_lsp_position(
    document: Document, position: types.Position, codec: PositionCodec
) -> tuple[int, int]:
    """0-based line and column in code points; past a line's end is its end."""
    if position.line >= len(document.lines):
        return position.line, 0
    # The codec changes the position it is given.
    copy = types.Position(position.line, position.character)
    place = codec.position_from_client_units(document.lines, copy)
    return place.line, min(place.character, len(document.lines[place.line]))


def to_lsp_range(document: Document, place: Range, codec: PositionCodec) -> types.Range:
    """The range in the units that client and server agreed on."""
    line = document.lines[place.line] if place.line < len(document.lines) else ""
    return types.Range(
        types.Position(place.line, codec.client_num_units(line[: place.start])),
        types.Position(place.line, codec.client_num_units(line[: place.end])),
    )


def to_lsp_hover(
    document: Document, card: HoverCard, codec: PositionCodec, markdown: bool
) -> types.Hover:
    """The hover as Markdown, or as plain text for a client that shows no Markdown."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(
        contents=types.MarkupContent(kind, card.markdown if markdown else card.plain),
        range=to_lsp_range(document, card.range, codec),
    )


def to_lsp_lens(document: Document, lens: Lens, codec: PositionCodec) -> types.CodeLens:
    """The lens with the command that shows its memories."""
    return types.CodeLens(
        range=to_lsp_range(document, lens.range, codec),
        command=types.Command(title=lens.title, command=SHOW_MEMORIES, arguments=[list(lens.ids)]),
    )
