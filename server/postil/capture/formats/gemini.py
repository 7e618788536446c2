"""Gemini CLI's transcript: a header line, updates (`$set`), and a record for each message."""

from __future__ import annotations

from postil.capture.transcript import Turn, instant, text_of_blocks
from postil_hooks.spoken import spoken

_ROLES = {"user": "user", "gemini": "assistant"}


def parse(row: dict[str, object]) -> Turn | None:
    """The turn that a line tells of; None for everything that nobody said."""
    role = _ROLES.get(str(row.get("type")))
    if role is None:
        return None
    text = spoken(text_of_blocks(row.get("content"), None))
    if not text:
        return None
    at, offset = instant(row.get("timestamp"))
    return Turn(id=str(row.get("id") or ""), role=role, text=text, at=at, offset=offset)
