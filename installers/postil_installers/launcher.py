"""Our own files that clients' configurations point at: they stay when Postil is moved or gone.

The hook program: found at the same path after each upgrade, so that a client that trusts a command
by its text goes on trusting it; silent when the package is gone. The uninstaller: needs nothing but
Python.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import postil_hooks
from postil_installers import standalone
from postil_installers.machine import Machine

_HOOKS = Path(postil_hooks.__file__).resolve().parent
# Linux reads so much of a first line, and no blank inside of the interpreter's path.
_LONGEST_SHEBANG = 120
_BODY = """\
# Starts the hooks of Postil. Written by `postil install`, removed by `postil uninstall`.
import os
import sys

sys.path.insert(0, {folder!r})
try:
    from postil_hooks import client
except ImportError:  # Postil was removed: an agent's session must not notice
    os._exit(0)
client.PROGRAM = ({python!r}, "-I", "-m", "postil", "hook")
code = client.main(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""
_SHELL = """\
#!/bin/sh
# Starts the hooks of Postil. Written by `postil install`, removed by `postil uninstall`.
[ -x {python} ] && [ -e {program} ] && exec {python} -I -S {program} "$@"
exit 0
"""


def files(machine: Machine) -> dict[Path, str]:
    """Each of them and what it must hold."""
    found = {machine.hook_program: _hook_program(machine), uninstaller(machine): _uninstaller()}
    if _needs_shell(machine):
        found[_inner(machine)] = _body(machine)
    return found


def uninstaller(machine: Machine) -> Path:
    """The program that takes everything out again, also when Postil itself is gone."""
    return machine.data / "uninstall.py"


def are_current(machine: Machine) -> bool:
    """Whether all of them are there and belong to this installation."""
    return not _outdated(machine)


def write(machine: Machine) -> None:
    """Write those that are missing or belong to another installation."""
    for path, text in _outdated(machine).items():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(text, encoding="utf-8", newline="\n")
        part.chmod(0o700)
        part.replace(path)


def remove(machine: Machine) -> None:
    """Remove all of them: nothing points at them any more."""
    for path in files(machine):
        path.unlink(missing_ok=True)
    folder = machine.hook_program.parent
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _outdated(machine: Machine) -> dict[Path, str]:
    return {path: text for path, text in files(machine).items() if _read(path) != text}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _hook_program(machine: Machine) -> str:
    if not _needs_shell(machine):
        first = "" if machine.is_windows else f"#!{machine.base_python} -IS\n"
        return first + _body(machine)
    quoted = {"python": machine.base_python, "program": str(_inner(machine))}
    return _SHELL.format(**{name: shlex.quote(one) for name, one in quoted.items()})


def _body(machine: Machine) -> str:
    return _BODY.format(folder=str(_HOOKS.parent), python=machine.python)


def _needs_shell(machine: Machine) -> bool:
    """Whether the system cannot start the interpreter by the first line of a file."""
    python = machine.base_python
    return not machine.is_windows and (" " in python or len(python) > _LONGEST_SHEBANG)


def _inner(machine: Machine) -> Path:
    return machine.data / "bin" / "postil-hook.py"


def _uninstaller() -> str:
    return Path(standalone.__file__).read_text(encoding="utf-8")
