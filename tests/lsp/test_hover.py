"""Hover shows what is remembered of the symbol under the cursor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from postil import curate
from postil.model import Memory
from postil.workspace import Workspace
from postil_lsp.features.document import Document
from postil_lsp.features.hover import HoverCard
from postil_lsp.features.hover import hover as found
from postil_lsp.features.margin import Margin
from support.fixture import opened, read_fixture


def hover(workspace: Workspace, document: Document, line: int, column: int) -> HoverCard | None:
    told = found(workspace, document, Margin(workspace.memories_in(document.path)), line, column)
    return told[0] if told is not None else None


def check_hover(text: str, expected: str | None, root: Path) -> None:
    """Hover at the cursor shows `expected` (ids and dates left out), or nothing for None."""
    fixture = read_fixture(text)
    with opened(fixture, root) as workspace:
        document = Document(fixture.path, fixture.files[fixture.path])
        card = hover(workspace, document, fixture.line, fixture.column)
        told = None
        if card is not None:
            told = re.sub(r"\n?\[m-\w+\] · [\d-]+", "", card.plain)
            line = document.lines[card.range.line]
            assert line[card.range.start : card.range.end].isidentifier()
        assert told == expected


def test_the_decision_on_a_function_is_shown_at_its_name(tmp_path: Path) -> None:
    check_hover(
        """
        ### pay.py
        def cha<|>rge(): ...
        ### memory decision pay.py#charge
        Retries are off
        why: the gateway is not idempotent
        """,
        "decision: Retries are off\nWhy: the gateway is not idempotent",
        tmp_path / "p",
    )


def test_a_call_in_another_file_shows_it_too(tmp_path: Path) -> None:
    check_hover(
        """
        ### pay.py
        def charge(): ...
        ### shop.py
        from pay import charge
        total = "🎉🎉" + str(ch<|>arge())
        ### memory rule pay.py#charge
        Call it once
        """,
        "rule: Call it once",
        tmp_path / "p",
    )


def test_a_method_is_told_from_one_of_the_same_name(tmp_path: Path) -> None:
    text = """
        ### a.py
        class A:
            def {0}save(self): ...
        class B:
            def {1}save(self): ...
        ### memory fact a.py#A.save
        Only A
        """
    check_hover(text.format("<|>", ""), "fact: Only A", tmp_path / "one")
    check_hover(text.format("", "<|>"), None, tmp_path / "two")


def test_nothing_is_shown_where_nothing_is_remembered(tmp_path: Path) -> None:
    check_hover("### a.py\ndef f<|>(): ...\n", None, tmp_path / "p")


def test_changed_code_is_said_to_have_changed(tmp_path: Path) -> None:
    fixture = read_fixture("### a.py\ndef f():\n    return 1\n### memory fact a.py#f\nIt is one\n")
    with opened(fixture, tmp_path / "p") as workspace:
        (tmp_path / "p/a.py").write_text("\n\ndef f():\n    return 2\n")
        workspace.update_map()
        card = hover(workspace, Document("a.py", "\n\ndef f():\n    return 2\n"), 2, 5)

    assert card is not None
    assert "code changed since" in card.plain


@pytest.mark.parametrize("text", ["[x](command:evil)", "<img src=x>", "**b** `c` # d", "a\n- b"])
def test_stored_text_is_never_markup(tmp_path: Path, text: str) -> None:
    with opened(read_fixture("### a.py\ndef f(): ...\n"), tmp_path / "p") as workspace:
        curate.write(workspace, Memory(id="", what=text), ["a.py#f"])
        card = hover(workspace, Document("a.py", "def f(): ...\n"), 0, 4)

    assert card is not None
    body = card.markdown.split("\n\n")[0].removeprefix("**note** ")
    assert not re.search(r"(?<!\\)[\[`*<]", body)
    assert "\n" not in body
