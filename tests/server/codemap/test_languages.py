"""Every language against its gold fixture: symbols, imports, calls and bases.

The fixtures were written by reading, by somebody who did not know the queries.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from postil.codemap import languages as registry
from postil.codemap.languages import grammar, language_of, languages
from support.gold import FOLDER, f1, found_in, read_gold

FIXTURES = sorted(FOLDER.glob("*.txt"))


_NEEDED = 0.97


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_gold(fixture: Path) -> None:
    gold = read_gold(fixture)
    found = found_in(gold)

    for sort, facts in found.items():
        expected = gold.facts.get(sort, Counter())
        told = f"{sort}: missed {sorted(expected - facts)}, extra {sorted(facts - expected)}"
        assert f1(expected, facts) >= _NEEDED, told


def test_every_language_has_a_fixture() -> None:
    covered = {language_of(read_gold(path).file) for path in FIXTURES}

    assert covered == languages().keys()
    assert len(languages()) >= 25


def test_every_grammar_can_be_loaded() -> None:
    assert [name for name in languages() if grammar(name) is None] == []


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("Dockerfile", "dockerfile"),
        ("deploy/Dockerfile.release", "dockerfile"),
        ("GNUmakefile", "make"),
        ("a/b.PY", "python"),
        ("lib/a.d.ts", "typescript"),
        (".bashrc", "bash"),
        ("a.b/c", None),
        ("py", None),
        (".py", None),
    ],
)
def test_a_file_belongs_to_a_language_by_its_name_or_ending(
    path: str, language: str | None
) -> None:
    assert registry.language_of(path) == language
