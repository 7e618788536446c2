"""What git's history tells of the code: commits enter once, follow renames, and vote for files."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.codemap import history
from postil.codemap.history import read_history
from postil.storage.codeindex import CodeIndex
from postil.workspace import Workspace, open_workspace
from support.project import commit_all, make_project, run_git

REASON = (
    "The broker drops messages that are not acknowledged within a minute, so each one is"
    " written to disk before it is sent."
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "p", {"pay.py": "def charge(): ...\n", "mail.py": "x = 1\n"})
    (root / "mail.py").write_text("x = 2\n")
    commit_all(root, f"Queue invoices on disk\n\n{REASON}\n\nSigned-off-by: A <a@b.c>")
    run_git(root, "mv", "mail.py", "post.py")
    commit_all(root, "Rename the mailer")
    (root / "pay.py").write_text("def charge(): return 1\n")
    commit_all(root, "Round amounts to cents")
    return root


@pytest.fixture
def index(tmp_path: Path) -> CodeIndex:
    return CodeIndex(tmp_path / "index.db")


def test_commits_enter_once_and_vote_for_the_files_of_today(root: Path, index: CodeIndex) -> None:
    assert read_history(root, index) == 4
    assert read_history(root, index) == 0
    assert max(index.history.votes(["invoices"]).items(), key=lambda one: one[1])[0] == "post.py"
    assert set(index.history.votes(["invoices"])) == {"post.py"}


def test_a_later_rename_carries_what_was_known(root: Path, index: CodeIndex) -> None:
    read_history(root, index)
    run_git(root, "mv", "post.py", "letter.py")
    commit_all(root, "Another name")

    assert read_history(root, index) == 1
    assert set(index.history.votes(["invoices"])) == {"letter.py"}


def test_a_read_that_was_broken_off_goes_on(
    root: Path, index: CodeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is made small instead of the history long."""
    monkeypatch.setattr(history, "BATCH", 1)
    assert [read_history(root, index, most=1) for _ in range(5)] == [1, 1, 1, 1, 0]
    assert index.history.count() == 4
    assert set(index.history.votes(["invoices"])) == {"post.py"}


def test_a_history_that_was_rewritten_is_read_anew(root: Path, index: CodeIndex) -> None:
    read_history(root, index)
    run_git(root, "commit", "-q", "--amend", "-m", "Round amounts to whole cents")

    assert read_history(root, index) == 4
    assert index.history.search(["whole"], 5)[0].files == ("pay.py",)


def test_a_commit_that_changes_very_many_files_votes_for_none(root: Path, index: CodeIndex) -> None:
    for number in range(60):
        (root / f"f{number}.py").write_text("x = 1\n")
    commit_all(root, "Reformat everything")
    read_history(root, index)
    assert index.history.votes(["reformat"]) == {}


def test_without_git_there_is_no_history(tmp_path: Path, index: CodeIndex) -> None:
    assert read_history(make_project(tmp_path / "q", {"a.py": ""}, git=False), index) == 0


def test_a_question_in_the_words_of_a_commit_finds_the_file(root: Path) -> None:
    workspace = open_workspace(root)
    assert workspace.search_files("why are invoices queued")[0].path == "post.py"
    assert [hit.subject for hit in workspace.search_commits("invoices")] == [
        "Queue invoices on disk"
    ]
    workspace.close()


def test_commits_with_reasons_become_episodes(root: Path) -> None:
    workspace: Workspace = open_workspace(root)
    for _ in range(2):
        workspace.read_history()
        workspace.index.history.forget()
        workspace.index.set_meta("history_head", "")
        stored = [turn for turn in workspace.store.every_episode() if turn.role == "commit"]
        assert [turn.text for turn in stored] == [f"Queue invoices on disk\n\n{REASON}"]
    workspace.close()


def test_of_two_alike_the_one_changed_lately_comes_first(tmp_path: Path) -> None:
    text = "def refund_order(): ...\n"
    root = make_project(tmp_path / "shop", {"a.py": text, "b.py": text})
    (root / "b.py").write_text(f"import os\n\n\n{text}")
    commit_all(root, "Second", at="2031-01-01T00:00:00Z")
    workspace = open_workspace(root)
    workspace.update_map()
    workspace.read_history()

    assert [hit.symbol.path for hit in workspace.search_code("refund order")] == ["b.py", "a.py"]
