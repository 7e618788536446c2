"""What a client can attach by its address: memories, turns of conversations, files of the map."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from postil import curate, tools
from postil.errors import UsageError
from postil.model import Actor
from postil.words import clip
from postil.workspace import Workspace

MIME = "text/markdown"
_MEMORY, _EPISODE, _MAP = "postil://memory/", "postil://episode/", "postil://map/"
_BRIEF = "postil://brief"
# The newest memories that are listed, and the values that are offered while an address is typed.
_LISTED, _OFFERED = 50, 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource, or with `{...}` in its address a template of many."""

    uri: str
    name: str
    title: str
    description: str


TEMPLATES = (
    Listed(_MEMORY + "{id}", "memory", "A memory", "A memory in full, with its provenance."),
    Listed(
        _EPISODE + "{id}", "episode", "A turn of a conversation", "What was said, with neighbours."
    ),
    Listed(
        _MAP + "{path}", "map", "A file of the code map", "Symbols with lines, imports, memories."
    ),
)


def listed(workspace: Workspace, actor: Actor) -> list[Listed]:
    """The brief, and the newest memories."""
    rows = [Listed(_BRIEF, "brief", "Brief of this project", "Rules, decisions, state of the map.")]
    for memory in curate.recent(workspace, actor.scopes, _LISTED):
        what = clip(memory.what, 80)
        rows.append(Listed(_MEMORY + memory.id, memory.id, what, f"{memory.kind}: {what}"))
    return rows


def read(workspace: Workspace, uri: str, actor: Actor) -> str:
    """A resource as text, marked as data. UsageError for an address that leads nowhere."""
    if uri == _BRIEF:
        return tools.call(workspace, "memory_brief", {}, actor).text
    for prefix, tool, argument, more in (
        (_MEMORY, "memory_get", "id", {}),
        (_EPISODE, "episode_get", "id", {"tokens": 4_000}),
        (_MAP, "index_outline", "path", {"tokens": 8_000}),
    ):
        if uri.startswith(prefix):
            value = unquote(uri.removeprefix(prefix))
            return tools.call(workspace, tool, {argument: value, **more}, actor).text
    addresses = ", ".join((_BRIEF, *(one.uri for one in TEMPLATES)))
    raise UsageError(f"there is no resource {uri!r:.200}", hint=f"there are: {addresses}")


def completed(workspace: Workspace, uri: str, value: str, actor: Actor) -> list[str]:
    """What an unfinished value of a template may become, the likeliest first."""
    if uri.startswith(_MAP):
        wanted = unquote(value).lower()
        paths = [path for path in workspace.index.files() if wanted in path.lower()]
        paths.sort(key=lambda path: (not path.lower().startswith(wanted), path))
        return [quote(path) for path in paths[:_OFFERED]]
    if uri.startswith(_MEMORY):
        words = value.lower()
        found = curate.recent(workspace, actor.scopes, 5 * _OFFERED)
        mine = [one for one in found if one.id.startswith(value) or words in one.what.lower()]
        return [one.id for one in mine[:_OFFERED]]
    return []
