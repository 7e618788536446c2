"""Worktrees, clones and renamed folders of one repository are one project; others never.

CO-14, PRJ-01, PRJ-02, PRJ-04, PRJ-07.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil import curate, relink
from postil.errors import StoreError
from postil.model import Memory
from postil.project import find_project
from postil.storage.store import Shelf
from postil.workspace import open_workspace
from support.project import commit_all, make_project, postil, run_git


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


def test_a_description_that_may_not_be_read_makes_no_second_project(
    project: Path, tmp_path: Path
) -> None:
    description = home_of(project, tmp_path) / "project.json"
    description.unlink()
    description.mkdir()  # not even the administrator reads that

    with pytest.raises(StoreError, match=r"project\.json cannot be read"):
        home_of(project, tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a folder"):
        home_of(tmp_path / "nowhere", tmp_path)


def test_a_submodule_is_its_own_project_wherever_it_stands(tmp_path: Path) -> None:
    """CO-14: as a clone of its own and inside another repository it is the same one."""
    part = make_project(tmp_path / "part", {"a.py": "part"})
    whole = make_project(tmp_path / "whole", {"b.py": "whole"})
    run_git(whole, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "lib")
    commit_all(whole, "With a part")

    inside = find_project(whole / "lib", tmp_path / "projects")

    assert inside.root == whole / "lib"
    assert inside.home == home_of(part, tmp_path) != home_of(whole, tmp_path)


def test_a_package_of_a_monorepo_is_part_of_it(tmp_path: Path) -> None:
    """PRJ-04."""
    root = make_project(tmp_path / "mono", {"services/pay/a.py": "", "services/mail/b.py": ""})
    homes = {home_of(root / "services" / name, tmp_path) for name in ("pay", "mail")}

    assert homes == {home_of(root, tmp_path)}


def test_a_fork_is_another_project(tmp_path: Path, project: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(project), "fork")
    run_git(project, "remote", "add", "origin", "https://example.org/team/shop.git")
    run_git(tmp_path / "fork", "remote", "set-url", "origin", "https://example.org/me/shop.git")

    assert home_of(project, tmp_path) != home_of(tmp_path / "fork", tmp_path)


def test_a_name_in_another_composition_is_the_same_folder(tmp_path: Path) -> None:
    """What one file system stores as e + accent another gives back as one letter."""
    root = make_project(tmp_path / "caf\u00e9", {"a.py": ""}, git=False)
    before = home_of(root, tmp_path)
    description = before / "project.json"
    row = json.loads(description.read_text(encoding="utf-8"))
    row["place"] = row["place"].replace("caf\u00e9", "cafe\u0301")
    description.write_text(json.dumps(row), encoding="utf-8")

    assert home_of(root, tmp_path) == before


def test_a_name_in_another_case_is_the_same_where_the_system_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case-insensitive file system cannot be had here: `samefile` answers as one would."""
    root = make_project(tmp_path / "Shop", {"a.py": ""}, git=False)
    before = home_of(root, tmp_path)
    other = make_project(tmp_path / "shop", {"a.py": ""}, git=False)
    assert home_of(other, tmp_path) != before, "here they are two folders"
    for description in (tmp_path / "projects").glob("shop*/project.json"):
        description.unlink()
    monkeypatch.setattr(Path, "samefile", lambda one, two: str(one).lower() == str(two).lower())

    assert home_of(other, tmp_path) == before


def test_a_moved_folder_is_offered_and_linked_by_a_person(tmp_path: Path, home: Path) -> None:
    """PRJ-07: no git at all; a sibling with the same beginning of its name is no candidate."""
    old = make_project(tmp_path / "p" / "foo", {"a.py": ""}, git=False)
    make_project(tmp_path / "p" / "foo-web", {"a.py": ""}, git=False)
    first = open_workspace(old)
    for number in range(41):
        curate.write(first, Memory("", f"Statement n{number} of foo"))
    first.close()
    sibling = open_workspace(tmp_path / "p" / "foo-web")
    assert relink.moved_from(sibling) == []
    sibling.close()
    (tmp_path / "p" / "client").mkdir()
    old.rename(tmp_path / "p" / "client" / "foo")

    moved = open_workspace(tmp_path / "p" / "client" / "foo")
    assert moved.store.row_counts()[Shelf.MEMORY] == 0
    curate.write(moved, Memory("", "Written since"))
    (orphan,) = relink.moved_from(moved)
    assert (orphan.place, orphan.memories) == (str(old), 41)
    status = postil("status", home=home, cwd=moved.root)
    assert f"Found 41 memories of {old}".encode() in status.stdout
    assert f"postil projects link {old}".encode() in status.stdout
    moved.close()

    linked = postil("projects", "link", str(old), home=home, cwd=tmp_path / "p" / "client" / "foo")

    assert linked.returncode == 0, linked.stderr
    again = open_workspace(tmp_path / "p" / "client" / "foo")
    assert again.store.row_counts()[Shelf.MEMORY] == 42
    assert relink.moved_from(again) == []
    again.close()


def test_looking_makes_no_project(tmp_path: Path, home: Path) -> None:
    folder = make_project(tmp_path / "plain", {"a.txt": ""}, git=False)

    done = postil("search", "anything", home=home, cwd=folder)

    assert done.returncode == 2 and b"is no project yet" in done.stderr
    assert b"postil calibrate" in done.stderr
    assert list((home / ".local" / "share" / "postil" / "projects").glob("*")) == []


def test_a_drive_of_windows_is_the_mount_of_wsl() -> None:
    """WIN-05: both sides of one machine mean one folder."""
    from postil import project

    assert project._same_place("/mnt/c/Work/App", r"C:\Work\App")
    assert project._same_place("/mnt/c/Work/App", "c:/work/app")
    assert not project._same_place("/mnt/c/Work/App", r"D:\Work\App")
    assert not project._same_place("/home/kim/App", "/home/kim/app")
