"""The whole server over its protocol, as editors speak it: each position encoding, live updates."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from postil import curate
from postil.model import Kind, Memory
from postil.workspace import open_workspace
from support.project import POSTIL, clean_environment, make_project

pytestmark = pytest.mark.slow

TEXT = 'def charge(): ...\n\n\nlabel = "🎉é"; total = charge()\n'
UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


def _encoding(capabilities: types.ServerCapabilities) -> str:
    told = capabilities.position_encoding or "utf-16"
    return str(getattr(told, "value", told))


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[POSTIL, "lsp"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path
) -> AsyncIterator[None]:
    root = make_project(tmp_path / "shop", {"pay.py": TEXT})
    workspace = open_workspace(root)
    curate.write(
        workspace, Memory(id="", what="Retries are off", kind=Kind.DECISION), ["pay.py#charge"]
    )
    workspace.close()
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), "shop")],
        )
    )
    editor: Any = lsp_client
    editor.root = root
    editor.units = UNITS[_encoding(result.capabilities)]
    editor.refreshes = 0

    @editor.feature(types.WORKSPACE_CODE_LENS_REFRESH)  # type: ignore[untyped-decorator]
    def refreshed(params: None) -> None:
        editor.refreshes += 1

    lsp_client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem((root / "pay.py").as_uri(), "python", 1, TEXT)
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name not in clean_environment(home) and not name.startswith("PYTEST"):
            monkeypatch.delenv(name)


@pytest.mark.asyncio
async def test_hover_and_lens_stand_at_the_right_columns(client: Any) -> None:
    document = types.TextDocumentIdentifier((client.root / "pay.py").as_uri())
    line = TEXT.split("\n")[3]
    start = client.units(line[: line.index("charge")])

    card = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(3, start + 2))
    )
    before = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(3, start - 2))
    )
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))

    assert card is not None and "Retries are off" in card.contents.value
    assert card.range == types.Range(types.Position(3, start), types.Position(3, start + 6))
    assert before is None
    assert [(row.command.title, row.range.start) for row in rows] == [
        ("1 decision", types.Position(0, 4))
    ]
    told = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(rows[0].command.command, rows[0].command.arguments)
    )
    assert "Retries are off" in told


@pytest.mark.asyncio
async def test_an_agents_write_appears_without_being_asked_for(client: Any) -> None:
    document = types.TextDocumentIdentifier((client.root / "pay.py").as_uri())
    await client.text_document_code_lens_async(types.CodeLensParams(document))
    await asyncio.sleep(0.8)  # the server's first look at the store

    other = open_workspace(client.root)
    curate.write(other, Memory(id="", what="Never in a loop", kind=Kind.RULE), ["pay.py#charge"])
    other.close()

    capability = client.capabilities.workspace
    asks = capability and capability.code_lens and capability.code_lens.refresh_support
    for _ in range(50):
        if client.refreshes or not asks:
            break
        await asyncio.sleep(0.1)
    assert client.refreshes or not asks
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert [row.command.title for row in rows] == ["1 rule · 1 decision"]


@pytest.mark.asyncio
async def test_what_is_no_file_is_left_alone(client: Any) -> None:
    for uri in ("untitled:Untitled-1", "git:/x/pay.py", "file:///nowhere/at/all.py"):
        document = types.TextDocumentIdentifier(uri)
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT))
        )
        assert not await client.text_document_code_lens_async(types.CodeLensParams(document))
