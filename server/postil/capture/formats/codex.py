"""Codex CLI's transcript: one JSON object a line, `{timestamp, ordinal, type, payload}`."""

from __future__ import annotations

from postil.capture.transcript import Turn, instant, text_of_blocks
from postil_hooks.spoken import spoken

_TEXTS = frozenset({"input_text", "output_text", "text"})


def parse(row: dict[str, object]) -> Turn | None:
    """The turn that a line tells of; None for everything that nobody said."""
    payload = row.get("payload")
    if row.get("type") != "response_item" or not isinstance(payload, dict):
        return None
    role = payload.get("role")
    if payload.get("type") != "message" or role not in ("user", "assistant"):
        return None  # what is injected has the role `developer`
    text = spoken(text_of_blocks(payload.get("content"), _TEXTS))
    if not text:
        return None
    at, offset = instant(row.get("timestamp"))
    ordinal = row.get("ordinal")
    number = f"{ordinal}" if isinstance(ordinal, int) else ""
    return Turn(
        id=str(payload.get("id") or number), role=str(role), text=text, at=at, offset=offset
    )
