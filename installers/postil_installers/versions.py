"""Which version of a client is installed: some reject a whole file for one entry too new for it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Any

from postil_installers.machine import Machine

_NUMBER = re.compile(r"\d+(?:\.\d+)+")
# Seconds that a client may take to tell its version.
_PATIENCE = 5


def installed(spec: Mapping[str, Any], machine: Machine) -> str | None:
    """The version that the client tells, or None when it cannot be asked."""
    for name in spec.get("detect", {}).get("programs", ()):
        program = machine.find(name)
        if program is not None:
            told = _told(program, machine.environment.get("HOME", ""))
            if told:
                return told
    return None


def is_at_least(version: str | None, least: str) -> bool:
    """Whether a version is new enough; one that is not known is taken for current."""
    if version is None or not least:
        return True
    return _parts(version) >= _parts(least)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in version.split("."))


@cache
def _told(program: str, home: str) -> str | None:
    try:
        done = subprocess.run(
            [program, "--version"],
            env={"HOME": home, "PATH": "/usr/bin:/bin", "DISABLE_AUTOUPDATER": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _NUMBER.search(done.stdout)
    return found[0] if found else None
