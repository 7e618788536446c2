"""Gold fixtures of the languages: a source, and what is defined, imported and used in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from postil.codemap.languages import language_of
from postil.codemap.parse import parse
from postil.codemap.references import uses

FOLDER = Path(__file__).parent.parent / "cases" / "languages"


@dataclass(frozen=True)
class Gold:
    """One fixture. Facts are the lines of its gold, without the word `symbol` and the like."""

    language: str
    file: str
    source: bytes
    facts: dict[str, Counter[str]]


def read_gold(path: Path) -> Gold:
    """The fixture of a file."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    source, _, gold = rest.partition("\n=== gold\n")
    facts: dict[str, Counter[str]] = {}
    for line in gold.splitlines():
        if line.strip():
            sort, _, fact = line.partition(" ")
            facts.setdefault(sort, Counter())[fact] += 1
    return Gold(path.stem, head.removeprefix("file: "), (source + "\n").encode(), facts)


def found_in(gold: Gold) -> dict[str, Counter[str]]:
    """What the code map finds in the source of a fixture, as facts."""
    language = language_of(gold.file)
    assert language is not None
    facts = parse(gold.file, gold.source, language)
    used = uses(gold.source, language)
    calls = {f"{one.caller or '-'} {one.name} {one.line}" for one in used if one.kind == "call"}
    return {
        "symbol": Counter(f"{one.kind} {one.qualified} {one.line}" for one in facts.symbols),
        "import": Counter(f"{one.module} {one.line}" for one in facts.imports),
        "call": Counter(calls),
        "base": Counter(
            f"{one.caller} {one.name} {one.line}" for one in used if one.kind == "base"
        ),
    }


def f1(expected: Counter[str], found: Counter[str]) -> float:
    """The harmonic mean of precision and recall; 1 when there is nothing and nothing is found."""
    hits = (expected & found).total()
    total = expected.total() + found.total()
    return 2 * hits / total if total else 1.0
