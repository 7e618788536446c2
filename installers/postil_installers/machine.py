"""This machine as installers see it: where clients keep their files, how our programs are called.

The platform is a value, so that the paths and quoting of each can be tested on any.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from postil.config.paths import data_dir
from postil.errors import UsageError

Place = str | Mapping[str, str]
"""A path in a client's description: `~`, `{config}` and `{folder}` stand for folders; one for all
platforms, or by platform (`linux`, `darwin`, `win32`)."""

# How a shell call looks whose program is gone on Windows: nothing happens. Python itself would
# exit with 2, by which a hook forbids a client to go on.
_GUARDED = "import os;p={path!r};os.path.exists(p) and exec(open(p,encoding='utf-8').read())"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where things are: the environment that names the folders, and our own programs."""

    environment: Mapping[str, str]
    python: str = sys.executable
    platform: str = sys.platform
    data: Path = field(default_factory=data_dir)

    @property
    def launcher(self) -> list[str]:
        """The command line of `postil` by absolute path: never through the working folder."""
        name = "postil.exe" if self.is_windows else "postil"
        script = self.paths.join(self.paths.dirname(self.python), name)
        return [script] if Path(script).exists() else [self.python, "-I", "-m", "postil"]

    @property
    def base_python(self) -> str:
        """The interpreter below the virtual environment: it stays when that one goes."""
        if self.python != sys.executable:
            return self.python
        return str(getattr(sys, "_base_executable", None) or sys.executable)

    @property
    def hook_program(self) -> Path:
        """The file that starts a hook: its path stays the same when Postil is upgraded or moved."""
        return self.data / "bin" / ("postil-hook.py" if self.is_windows else "postil-hook")

    @property
    def is_windows(self) -> bool:
        """Whether this is Windows."""
        return self.platform == "win32"

    @property
    def paths(self) -> ModuleType:
        """The path functions of the platform."""
        return ntpath if self.is_windows else posixpath

    def hook_command(self, client: str, event: str) -> list[str]:
        """The command line of a hook."""
        return [*self.hook_start, client, event]

    @property
    def hook_start(self) -> list[str]:
        """The command line of a hook, before the client and the event."""
        if not self.is_windows:
            return [str(self.hook_program)]
        guarded = _GUARDED.format(path=str(self.hook_program))
        return [self.base_python, "-I", "-S", "-c", guarded]

    def home(self) -> str:
        """The person's home folder; UsageError when no variable names it."""
        name = "USERPROFILE" if self.is_windows else "HOME"
        home = self.environment.get(name, "")
        if not home:
            raise UsageError(f"the variable {name} is not set", hint="set it to your home folder")
        return home

    def folder(self, spec: Mapping[str, Any]) -> str:
        """The client's own folder: what its variable names, else the usual one."""
        told = spec.get("home", {})
        chosen = self.environment.get(told.get("variable", ""), "")
        return chosen or self.expand(told.get("folder", "~"))

    def expand(self, place: Place, folder: str = "") -> str:
        """A path of a description on this machine."""
        if not isinstance(place, str):
            place = place.get(self.platform, place["linux"])
        if place == "~" or place.startswith("~/"):
            place = self.home() + place[1:]
        if "{config}" in place:
            place = place.replace("{config}", self._config_home())
        place = place.replace("{folder}", folder)
        return self.paths.normpath(place) if place else place

    def find(self, program: str) -> str | None:
        """A program on the person's path."""
        return shutil.which(program, path=self.environment.get("PATH", ""))

    def shell(self, command: list[str]) -> str:
        """A command line as the platform's usual shell reads it."""
        return subprocess.list2cmdline(command) if self.is_windows else shlex.join(command)

    def _config_home(self) -> str:
        if self.is_windows:
            chosen = self.environment.get("APPDATA", "")
            return chosen or ntpath.join(self.home(), "AppData", "Roaming")
        if self.platform == "darwin":
            return posixpath.join(self.home(), "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or posixpath.join(self.home(), ".config")


def powershell(command: list[str]) -> str:
    """A command line as PowerShell reads it."""
    quoted = ["'" + one.replace("'", "''") + "'" for one in command]
    plain = re.compile(r"[\w./-]+")
    rest = [raw if plain.fullmatch(raw) else one for raw, one in zip(command, quoted, strict=True)]
    return " ".join(["&", quoted[0], *rest[1:]])
