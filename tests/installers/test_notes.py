"""Notes that agents keep in files: brought in, put aside when a person says so, given back."""

from __future__ import annotations

import json
from pathlib import Path

from support.project import make_project, postil


def said(home: Path, project: Path, *args: str) -> str:
    done = postil(*args, home=home, cwd=project)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_notes_of_agents_come_in_and_go_back(home: Path, tmp_path: Path) -> None:
    """HK-11: originals stay until it is confirmed, and are given back at the end."""
    project = make_project(
        tmp_path / "shop",
        {
            "AGENTS.md": "# For agents\n\n- Always format with black\n",
            ".cursor/rules/style.mdc": "---\nalwaysApply: true\n---\n- Never use tabs in Python\n",
        },
    )
    token = "ghp_" + "a1B2c3D4" * 5
    slug = str(project).replace("/", "-")
    memory = home / f".claude/projects/{slug}/memory/deploy.md"
    memory.parent.mkdir(parents=True)
    memory.write_text(
        "---\nname: deploy\ndescription: Deploys go through the blue cluster\n---\n"
        f"Because the green one has no disk. Token {token}\n"
    )
    (home / ".claude/CLAUDE.md").write_text("- Prefer short sentences in all answers\n")
    rule = project / ".cursor/rules/style.mdc"
    before = {path: path.read_bytes() for path in (memory, rule)}

    listed = said(home, project, "import", "notes", "--dry-run")
    assert "stays" in listed and str(memory) in listed
    assert "4 memories added" in said(home, project, "import", "notes")

    assert "blue cluster" in said(home, project, "search", "where do deploys go")
    assert "black" in said(home, project, "search", "format code")
    assert "tabs" in said(home, project, "search", "tabs in Python")
    other = make_project(tmp_path / "other", {})
    assert "short sentences" in said(home, other, "search", "short sentences answers")
    assert {path: path.read_bytes() for path in before} == before
    again = json.loads(said(home, project, "import", "notes", "--json"))
    assert again["added"] == 0 and again["known"] >= 4
    assert token not in said(home, project, "search", "blue cluster", "--json")

    said(home, project, "import", "notes", "--confirm")
    assert not memory.exists() and not rule.exists() and (project / "AGENTS.md").exists()
    assert "restored" in said(home, project, "uninstall", "--all")
    assert {path: path.read_bytes() for path in before} == before
    assert "nothing was installed" in said(home, project, "uninstall", "--all")


def test_what_stands_there_by_then_is_not_overwritten(home: Path, tmp_path: Path) -> None:
    files = {".cursor/rules/style.mdc": "- Never use tabs in Python\n"}
    project = make_project(tmp_path / "shop", files)
    rule = project / ".cursor/rules/style.mdc"
    said(home, project, "import", "notes", "--confirm")
    rule.write_text("- Something new of mine\n")

    assert "kept" in said(home, project, "uninstall", "--all")

    assert rule.read_text() == "- Something new of mine\n"
    rule.unlink()
    assert "restored" in said(home, project, "uninstall", "--all")
    assert rule.read_text() == "- Never use tabs in Python\n"
