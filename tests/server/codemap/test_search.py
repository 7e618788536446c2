"""`index_search` answers questions on real projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil import curate
from postil.workspace import Workspace, open_workspace
from support.project import commit_all, make_project
from support.real import real_project

QUESTIONS = {
    "django-5.2.8": {
        "where are url patterns resolved": "#URLPattern.resolve",
        "who sends the password reset email": "#PasswordResetForm.send_mail",
        "middleware that compresses responses": "#GZipMiddleware",
        "how does the ORM compile a query to SQL": "django/db/models/sql/compiler.py#",
    },
    "sqlalchemy-2.1.9": {
        "where is a connection given back to the pool": "pool/base.py#",
        "how are rows loaded lazily when an attribute is read": "orm/strategies.py#",
    },
    "express-5.1.0": {"where is a response sent as json": "#res.json"},
    "rxjs-7.8.2": {"retry a failed observable": "#retry"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_natural_questions_on_real_projects(tmp_path: Path, name: str) -> None:
    workspace = open_workspace(real_project(name, tmp_path / name))
    workspace.update_map()
    workspace.embed_pending(limit=1 << 40)

    for question, expected in QUESTIONS[name].items():
        hits = workspace.search_code(question, 5)
        places = [f"{hit.symbol.path}#{hit.symbol.qualified}" for hit in hits]
        assert any(expected in place for place in places), (question, places)
    workspace.close()


def found(workspace: Workspace, query: str) -> list[str]:
    return [hit.symbol.qualified for hit in workspace.search_code(query)]


def test_code_comes_before_its_tests_unless_tests_are_asked_for(tmp_path: Path) -> None:
    files = {
        "shop.py": "def refund_order(order): ...\n",
        "tests/test_shop.py": "def test_refund_order(): refund_order(1)\n",
    }
    workspace = open_workspace(make_project(tmp_path / "p", files))

    assert found(workspace, "refund an order")[0] == "refund_order"
    assert found(workspace, "tests of refund order")[0] == "test_refund_order"


def test_an_exact_name_is_first(workspace: Workspace) -> None:
    assert found(workspace, "Cart.total")[0] == "Cart.total"
    assert found(workspace, "charge")[0] == "charge"


def test_a_new_file_is_found_at_once(workspace: Workspace) -> None:
    (workspace.root / "mail.py").write_text("def send_invoice_mail(): ...\n")
    workspace._checked_at = 0.0  # the map was compared more than a moment ago

    assert found(workspace, "invoice mail")[0] == "send_invoice_mail"


def test_hits_say_how_much_is_remembered_of_them(workspace: Workspace) -> None:
    from postil.model import Memory

    curate.write(workspace, Memory(id="", what="Retries are off"), ["pay.py#charge"])

    assert {hit.symbol.name: hit.memories for hit in workspace.search_code("charge card")}[
        "charge"
    ] == 1


def test_every_kind_is_found(tmp_path: Path) -> None:
    """Through the tool, as agents and the command line ask."""
    from postil import tools
    from postil.model import Actor, Memory

    files = {
        "shop/pay.py": "import decimal\nfrom shop import cart\n\ndef charge_card(): ...\n",
        "shop/cart.py": "def total(): ...\n",
        "shop/__init__.py": "",
    }
    workspace = open_workspace(make_project(tmp_path / "p", files))
    (workspace.root / "shop/cart.py").write_text("def total(): return 1\n")
    commit_all(workspace.root, "Round the sums to whole cents")
    curate.write(workspace, Memory("", "Cards are charged once"), ["shop/pay.py#charge_card"])
    curate.write(workspace, Memory("", "Cards are printed in blue"))

    def answer(kind: str, query: str) -> str:
        given = {"query": query, "kind": kind}
        return tools.call(workspace, "index_search", given, Actor()).text

    assert answer("symbol", "charge a card").startswith("shop/pay.py:4  charge_card")
    assert answer("file", "whole cents").startswith("shop/cart.py\n")
    assert answer("import", "cart").startswith("shop/pay.py:2  shop -> shop/cart.py")
    assert "Round the sums to whole cents  (shop/cart.py)" in answer("commit", "cents")
    memories = answer("memory", "what about cards")
    assert "charged once" in memories
    assert "blue" not in memories
    assert "No commit matches." in answer("commit", "zeppelin")
    for kind in ("symbol", "file", "import", "commit"):
        assert "Map: 3 files" in answer(kind, "cart"), "how fresh the answer is"
    workspace.close()


def test_other_words_for_the_same_find_it(tmp_path: Path) -> None:
    files = {"a.py": "def remove_item(): ...\n\ndef paint(): ...\n"}
    workspace = open_workspace(make_project(tmp_path / "p", files))
    assert found(workspace, "delete something")[0] == "remove_item"
    workspace.close()
