"""Cursor's transcript: `{role, message: {content}}` a line, without times and without ids."""

from __future__ import annotations

from postil.capture.transcript import Turn, text_of_blocks
from postil_hooks.spoken import spoken


def parse(row: dict[str, object]) -> Turn | None:
    """The turn that a line tells of; None for everything that nobody said."""
    role, message = row.get("role"), row.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict):
        return None
    text = spoken(text_of_blocks(message.get("content"), frozenset({"text"})))
    return Turn(id="", role=str(role), text=text) if text else None
