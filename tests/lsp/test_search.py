"""One search, three faces: the language server, MCP and the command line answer alike."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from postil import curate
from postil.model import Kind, Memory, Scope
from postil.workspace import open_workspace
from support.project import POSTIL, clean_environment, make_project, postil

pytestmark = pytest.mark.slow

# Arguments of the tool, and the same as options of the command.
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"kinds": ["rule"]}, ["--kind", "rule"]),
    ({"tags": ["sea"]}, ["--tag", "sea"]),
    ({"scopes": ["user"]}, ["--scope", "user"]),
    ({"path": "pay.py"}, ["--path", "pay.py"]),
    ({"about": ["Walrus"]}, ["--about", "Walrus"]),
    ({"authors": ["agent"]}, ["--author", "agent"]),
    ({"tiers": ["core"]}, ["--tier", "core"]),
    ({"since": "2026-01-01"}, ["--since", "2026-01-01"]),
    ({"until": "2025-06", "time": "created"}, ["--until", "2025-06"]),
    ({"since": "2026-01-01", "time": "valid"}, ["--since", "2026-01-01", "--time", "valid"]),
    ({"history": True}, ["--history"]),
]


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(server_command=[POSTIL, "lsp"])
)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    root = make_project(tmp_path / "shop", {"pay.py": "def charge(): ...\n"})
    workspace = open_workspace(root)
    drafts = [
        Memory("", "The walrus is a rule", Kind.RULE, tags=("sea",), created_at=1_748_000_000.0),
        Memory("", "The walrus charges cards", about=("Walrus",)),
        Memory("", "A walrus of an agent", author="agent:x", valid_until=1_760_000_000.0),
        Memory("", "My own walrus", scope=Scope.USER),
    ]
    for number, draft in enumerate(drafts):
        curate.write(workspace, draft, ["pay.py#charge"] if number == 1 else [])
    workspace.embed_pending()  # or the leader does, between the first question and the second
    workspace.close()
    editor: Any = lsp_client
    editor.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: None)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("neovim"),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), "shop")],
        )
    )
    editor.root = root
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_every_face_gives_the_same_answer(client: LanguageClient, home: Path) -> None:
    """RE-7."""
    editor: Any = client
    root: Path = editor.root
    sizes = set()
    for arguments, options in CASES:
        asked = {"query": "walrus", "tokens": 2_000, **arguments}
        params = types.ExecuteCommandParams(
            "postil.search", arguments=[(root / "pay.py").as_uri(), asked]
        )
        in_editor: Any = await client.workspace_execute_command_async(params)
        typed = postil("search", "walrus", "--json", *options, home=home, cwd=root)
        on_line = json.loads(typed.stdout)
        over_mcp = _mcp(home, root, asked)

        ids = [hit["id"] for hit in on_line["hits"]]
        assert [hit["id"] for hit in in_editor["data"]["hits"]] == ids, arguments
        assert [hit["id"] for hit in over_mcp["hits"]] == ids, arguments
        sizes.add(len(ids))
    assert len(sizes) > 2, "the filters filtered"


def _mcp(home: Path, root: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured answer of the tool over MCP, asked as a person's client without a name."""
    rows = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "tester", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "memory_search", "arguments": arguments},
        },
    ]
    with subprocess.Popen(
        [POSTIL, "mcp"],
        cwd=root,
        env=clean_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for row in rows:
            process.stdin.write(json.dumps(row).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
    answer = next(one for one in answers if one["id"] == 2)
    data: dict[str, Any] = answer["result"]["structuredContent"]
    return data
