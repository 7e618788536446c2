"""Each feature by cases in files: code with a cursor, memories, and the answer beside it.

`cases/lsp/FEATURE.txt` holds many, each begun by `====== name`: files (`### pay.py`, `<|>` is the
cursor, `<[>` and `<]>` a selection), memories (`### memory KIND PLACE`), what was saved since
(`### saved pay.py`), unsaved text (`### edit pay.py`), and `### expect`. Ids and days are left out.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from postil import curate
from postil.codemap.rules import parse_pattern
from postil.model import Actor, Kind, Memory, Pattern, Scope
from postil.workspace import Workspace, open_workspace
from postil_lsp.features import symbols
from postil_lsp.features.actions import actions, statement_in
from postil_lsp.features.citations import citations, offers
from postil_lsp.features.diagnostics import problems
from postil_lsp.features.document import Document
from postil_lsp.features.hover import hover, with_code
from postil_lsp.features.inlays import inlays
from postil_lsp.features.lenses import lenses
from postil_lsp.features.margin import Margin
from postil_lsp.session import Session
from support.project import make_project

CASES = Path(__file__).parents[1] / "cases/lsp"
_PERSON = Actor()
_ID = re.compile(r"m-[0-9a-z]{12}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass
class Case:
    """One case as it is written."""

    name: str
    text: str
    files: dict[str, str] = field(default_factory=dict)
    saved: dict[str, str] = field(default_factory=dict)
    edits: dict[str, str] = field(default_factory=dict)
    memories: list[tuple[Memory, str]] = field(default_factory=list)
    path: str = ""
    first: tuple[int, int] = (0, 0)
    last: tuple[int, int] = (0, 0)
    expected: str = ""


def read_case(name: str, text: str) -> Case:
    case = Case(name, text)
    parts = re.split(r"^### (.+)\n", text, flags=re.MULTILINE)
    for header, raw in zip(parts[1::2], parts[2::2], strict=True):
        body = raw
        word, _, rest = header.partition(" ")
        if word == "expect":
            case.expected = body.strip("\n")
        elif word == "memory":
            case.memories.append(_memory(rest, body))
        else:
            path = rest if word in ("saved", "edit") else header
            body = _marked(case, path, body)
            target = {"saved": case.saved, "edit": case.edits}.get(word, case.files)
            target[path] = body
    return case


def _marked(case: Case, path: str, body: str) -> str:
    """The text without its marks; where they stood is kept."""
    for mark in ("<|>", "<[>", "<]>"):
        if mark in body:
            before = body[: body.index(mark)]
            place = before.count("\n"), len(before) - (before.rfind("\n") + 1)
            body = body.replace(mark, "", 1)
            case.path = path
            if mark != "<]>":
                case.first = place
            case.last = place
    return body


def _memory(header: str, body: str) -> tuple[Memory, str]:
    kind, _, place = header.partition(" ")
    told: dict[str, str] = {}
    lines = []
    for line in body.strip().splitlines():
        name, colon, value = line.partition(": ")
        if colon and name in ("why", "until", "scope", "pattern", "sources", "pinned"):
            told[name] = value
        else:
            lines.append(line)
    memory = Memory(
        id="",
        what="\n".join(lines),
        why=told.get("why", ""),
        kind=Kind.parse(kind),
        scope=Scope.parse(told.get("scope", "project")),
        pattern=parse_pattern(told["pattern"]) if "pattern" in told else Pattern(),
        sources=tuple(told.get("sources", "").split()),
        pinned="pinned" in told,
        importance=0.9 - 0.01 * len(told.get("why", "")),
    )
    return (replace(memory, valid_until=time.time() - 60) if "until" in told else memory), place


def cases(feature: str) -> list[Case]:
    text = (CASES / f"{feature}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^====== (.+)\n", text, flags=re.MULTILINE)
    return [read_case(name, body) for name, body in zip(parts[1::2], parts[2::2], strict=True)]


@dataclass
class Open:
    """A case as a project on disk, and its document as the editor has it."""

    case: Case
    workspace: Workspace
    document: Document
    margin: Margin


def opened(case: Case, root: Path) -> Iterator[Open]:
    project = make_project(root, case.files)
    workspace = open_workspace(project)
    try:
        workspace.update_map()
        for memory, place in case.memories:
            expired = memory.valid_until
            written = curate.write(
                workspace, replace(memory, valid_until=0.0), [place] if place != "-" else []
            ).memory
            if expired:
                ended = partial(replace, valid_until=expired)
                curate.update(workspace, written.id, ended, _PERSON)
        for path, text in case.saved.items():
            (project / path).write_text(text, encoding="utf-8")
        if case.saved:
            workspace.update_map()
        path = case.path or next(iter(case.files))
        text = case.edits.get(path, case.saved.get(path, case.files[path]))
        session = Session()
        yield Open(case, workspace, Document(path, text), session.margin(workspace, path))
    finally:
        workspace.close()


def the_hover(one: Open) -> str:
    told = hover(one.workspace, one.document, one.margin, *one.case.first)
    if told is None:
        return "nothing"
    card, symbol = told
    is_here = one.document.symbol_at(*one.case.first) is not None
    card = with_code(card, symbol, None, is_here)
    word = one.document.lines[card.range.line][card.range.start : card.range.end]
    return f"{word}: {card.plain}"


def the_markdown(one: Open) -> str:
    told = hover(one.workspace, one.document, one.margin, *one.case.first)
    return told[0].markdown if told is not None else "nothing"


def the_lenses(one: Open) -> str:
    rows = lenses(one.document, one.margin)
    return "\n".join(f"{row.range.line + 1} {row.symbol or 'file'} | {row.title}" for row in rows)


def the_inlays(one: Open) -> str:
    first, last = one.case.first[0], one.case.last[0]
    if first == last:
        first, last = 0, len(one.document.lines)
    typed = one.case.first[0] if one.case.edits else None
    rows = inlays(one.document, one.margin, first, last, typed)
    return "\n".join(
        f"{row.range.line + 1}:{row.range.start} | {row.label} | {row.tooltip!r}" for row in rows
    )


def the_diagnostics(one: Open) -> str:
    session = Session()
    rules = session.rules(one.workspace)
    rows = problems(one.document, one.margin, rules, session.dismissed(one.workspace))
    return "\n".join(
        f"{row.range.line + 1}:{row.range.start}-{row.range.end} {row.code} | {row.message}"
        for row in rows
    )


def the_links(one: Open) -> str:
    return "\n".join(
        f"{row.range.line + 1}:{row.range.start}-{row.range.end}" for row in citations(one.document)
    )


def the_actions(one: Open) -> str:
    rows = actions(one.document, one.margin, "file:///x", one.case.first[0], one.case.last[0], [])
    return "\n".join(f"{row.command} | {row.title}" for row in rows)


def the_statements(one: Open) -> str:
    first, last = one.case.first[0], one.case.last[0]
    return statement_in(one.document.lines[first : last + 1]) or "nothing"


def the_outline(one: Open) -> str:
    lines: list[str] = []

    def told(nodes: list[symbols.Node], depth: int) -> None:
        for node in nodes:
            place = node.name_range
            name = one.document.lines[place.line][place.start : place.end]
            lines.append(f"{'  ' * depth}{node.symbol.kind} {name} {place.line + 1}")
            told(node.children, depth + 1)

    told(symbols.outline(one.document), 0)
    return "\n".join(lines)


def the_navigation(one: Open) -> str:
    rows = symbols.meant(one.workspace, one.document, *one.case.first)
    lines = [f"{row.path}:{row.line} {row.qualified}" for row in rows]
    for row in rows[:1]:
        found = symbols.callers(one.workspace, row)
        lines += [f"called {edge.path}:{edge.line}" for edge in found]
    return "\n".join(lines) or "nothing"


def the_completion(one: Open) -> str:
    known = curate.recent(one.workspace, _PERSON.scopes, 50)
    rows = offers(one.document, *one.case.first, sorted(known, key=lambda row: row.what))
    return "\n".join(f"{row.range.start}-{row.range.end} {row.detail}" for row in rows) or "nothing"


FEATURES: dict[str, Callable[[Open], str]] = {
    "hover": the_hover,
    "markdown": the_markdown,
    "lens": the_lenses,
    "inlay": the_inlays,
    "diagnostics": the_diagnostics,
    "links": the_links,
    "actions": the_actions,
    "statements": the_statements,
    "outline": the_outline,
    "navigation": the_navigation,
    "completion": the_completion,
}


def plain(text: str) -> str:
    return _DAY.sub("DAY", _ID.sub("ID", text)).rstrip("\n")


@pytest.mark.parametrize(
    ("feature", "case"),
    [
        pytest.param(feature, case, id=f"{feature}: {case.name}")
        for feature in FEATURES
        if (CASES / f"{feature}.txt").exists()
        for case in cases(feature)
    ],
)
def test_the_answer_is_as_it_stands_beside(feature: str, case: Case, tmp_path: Path) -> None:
    for one in opened(case, tmp_path / "p"):
        assert plain(FEATURES[feature](one)) == case.expected


def test_there_are_enough() -> None:
    assert sum(len(cases(feature)) for feature in FEATURES) >= 120


if __name__ == "__main__":
    # Writes what is missing, to be read by a person before it is committed.
    import os
    import tempfile

    for feature in sys.argv[1:] or FEATURES:
        path = CASES / f"{feature}.txt"
        blocks = []
        for case in cases(feature):
            head = case.text.split("### expect")[0].rstrip("\n")
            os.environ["HOME"] = tempfile.mkdtemp()
            for one in opened(case, Path(tempfile.mkdtemp()) / "p"):
                answer = plain(FEATURES[feature](one))
                if case.expected not in ("", answer):
                    print(f"{feature}: {case.name}\n--- was\n{case.expected}\n--- is\n{answer}\n")
            blocks.append(f"====== {case.name}\n{head}\n### expect\n{answer}\n")
        path.write_text("\n".join(blocks), encoding="utf-8")
