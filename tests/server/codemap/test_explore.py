"""Around a symbol: callers and callees to a depth, heirs, importers; what keeps its identity."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from postil import tools
from postil.codemap import entries
from postil.codemap.update import update
from postil.codemap.walk import Limits
from postil.model import Actor
from postil.storage.codeindex import CodeIndex
from postil.workspace import open_workspace
from support.project import make_project

FILES = {
    "pay.py": "def charge():\n    check()\n    return send()\n\n"
    "def check():\n    charge()\n\ndef send(): ...\n",
    "shop.py": "from pay import charge\n\nclass Shop:\n    def sell(self):\n        charge()\n\n"
    "class Stall(Shop): ...\n",
    "main.py": "import shop\n\ndef run():\n    shop.Shop().sell()\n",
}


def asked(root: Path, place: str, **more: int) -> str:
    workspace = open_workspace(root)
    try:
        return tools.call(workspace, "index_explore", {"place": place, **more}, Actor()).text
    finally:
        workspace.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shop", FILES)


def test_callers_and_callees_of_a_function(root: Path) -> None:
    lines = asked(root, "pay.py#charge").splitlines()

    assert lines[:8] == [
        "pay.py:1  charge (function)",
        "called by:",
        "  pay.py:6  check",
        "  shop.py:5  Shop.sell",
        "calls:",
        "  pay.py:5  check",
        "  pay.py:8  send",
        "file imported by:",
    ]


def test_a_depth_follows_calls_and_a_cycle_ends(root: Path) -> None:
    text = asked(root, "pay.py#charge", depth=4)

    assert (
        "called by, 2 calls away:\n  pay.py:2  charge\n  main.py:4  run  (likely)\ncalls, 2" in text
    )
    assert text.count("shop.py:5  Shop.sell") == 1


def test_heirs_and_importers(root: Path) -> None:
    assert "extended by:\n  shop.py:7  Stall\nfile imported by:\n  main.py:1" in asked(
        root, "shop.py#Shop"
    )
    assert "extends:\n  shop.py:3  Shop" in asked(root, "shop.py#Stall")
    assert "file imports:\n  pay.py:1" in asked(root, "shop.py")


def test_a_budget_cuts_and_says_so(root: Path) -> None:
    text = asked(root, "pay.py#charge", tokens=50)

    assert "more: raise `tokens`" in text


def test_calls_are_those_of_the_text_as_it_is_now(root: Path) -> None:
    assert "shop.py:5  Shop.sell" in asked(root, "pay.py#charge")

    (root / "shop.py").write_text("def sell(): ...\n", encoding="utf-8")

    assert "Shop.sell" not in asked(root, "pay.py#charge")


def test_a_symbol_that_is_still_there_keeps_its_row(tmp_path: Path) -> None:
    root = make_project(tmp_path / "p", {"a.py": "def one(): ...\ndef two(): return 1\n"})
    index = CodeIndex(tmp_path / "map.db")
    update(root, index, Limits())
    before = {one.name: index.graph.rowid_of(one) for one in index.symbols_in("")}

    changed = "import os\n\ndef two(): return 2\n\ndef three(): ...\n\ndef one(): ...\n"
    (root / "a.py").write_text(changed, encoding="utf-8")
    update(root, index, Limits())

    after = {one.name: (index.graph.rowid_of(one), one.line) for one in index.symbols_in("")}
    assert after["one"] == (before["one"], 7)
    assert after["two"] == (before["two"], 3)
    assert after["three"][0] not in before.values()
    assert [one.name for one in index.symbols([*index.match_words(["two"], 5)]).values()] == ["two"]


@pytest.mark.slow
def test_many_files_are_mapped_alike_by_one_process_and_by_several(tmp_path: Path) -> None:
    many = entries._MANY + 20
    root = make_project(
        tmp_path / "p",
        {f"m{n}.py": f"import m{n + 1}\ndef f{n}(): f{n + 1}()\n" for n in range(many)},
    )
    alone, shared, threaded = (CodeIndex(tmp_path / f"{n}.db") for n in range(3))
    half = Limits(ignore=tuple(f"m{n}.py" for n in range(0, many, 2)))
    update(root, alone, half)
    update(root, alone, Limits())  # each half is too few for several processes
    update(root, shared, Limits())
    # Beside other threads processes are not forked.
    thread = threading.Thread(target=update, args=(root, threaded, Limits()))
    thread.start()
    thread.join()

    expected = alone.symbols_in("")
    assert len(expected) == many
    assert shared.symbols_in("") == expected == threaded.symbols_in("")
    assert shared.graph.links() and len(threaded.graph.links()) == len(alone.graph.links())
