"""Copilot CLI's `events.jsonl`: `{type, id, timestamp, data}`."""

from __future__ import annotations

from postil.capture.transcript import Turn, instant
from postil_hooks.spoken import spoken

_ROLES = {"user.message": "user", "assistant.message": "assistant"}


def parse(row: dict[str, object]) -> Turn | None:
    """The turn that a line tells of; None for everything that nobody said."""
    role, data = _ROLES.get(str(row.get("type"))), row.get("data")
    if role is None or not isinstance(data, dict):
        return None
    content = data.get("content")
    text = spoken(content) if isinstance(content, str) else ""
    if not text:
        return None
    at, offset = instant(row.get("timestamp"))
    return Turn(id=str(row.get("id") or ""), role=role, text=text, at=at, offset=offset)
