"""The language server on pygls: wiring, nothing else."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from postil import __version__, curate, present, tools
from postil.errors import PostilError
from postil.model import Actor
from postil.workspace import Workspace
from postil_lsp import convert
from postil_lsp.features.document import Document
from postil_lsp.features.hover import hover
from postil_lsp.features.lenses import lenses
from postil_lsp.refresh import watch_stores
from postil_lsp.session import Session, document


class PostilServer(LanguageServer):
    """A language server with the session it serves."""

    def __init__(self) -> None:
        super().__init__("postil", __version__)
        self.session = Session()
        self.watching: asyncio.Task[None] | None = None

    def located(self, uri: str) -> tuple[Workspace, Document] | None:
        """The workspace and the open text of a file; None for what is not ours to show."""
        place = self.session.locate(uri)
        if place is None:
            return None
        opened = self.workspace.get_text_document(uri)
        return place[0], document(place[1], opened.source, opened.version)

    def shows_markdown(self) -> bool:
        """Whether the client says that its hovers show Markdown."""
        text = self.client_capabilities.text_document
        formats = text.hover.content_format if text and text.hover else None
        return formats is None or types.MarkupKind.Markdown in formats

    def refresh(self) -> None:
        """Ask the client to ask for lenses again, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def build_server() -> PostilServer:
    """The server with its features; it opens a project when the first file of it is opened."""
    server = PostilServer()
    server.feature(types.INITIALIZED)(_on_initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_on_open)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_on_hover)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(_on_code_lens)
    server.feature(types.SHUTDOWN)(_on_shutdown)
    server.command(convert.SHOW_MEMORIES)(_on_show_memories)
    server.command(convert.SEARCH)(_on_search)
    return server


async def _on_initialized(server: PostilServer, params: types.InitializedParams) -> None:
    server.watching = asyncio.create_task(watch_stores(server.session, server.refresh))


def _on_open(server: PostilServer, params: types.DidOpenTextDocumentParams) -> None:
    server.session.locate(params.text_document.uri)


def _on_hover(server: PostilServer, params: types.HoverParams) -> types.Hover | None:
    found = server.located(params.text_document.uri)
    if found is None:
        return None
    workspace, opened = found
    codec = server.workspace.position_codec
    card = hover(workspace, opened, *convert.from_lsp_position(opened, params.position, codec))
    if card is None:
        return None
    return convert.to_lsp_hover(opened, card, codec, server.shows_markdown())


def _on_code_lens(server: PostilServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    found = server.located(params.text_document.uri)
    if found is None:
        return []
    workspace, opened = found
    codec = server.workspace.position_codec
    return [convert.to_lsp_lens(opened, lens, codec) for lens in lenses(workspace, opened)]


def _on_show_memories(server: PostilServer, ids: list[str]) -> str:
    text = _memories_text(server.session, ids)
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return text


def _on_search(server: PostilServer, uri: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """`memory_search` in the project of a file: the same arguments, the same answer."""
    found = server.located(uri)
    if found is None:
        raise JsonRpcInvalidParams(f"{uri} belongs to no project")
    try:
        answer = tools.call(found[0], "memory_search", arguments, Actor())
    except PostilError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return {"text": answer.text, "data": answer.data}


def _on_shutdown(server: PostilServer, params: None) -> None:
    if server.watching is not None:
        server.watching.cancel()
    server.session.close()


def _memories_text(session: Session, ids: list[str]) -> str:
    lines = []
    for memory_id in ids:
        for workspace in session.workspaces:
            try:
                lines.append(present.memory_line(curate.get(workspace, memory_id, Actor())))
            except PostilError:
                continue  # of another project, or forgotten since the lens was drawn
    return "\n".join(lines) or present.NOTHING


def main() -> None:
    """Serve on standard input and output until the editor says so or goes away."""
    # At INFO, pygls logs whole payloads: memories and sources.
    logging.basicConfig(level=logging.WARNING)
    build_server().start_io()
