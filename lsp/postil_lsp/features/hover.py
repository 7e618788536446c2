"""Hover: what is remembered of the symbol under the cursor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from postil.anchors import Tied
from postil.model import AnchorState, Memory, ResolvedAnchor
from postil.times import local_day
from postil.words import clip
from postil.workspace import Workspace
from postil_hooks.quote import disarm, flat
from postil_lsp.features.document import Document, Range

# More than three is a list to be opened, not a hover to be read.
_MOST = 3
_LENGTH = 400
_STATE = {
    AnchorState.DRIFTED: "code changed since",
    AnchorState.MOVED: "code moved since",
}


@dataclass(frozen=True, slots=True)
class HoverCard:
    """What to show and the word it is about. `markdown` is escaped, `plain` is the same as text."""

    markdown: str
    plain: str
    range: Range


def hover(workspace: Workspace, document: Document, line: int, column: int) -> HoverCard | None:
    """Memories of the definition or of the used name at a position; None where there are none."""
    symbol = document.symbol_at(line, column)
    if symbol is not None:
        tied = workspace.memories_in(document.path).get(symbol.qualified, [])
        return _card(tied, document.name_range(symbol)) if tied else None
    word = document.word_at(line, column)
    if word is None:
        return None
    used = _of_used_name(workspace, word[0])
    return _card(used, word[1]) if used else None


def _of_used_name(workspace: Workspace, name: str) -> Sequence[Tied]:
    """Memories of the one symbol that a used name can mean; none where it is ambiguous."""
    with_memories: dict[tuple[str, str], Sequence[Tied]] = {}
    candidates = workspace.index.find(name)
    for symbol in candidates[:20]:
        tied = workspace.memories_in(symbol.path).get(symbol.qualified)
        if tied:
            with_memories[symbol.path, symbol.qualified] = tied
    return next(iter(with_memories.values())) if len(with_memories) == 1 else ()


def _card(tied: Sequence[Tied], place: Range) -> HoverCard:
    ordered = sorted(tied, key=lambda one: (-one[0].importance, -one[0].created_at, one[0].id))
    markdown = [_markdown(memory, anchor) for memory, anchor in ordered[:_MOST]]
    plain = [_plain(memory, anchor) for memory, anchor in ordered[:_MOST]]
    if len(ordered) > _MOST:
        more = f"{len(ordered) - _MOST} more"
        markdown.append(f"*{more}*")
        plain.append(more)
    return HoverCard("\n\n---\n\n".join(markdown), "\n\n".join(plain), place)


def _markdown(memory: Memory, anchor: ResolvedAnchor) -> str:
    text = f"**{memory.kind}** {_escape(clip(disarm(memory.what), _LENGTH))}"
    if memory.why:
        text += f"\n\n*Why:* {_escape(clip(disarm(memory.why), _LENGTH))}"
    return f"{text}\n\n`{memory.id}` · {_escape(_provenance(memory, anchor))}"


def _plain(memory: Memory, anchor: ResolvedAnchor) -> str:
    text = f"{memory.kind}: {clip(disarm(memory.what), _LENGTH)}"
    if memory.why:
        text += f"\nWhy: {clip(disarm(memory.why), _LENGTH)}"
    return f"{text}\n[{memory.id}] · {_provenance(memory, anchor)}"


def _provenance(memory: Memory, anchor: ResolvedAnchor) -> str:
    when = local_day(memory.when or memory.created_at)
    parts = [when, flat(memory.author), flat(memory.source), _STATE.get(anchor.state, "")]
    return " · ".join(part for part in parts if part)


def _escape(text: str) -> str:
    """A line, never at a line's start, that no Markdown renderer takes for markup, links or HTML.

    No more than that is escaped: not every editor hides the backslashes.
    """
    text = re.sub(r"([\\`*\[|~]|(?<!\w)_|_(?!\w))", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;")
