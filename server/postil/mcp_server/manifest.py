"""What the server says of itself, made from the tool declarations; nothing heavy is imported.

A test holds these answers and the SDK's together.
"""

from __future__ import annotations

from postil import __version__
from postil.toolspec import INSTRUCTIONS, Json, Profile, offered

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

_SERVER: dict[str, Json] = {"name": "postil", "title": "Postil", "version": __version__}
# The SDK stamps each answer of the stateless era with the server's identity.
_STAMP: dict[str, Json] = {"io.modelcontextprotocol/serverInfo": _SERVER}
_CAPABILITIES: dict[str, Json] = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
    "completions": {},
}


def initialize(asked: str) -> dict[str, Json]:
    """The reply to `initialize`: the client's revision if it is known, else the newest."""
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {
        "protocolVersion": version,
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER,
        "instructions": INSTRUCTIONS,
    }


def discover() -> dict[str, Json]:
    """The reply to `server/discover` of the stateless era."""
    return {
        "resultType": "complete",
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": _STAMP,
    }


def tools_list(profile: Profile, stateless: bool) -> dict[str, Json]:
    """The reply to `tools/list`."""
    tools: list[Json] = [tool.declaration(profile) for tool in offered(profile)]
    if stateless:
        return {
            "_meta": _STAMP,
            "tools": tools,
            "resultType": "complete",
            "ttlMs": 60_000,
            "cacheScope": "private",
        }
    return {"tools": tools}
