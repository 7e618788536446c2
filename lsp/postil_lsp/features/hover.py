"""Hover: what is remembered of the symbol under the cursor."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from postil.anchors import Tied
from postil.model import Actor, AnchorState, Memory, Symbol
from postil.present import counted
from postil.times import local_day
from postil.words import clip
from postil.workspace import Workspace
from postil_hooks.quote import disarm, flat
from postil_lsp.features.document import Document, Range
from postil_lsp.features.margin import Margin, doubt, in_order

# More than three is a list to be opened, not a hover to be read.
_MOST = 3
_LENGTH = 400
# A name that so many definitions bear says nothing.
_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class HoverCard:
    """What to show and the word it is about. `markdown` is escaped, `plain` is the same as text."""

    markdown: str
    plain: str
    range: Range


@dataclass(frozen=True, slots=True)
class Around:
    """How the rest of the code uses a symbol: `callers` None where it is not known yet."""

    callers: int | None = None
    importers: int = 0


# A memory's links: what each is called and where it leads. Ours, never out of stored text.
Links = Callable[[Memory], Sequence[tuple[str, str]]]


def command_links(memory: Memory) -> list[tuple[str, str]]:
    """Links to our commands, for a client that runs them."""
    links = [("history", command("postil.history", {"memory": memory.id}))]
    if memory.sources:
        links.append(("source", command("postil.source", {"memory": memory.id})))
    # Shows the memory with what can be done with it: nothing that a link does changes anything.
    links.append(("change", command("postil.showMemories", [memory.id])))
    return [*links, ("mute", command("postil.mute", {"memory": memory.id}))]


def command(name: str, argument: object) -> str:
    """The URI of a command with its argument."""
    return f"command:{name}?{quote(json.dumps([argument]), safe='')}"


def hover(
    workspace: Workspace,
    document: Document,
    margin: Margin,
    line: int,
    column: int,
    links: Links | None = None,
) -> tuple[HoverCard, Symbol] | None:
    """Memories of the definition or of the used name at a position; None where there are none.

    With the symbol that they are about.
    """
    symbol = document.symbol_at(line, column)
    if symbol is not None:
        tied = margin.of(symbol)
        return (_card(tied, document.name_range(symbol), margin, links), symbol) if tied else None
    word = document.word_at(line, column)
    if word is None:
        return None
    found = _of_used_name(workspace, word[0])
    if found is None:
        return None
    return _card(in_order(found[1]), word[1], margin, links), found[0]


def with_code(card: HoverCard, symbol: Symbol, around: Around | None, is_here: bool) -> HoverCard:
    """The card with a line about the code: not its own signature where that is being read."""
    around = around or Around()
    used = [f"called from {counted(around.callers, 'place')}"] if around.callers else []
    if around.importers:
        used.append(f"its file is imported by {counted(around.importers, 'file')}")
    plain, markdown = [" · ".join(used)], [" · ".join(used)]
    if not is_here:
        signature = clip(flat(symbol.signature or symbol.qualified), 160)
        about = clip(flat(disarm(symbol.doc)).split(". ")[0], 160)
        plain = [signature, about, *plain]
        fence = "`" * (max(map(len, re.findall("`+", signature)), default=0) + 1)
        pad = " " if len(fence) > 1 else ""
        markdown = [f"{fence}{pad}{signature}{pad}{fence}", escape(about), *markdown]
    if not any(plain):
        return card
    return HoverCard(
        f"{card.markdown}\n\n---\n\n" + "\n\n".join(filter(None, markdown)),
        f"{card.plain}\n\n" + "\n".join(filter(None, plain)),
        card.range,
    )


def _of_used_name(workspace: Workspace, name: str) -> tuple[Symbol, Sequence[Tied]] | None:
    """The one symbol with memories that a used name can mean; None where it is ambiguous."""
    candidates = {
        (one.path, one.qualified): one for one in workspace.index.find(name)[:_CANDIDATES]
    }
    if not candidates:
        return None
    names = list(dict.fromkeys(one.qualified for one in candidates.values()))
    hashes = list(dict.fromkeys(one.content_hash for one in candidates.values()))
    found: dict[tuple[str, str], dict[str, Tied]] = {}
    for store in workspace.stores:
        # No file has this path: by the symbols' names and contents alone.
        for memory in store.tied_to("\0", names, hashes, (), Actor().scopes):
            for now in workspace.anchors.resolve_all(memory):
                place = (now.path, now.symbol)
                if place in candidates and now.state is not AnchorState.GONE:
                    found.setdefault(place, {})[memory.id] = (memory, now)
    if len(found) != 1:
        return None
    ((place, tied),) = found.items()
    return candidates[place], list(tied.values())


def _card(tied: Sequence[Tied], place: Range, margin: Margin, links: Links | None) -> HoverCard:
    shown = tied[:_MOST]
    markdown = [_markdown(one, margin, links) for one in shown]
    plain = [_plain(one, margin) for one in shown]
    if len(tied) > _MOST:
        more = f"{len(tied) - _MOST} more"
        ids = [memory.id for memory, _ in tied]
        is_live = links is command_links
        target = command("postil.showMemories", ids)
        markdown.append(f"[{more}]({target})" if is_live else f"*{more}*")
        plain.append(more)
    return HoverCard("\n\n---\n\n".join(markdown), "\n\n".join(plain), place)


def _markdown(tied: Tied, margin: Margin, links: Links | None) -> str:
    memory, _ = tied
    what = escape(clip(disarm(memory.what), _LENGTH))
    doubtful = doubt(tied, margin)
    if doubtful in ("contradicted", "expired"):
        what = f"~~{what}~~"
    text = f"**{memory.kind}** {what}"
    if memory.why:
        text += f"\n\n*Why:* {escape(clip(disarm(memory.why), _LENGTH))}"
    text += f"\n\n`{memory.id}` · {escape(_provenance(memory, doubtful))}"
    for title, target in links(memory) if links is not None else ():
        text += f" · [{title}]({target})"
    return text


def _plain(tied: Tied, margin: Margin) -> str:
    memory, _ = tied
    text = f"{memory.kind}: {clip(disarm(memory.what), _LENGTH)}"
    if memory.why:
        text += f"\nWhy: {clip(disarm(memory.why), _LENGTH)}"
    return f"{text}\n[{memory.id}] · {_provenance(memory, doubt(tied, margin))}"


def _provenance(memory: Memory, doubtful: str) -> str:
    when = local_day(memory.when or memory.created_at)
    parts = [when, flat(memory.author), flat(memory.source), doubtful]
    return " · ".join(part for part in parts if part)


def escape(text: str) -> str:
    """A line, never at a line's start, that no Markdown renderer takes for markup, links or HTML.

    No more than that is escaped: not every editor hides the backslashes.
    """
    text = re.sub(r"([\\`*\[|~]|(?<!\w)_|_(?!\w))", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;")
