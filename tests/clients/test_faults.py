"""Whatever is broken about Postil, a turn of the real Claude Code goes on, and no slower.

`pytest -s` prints how long each turn took beside a turn with nothing broken.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from postil_hooks import relay
from support.anthropic_stub import Stub, stub
from support.mounts import on_full_disk, read_only
from support.project import POSTIL, clean_environment, make_project, postil
from support.real import claude

pytestmark = [pytest.mark.client, pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass
class Place:
    """Claude Code with its own folder outside of the home, wired by the real installer."""

    home: Path
    project: Path
    config: Path
    stub: Stub

    @property
    def environment(self) -> dict[str, str]:
        return clean_environment(
            self.home,
            ANTHROPIC_BASE_URL=self.stub.url,
            ANTHROPIC_API_KEY="sk-ant-dummy-not-a-key",
            CLAUDE_CONFIG_DIR=str(self.config),
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            DISABLE_ERROR_REPORTING="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

    @property
    def data(self) -> Path:
        return self.home / ".local/share/postil"

    def turn(self, before: Sequence[str] = ()) -> float:
        """Seconds that one turn takes; it answers, and ends with 0."""
        start = time.perf_counter()
        done = subprocess.run(
            [*before, claude(), "-p", f"How are the refunds rounded? {time.time()}"],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        seconds = time.perf_counter() - start
        assert (done.returncode, done.stdout.strip()) == (0, "stub: ok"), done.stderr
        return seconds


@pytest.fixture
def wired(home: Path, tmp_path: Path) -> Iterator[Place]:
    project = make_project(tmp_path / "shop", {"pay.py": "def charge():\n    return 1\n"})
    with stub() as server:
        made = Place(home, project, tmp_path / "claude", server)
        for command in (
            ("remember", "Refunds are rounded half to even", "--kind", "rule"),
            ("install", "claude-code", "--yes"),
        ):
            done = postil(*command, home=home, cwd=project, CLAUDE_CONFIG_DIR=str(made.config))
            assert done.returncode == 0, done.stderr
        yield made


@contextlib.contextmanager
def hung_leader(place: Place) -> Iterator[list[str]]:
    root = str(place.project)
    server = subprocess.Popen(
        [POSTIL, "mcp"],
        cwd=place.project,
        env=place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while relay.ask(root, b"ping\n", 5.0) != b"pong":
        time.sleep(0.05)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield []
    finally:
        os.kill(server.pid, signal.SIGCONT)
        server.communicate(timeout=30)


@contextlib.contextmanager
def locked_store(place: Place) -> Iterator[list[str]]:
    with contextlib.ExitStack() as stack:
        for store in place.data.glob("projects/*/*.db"):
            database = stack.enter_context(contextlib.closing(sqlite3.connect(store)))
            database.execute("begin exclusive")
        yield []


@contextlib.contextmanager
def missing_store(place: Place) -> Iterator[list[str]]:
    aside = place.data.rename(place.data.with_name("aside"))
    yield []
    _come_back(place, aside)


@contextlib.contextmanager
def damaged_store(place: Place) -> Iterator[list[str]]:
    kept = {path: path.read_bytes() for path in place.data.glob("projects/*/*.db*")}
    for path in kept:
        path.write_bytes(b"broken" * 1_000)
    yield []
    for path in place.data.glob("projects/*/*.db*"):
        path.unlink()
    for path, text in kept.items():
        path.write_bytes(text)


@contextlib.contextmanager
def full_disk(place: Place) -> Iterator[list[str]]:
    yield on_full_disk(str(place.data))


@contextlib.contextmanager
def read_only_home(place: Place) -> Iterator[list[str]]:
    yield read_only(str(place.home))


@contextlib.contextmanager
def lost_interpreter(place: Place) -> Iterator[list[str]]:
    settings = place.config / "settings.json"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace(sys.executable, "/gone/bin/python"), encoding="utf-8")
    yield []
    settings.write_text(text, encoding="utf-8")


def _come_back(place: Place, aside: Path) -> None:
    shutil.rmtree(place.data, ignore_errors=True)
    aside.rename(place.data)


FAULTS: tuple[Callable[[Place], AbstractContextManager[list[str]]], ...] = (
    hung_leader,
    locked_store,
    missing_store,
    damaged_store,
    full_disk,
    read_only_home,
    lost_interpreter,
)


def test_a_turn_goes_on_whatever_is_broken(wired: Place) -> None:
    wired.turn()  # the first of all makes what is kept
    normal = statistics.median(wired.turn() for _ in range(3))
    print(f"\n{'nothing broken':20} {normal:5.2f} s")
    for fault in FAULTS:
        with fault(wired) as before:
            seconds = max(wired.turn(before) for _ in range(3))
        print(f"{fault.__name__:20} {seconds:5.2f} s  {seconds - normal:+.2f} at most")
    wired.stub.bodies.clear()
    wired.turn()
    assert "half to even" in wired.stub.seen(), "it works again once nothing is broken"
