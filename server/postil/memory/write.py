"""The write gate: what is remembered passes here, checked and without secrets."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from hashlib import blake2b

from postil.errors import SecretRefusedError, UsageError
from postil.model import Memory, Status, new_id
from postil.redact import redact
from postil.storage.store import Store
from postil.words import clean

MAX_TEXT = 1_000_000
MAX_TAGS = 20


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write."""

    memory: Memory
    created: bool
    redacted: tuple[str, ...] = ()


def remember(store: Store, draft: Memory) -> Written:
    """Store `draft` (its id and times are given here). The same text twice is one memory."""
    what, why = clean(draft.what).strip(), clean(draft.why).strip()
    if not what:
        raise UsageError("there is nothing to remember: `what` is empty")
    if len(what) + len(why) > MAX_TEXT:
        raise UsageError(f"a memory holds at most {MAX_TEXT:,} characters", hint="split the text")
    if not 0 <= draft.importance <= 1:
        raise UsageError("importance goes from 0 to 1", hint="0.5 is usual, 1 is vital")
    if len(draft.tags) > MAX_TAGS:
        raise UsageError(f"a memory has at most {MAX_TAGS} tags")
    safe_what, safe_why = redact(what), redact(why)
    safe_tags = [redact(clean(tag).strip().lower()) for tag in draft.tags if tag.strip()]
    if safe_what.only_secret:
        raise SecretRefusedError(
            "the text is a secret and was not stored", hint="keep secrets out of memories"
        )
    for anchor in draft.anchors:
        if redact(f"{anchor.path} {anchor.symbol}").found:
            raise SecretRefusedError(
                "the place holds a secret and was not stored", hint="name a path of the project"
            )
    now = time.time()
    memory = replace(
        draft,
        id=new_id("m"),
        what=safe_what.text,
        why=safe_why.text,
        tags=tuple(dict.fromkeys(tag.text for tag in safe_tags)),
        status=Status.ACTIVE,
        created_at=draft.created_at or now,
        updated_at=now,
    )
    stored, created = store.add_memory(memory, content_key(memory))
    found = (*safe_what.found, *safe_why.found, *(kind for tag in safe_tags for kind in tag.found))
    return Written(stored, created, found)


def content_key(memory: Memory) -> str:
    """Equal for two writes that say the same, whatever their case, spacing and final full stop.

    Another reason makes another memory: a second write may not drop what is new in it.
    """
    what, why = (
        " ".join(text.casefold().split()).rstrip(". ") for text in (memory.what, memory.why)
    )
    mark = "\0".join((memory.scope, memory.kind, what, why))
    return blake2b(mark.encode("utf-8", "replace"), digest_size=16).hexdigest()
