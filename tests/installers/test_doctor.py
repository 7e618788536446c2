"""What can be wrong with a client that was wired, how it is told, and that its fix mends it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from postil_installers.apply import install
from postil_installers.doctor import check, mend
from postil_installers.inspect import examine, shadowed
from postil_installers.machine import Machine
from postil_installers.plan import Target, plan
from postil_installers.receipt import recall, save
from support.project import POSTIL, clean_environment, postil

CLAUDE = Target("claude-code")


@pytest.fixture
def machine(home: Path) -> Machine:
    """Claude Code, wired, with a file of the person's own and an event that has come."""
    made = Machine(os.environ)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{\n  "theme": "dark"\n}\n')
    install(CLAUDE, plan(CLAUDE, made), made)
    command = made.hook_command("claude-code", "SessionStart")
    subprocess.run(command, input=b"{}", env=clean_environment(home), cwd=home, check=True)
    return made


def settings(home: Path) -> Path:
    return home / ".claude/settings.json"


def moved(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text(path.read_text().replace(str(Path(sys.executable).parent), "/gone/bin"))


def stale(home: Path) -> None:
    path = settings(home)
    path.write_text(path.read_text().replace('"timeout": 15', '"timeout": 7'))


def missing(home: Path) -> None:
    settings(home).write_text("{}")


def duplicate(home: Path) -> None:
    told = json.loads(settings(home).read_text())
    told["hooks"]["Stop"] *= 2
    settings(home).write_text(json.dumps(told))


def hand_edited(home: Path) -> None:
    path = home / ".claude/CLAUDE.md"
    path.write_text(path.read_text().replace("memory_search", "grep"))


def lost_launcher(home: Path) -> None:
    (home / ".local/share/postil/bin/postil-hook").unlink()


def unfinished(home: Path) -> None:
    from dataclasses import replace

    save(replace(recall("claude-code"), doing="install"))


def leftover(home: Path) -> None:
    (home / ".claude/.settings.json.x1.postil-part").write_text("{")


MENDED: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("moved", moved),
    ("stale", stale),
    ("missing", missing),
    ("duplicate", duplicate),
    ("hand-edited", hand_edited),
    ("launcher", lost_launcher),
    ("unfinished", unfinished),
    ("leftover", leftover),
)


def whats(target: Target, machine: Machine) -> list[str]:
    return [one.what for one in examine(target, machine).findings]


@pytest.mark.parametrize(("what", "damage"), MENDED, ids=[what for what, _ in MENDED])
def test_what_can_be_mended_is(
    home: Path, machine: Machine, what: str, damage: Callable[[Path], None]
) -> None:
    assert whats(CLAUDE, machine) == []
    damage(home)
    assert whats(CLAUDE, machine) == [what]

    mend(CLAUDE, machine)

    assert whats(CLAUDE, machine) == []


def test_the_command_mends_and_says_so(home: Path, machine: Machine) -> None:
    duplicate(home)
    before = postil("doctor", home=home, cwd=home)
    assert before.returncode == 1
    assert b"duplicate" in before.stdout and b"postil install claude-code" in before.stdout

    done = postil("doctor", "--fix", home=home, cwd=home)

    assert (done.returncode, done.stdout) == (0, b"claude-code    works (mended)\n"), done.stderr
    assert json.loads(postil("doctor", "--json", home=home, cwd=home).stdout) == {
        "findings": [],
        "wrong": 0,
    }


def test_a_syntax_error_is_told_with_its_place(home: Path, machine: Machine) -> None:
    settings(home).write_text(settings(home).read_text() + "// mine\n")

    found = examine(CLAUDE, machine)

    assert found.state == "broken"
    assert "line" in found.findings[0].told and "mend it" in found.findings[0].fix
    done = postil("doctor", "--fix", home=home, cwd=home)
    assert done.returncode == 1 and b"not mended" in done.stdout
    settings(home).write_text(settings(home).read_text().replace("// mine\n", ""))
    assert whats(CLAUDE, machine) == []


