"""What an editor asks about a document, and what it is answered."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from lsprotocol import types

from postil.codemap.graph import Edge
from postil.errors import PostilError
from postil.model import Actor, Symbol
from postil.workspace import Workspace
from postil_lsp import convert
from postil_lsp.features import symbols
from postil_lsp.features.actions import actions
from postil_lsp.features.citations import citations, offers
from postil_lsp.features.hover import command_links, hover, with_code
from postil_lsp.features.inlays import inlays
from postil_lsp.features.lenses import lenses, title
from postil_lsp.margin_server import PostilServer
from postil_lsp.shown import page_links, page_of, uri_of

Handler = Callable[[PostilServer, Any], Awaitable[Any]]
_Positioned = types.DefinitionParams | types.ReferenceParams | types.CallHierarchyPrepareParams
# Seconds for which a line counts as being typed.
_TYPING = 2.0
_OFFERED = 50


def register(server: PostilServer) -> None:
    """Give the server its features."""
    feature = server.feature
    feature(types.TEXT_DOCUMENT_HOVER)(_calm(_on_hover, None))
    feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))(
        _calm(_on_lens, [])
    )
    feature(types.CODE_LENS_RESOLVE)(_on_lens_resolve)
    feature(types.TEXT_DOCUMENT_INLAY_HINT)(_calm(_on_inlay, []))
    pull = types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier="postil"
    )
    feature(types.TEXT_DOCUMENT_DIAGNOSTIC, pull)(_on_diagnostic)
    feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=True))(
        _calm(_on_links, [])
    )
    feature(types.DOCUMENT_LINK_RESOLVE)(_on_link_resolve)
    feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, "postil"]),
    )(_calm(_on_action, []))
    feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["["]))(
        _calm(_on_completion, None)
    )
    feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_calm(_on_document_symbol, []))
    feature(types.WORKSPACE_SYMBOL)(_calm(_on_workspace_symbol, []))
    feature(types.TEXT_DOCUMENT_DEFINITION)(_calm(_on_definition, None))
    feature(types.TEXT_DOCUMENT_REFERENCES)(_calm(_on_references, []))
    feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(_calm(_on_prepare_calls, None))
    feature(types.CALL_HIERARCHY_INCOMING_CALLS)(_calm(_on_incoming, []))
    feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(_calm(_on_outgoing, []))


def _calm(handler: Handler, nothing: object) -> Handler:
    """A handler that answers with nothing, and a line in the editor's log, where it fails."""

    @wraps(handler)
    async def calm(server: PostilServer, params: Any) -> Any:
        try:
            return await handler(server, params)
        except PostilError as error:
            told = types.LogMessageParams(types.MessageType.Warning, f"{error} ({error.hint})")
            server.window_log_message(told)
            return nothing

    return calm


async def _on_hover(server: PostilServer, params: types.HoverParams) -> types.Hover | None:
    found = await server.located(params.text_document.uri, "hover")
    if found is None:
        return None
    workspace, document = found
    codec = server.workspace.position_codec
    line, column = convert.from_lsp_position(document, params.position, codec)
    margin = server.session.margin(workspace, document.path)
    links = command_links if server.options.command_links else page_links(workspace)
    told = hover(
        workspace, document, margin, line, column, links if server.shows_markdown() else None
    )
    if told is None:
        return None
    card, symbol = told
    around = server.session.around_if_known(workspace, symbol)
    if around is None:
        server.look_around(workspace, symbol)
    is_here = document.symbol_at(line, column) is not None
    card = with_code(card, symbol, around, is_here)
    return convert.to_lsp_hover(document, card, codec, server.shows_markdown())


