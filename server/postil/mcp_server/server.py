"""The MCP server proper, on the SDK: tools, prompts and resources, both protocol eras."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any, BinaryIO

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from postil import __version__, tools
from postil.errors import PostilError, UsageError
from postil.leader.work import Participant
from postil.mcp_server.context import context_handlers
from postil.mcp_server.front import Backend
from postil.model import Actor, new_id
from postil.toolspec import BY_NAME, INSTRUCTIONS, Profile, offered
from postil.workspace import Workspace, open_workspace


def load_backend(folder: Path, profile: Profile = Profile.CORE) -> Backend:
    """Open the workspace of `folder`; a function that serves it. Slow: call it in a thread."""
    workspace = open_workspace(folder)

    def serve(source: BinaryIO, sink: BinaryIO) -> None:
        participant = Participant(workspace)
        try:
            anyio.run(_serve, build_server(workspace, profile), source, sink)
        finally:
            participant.close()
            workspace.close()

    return serve


def build_server(workspace: Workspace, profile: Profile = Profile.CORE) -> Server[dict[str, Any]]:
    """The SDK's server with Postil's tools; those that the profile leaves out are refused.

    A client that does not name its session gets one, so that what it does can be undone.
    """
    own_session = new_id("mcp")

    def caller(ctx: Any) -> Actor:
        session = os.environ.get("CLAUDE_CODE_SESSION_ID") or own_session
        return Actor(f"agent:{_agent_name(ctx)}", _client_name(ctx), session)

    async def list_tools(ctx: object, params: object) -> types.ListToolsResult:
        told = [tool.declaration(profile) for tool in offered(profile)]
        listed = [types.Tool.model_validate(one) for one in told]
        return types.ListToolsResult(tools=listed, ttl_ms=60_000, cache_scope="private")

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            _refuse_others(params.name, profile)
            answer = await anyio.to_thread.run_sync(
                tools.call, workspace, params.name, params.arguments or {}, caller(ctx)
            )
        except PostilError as error:
            return _failure(error)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.data,
        )

    return Server(
        "postil",
        version=__version__,
        title="Postil",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **context_handlers(workspace, caller),
    )


async def _serve(server: Server[dict[str, Any]], source: BinaryIO, sink: BinaryIO) -> None:
    text_in = anyio.wrap_file(io.TextIOWrapper(source, encoding="utf-8", errors="replace"))
    text_out = anyio.wrap_file(io.TextIOWrapper(sink, encoding="utf-8", errors="replace"))
    async with stdio_server(text_in, text_out) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _refuse_others(name: str, profile: Profile) -> None:
    tool = BY_NAME.get(name)
    if tool is not None and not tool.is_in(profile):
        raise UsageError(
            f"{name} is not offered here (profile {profile})",
            hint="a person can start `postil mcp --profile full`",
        )


def _failure(error: PostilError) -> types.CallToolResult:
    """An error that the model can act on: what failed, what to do, whether to try again."""
    text = f"{error}. {error.hint}" if error.hint else str(error)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content={
            "error": {
                "code": error.code,
                "message": str(error),
                "hint": error.hint,
                "retryable": error.retryable,
            }
        },
        is_error=True,
    )


def _agent_name(ctx: Any) -> str:
    """The client's name as a scope can hold it: it names the agent's diary."""
    return re.sub(r"[^\w.@-]+", "-", _client_name(ctx), flags=re.ASCII).strip("-")[:40] or "unknown"


def _client_name(ctx: Any) -> str:
    """The client as it calls itself, in either era; "unknown" when it does not say."""
    meta = ctx.meta or {}
    told = meta.get("io.modelcontextprotocol/clientInfo")
    if isinstance(told, dict):
        return str(told.get("name") or "unknown")
    known = getattr(ctx.session, "client_params", None)
    return str(known.client_info.name) if known is not None else "unknown"
