"""Calls of three real modules against lists made by reading them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from postil.codemap.graph import Edge, Graph
from postil.codemap.update import update
from postil.codemap.walk import Limits
from postil.storage.codeindex import CodeIndex
from support.real import installed

pytestmark = pytest.mark.slow

CASES = Path(__file__).parents[2] / "cases" / "calls"
_NEEDED = 0.9


@pytest.mark.parametrize("name", ["django", "rxjs", "express"])
def test_calls_of_a_real_module(name: str, tmp_path: Path) -> None:
    case = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    root = installed(case["root_hint"].split()[0])
    index = CodeIndex(tmp_path / "map.db")
    update(root, index, Limits(ignore=tuple(case.get("exclude", ()))))
    graph = Graph(root, index)
    symbols = {one.qualified: one for one in index.symbols_in(case["module"])}
    optional = case.get("optional", {})

    called = _Tally()
    for function, expected in case["callees"].items():
        if function != "-":
            found = {_place(edge, target=True) for edge in graph.callees(symbols[function])}
            called.count(function, found, expected, optional.get(function, ()))
    calling = _Tally()
    for key, expected in case["callers"].items():
        edges = graph.callers(symbols[key.partition("#")[2]])
        found = {_place(edge, target=False) for edge in edges}
        calling.count(key, found, expected, optional.get(key, ()))

    assert called.precision >= _NEEDED and called.recall >= _NEEDED, called.wrong
    assert calling.precision >= _NEEDED and calling.recall >= _NEEDED, calling.wrong


class _Tally:
    """What was found of what was to be found; an entry may be a list of which one is enough."""

    def __init__(self) -> None:
        self.right = self.missed = self.extra = 0
        self.wrong: list[str] = []

    def count(
        self, key: str, found: set[str], expected: Iterable[Any], optional: Iterable[Any]
    ) -> None:
        allowed = {one for entry in optional for one in _alternatives(entry)}
        for entry in expected:
            hits = found & _alternatives(entry)
            allowed |= _alternatives(entry)
            self.right += bool(hits)
            self.missed += not hits
            if not hits:
                self.wrong.append(f"{key}: missed {entry}")
        self.extra += len(found - allowed)
        self.wrong += [f"{key}: extra {one}" for one in found - allowed]

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.extra)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def _alternatives(entry: Any) -> set[str]:
    return set(entry) if isinstance(entry, list) else {entry}


def _place(edge: Edge, target: bool) -> str:
    symbol = edge.target if target else edge.source
    return f"{edge.path}#-" if symbol is None else f"{symbol.path}#{symbol.qualified}"