async def _on_lens(server: PostilServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    uri = params.text_document.uri
    found = await server.located(uri, "lens")
    if found is None:
        return []
    workspace, document = found
    codec = server.workspace.position_codec
    margin = server.session.margin(workspace, document.path)
    return [convert.to_lsp_lens(document, one, codec, uri) for one in lenses(document, margin)]


async def _on_lens_resolve(server: PostilServer, lens: types.CodeLens) -> types.CodeLens:
    """Add from how many places the symbol is called."""
    if not isinstance(lens.data, dict) or lens.command is None:
        return lens
    found = await server.located(str(lens.data.get("uri")), "lens")
    if found is None:
        return lens
    workspace, document = found
    symbol = document.by_name.get(str(lens.data.get("symbol")))
    if symbol is None:
        return lens
    loop = asyncio.get_running_loop()
    around = await loop.run_in_executor(server.workers, server.session.around, workspace, symbol)
    tied = server.session.margin(workspace, document.path).of(symbol)
    if tied:
        lens.command.title = title(tied, around.callers)
    return lens


async def _on_inlay(server: PostilServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    uri = params.text_document.uri
    found = await server.located(uri, "inlay")
    if found is None:
        return []
    workspace, document = found
    typed, at = server.typed.get(uri, (-1, 0.0))
    is_typing = asyncio.get_running_loop().time() - at < _TYPING
    margin = server.session.margin(workspace, document.path)
    first, last = params.range.start.line, params.range.end.line
    codec = server.workspace.position_codec
    return [
        convert.to_lsp_inlay(document, one, codec)
        for one in inlays(document, margin, first, last, typed if is_typing else None)
    ]


async def _on_diagnostic(
    server: PostilServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    try:
        items = await server.diagnostics(params.text_document.uri)
    except PostilError as error:
        server.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(error)))
        items = []
    return types.RelatedFullDocumentDiagnosticReport(items=items)


async def _on_links(
    server: PostilServer, params: types.DocumentLinkParams
) -> list[types.DocumentLink]:
    found = await server.located(params.text_document.uri, "links")
    if found is None:
        return []
    document, codec = found[1], server.workspace.position_codec
    uri = params.text_document.uri
    told = server.client_capabilities.text_document
    has_tooltip = bool(told and told.document_link and told.document_link.tooltip_support)
    return [
        convert.to_lsp_link(document, one, codec, uri, has_tooltip) for one in citations(document)
    ]


async def _on_link_resolve(server: PostilServer, link: types.DocumentLink) -> types.DocumentLink:
    """Write the memory to a file that the editor can open."""
    if isinstance(link.data, dict):
        from postil import curate

        place = server.session.locate(str(link.data.get("uri")))
        if place is not None:
            try:
                memory = curate.get(place[0], str(link.data.get("memory")), Actor())
            except PostilError as error:
                server.tell(str(error), is_wrong=True)
                return link
            link.target = uri_of(page_of(place[0], memory))
    return link


async def _on_action(
    server: PostilServer, params: types.CodeActionParams
) -> list[types.CodeAction]:
    uri = params.text_document.uri
    found = await server.located(uri, "actions")
    if found is None:
        return []
    workspace, document = found
    margin = server.session.margin(workspace, document.path)
    ours = [one for one in params.context.diagnostics if one.source == convert.SOURCE]
    problems = [one.data for one in ours]
    first, last = params.range.start.line, params.range.end.line
    if last > first and params.range.end.character == 0:
        last -= 1  # a selection of whole lines ends at the beginning of the next
    only = params.context.only
    rows = actions(document, margin, uri, first, last, problems)
    made = [convert.to_lsp_action(one, ours) for one in rows]
    return [one for one in made if not only or any(_is_of(one.kind, kind) for kind in only)]


def _is_of(kind: str | None, wanted: str) -> bool:
    return bool(kind) and (not wanted or kind == wanted or str(kind).startswith(f"{wanted}."))


async def _on_completion(
    server: PostilServer, params: types.CompletionParams
) -> types.CompletionList | None:
    found = await server.located(params.text_document.uri, "completion")
    if found is None:
        return None
    workspace, document = found
    codec = server.workspace.position_codec
    line, column = convert.from_lsp_position(document, params.position, codec)
    margin = server.session.margin(workspace, document.path)
    here = [memory for rows in margin.tied.values() for memory, _ in rows]
    if document.lines[line][:column].find("[") < 0:
        return None
    from postil import curate

    newest = curate.recent(workspace, Actor().scopes, _OFFERED)
    known = {one.id: one for one in [*here, *newest]}
    offered = offers(document, line, column, list(known.values())[:_OFFERED])
    items = [convert.to_lsp_completion(document, one, codec) for one in offered]
    return types.CompletionList(is_incomplete=False, items=items) if items else None


async def _on_document_symbol(
    server: PostilServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    found = await server.located(params.text_document.uri, "symbols")
    if found is None:
        return []
    document, codec = found[1], server.workspace.position_codec
    return [convert.to_lsp_node(document, one, codec) for one in symbols.outline(document)]


async def _on_workspace_symbol(
    server: PostilServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    if not server.options.symbols:
        return []
    loop = asyncio.get_running_loop()
    found: list[types.SymbolInformation] = []
    for workspace in server.session.workspaces:
        rows = await loop.run_in_executor(
            server.workers, symbols.in_workspace, workspace, params.query
        )
        found += [
            types.SymbolInformation(
                name=one.name or one.qualified,
                kind=convert.to_lsp_kind(one),
                location=convert.to_lsp_location(workspace.root, one),
                container_name=one.path,
            )
            for one in rows
        ]
    return found


async def _meant(server: PostilServer, params: _Positioned) -> tuple[Workspace, list[Symbol]]:
    """What a position may mean, where navigation was asked for."""
    found = await server.located(params.text_document.uri, "navigation")
    if found is None:
        raise LookupError
    workspace, document = found
    codec = server.workspace.position_codec
    line, column = convert.from_lsp_position(document, params.position, codec)
    return workspace, symbols.meant(workspace, document, line, column)


async def _on_definition(
    server: PostilServer, params: types.DefinitionParams
) -> list[types.Location] | None:
    try:
        workspace, found = await _meant(server, params)
    except LookupError:
        return None
    return [convert.to_lsp_location(workspace.root, one) for one in found]


async def _on_references(
    server: PostilServer, params: types.ReferenceParams
) -> list[types.Location]:
    try:
        workspace, found = await _meant(server, params)
    except LookupError:
        return []
    loop = asyncio.get_running_loop()
    locations = []
    for symbol in found[:5]:
        if params.context.include_declaration:
            locations.append(convert.to_lsp_location(workspace.root, symbol))
        edges = await loop.run_in_executor(server.workers, symbols.callers, workspace, symbol)
        locations += [convert.place_of(workspace.root, one.path, one.line) for one in edges]
    return locations


async def _on_prepare_calls(
    server: PostilServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    try:
        workspace, found = await _meant(server, params)
    except LookupError:
        return None
    return [_item(workspace, one) for one in found[:5]] or None


def _item(workspace: Workspace, symbol: Symbol) -> types.CallHierarchyItem:
    place = convert.to_lsp_location(workspace.root, symbol)
    return types.CallHierarchyItem(
        name=symbol.name,
        kind=convert.to_lsp_kind(symbol),
        uri=place.uri,
        range=place.range,
        selection_range=place.range,
        detail=symbol.qualified,
        data={"path": symbol.path, "qualified": symbol.qualified},
    )


async def _edges(
    server: PostilServer,
    item: types.CallHierarchyItem,
    look: Callable[[Workspace, Symbol], Any],
) -> tuple[Workspace, list[Edge]]:
    place = server.session.locate(item.uri)
    if place is None or not isinstance(item.data, dict):
        raise LookupError
    workspace = place[0]
    rows = workspace.index.symbols_in(str(item.data.get("path")))
    symbol = next((one for one in rows if one.qualified == item.data.get("qualified")), None)
    if symbol is None:
        raise LookupError
    loop = asyncio.get_running_loop()
    return workspace, list(await loop.run_in_executor(server.workers, look, workspace, symbol))


async def _on_incoming(
    server: PostilServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    try:
        workspace, edges = await _edges(server, params.item, symbols.callers)
    except LookupError:
        return []
    return [
        types.CallHierarchyIncomingCall(
            from_=_item(workspace, edge.source),
            from_ranges=[convert.place_of(workspace.root, edge.path, edge.line).range],
        )
        for edge in edges
        if edge.source is not None
    ]


async def _on_outgoing(
    server: PostilServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    try:
        workspace, edges = await _edges(server, params.item, symbols.callees)
    except LookupError:
        return []
    return [
        types.CallHierarchyOutgoingCall(
            to=_item(workspace, edge.target),
            from_ranges=[convert.place_of(workspace.root, edge.path, edge.line).range],
        )
        for edge in edges
    ]


def tell_of_mapping(server: PostilServer, uri: str) -> None:
    """Show progress while the code of a project is mapped for the first time."""
    place = server.session.locate(uri)
    window = server.client_capabilities.window
    if place is None or place[0].is_mapped or not (window and window.work_done_progress):
        return
    server.spawn(_mapping(server, place[0]))


async def _mapping(server: PostilServer, workspace: Workspace) -> None:
    token = str(uuid.uuid4())
    await server.work_done_progress.create_async(token)
    server.work_done_progress.begin(
        token, types.WorkDoneProgressBegin(title=f"Postil maps {workspace.project.name}")
    )
    try:
        while not workspace.is_mapped:
            await asyncio.sleep(0.25)
    finally:
        server.work_done_progress.end(token, types.WorkDoneProgressEnd(message="mapped"))
