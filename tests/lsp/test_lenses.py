"""A lens counts what is remembered of a symbol, by kind."""

from __future__ import annotations

from pathlib import Path

from postil_lsp.features.document import Document
from postil_lsp.features.lenses import lenses
from postil_lsp.features.margin import Margin
from support.fixture import opened, read_fixture


def test_kinds_are_counted_in_order_of_weight(tmp_path: Path) -> None:
    fixture = read_fixture("""
        ### pay.ts
        const banner = "🎉"; export function charge(a: number) { return a }
        class Cart { total() { return 1 } }
        ### memory note pay.ts#Cart.total
        One
        ### memory decision pay.ts#charge
        Two
        ### memory rule pay.ts#charge
        Three
        ### memory rule pay.ts#charge
        Four
        ### memory summary pay.ts
        Five
        """)
    with opened(fixture, tmp_path / "p") as workspace:
        document = Document("pay.ts", fixture.files["pay.ts"])
        rows = lenses(document, Margin(workspace.memories_in(document.path)))

    shown = [(row.title, document.lines[row.range.line][row.range.start : row.range.end])
             for row in rows]  # fmt: skip
    assert shown == [
        ("1 summary", ""),
        ("2 rules · 1 decision", "charge"),
        ("1 note", "total"),
    ]


def test_unsaved_text_moves_the_lens(tmp_path: Path) -> None:
    fixture = read_fixture("### a.py\ndef f(): ...\n### memory fact a.py#f\nOne\n")
    with opened(fixture, tmp_path / "p") as workspace:
        margin = Margin(workspace.memories_in("a.py"))
        rows = lenses(Document("a.py", "import os\n\n\ndef f(): ...\n"), margin)

    assert [row.range.line for row in rows] == [3]
