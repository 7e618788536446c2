"""A store as Markdown, to be read by people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from postil.model import Kind, Memory, Scope, Status
from postil.storage.store import Filters, Store
from postil.times import local_day

_MOST = 1_000_000


def export(store: Store, title: str, scopes: tuple[Scope, ...], sink: IO[str]) -> int:
    """Write the memories that hold, by kind; how many."""
    sink.write(f"# {title}\n")
    count = 0
    for kind in Kind:
        statuses = (Status.ACTIVE, Status.PROPOSED)
        memories = store.list_memories(Filters(scopes, (kind,), statuses=statuses), _MOST)
        if memories:
            sink.write(f"\n## {kind.capitalize()}\n\n")
        for memory in memories:
            sink.writelines(f"{line}\n" for line in _lines(memory))
            count += 1
    return count


def _lines(memory: Memory) -> Iterator[str]:
    first, *rest = memory.what.splitlines() or [""]
    yield f"- {first}  `[{memory.id}]`"
    yield from (f"  {line}".rstrip() for line in rest)
    for name, text in (("Why", memory.why), ("How", memory.how), ("Who", memory.who)):
        if text:
            yield f"  - {name}: {' '.join(text.split())}"
    where = [
        f"`{one.path}#{one.symbol}`" if one.symbol else f"`{one.path}`" for one in memory.anchors
    ]
    if where:
        yield f"  - Where: {', '.join(where)}"
    if memory.tags or memory.about:
        yield f"  - Tags: {', '.join((*memory.tags, *memory.about))}"
    about = [str(memory.scope), local_day(memory.when or memory.created_at), memory.author]
    if memory.status is Status.PROPOSED:
        about.append("proposed")
    yield f"  - {', '.join(one for one in about if one)}"
