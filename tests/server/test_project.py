"""Worktrees, clones and renamed folders of one repository are one project; others never."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.errors import StoreError
from postil.project import find_project
from support.project import commit_all, make_project, run_git


def home_of(folder: Path, tmp_path: Path) -> Path:
    return find_project(folder, tmp_path / "projects").home


def test_a_folder_below_belongs_to_the_project(project: Path, tmp_path: Path) -> None:
    found = find_project(project / "lib", tmp_path / "projects")

    assert found.root == project
    assert found.home == home_of(project, tmp_path)


def test_worktrees_and_clones_share_and_keep_their_own_roots(project: Path, tmp_path: Path) -> None:
    run_git(project, "worktree", "add", "-q", "../tree", "-b", "side")
    run_git(tmp_path, "clone", "-q", str(project), "copy")

    homes = {home_of(project.parent / name, tmp_path) for name in ("shop", "tree", "copy")}

    assert len(homes) == 1
    assert find_project(tmp_path / "tree", tmp_path / "projects").root == tmp_path / "tree"


def test_a_renamed_folder_and_a_new_remote_change_nothing(project: Path, tmp_path: Path) -> None:
    before = home_of(project, tmp_path)
    moved = project.rename(tmp_path / "renamed")
    assert home_of(moved, tmp_path) == before

    run_git(moved, "remote", "add", "origin", "git@example.org:team/shop.git")
    assert home_of(moved, tmp_path) == before


def test_one_remote_written_in_several_ways(tmp_path: Path) -> None:
    homes = set()
    for number, url in enumerate(
        (
            "git@example.org:team/shop.git",
            "https://me@example.org/team/shop",
            "ssh://git@example.org/Team/shop/",
        )
    ):
        root = make_project(tmp_path / f"p{number}", {"a.py": str(number)})
        run_git(root, "remote", "add", "origin", url)
        homes.add(home_of(root, tmp_path))

    assert len(homes) == 1


def test_two_repositories_of_one_name_are_two(tmp_path: Path) -> None:
    one = make_project(tmp_path / "a/shop", {"a.py": "1"})
    two = make_project(tmp_path / "b/shop", {"a.py": "2"})
    commit_all(two, "More")
    three = make_project(tmp_path / "c/shop", {"a.py": "3"}, git=False)

    assert len({home_of(root, tmp_path) for root in (one, two, three)}) == 3


def test_git_init_makes_no_other_project_of_a_folder(tmp_path: Path) -> None:
    root = make_project(tmp_path / "p", {"a.py": ""}, git=False)
    before = home_of(root, tmp_path)
    run_git(root, "init", "-q")
    assert home_of(root, tmp_path) == before
    commit_all(root, "First")
    assert home_of(root, tmp_path) == before


def test_a_damaged_description_is_named(project: Path, tmp_path: Path) -> None:
    (home_of(project, tmp_path) / "project.json").write_text("{")

    with pytest.raises(StoreError, match=r"project\.json is damaged"):
        home_of(project, tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a folder"):
        home_of(tmp_path / "nowhere", tmp_path)
