"""Memories as somebody is about to write them."""

from __future__ import annotations

from dataclasses import replace

from postil.model import Actor, Memory


def by(actor: Actor, what: str, **fields: object) -> Memory:
    """What an actor would write."""
    draft = Memory("", what, author=actor.author, client=actor.client, session=actor.session)
    return replace(draft, **fields)  # type: ignore[arg-type]
