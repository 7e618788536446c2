"""The language server's life: its start, what is opened and edited, its end."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from typing import BinaryIO, cast

from lsprotocol import types

from postil.config.load import load
from postil.errors import PostilError
from postil_lsp import commands, requests
from postil_lsp.front import Sink, Source
from postil_lsp.margin_server import PostilServer
from postil_lsp.options import Options
from postil_lsp.refresh import watch
from postil_lsp.text import EditorTexts
from postil_lsp.texts import Edit

# Seconds between two looks whether the editor still lives.
_ALIVE = 2.0


def build_server() -> PostilServer:
    """The server with its features; it opens a project when the first file of it is opened."""
    server = PostilServer()
    server.feature(types.INITIALIZE)(_on_initialize)
    server.feature(types.INITIALIZED)(_on_initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_on_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_on_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_on_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_on_close)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_on_configuration)
    server.feature(types.SHUTDOWN)(_on_shutdown)
    requests.register(server)
    commands.register(server)
    return server


def _on_initialize(server: PostilServer, params: types.InitializeParams) -> None:
    server.options = Options.of(load(None)).told(params.initialization_options)
    # The only place to put texts of our own: made a moment ago, and still empty.
    made = server.workspace
    server.protocol._workspace = EditorTexts(
        made.root_uri,
        types.TextDocumentSyncKind.Incremental,
        list(made.folders.values()),
        made.position_encoding,
    )


async def _on_initialized(server: PostilServer, params: types.InitializedParams) -> None:
    server.spawn(watch(server))
    if server.protocol and os.name != "nt":
        server.spawn(_live_with(os.getppid()))


async def _live_with(parent: int) -> None:
    """End when the editor has gone without a word."""
    while os.getppid() == parent:
        await asyncio.sleep(_ALIVE)
    os._exit(1)


def _on_open(server: PostilServer, params: types.DidOpenTextDocumentParams) -> None:
    uri = params.text_document.uri
    if server.session.locate(uri) is None:
        return
    server.open.add(uri)
    server.push_later(uri)
    requests.tell_of_mapping(server, uri)


def _on_change(server: PostilServer, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    if uri not in server.open:
        return
    edits = _edits(params.content_changes)
    server.texts.changed(uri, edits)
    if edits:
        server.typed[uri] = (edits[-1].first, asyncio.get_running_loop().time())
    server.texts.later(uri, lambda: server.text_of(uri))
    server.push_later(uri)


def _edits(
    changes: Sequence[types.TextDocumentContentChangeEvent],
) -> list[Edit] | None:
    """The ranges that changes touch, and how many lines each became; None: all of it."""
    edits = []
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return None
        lines = change.text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
        start, end = change.range.start, change.range.end
        edits.append(Edit(start.line, start.character, end.line, end.character, lines))
    return edits


def _on_save(server: PostilServer, params: types.DidSaveTextDocumentParams) -> None:
    found = server.session.locate(params.text_document.uri)
    if found is not None and params.text_document.uri in server.open:
        workspace, path = found
        server.workers.submit(workspace.remap, path)


def _on_close(server: PostilServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.open.discard(uri)
    server.typed.pop(uri, None)
    server.texts.closed(uri)
    push = server.pushes.pop(uri, None)
    if push is not None:
        push.cancel()


def _on_configuration(server: PostilServer, params: types.DidChangeConfigurationParams) -> None:
    server.options = server.options.told(params.settings)
    server.refresh(with_hidden=True)
    for uri in server.open:
        server.push_later(uri)


def _on_shutdown(server: PostilServer, params: None) -> None:
    for task in list(server.tasks):
        task.cancel()
    server.workers.shutdown(wait=False, cancel_futures=True)
    try:
        server.session.close()
    except PostilError as error:
        logging.getLogger(__name__).warning("a project was not closed: %s", error)


def serve(source: Source, sink: Sink) -> None:
    """Serve until the editor says so or goes away."""
    # At INFO, pygls logs whole payloads: memories and sources.
    logging.basicConfig(level=logging.WARNING)
    build_server().start_io(cast(BinaryIO, source), cast(BinaryIO, sink))
