"""The neighbourhood of a symbol or a file: who calls it, what it calls, what hangs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from postil.codemap.graph import Edge, Graph, in_tests
from postil.model import Symbol
from postil.storage.codeindex import CodeIndex

_RELATIONS = ("called by", "calls", "extends", "extended by", "file imported by", "file imports")
# Symbols that are followed further at each step: a question is not the whole program.
_MOST_FOLLOWED = 25


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What stands in a relation to what was asked for.

    `qualified` is "" for a whole file. A caller's line is that of its call, any other's that of its
    definition. `depth` is 1 for the nearest, `confidence` 0..1.
    """

    relation: str
    path: str
    line: int
    qualified: str = ""
    depth: int = 1
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A symbol (None: the whole file) and its neighbours, nearest first, relation by relation."""

    path: str
    symbol: Symbol | None
    neighbours: tuple[Neighbour, ...]


def explore(
    root: Path, index: CodeIndex, path: str, symbol: Symbol | None, depth: int
) -> Neighbourhood:
    """The neighbourhood of a symbol to this depth, or of a file."""
    found: list[Neighbour] = []
    if symbol is not None:
        graph = Graph(root, index)
        found += _outwards("called by", symbol, graph.callers, lambda one: one.source, depth)
        found += _outwards("calls", symbol, graph.callees, lambda one: one.target, depth)
        found += [_definition("extends", one, one.target, 1) for one in graph.bases(symbol)]
        found += [
            _definition("extended by", one, one.source, 1)
            for one in graph.derived(symbol)
            if one.source is not None
        ]
    for relation, outgoing in (("file imported by", False), ("file imports", True)):
        for other, line in index.graph.linked(path, outgoing):
            found.append(Neighbour(relation, other, 1 if outgoing else line))
    # The nearest first, so that a small budget has some of each; tests after what they test.
    found.sort(key=lambda one: (one.depth, _RELATIONS.index(one.relation), in_tests(one.path)))
    return Neighbourhood(path, symbol, tuple(found))


def _outwards(
    relation: str,
    symbol: Symbol,
    edges_of: Callable[[Symbol], list[Edge]],
    end_of: Callable[[Edge], Symbol | None],
    depth: int,
) -> Iterator[Neighbour]:
    """Calls outwards from a symbol, each symbol entered once: a cycle ends where it closes."""
    seen = {symbol}
    level = [symbol]
    for at in range(1, depth + 1):
        further: list[Symbol] = []
        for one in level[:_MOST_FOLLOWED]:
            for edge in edges_of(one):
                end = end_of(edge)
                if end is None or relation == "called by":
                    name = "" if end is None else end.qualified
                    yield Neighbour(relation, edge.path, edge.line, name, at, edge.confidence)
                else:
                    yield _definition(relation, edge, end, at)
                if end is not None and end not in seen:
                    seen.add(end)
                    further.append(end)
        level = further


def _definition(relation: str, edge: Edge, end: Symbol, depth: int) -> Neighbour:
    return Neighbour(relation, end.path, end.line, end.qualified, depth, edge.confidence)
