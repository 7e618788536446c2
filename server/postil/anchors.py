"""Anchors: what ties a memory to code, attached by content and resolved whenever it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from postil.errors import UsageError
from postil.model import Anchor, AnchorState, Memory, ResolvedAnchor, Scope, Symbol
from postil.storage.codeindex import CodeIndex
from postil.storage.store import Store

Tied = tuple[Memory, ResolvedAnchor]

_SEPARATORS = ("#", "::")


def attach(index: CodeIndex, where: str, commit: str = "") -> Anchor:
    """The anchor for `path`, `path#Qualified.name`, `path:line` or a symbol that is unique here.

    A file that is not mapped (prose, data) can be an anchor as a whole. UsageError for a place
    that is not there, with the nearest ones.
    """
    where = where.strip().removeprefix("./")
    for separator in _SEPARATORS:
        if separator in where:
            path, _, name = where.partition(separator)
            return _symbol_anchor(index, re.sub(r":\d+$", "", path.strip()), name.strip(), commit)
    at_line = re.fullmatch(r"(.+?):(\d+)(?:[:-]\d+)*", where)
    if at_line and index.knows(at_line[1]):
        return _line_anchor(index, at_line[1], int(at_line[2]), commit)
    if index.knows(where):
        return Anchor(path=where, commit=commit)
    found = [] if "/" in where else index.find(where)
    if len(found) == 1:
        return to_anchor(found[0], commit)
    if len(found) > 1:
        places = ", ".join(f"{one.path}#{one.qualified}" for one in found[:5])
        raise UsageError(f"{where!r} is ambiguous", hint=f"name one of: {places}")
    raise _unknown(index, where)


def to_anchor(symbol: Symbol, commit: str = "") -> Anchor:
    """The anchor for a symbol of the map."""
    return Anchor(symbol.path, symbol.qualified, symbol.kind, symbol.content_hash, commit)


def resolve(index: CodeIndex, anchor: Anchor) -> ResolvedAnchor:
    """Where the anchor's code is now: same place, moved, changed (drifted) or gone."""
    if not index.meta("mapped"):
        return ResolvedAnchor(anchor, AnchorState.UNKNOWN, anchor.path)
    if not anchor.symbol:
        if index.knows(anchor.path):
            return ResolvedAnchor(anchor, AnchorState.EXACT, anchor.path, 1)
        return ResolvedAnchor(anchor, AnchorState.GONE)
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


def by_symbol(
    index: CodeIndex, stores: Iterable[Store], path: str, scopes: Sequence[Scope]
) -> dict[str, list[Tied]]:
    """The memories whose code now lies in `path`, by qualified symbol name; "" is the file.

    Only anchors that can lie here are resolved: of this path, or of a name or content found here.
    """
    here = index.symbols_in(path)
    names = [symbol.qualified for symbol in here]
    hashes = [symbol.content_hash for symbol in here]
    placed: dict[str, list[Tied]] = {}
    for store in stores:
        for memory in store.tied_to(path, names, hashes, scopes):
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
        raise _unknown(index, path or name)
    names = ", ".join(one.qualified for one in (ending or in_file)[:8])
    raise UsageError(f"{path} has no symbol {name!r}", hint=f"it has: {names}")


def _line_anchor(index: CodeIndex, path: str, line: int, commit: str) -> Anchor:
    """The innermost symbol around a line, or the file."""
    around = [one for one in index.symbols_in(path) if one.line <= line <= one.end_line]
    if not around:
        return Anchor(path=path, commit=commit)
    return to_anchor(max(around, key=lambda one: one.line), commit)


def _unknown(index: CodeIndex, path: str) -> UsageError:
    near = index.paths_ending(path.rsplit("/", 1)[-1])
    hint = f"did you mean {' or '.join(near)}?" if near else "paths start at the project's root"
    return UsageError(f"{path!r} is not in the project", hint=hint)


def _name_now(index: CodeIndex, now: ResolvedAnchor) -> str:
    if not now.anchor.symbol:
        return ""
    if now.state is not AnchorState.MOVED:
        return now.anchor.symbol
    at_line = (one for one in index.symbols_in(now.path) if one.line == now.line)
    return next((one.qualified for one in at_line), now.anchor.symbol)


def _at(anchor: Anchor, state: AnchorState, symbol: Symbol) -> ResolvedAnchor:
    return ResolvedAnchor(anchor, state, symbol.path, symbol.line)
