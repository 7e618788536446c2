"""What is not documented does not exist: pages and declarations are held together."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from postil import __version__
from postil.cli.main import COMMANDS
from support.docs import DOCS, PAGES
from support.sizes import too_long

ROOT = Path(__file__).parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_derived_pages_are_current(name: str) -> None:
    written = text(name)

    assert written == PAGES[name](), "run `.venv/bin/python tests/support/docs.py`"


def test_every_command_is_documented() -> None:
    page = text("docs/commands.md")

    assert [name for name in COMMANDS if f"## `postil {name}" not in page] == []


def test_every_dependency_has_its_reason_and_both_bounds() -> None:
    declared = tomllib.loads(text("pyproject.toml"))["project"]["dependencies"]
    names = {re.split(r"[<>=; ]", one)[0] for one in declared}
    explained = set(re.findall(r"^\| `([\w-]+)`", text("docs/dependencies.md"), re.MULTILINE))

    assert names == explained
    assert all(">=" in one and "<" in one.split(";")[0].split(">=")[1] for one in declared)


def test_the_lock_covers_every_dependency_with_hashes() -> None:
    declared = tomllib.loads(text("pyproject.toml"))["project"]["dependencies"]
    for lock in ("requirements/run.lock", "requirements/dev.lock"):
        locked = text(lock)
        missing = [
            one
            for one in declared
            if not re.search(rf"^{re.split('[<>=; ]', one)[0]}==\S+.*\\\n\s+--hash", locked, re.M)
        ]
        assert missing == []


def test_every_module_of_the_tree_is_in_the_architecture() -> None:
    page = text("ARCHITECTURE.md")
    packages = [
        path.parent.relative_to(ROOT)
        for top in ("server", "lsp", "hooks", "installers")
        for path in sorted((ROOT / top).rglob("__init__.py"))
    ]

    assert [str(one) for one in packages if f"{one.name}/" not in page] == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_change_log_knows_this_version() -> None:
    assert f"## {__version__}" in text("CHANGELOG.md") or "## Unreleased" in text("CHANGELOG.md")


def test_no_file_and_no_function_is_too_long() -> None:
    assert too_long(ROOT) == []
