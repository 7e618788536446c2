"""How a statement is known again: digests of what it says, whatever its case and spacing. Pure."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

from postil.model import Fact, Kind, Memory, Scope, ScopeKind
from postil.storage.store import Keys


def keys_of(memory: Memory) -> Keys:
    """The digests of a memory.

    Another reason, way or end makes another content: a second write may not drop what is new in it.
    So does another case (`-k`, `-K`). The text key is of scope and statement alone, in any case:
    what was forgotten stays gone under any kind or reason. Each line of a diary is one of its own.
    """
    is_code = memory.kind is Kind.SNIPPET  # where even spaces tell
    what, why = memory.what if is_code else _spaced(memory.what), _spaced(memory.why)
    return Keys(
        content=_digest(
            str(memory.scope),
            memory.kind,
            what,
            why,
            _spaced(memory.how),
            f"{memory.valid_until:f}",
            *([memory.id] if memory.scope.kind is ScopeKind.DIARY else []),
        ),
        text=text_key(memory.scope, memory.what),
    )


def text_key(scope: Scope, what: str) -> str:
    """The digest of a statement in a scope."""
    return _digest(str(scope), _plain(what))


def entity_key(name: str) -> str:
    """How the name of a thing is compared."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def fact_key(fact: Fact) -> str:
    """The digest of what a fact says, whenever it held."""
    parts = (fact.subject, fact.predicate, fact.object)
    return _digest("fact", str(fact.scope), *(entity_key(part) for part in parts))


def name_key(scope: Scope, name: str) -> str:
    """The digest of the name of a thing."""
    return _digest("name", str(scope), entity_key(name))


def _plain(text: str) -> str:
    return _spaced(text.casefold())


def _spaced(text: str) -> str:
    return " ".join(text.split()).rstrip(". ")


def _digest(*parts: str) -> str:
    mark = "\0".join(parts)
    return blake2b(mark.encode("utf-8", "replace"), digest_size=16).hexdigest()