def test_what_a_person_must_do_is_told(home: Path, machine: Machine, tmp_path: Path) -> None:
    """Switched off, twice by the plugin, shadowed by a project's file; and gone once it is done."""
    told = json.loads(settings(home).read_text())
    clean = settings(home).read_text()
    settings(home).write_text(
        json.dumps({**told, "disableAllHooks": True, "enabledPlugins": {"postil@postil": True}})
    )
    project = tmp_path / "shop"
    project.mkdir()
    entry = {"mcpServers": {"postil": {"command": "/other/postil"}}}
    (project / ".mcp.json").write_text(json.dumps(entry))

    assert whats(CLAUDE, machine) == ["switched off", "twice"]
    assert [one.what for one in shadowed(CLAUDE, machine, project)] == ["shadowed"]

    settings(home).write_text(clean)
    (project / ".mcp.json").unlink()
    assert whats(CLAUDE, machine) == []
    assert not list(shadowed(CLAUDE, machine, project))


def test_each_program_is_started(home: Path, machine: Machine) -> None:
    """As the client would; a server or a hook that does not run is told."""
    assert list(check(CLAUDE, machine, home)) == []

    machine.hook_program.write_text("#!/bin/sh\necho oh no\nexit 3\n")
    broken = Machine(os.environ, python="/bin/true")

    assert {one.what for one in check(CLAUDE, machine, home)} == {"hook fails"}
    assert "server fails" in {one.what for one in check(CLAUDE, broken, home)}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_killed_at_any_moment_each_file_is_old_or_new(home: Path, tmp_path: Path) -> None:
    """A hundred installations and removals, killed at random; `doctor --fix` completes each."""
    files = {
        home / ".claude/settings.json": b'{\n  "theme": "dark"\n}\n',
        home / ".claude.json": b'{"numStartups": 3}',
        home / ".claude/CLAUDE.md": b"# Mine\n",
    }
    (home / ".claude").mkdir()
    for path, text in files.items():
        path.write_bytes(text)
    start = time.perf_counter()
    assert postil("install", "claude-code", "--yes", home=home, cwd=home).returncode == 0
    took = time.perf_counter() - start
    new = {path: path.read_bytes() for path in files}
    is_installed, killed, chance = True, 0, random.Random(7)
    for _ in range(100):
        command = "uninstall" if is_installed else "install"
        words = [POSTIL, command, "claude-code", *([] if is_installed else ["--yes"])]
        process = subprocess.Popen(
            words, cwd=home, env=clean_environment(home),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            process.wait(took * (0.4 + 0.6 * chance.random()))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        for path, text in files.items():
            assert path.read_bytes() in (text, new[path]), path
        is_installed = _completed(home, files, new)
    assert killed > 20
    postil("uninstall", "claude-code", home=home, cwd=home)
    assert {path: path.read_bytes() for path in files} == files


def _completed(home: Path, old: dict[Path, bytes], new: dict[Path, bytes]) -> bool:
    """Whether it is installed, once `doctor --fix` has completed what was broken off."""
    done = postil("doctor", "--fix", home=home, cwd=home)
    assert done.returncode == 0, done.stdout
    found = {path: path.read_bytes() for path in old}
    assert found in (old, new)
    assert not list(home.rglob("*.postil-part"))
    return found == new


STANDALONE = Path(".local/share/postil/uninstall.py")


def test_the_uninstaller_needs_no_postil(home: Path, machine: Machine) -> None:
    """UNI-05: with nothing but Python; untouched files get their bytes, others lose our lines."""
    before = b'{\n  "theme": "dark"\n}\n'
    notes = home / ".claude/CLAUDE.md"
    notes.write_text(f"# First line of mine\n{notes.read_text()}\nLast line of mine\n")
    (home / ".codex").mkdir()
    config = home / ".codex/config.toml"
    config.write_text('model = "x"\n')
    codex = Target("codex")
    install(codex, plan(codex, machine), machine)
    config.write_text(config.read_text() + "\n[tui]\ntheme = 'x'\n")

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(home / STANDALONE)],
        env=clean_environment(home), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert settings(home).read_bytes() == before
    assert not (home / ".claude.json").exists()
    assert notes.read_text() == "# First line of mine\n\nLast line of mine\n"
    assert config.read_text() == "model = \"x\"\n\n[tui]\ntheme = 'x'\n"
    assert not machine.hook_program.exists() and not (home / STANDALONE).exists()
    assert "Memories are kept" in done.stdout


def test_the_uninstaller_leaves_what_it_cannot_undo(home: Path, machine: Machine) -> None:
    told = json.loads(settings(home).read_text())
    settings(home).write_text(json.dumps(told))  # every line is another

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(home / STANDALONE)],
        env=clean_environment(home), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 1
    assert f"left      {settings(home)}" in done.stdout
    assert json.loads(settings(home).read_text()) == told
    assert (home / STANDALONE).exists(), "to be tried again"
