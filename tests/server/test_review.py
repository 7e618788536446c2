"""`review` says which memories a change concerns and which rules it breaks: ten prepared changes.

The cases (`cases/review`) were written without a look at how review works.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from postil import curate, git
from postil.cli.main import cli
from postil.cli.review import BROKEN
from postil.codemap.rules import breaks, parse_pattern
from postil.errors import PostilError, UsageError
from postil.model import Actor, Kind, Memory, Pattern
from postil.review import Reviewed, changed_away, dismiss, review
from postil.workspace import Workspace, open_workspace
from support.project import commit_all, make_project, postil, run_git

CASES = sorted((Path(__file__).parents[1] / "cases" / "review").glob("*/case.json"))


def prepared(folder: Path, case: dict[str, Any]) -> tuple[Workspace, dict[str, str]]:
    """The project of a case as it was before, with its memories; their keys by id."""
    root = make_project(folder / "project", case["before"])
    workspace = open_workspace(root)
    keys = {}
    for one in case["memories"]:
        draft = Memory(
            "",
            one["what"],
            Kind(one["kind"]),
            why=one.get("why", ""),
            pattern=Pattern(**one.get("pattern", {})),
        )
        keys[curate.write(workspace, draft, one.get("where", ())).memory.id] = one["key"]
    assert len(keys) == len(case["memories"])
    for path in case["before"].keys() - case["after"].keys():
        (root / path).unlink()
    for path, text in case["after"].items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    workspace.update_map()
    return workspace, keys


def told(
    done: Reviewed, keys: dict[str, str]
) -> tuple[set[tuple[str, str]], set[tuple[str, str, int]]]:
    """What concerns a change and what breaks a rule, by key."""
    concerns = {(keys[one.memory.id], one.path) for one in done.findings if not one.breaks}
    broken = {(keys[one.memory.id], one.path, one.line) for one in done.findings if one.breaks}
    return concerns, broken


@pytest.mark.parametrize("way", ["worktree", "staged", "range", "patch"])
@pytest.mark.parametrize("file", CASES, ids=lambda file: file.parent.name)
def test_a_change_meets_what_is_remembered(tmp_path: Path, file: Path, way: str) -> None:
    case = json.loads(file.read_text("utf-8"))
    workspace, keys = prepared(tmp_path, case)
    root = workspace.root
    try:
        if way == "worktree":
            done = review(workspace, git.comparison(root), Actor())
        elif way == "staged":
            run_git(root, "add", "-A")
            done = review(workspace, git.comparison(root, staged=True), Actor())
        elif way == "range":
            commit_all(root, "change")
            done = review(workspace, git.comparison(root, "HEAD~1..HEAD"), Actor())
        else:
            run_git(root, "add", "-A")
            diff = subprocess.run(
                ["git", "diff", "--cached", "-M"], cwd=root, capture_output=True, check=True
            ).stdout
            with git.patched(root, diff) as asked:
                done = review(workspace, asked, Actor())
    finally:
        workspace.close()

    assert done.left_out == ()
    concerns, broken = told(done, keys)
    assert concerns == {(one["key"], one["path"]) for one in case["concerns"]}
    assert broken == {(one["key"], one["path"], one["line"]) for one in case["breaks"]}


def test_the_command_ends_with_seven_for_a_broken_rule(workspace: Workspace) -> None:
    project = ["--project", str(workspace.root)]
    run = CliRunner().invoke
    rule = ["remember", "No prints", "--kind", "rule", "--breaks", r"regex: \bprint\("]
    assert run(cli, [*rule, "--breaks", "glob: *.py", *project]).exit_code == 0
    clean = run(cli, ["review", *project])
    assert (clean.exit_code, "nothing that is remembered" in clean.output) == (0, True)

    (workspace.root / "new.py").write_text("def f():\n    print('x')\n")
    text = run(cli, ["review", *project])
    assert text.exit_code == BROKEN == 7
    assert "1 broken rule" in text.output
    assert "  2: BREAKS [" in text.output
    data = json.loads(run(cli, ["review", "--json", *project]).output)
    assert [(one["path"], one["line"], one["breaks"]) for one in data["findings"]] == [
        ("new.py", 2, True)
    ]


def test_what_cannot_be_compared_is_said(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no commit"):
        git.comparison(workspace.root, "--output=x")
    with pytest.raises(UsageError, match="does not apply"), git.patched(workspace.root, b"x"):
        pass
    with pytest.raises(UsageError, match="no git repository"):
        git.changes(tmp_path, git.Comparison("HEAD"))


def test_code_that_changed_since_is_listed(workspace: Workspace) -> None:
    curate.write(workspace, Memory("", "Charges are never retried"), ["pay.py#charge"])
    curate.write(workspace, Memory("", "Carts are per tab"), ["lib/cart.py#Cart"])
    assert changed_away(workspace, Actor()) == []

    (workspace.root / "pay.py").write_text(
        "def charge(amount: int) -> int:\n    return amount + 1\n"
    )
    found = changed_away(workspace, Actor())

    assert [(one.path, one.memory.what) for one in found] == [
        ("pay.py", "Charges are never retried")
    ]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("print(", "is no pattern"),
        ("regex: (", "does not compile"),
        ("query python: (call", "does not compile for python"),
        ("query python: (call)", "captures no @match"),
        ("query klingon: (call) @match", "not mapped"),
        ("query: (call) @match", "without a language"),
        ("regex: a\nregex: b", "is no pattern"),
        ("regex: a\nquery python: (call) @match", "either"),
    ],
)
def test_a_pattern_that_cannot_be_checked_is_refused(written: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse_pattern(written)


def test_only_a_rule_can_be_broken(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="only a rule"):
        curate.write(workspace, Memory("", "No prints", pattern=Pattern(regex="print")))


def test_a_query_for_typescript_reads_tsx_too() -> None:
    pattern = parse_pattern("query typescript: (predefined_type) @match\nglob: src/")
    assert breaks(pattern, "src/a.tsx", b"let a: any;\n") == [1]
    assert breaks(pattern, "lib/a.tsx", b"let a: any;\n") == []


def test_an_expression_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        breaks(Pattern(regex="(a|aa)+$"), "x", b"a" * 1_000 + b"b")


def test_a_rule_may_be_broken_where_a_person_says_why(workspace: Workspace, home: Path) -> None:
    """By that line alone: it moves with it, and ends when the line is changed."""
    rule = Memory(
        id="", what="No prints", kind=Kind.RULE, pattern=Pattern(regex=r"print\("), author="person"
    )
    written = curate.write(workspace, rule).memory
    path = workspace.root / "pay.py"
    path.write_text('print("a")\nprint("b")\n')
    asked = git.comparison(workspace.root, "", False)
    assert [one.line for one in review(workspace, asked, Actor()).findings if one.breaks] == [1, 2]

    done = postil(
        "review", "--dismiss", written.id, "--at", "pay.py:2", "--reason", "it is a demo",
        home=home, cwd=workspace.root,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    assert [one.line for one in review(workspace, asked, Actor()).findings if one.breaks] == [1]
    path.write_text('\n\nprint("a")\n    print("b")\n')
    assert [one.line for one in review(workspace, asked, Actor()).findings if one.breaks] == [3]
    path.write_text('print("b", flush=True)\n')
    assert [one.line for one in review(workspace, asked, Actor()).findings if one.breaks] == [1]
    with pytest.raises(PostilError):
        dismiss(workspace, written.id, "pay.py", "x", "because", Actor("agent:x"))
    with pytest.raises(UsageError):
        dismiss(workspace, written.id, "pay.py", "x", " ", Actor())
