"""Symbols of a document and of the workspace, and where names lead, from the code map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from postil.codemap.graph import Edge, Graph
from postil.model import Symbol
from postil.workspace import Workspace
from postil_lsp.features.document import Document, Range

_MOST = 100


@dataclass(slots=True)
class Node:
    """A symbol with those inside of it."""

    symbol: Symbol
    name_range: Range
    children: list[Node] = field(default_factory=list)


def outline(document: Document) -> list[Node]:
    """The symbols of a document as a tree."""
    roots: list[Node] = []
    known: dict[str, Node] = {}
    for symbol in document.symbols:
        node = Node(symbol, document.name_range(symbol))
        above = known.get(symbol.qualified.rpartition(".")[0])
        inside = above is not None and above.symbol.line <= symbol.line <= above.symbol.end_line
        (above.children if above is not None and inside else roots).append(node)
        known.setdefault(symbol.qualified, node)
    return roots


def in_workspace(workspace: Workspace, query: str) -> list[Symbol]:
    """The symbols that a name or words lead to; exact names first."""
    if not query.strip():
        return []
    exact = workspace.index.find(query.strip())
    found = {(one.path, one.qualified, one.line): one for one in exact}
    for hit in workspace.search_code(query, _MOST):
        one = hit.symbol
        found.setdefault((one.path, one.qualified, one.line), one)
    return list(found.values())[:_MOST]


def meant(workspace: Workspace, document: Document, line: int, column: int) -> list[Symbol]:
    """What a name at a position may mean: itself at its definition, else what bears the name."""
    own = document.symbol_at(line, column)
    if own is not None:
        return [own]
    word = document.word_at(line, column)
    if word is None:
        return []
    found = workspace.index.find(word[0])
    here = [one for one in found if one.path == document.path]
    return (here or found)[:_MOST]


def callers(workspace: Workspace, symbol: Symbol) -> Sequence[Edge]:
    """What calls a symbol."""
    return Graph(workspace.root, workspace.index).callers(symbol)


def callees(workspace: Workspace, symbol: Symbol) -> Sequence[Edge]:
    """What a symbol calls."""
    return Graph(workspace.root, workspace.index).callees(symbol)
