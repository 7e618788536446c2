"""Every test runs in a throwaway home, without a network, and fails if it sees the real home."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from postil.workspace import Workspace, open_workspace
from support.project import make_project

try:
    import pwd
except ImportError:  # Windows has none: what the variables say before they are changed
    _REAL_HOME = str(Path.home())
else:
    _REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir
_VARIABLES = (
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_HOME",
    "APPDATA",
    "LOCALAPPDATA",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder of this test alone; no variable of the person's points elsewhere."""
    place = tmp_path / "home"
    place.mkdir()
    for name in [*_VARIABLES, *(name for name in os.environ if name.startswith("POSTIL_"))]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))
    assert Path.home() == place
    assert str(place) != _REAL_HOME, "tests must never see the real home"
    yield place
    assert os.environ["HOME"] == str(place)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets of this process reach loopback and Unix sockets only."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else ""
            if host not in ("127.0.0.1", "::1", "localhost"):
                raise PermissionError(f"a test wanted to connect to {host}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small git repository with two Python files."""
    return make_project(
        tmp_path / "shop",
        {
            "pay.py": "def charge(amount: int) -> int:\n"
            '    """Charge the card."""\n'
            "    return amount\n",
            "lib/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
        },
    )


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    """The workspace of `project`, its code mapped."""
    opened = open_workspace(project)
    opened.update_map()
    yield opened
    opened.close()
