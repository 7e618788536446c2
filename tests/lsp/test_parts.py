"""Mutes, options and drafts by themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from postil.config.load import load
from postil.errors import StoreError, UsageError
from postil.model import Kind, Scope
from postil.workspace import Workspace
from postil_lsp.mutes import Mutes
from postil_lsp.options import Options
from postil_lsp.session import Session
from postil_lsp.shown import Drafts, read_draft


def test_mutes_last_and_are_seen_by_every_editor(home: Path, tmp_path: Path) -> None:
    """Outside of the repository, and still there after a restart."""
    one, other = Mutes(), Mutes()
    assert other.shows("lens", "/p/a.py")
    one.mute("memory", "m-1")
    one.mute("surface", "inlay")
    one.mute("file", "/p/a.py")

    assert other.hides("memory", "m-1") and Mutes().hides("memory", "m-1")
    assert not other.shows("inlay", "/p/b.py") and other.shows("lens", "/p/b.py")
    assert not other.shows("lens", "/p/a.py")
    assert other.unmute("file", "/p/a.py") == 1
    assert one.shows("lens", "/p/a.py")
    assert one.unmute() == 2 and not other.hides("memory", "m-1")


def test_what_is_muted_for_a_while_comes_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("postil_lsp.mutes.time.time", lambda: now)
    mutes = Mutes()
    mutes.mute("all", "", minutes=30)
    assert mutes.is_snoozed()
    now += 31 * 60
    assert not mutes.is_snoozed()


def test_a_damaged_file_of_mutes_is_told(home: Path) -> None:
    mutes = Mutes()
    mutes.mute("memory", "m-1")
    (home / ".local/share/postil/margin.json").write_text("{")
    with pytest.raises(StoreError, match=r"margin\.json is damaged"):
        Mutes().is_snoozed()


def test_settings_and_what_a_client_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options.of(load(None))
    assert (options.hover, options.lens, options.navigation) == (True, False, False)
    monkeypatch.setenv("POSTIL_EDITOR_LENS", "true")
    assert Options.of(load(None)).lens
    assert options.told({"postil": {"lens": True, "inlay": False}}).lens
    assert options.told({"commandLinks": True}).command_links
    odd_ones: tuple[object, ...] = (
        None,
        3,
        [],
        {"postil": 3},
        {"lens": "yes"},
        {"x": True},
        {3: True},
    )
    for odd in odd_ones:
        assert options.told(odd) == options


def test_a_draft_is_read() -> None:
    assert read_draft("<!-- x -->\nkind: rule\nwhat: \nwhy: \n") is None
    draft = read_draft(
        "<!-- x -->\nkind: rule\nwhere: pay.py#charge, shop.py\nscope: user\nwhat: Call it once\n"
        "and no more\nwhy: the bank\n  counts\n"
    )
    assert draft is not None
    assert (draft.what, draft.why) == ("Call it once\nand no more", "the bank\ncounts")
    assert (draft.kind, draft.scope) == (Kind.RULE, Scope.USER)
    assert draft.where == ("pay.py#charge", "shop.py")
    with pytest.raises(UsageError):
        read_draft("kind: nonsense\nwhat: x\n")


def _save(path: Path, line: str) -> None:
    """Save as an editor does: the time of the file moves on, however coarse the clock."""
    before = path.stat().st_mtime_ns
    path.write_text(path.read_text(encoding="utf-8").replace("what: ", line), encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_a_draft_that_cannot_be_stored_stays(workspace: Workspace) -> None:
    drafts = Drafts()
    path = drafts.begin(workspace)
    _save(path, "what: Something")
    with pytest.raises(StoreError):
        for _ in drafts.saved():
            raise StoreError("the store is locked")

    assert "what: Something" in path.read_text(encoding="utf-8")
    assert list(drafts.saved()) == []  # it is not told again and again
    _save(path, "what: ")  # saved again, as it is
    ((_, draft),) = drafts.saved()
    assert draft.what == "Something" and not path.exists()


def test_a_draft_with_a_wrong_field_is_told_once(workspace: Workspace) -> None:
    drafts = Drafts()
    path = drafts.begin(workspace, kind="nonsense")
    _save(path, "what: Something")
    with pytest.raises(UsageError, match="nonsense"):
        list(drafts.saved())

    assert list(drafts.saved()) == [] and path.exists()


def test_a_draft_in_another_encoding_stays(workspace: Workspace) -> None:
    drafts = Drafts()
    path = drafts.begin(workspace)
    path.write_bytes(path.read_bytes() + "ä".encode("latin-1"))
    with pytest.raises(UsageError, match="UTF-8"):
        list(drafts.saved())

    assert path.exists()


def test_a_draft_is_taken_once(workspace: Workspace) -> None:
    drafts = Drafts()
    path = drafts.begin(workspace, where="pay.py")
    assert list(drafts.saved()) == []
    path.write_text(path.read_text().replace("what: ", "what: Something"))
    ((_, draft),) = drafts.saved()
    assert draft.what == "Something" and not path.exists()
    assert list(drafts.saved()) == []


def test_no_project_is_made_of_a_folder_that_is_none(home: Path, tmp_path: Path) -> None:
    """An editor opens settings and scratch files too: nothing is stored or mapped for them."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.py").write_text("x = 1\n")
    session = Session()

    assert session.locate((tmp_path / "notes/a.py").as_uri()) is None
    assert session.locate((tmp_path / "notes/b.py").as_uri()) is None

    assert session.workspaces == []
    assert not list((home / ".local/share/postil").glob("projects/*/project.json"))
