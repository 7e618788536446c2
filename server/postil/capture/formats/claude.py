"""Claude Code's transcript: one JSON object a line, one line for each content block."""

from __future__ import annotations

from postil.capture.transcript import Turn, instant
from postil.redact import redact
from postil_hooks.spoken import spoken

_SKIP_IF = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly")
_TOOL_FIELDS = ("command", "file_path", "path", "pattern", "query", "url", "description", "what")


def parse(row: dict[str, object]) -> Turn | None:
    """The turn that a line tells of; None for everything that nobody said."""
    role = row.get("type")
    if role not in ("user", "assistant") or any(row.get(mark) is True for mark in _SKIP_IF):
        return None
    message = row.get("message")
    uuid = row.get("uuid")
    if not isinstance(message, dict) or not isinstance(uuid, str):
        return None
    text = spoken(_text(message.get("content")))
    if not text:
        return None
    at, offset = instant(row.get("timestamp"))
    return Turn(
        id=uuid,
        role=str(role),
        text=text,
        session=str(row.get("sessionId") or ""),
        at=at,
        offset=offset,
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [_block(block) for block in content] if isinstance(content, list) else []
    return "\n".join(part for part in parts if part)


def _block(block: object) -> str:
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "text":
        return str(block.get("text") or "")
    if block.get("type") == "tool_use":
        given = block.get("input")
        told = ""
        if isinstance(given, dict):
            told = next((str(given[name]) for name in _TOOL_FIELDS if given.get(name)), "")
        # Redacted before it is cut: half a secret is recognised by nobody.
        return f"[used {block.get('name')}: {redact(told).text[:200]}]"
    return ""
