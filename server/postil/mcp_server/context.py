"""Prompts, resources and completion on the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.shared.exceptions import MCPError

from postil.errors import PostilError
from postil.mcp_server import prompts, resources
from postil.model import Actor
from postil.workspace import Workspace

Answer = TypeVar("Answer")
Handler = Callable[[Any, Any], Awaitable[Any]]


def context_handlers(workspace: Workspace, caller: Callable[[Any], Actor]) -> dict[str, Any]:
    """The handlers of a server for what a client adds to a conversation."""

    async def list_prompts(ctx: Any, params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(one) for one in prompts.PROMPTS])

    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        about, text = await _run(
            lambda: prompts.prompt(workspace, params.name, params.arguments or {}, caller(ctx))
        )
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=about, messages=[said])

    async def list_resources(ctx: Any, params: object) -> types.ListResourcesResult:
        rows = await _run(lambda: resources.listed(workspace, caller(ctx)))
        return types.ListResourcesResult(resources=[_resource(one) for one in rows])

    async def list_templates(ctx: Any, params: object) -> types.ListResourceTemplatesResult:
        rows = [
            types.ResourceTemplate(
                name=one.name,
                title=one.title,
                uri_template=one.uri,
                description=one.description,
                mime_type=resources.MIME,
            )
            for one in resources.TEMPLATES
        ]
        return types.ListResourceTemplatesResult(resource_templates=rows)

    async def read(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        text = await _run(lambda: resources.read(workspace, uri, caller(ctx)))
        content = types.TextResourceContents(uri=uri, mime_type=resources.MIME, text=text)
        return types.ReadResourceResult(contents=[content])

    async def complete(ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        uri, value = getattr(params.ref, "uri", ""), params.argument.value
        values = await _run(lambda: resources.completed(workspace, uri, value, caller(ctx)))
        return types.CompleteResult(completion=types.Completion(values=values, has_more=False))

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read,
        "on_completion": complete,
    }


async def _run(work: Callable[[], Answer]) -> Answer:
    """Work in a thread; what is wrong with the request is the protocol's error for that."""
    try:
        return await anyio.to_thread.run_sync(work)
    except PostilError as error:
        hint = {"hint": error.hint, "retryable": error.retryable}
        raise MCPError(types.INVALID_PARAMS, str(error), hint) from None


def _prompt(one: prompts.Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=name, description=about, required=False)
        for name, about in one.arguments
    ]
    return types.Prompt(
        name=one.name, title=one.title, description=one.description, arguments=arguments
    )


def _resource(one: resources.Listed) -> types.Resource:
    return types.Resource(
        name=one.name,
        title=one.title,
        uri=one.uri,
        description=one.description,
        mime_type=resources.MIME,
    )
