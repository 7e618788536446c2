"""The few questions Postil asks git, with hooks and configuration of the repository kept out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from postil.errors import StoreError

# A repository's own configuration can name programs to run (fsmonitor, gpg, hooks).
_SAFE = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
)


def run(root: Path, *args: str, timeout: float = 30.0) -> bytes | None:
    """Standard output of `git ARGS` in `root`, or None when git is absent or says no."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # A repository with missing objects must not make git fetch them, by its own program.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            ["git", *_SAFE, *args],
            cwd=root,
            capture_output=True,
            timeout=timeout,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError:
        return None
    except subprocess.TimeoutExpired as late:
        raise StoreError(
            f"git {args[0]} took more than {timeout:.0f} s in {root}",
            hint="is the repository on a slow or network disk?",
        ) from late
    return done.stdout if done.returncode == 0 else None


def line(root: Path, *args: str) -> str:
    """The first line of `git ARGS`, or "" when git is absent or says no."""
    out = run(root, *args)
    return out.decode("utf-8", "replace").split("\n", 1)[0].strip() if out else ""


def head(root: Path) -> str:
    """The commit checked out in `root`, or "" outside git and before the first commit."""
    return line(root, "rev-parse", "--verify", "--quiet", "HEAD")


def listed_files(root: Path) -> list[str] | None:
    """Tracked and untracked files below `root`, ignored ones left out; None outside git.

    Paths are relative to `root`, with `/`.
    """
    out = run(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout=120)
    if out is None:
        return None
    names = out.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name})
