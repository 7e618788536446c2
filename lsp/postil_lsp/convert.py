"""Between the protocol's values and ours. Position encodings live here only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.workspace.position_codec import PositionCodec

from postil.model import Symbol
from postil_lsp.features.actions import Action
from postil_lsp.features.citations import Citation, Offer
from postil_lsp.features.diagnostics import Problem
from postil_lsp.features.document import Document, Range
from postil_lsp.features.hover import HoverCard
from postil_lsp.features.inlays import Inlay
from postil_lsp.features.lenses import Lens
from postil_lsp.features.symbols import Node
from postil_lsp.shown import uri_of

SHOW_MEMORIES = "postil.showMemories"
SOURCE = "postil"
_KINDS = {
    "class": types.SymbolKind.Class,
    "interface": types.SymbolKind.Interface,
    "trait": types.SymbolKind.Interface,
    "struct": types.SymbolKind.Struct,
    "enum": types.SymbolKind.Enum,
    "method": types.SymbolKind.Method,
    "constructor": types.SymbolKind.Constructor,
    "function": types.SymbolKind.Function,
    "module": types.SymbolKind.Module,
    "namespace": types.SymbolKind.Namespace,
    "constant": types.SymbolKind.Constant,
    "variable": types.SymbolKind.Variable,
    "field": types.SymbolKind.Field,
    "property": types.SymbolKind.Property,
    "type": types.SymbolKind.Class,
    "section": types.SymbolKind.String,
    "heading": types.SymbolKind.String,
    "key": types.SymbolKind.Key,
}


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
    if line.isascii():
        start, end = min(place.start, len(line)), min(place.end, len(line))
    else:
        start = codec.client_num_units(line[: place.start])
        end = codec.client_num_units(line[: place.end])
    return types.Range(types.Position(place.line, start), types.Position(place.line, end))


def whole_range(document: Document, symbol: Symbol, codec: PositionCodec) -> types.Range:
    """All lines of a definition."""
    last = min(symbol.end_line, len(document.lines)) - 1
    end = to_lsp_range(document, Range(last, 0, len(document.lines[last])), codec).end
    return types.Range(types.Position(symbol.line - 1, 0), end)


def to_lsp_hover(
    document: Document, card: HoverCard, codec: PositionCodec, markdown: bool
) -> types.Hover:
    """The hover as Markdown, or as plain text for a client that shows no Markdown."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(
        contents=types.MarkupContent(kind, card.markdown if markdown else card.plain),
        range=to_lsp_range(document, card.range, codec),
    )


def to_lsp_lens(document: Document, lens: Lens, codec: PositionCodec, uri: str) -> types.CodeLens:
    """The lens with the command that shows its memories; how often it is called comes later."""
    return types.CodeLens(
        range=to_lsp_range(document, lens.range, codec),
        command=types.Command(title=lens.title, command=SHOW_MEMORIES, arguments=[list(lens.ids)]),
        data={"uri": uri, "symbol": lens.symbol} if lens.symbol else None,
    )


def to_lsp_inlay(document: Document, inlay: Inlay, codec: PositionCodec) -> types.InlayHint:
    """The mark at the end of a line."""
    return types.InlayHint(
        position=to_lsp_range(document, inlay.range, codec).start,
        label=inlay.label,
        tooltip=inlay.tooltip,
        padding_left=True,
    )


def to_lsp_diagnostic(
    document: Document, problem: Problem, codec: PositionCodec
) -> types.Diagnostic:
    """A hint where something is doubtful, information where a rule is broken."""
    broken = problem.code == "broken-rule"
    return types.Diagnostic(
        range=to_lsp_range(document, problem.range, codec),
        message=problem.message,
        severity=types.DiagnosticSeverity.Information if broken else types.DiagnosticSeverity.Hint,
        source=SOURCE,
        code=problem.code,
        data={"code": problem.code, "memory": problem.memory, "line": problem.line},
    )


def to_lsp_action(action: Action, diagnostics: Sequence[types.Diagnostic]) -> types.CodeAction:
    """A code action that runs one of our commands."""
    title = action.title
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix if action.is_fix else "postil",
        diagnostics=list(diagnostics) if action.is_fix else None,
        command=types.Command(
            title=title, command=action.command, arguments=[dict(action.argument)]
        ),
    )


def to_lsp_link(
    document: Document, link: Citation, codec: PositionCodec, uri: str, has_tooltip: bool
) -> types.DocumentLink:
    """A citation; where it leads is worked out when it is followed."""
    return types.DocumentLink(
        range=to_lsp_range(document, link.range, codec),
        tooltip="Open the memory" if has_tooltip else None,
        data={"memory": link.memory, "uri": uri},
    )


def to_lsp_completion(
    document: Document, offer: Offer, codec: PositionCodec
) -> types.CompletionItem:
    """A citation to be put in."""
    place = to_lsp_range(document, offer.range, codec)
    begun = document.lines[offer.range.line][offer.range.start : offer.range.end].rstrip("]")
    return types.CompletionItem(
        label=offer.label,
        detail=offer.detail,
        kind=types.CompletionItemKind.Reference,
        filter_text=f"{begun} {offer.label} {offer.detail}",
        text_edit=types.TextEdit(place, offer.label),
    )


def to_lsp_node(document: Document, node: Node, codec: PositionCodec) -> types.DocumentSymbol:
    """A symbol of an outline with those inside of it."""
    whole = whole_range(document, node.symbol, codec)
    name = to_lsp_range(document, node.name_range, codec)
    if not _contains(whole, name):
        whole = name
    return types.DocumentSymbol(
        name=node.symbol.name or node.symbol.qualified,
        kind=to_lsp_kind(node.symbol),
        range=whole,
        selection_range=name,
        children=[to_lsp_node(document, child, codec) for child in node.children],
    )


def to_lsp_kind(symbol: Symbol) -> types.SymbolKind:
    """The protocol's kind that comes nearest."""
    return _KINDS.get(symbol.kind, types.SymbolKind.Variable)


def to_lsp_location(root: Path, symbol: Symbol) -> types.Location:
    """Where a definition begins. Columns are those of its line's bytes: exact for plain text."""
    return place_of(root, symbol.path, symbol.line, symbol.column)


def place_of(root: Path, path: str, line: int, column: int = 0) -> types.Location:
    """A line (1-based) of a file of a project."""
    at = types.Position(max(line - 1, 0), column)
    return types.Location(uri_of(root / path), types.Range(at, at))


def _contains(outer: types.Range, inner: types.Range) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
