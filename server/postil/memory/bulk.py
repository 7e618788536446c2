"""Bulk operations in two steps: what would be done is shown, then a token does exactly that."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b

from postil.errors import UsageError
from postil.storage.store import Store

# Seconds in which a person can look at what was shown.
LIFETIME = 900.0


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that a token stands for, and those that changed since they were shown."""

    ids: tuple[str, ...]
    changed: tuple[str, ...] = ()


def preview(store: Store, action: str, rows: Iterable[tuple[str, int]]) -> str:
    """Keep a selection (ids with versions) for an action; the token that confirms it, once."""
    token = secrets.token_urlsafe(9)
    selection = json.dumps([list(row) for row in rows])
    store.add_preview(_digest(token), action, selection, time.time() + LIFETIME)
    return token


def confirmed(store: Store, action: str, token: str, version_of: Callable[[str], int]) -> Selection:
    """The selection of a token, which is spent; rows that changed meanwhile are set apart.

    `version_of` tells a row's version now, 0 for what has none.
    UsageError when the token is unknown, spent, expired, or of another action.
    """
    taken = store.take_preview(_digest(token), time.time())
    if taken is None or taken[0] != action:
        raise UsageError(
            "this token is unknown, spent or too old",
            hint=f"a token holds once, for {LIFETIME / 60:.0f} minutes: ask for the preview again",
        )
    kept: list[str] = []
    changed: list[str] = []
    for target, version in json.loads(taken[1]):
        (kept if version_of(target) == version else changed).append(target)
    return Selection(tuple(kept), tuple(changed))


def action_on(name: str, *what: str) -> str:
    """The name of an action on something, without telling what."""
    return f"{name}:{_digest(chr(0).join(what))}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
