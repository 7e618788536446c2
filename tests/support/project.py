"""Small projects for tests, and real processes that work in them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

BIN = Path(sys.executable).parent
POSTIL = str(BIN / "postil")


def make_project(root: Path, files: Mapping[str, str], git: bool = True) -> Path:
    """A folder with these files; a git repository with one commit unless `git` is false."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    root.mkdir(parents=True, exist_ok=True)
    if git:
        run_git(root, "init", "-q", "-b", "main")
        commit_all(root, "Start")
    return root


def commit_all(root: Path, message: str, at: str = "") -> None:
    """Commit everything, by a made-up person; `at` some time, or now."""
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "--allow-empty", "-m", message, at=at)


def run_git(root: Path, *args: str, at: str = "") -> str:
    """Output of git, away from the person's configuration."""
    environment = {
        **clean_environment(Path(os.environ["HOME"])),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Mira",
        "GIT_AUTHOR_EMAIL": "mira@example.org",
        "GIT_COMMITTER_NAME": "Mira",
        "GIT_COMMITTER_EMAIL": "mira@example.org",
        **({"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}),
    }
    done = subprocess.run(
        ["git", *args], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process that may know nothing of this machine's person."""
    path = os.pathsep.join((str(BIN), "/usr/local/bin", "/usr/bin", "/bin"))
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", **more}


def postil(
    *args: str, home: Path, cwd: Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [POSTIL, *args],
        cwd=cwd,
        env=clean_environment(home, **environment),
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
