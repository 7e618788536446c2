"""Anchors: what ties a memory to code, attached by content and resolved whenever it is read."""

from __future__ import annotations

from collections.abc import Iterable

from postil.errors import UsageError
from postil.model import Anchor, AnchorState, Memory, ResolvedAnchor, Symbol
from postil.storage.codeindex import CodeIndex
from postil.storage.store import Store

Tied = tuple[Memory, ResolvedAnchor]

_SEPARATORS = ("#", "::")


def attach(index: CodeIndex, where: str, commit: str = "") -> Anchor:
    """The anchor for `path`, `path#Qualified.name` or a symbol's name that is unique in the map.

    A file that is not mapped (prose, data) can be an anchor as a whole. UsageError when a symbol
    is named that the map does not know, with the nearest names.
    """
    where = where.strip().removeprefix("./")
    for separator in _SEPARATORS:
        if separator in where:
            path, _, name = where.partition(separator)
            return _symbol_anchor(index, path.strip(), name.strip(), commit)
    if "/" in where or index.file_hash(where):
        return Anchor(path=where, commit=commit)
    found = index.find(where)
    if len(found) == 1:
        return to_anchor(found[0], commit)
    if len(found) > 1:
        places = ", ".join(f"{one.path}#{one.qualified}" for one in found[:5])
        raise UsageError(f"{where!r} is ambiguous", hint=f"name one of: {places}")
    return Anchor(path=where, commit=commit)


def to_anchor(symbol: Symbol, commit: str = "") -> Anchor:
    """The anchor for a symbol of the map."""
    return Anchor(symbol.path, symbol.qualified, symbol.kind, symbol.content_hash, commit)


def resolve(index: CodeIndex, anchor: Anchor) -> ResolvedAnchor:
    """Where the anchor's code is now: same place, moved, changed (drifted) or gone."""
    if not anchor.symbol:
        known = bool(index.file_hash(anchor.path))
        state = AnchorState.EXACT if known else AnchorState.UNKNOWN
        return ResolvedAnchor(anchor, state, anchor.path, 1)
    here = [one for one in index.find(anchor.symbol) if one.path == anchor.path]
    exact = [one for one in here if one.content_hash == anchor.content_hash]
    if exact:
        return _at(anchor, AnchorState.EXACT, exact[0])
    same = [one for one in here if one.qualified == anchor.symbol]
    if same:
        return _at(anchor, AnchorState.DRIFTED, same[0])
    moved = index.with_hash(anchor.content_hash) if anchor.content_hash else []
    if len(moved) == 1:
        return _at(anchor, AnchorState.MOVED, moved[0])
    renamed = [one for one in index.find(anchor.symbol) if one.qualified == anchor.symbol]
    if len(renamed) == 1:
        return _at(anchor, AnchorState.MOVED, renamed[0])
    return ResolvedAnchor(anchor, AnchorState.GONE)


def resolve_all(index: CodeIndex, memory: Memory) -> tuple[ResolvedAnchor, ...]:
    """All anchors of a memory, resolved."""
    return tuple(resolve(index, anchor) for anchor in memory.anchors)


def by_symbol(index: CodeIndex, stores: Iterable[Store], path: str) -> dict[str, list[Tied]]:
    """The memories whose code now lies in `path`, by qualified symbol name; "" is the file.

    Only anchors that can lie here are resolved: of this path, or of a name or content found here.
    """
    here = index.symbols_in(path)
    names = [symbol.qualified for symbol in here]
    hashes = [symbol.content_hash for symbol in here]
    placed: dict[str, list[Tied]] = {}
    for store in stores:
        for memory in store.tied_to(path, names, hashes):
            for anchor in memory.anchors:
                now = resolve(index, anchor)
                if now.path == path and now.state is not AnchorState.GONE:
                    name = _name_now(index, now)
                    placed.setdefault(name, []).append((memory, now))
    return placed


def _symbol_anchor(index: CodeIndex, path: str, name: str, commit: str) -> Anchor:
    name = name.replace("::", ".")
    in_file = index.symbols_in(path) if path else index.find(name)
    for symbol in in_file:
        if symbol.qualified == name:
            return to_anchor(symbol, commit)
    ending = [one for one in in_file if one.qualified.endswith("." + name) or one.name == name]
    if len(ending) == 1:
        return to_anchor(ending[0], commit)
    if not in_file:
        raise UsageError(
            f"{path!r} is not in the code map", hint="`postil index update` maps new files"
        )
    names = ", ".join(one.qualified for one in (ending or in_file)[:8])
    raise UsageError(f"{path} has no symbol {name!r}", hint=f"it has: {names}")


def _name_now(index: CodeIndex, now: ResolvedAnchor) -> str:
    if not now.anchor.symbol:
        return ""
    if now.state is not AnchorState.MOVED:
        return now.anchor.symbol
    at_line = (one for one in index.symbols_in(now.path) if one.line == now.line)
    return next((one.qualified for one in at_line), now.anchor.symbol)


def _at(anchor: Anchor, state: AnchorState, symbol: Symbol) -> ResolvedAnchor:
    return ResolvedAnchor(anchor, state, symbol.path, symbol.line)
