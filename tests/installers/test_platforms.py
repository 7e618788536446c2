"""Paths, shells and consoles of each platform, as far as they can be had on one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from postil_installers import launcher
from postil_installers.apply import install
from postil_installers.machine import Machine, Place, powershell
from postil_installers.plan import Target, plan
from support.project import clean_environment, postil

ODD = 'Ada Example (x)/o\'k "q" $HOME'


def test_odd_paths_survive_the_shell(home: Path) -> None:
    """WIN-01: blanks, quotes and brackets in the person's folder."""
    machine = Machine({"HOME": str(home)}, data=home / ODD)
    launcher.write(machine)
    command = machine.shell(machine.hook_command("codex", "SessionStart"))

    done = subprocess.run(
        ["/bin/sh", "-c", command], input=b"{}", env=clean_environment(home), cwd=home,
        capture_output=True, timeout=30, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interpreter_with_a_blank_in_its_path(home: Path, tmp_path: Path) -> None:
    """WIN-01: no first line of a file can name it; a shell can."""
    python = tmp_path / "my python/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    machine = Machine({"HOME": str(home)}, python=str(python))
    launcher.write(machine)
    command = machine.hook_command("codex", "SessionStart")

    done = subprocess.run(command, input=b"{}", env=clean_environment(home), cwd=home, check=False)
    assert done.returncode == 0
    python.unlink()
    done = subprocess.run(command, input=b"{}", env=clean_environment(home), cwd=home, check=False)
    assert done.returncode == 0


def windows() -> Machine:
    """Windows, as far as paths and quoting go."""
    home = r"C:\Users\Ada Example"
    return Machine(
        {"USERPROFILE": home, "APPDATA": home + r"\AppData\Roaming"},
        python=r"C:\Program Files\Python\python.exe",
        platform="win32",
        data=Path(home + r"\AppData\Local\postil"),
    )


def test_commands_for_windows_are_quoted_for_their_shell() -> None:
    """WIN-01: `cmd` and PowerShell; and a missing file is no reason to forbid anything."""
    machine = windows()
    command = machine.hook_command("codex", "Stop")

    assert command[:4] == [r"C:\Program Files\Python\python.exe", "-I", "-S", "-c"]
    assert command[-2:] == ["codex", "Stop"]
    assert machine.shell(command).startswith(r'"C:\Program Files\Python\python.exe" -I -S -c "')
    shown = powershell(command)
    assert shown.startswith(r"& 'C:\Program Files\Python\python.exe' -I -S -c 'import os;p=''C:\\")
    assert shown.endswith("codex Stop")
    guarded = subprocess.run([sys.executable, *command[1:]], input=b"{}", check=False)
    assert guarded.returncode == 0


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("~/.claude.json", r"C:\Users\Ada Example\.claude.json"),
        ("{config}/Code/User", r"C:\Users\Ada Example\AppData\Roaming\Code\User"),
        ({"linux": "x", "win32": "{config}/Zed"}, r"C:\Users\Ada Example\AppData\Roaming\Zed"),
    ],
)
def test_places_on_windows(place: Place, expected: str) -> None:
    """WIN-01."""
    assert windows().expand(place) == expected


def test_places_on_macos() -> None:
    """The folders that Apple means for settings."""
    machine = Machine({"HOME": "/Users/ada"}, platform="darwin")
    assert machine.expand("{config}/Claude") == "/Users/ada/Library/Application Support/Claude"


def test_the_interpreter_is_never_looked_for(home: Path, tmp_path: Path) -> None:
    """WIN-02: a `python3` on the path that only exits with 49."""
    for name in ("python3", "python"):
        stub = tmp_path / "stubs" / name
        stub.parent.mkdir(exist_ok=True)
        stub.write_text("#!/bin/sh\nexit 49\n")
        stub.chmod(0o755)
    machine = Machine({"HOME": str(home)})
    install(Target("claude-code"), plan(Target("claude-code"), machine), machine)

    done = subprocess.run(
        machine.hook_command("claude-code", "SessionStart"),
        input=b"{}",
        env={**clean_environment(home), "PATH": str(tmp_path / "stubs")},
        cwd=home,
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_narrow_console_is_no_reason_to_fail(home: Path) -> None:
    """WIN-04: what it cannot show is replaced; protocols stay UTF-8."""
    postil("remember", "naïve 測試 🚀 works", home=home, cwd=home)

    done = postil("search", "naïve 測試 🚀", home=home, cwd=home, PYTHONIOENCODING="cp1252")

    assert done.returncode == 0, done.stderr
    assert "測試 🚀" in done.stdout.decode()
