"""How a statement is known again: digests of what it says, whatever its case and spacing. Pure."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

from postil.model import Memory, Scope
from postil.storage.store import Keys


def keys_of(memory: Memory) -> Keys:
    """The digests of a memory.

    Another reason makes another content: a second write may not drop what is new in it. The text
    key is of scope and statement alone: what was forgotten stays gone under any kind or reason.
    """
    what, why = _plain(memory.what), _plain(memory.why)
    return Keys(
        content=_digest(str(memory.scope), memory.kind, what, why),
        text=text_key(memory.scope, memory.what),
    )


def text_key(scope: Scope, what: str) -> str:
    """The digest of a statement in a scope."""
    return _digest(str(scope), _plain(what))


def entity_key(name: str) -> str:
    """How the name of a thing is compared."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(". ")


def _digest(*parts: str) -> str:
    mark = "\0".join(parts)
    return blake2b(mark.encode("utf-8", "replace"), digest_size=16).hexdigest()
