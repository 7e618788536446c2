"""A real client in a home and a project of its own, and hooks as it wants them written."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import postil_hooks
from postil_hooks import spec
from support.project import clean_environment, postil

PROGRAM = str(Path(postil_hooks.__file__).with_name("__main__.py"))
PROMPT = "Which database does billing use, and is it PostgreSQL? The purple walrus asks."


@dataclass
class Run:
    """A client in a home and a project of its own."""

    home: Path
    project: Path
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def says(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """Let the client run one prompt, given as an argument or else on standard input."""
        done = subprocess.run(
            [one.replace("PROMPT", prompt) for one in self.command],
            cwd=self.project,
            env=clean_environment(self.home, **self.environment),
            input="" if "PROMPT" in self.command else prompt,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done

    def fired(self) -> set[str]:
        path = self.project.parent / "fired"
        return set(path.read_text().split()) if path.exists() else set()

    def postil(self, *args: str) -> str:
        done = postil(*args, home=self.home, cwd=self.project)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def finds(self, query: str, expected: str) -> None:
        for _ in range(100):
            found = self.postil("search", query)
            if expected in found:
                return
            time.sleep(0.2)
        raise AssertionError(f"{expected!r} was never found; the last answer was: {found}")


def hook(client: str, event: str, project: Path) -> str:
    ours = shlex.join([sys.executable, "-I", "-S", PROGRAM, client, event])
    return f"echo {event} >> {shlex.quote(str(project.parent / 'fired'))}; exec {ours}"


def groups(client: str, project: Path, timeout: int) -> dict[str, Any]:
    """Hooks as Claude Code, Codex and Gemini write them."""
    return {
        event: [{"hooks": [
            {"type": "command", "command": hook(client, event, project), "timeout": timeout}
        ]}]
        for event in spec.load(client)["events"]
    }  # fmt: skip
