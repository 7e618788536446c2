"""The language server as such: what is open, what is shown, what is pushed to the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from postil import __version__
from postil.model import Symbol
from postil.workspace import Workspace
from postil_lsp import convert
from postil_lsp.features.diagnostics import problems
from postil_lsp.features.document import Document
from postil_lsp.options import Options
from postil_lsp.session import Session
from postil_lsp.shown import Drafts
from postil_lsp.texts import Texts

# Seconds after the last change until diagnostics are pushed, and between two refreshes.
QUIET = 0.3


class _Protocol(LanguageServerProtocol):
    """pygls keeps a future of each notification for good; here it goes once it is done."""

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, callback=done, args=args, kwargs=kwargs)


class PostilServer(LanguageServer):
    """A language server with the session it serves."""

    def __init__(self) -> None:
        super().__init__("postil", __version__, protocol_cls=_Protocol)
        self.session = Session()
        self.workers = ThreadPoolExecutor(2, "postil-lsp")
        self.texts = Texts(self.workers, self.reread)
        self.drafts = Drafts()
        self.options = Options()
        self.open: set[str] = set()
        self.typed: dict[str, tuple[int, float]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.pushes: dict[str, asyncio.TimerHandle] = {}
        self.refreshing: asyncio.TimerHandle | None = None
        self.refreshing_hidden = False
        self.looking: asyncio.TimerHandle | None = None

    def report_server_error(self, error: Exception, source: object) -> None:
        """A failure that nobody waits for goes to the editor's log, without its trace.

        pygls would show a message for each: an unreadable store fails at every file.
        """
        if source is not FeatureRequestError:
            told = str(error).removeprefix("postil.errors.")
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, told))

    async def located(self, uri: str, surface: str = "") -> tuple[Workspace, Document] | None:
        """The workspace and the open text of a file; None for what is not ours to show.

        Also where the `surface` is off or muted.
        """
        if surface and not getattr(self.options, surface):
            return None
        place = self.session.locate(uri)
        if place is None:
            return None
        workspace, path = place
        if surface and not self.session.mutes.shows(surface, str(workspace.root / path)):
            return None
        opened = self.workspace.get_text_document(uri)
        return workspace, await self.texts.document(uri, path, opened.source, opened.version)

    def text_of(self, uri: str) -> tuple[str, int | None]:
        """The text of an open document as it is now, and its version."""
        opened = self.workspace.get_text_document(uri)
        return opened.source, opened.version

    def shows_markdown(self) -> bool:
        """Whether the client says that its hovers show Markdown."""
        text = self.client_capabilities.text_document
        formats = text.hover.content_format if text and text.hover else None
        return formats is None or types.MarkupKind.Markdown in formats

    def pulls(self) -> bool:
        """Whether the client asks for diagnostics itself."""
        text = self.client_capabilities.text_document
        return bool(text and text.diagnostic)

    def shows_documents(self) -> bool:
        """Whether the client opens a file when it is asked to."""
        window = self.client_capabilities.window
        return bool(window and window.show_document and window.show_document.support)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine beside everything else."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def reread(self, uri: str) -> None:
        """The symbols of a text are known anew: marks may stand elsewhere."""
        self.push_later(uri)
        self.refresh()

    def refresh(self, with_hidden: bool = False) -> None:
        """Ask the client to ask again, once for all changes of a moment.

        `with_hidden`: also for the surfaces that are off, since they were on a moment ago.
        """
        self.refreshing_hidden |= with_hidden
        if self.refreshing is None:
            loop = asyncio.get_running_loop()
            self.refreshing = loop.call_later(QUIET, self._refresh)

    def _refresh(self) -> None:
        self.refreshing = None
        hidden, self.refreshing_hidden = self.refreshing_hidden, False
        if self.options.notify:
            self.protocol.notify("postil/changed", {})
        told = self.client_capabilities.workspace
        if told is None:
            return
        if (self.options.lens or hidden) and told.code_lens and told.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if (self.options.inlay or hidden) and told.inlay_hint and told.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        diagnostics = told.diagnostics
        if self.pulls() and diagnostics and diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def look_around(self, workspace: Workspace, symbol: Symbol) -> None:
        """Learn how a symbol is used once nobody waits: the next hover on it knows."""
        if self.looking is not None:
            self.looking.cancel()
        loop = asyncio.get_running_loop()
        self.looking = loop.call_later(
            QUIET, lambda: self.workers.submit(self.session.around, workspace, symbol)
        )

    def push_later(self, uri: str) -> None:
        """Push a document's diagnostics once it rests, to a client that does not ask itself."""
        if self.pulls() or uri not in self.open:
            return
        if uri in self.pushes:
            self.pushes[uri].cancel()
        loop = asyncio.get_running_loop()
        self.pushes[uri] = loop.call_later(QUIET, lambda: self.spawn(self._push(uri)))

    async def _push(self, uri: str) -> None:
        self.pushes.pop(uri, None)
        if uri in self.open:
            told = types.PublishDiagnosticsParams(uri, await self.diagnostics(uri))
            self.text_document_publish_diagnostics(told)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What is doubtful or broken in a document."""
        found = await self.located(uri, "diagnostics")
        if found is None:
            return []
        workspace, document = found
        session, codec = self.session, self.workspace.position_codec
        margin = session.margin(workspace, document.path)
        rules, allowed = session.rules(workspace), session.dismissed(workspace)
        loop = asyncio.get_running_loop()
        rows = await loop.run_in_executor(self.workers, problems, document, margin, rules, allowed)
        return [convert.to_lsp_diagnostic(document, one, codec) for one in rows]

    def tell(self, text: str, is_wrong: bool = False) -> None:
        """Show a message: the answer to what a person did."""
        kind = types.MessageType.Warning if is_wrong else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, text))
