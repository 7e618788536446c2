"""What only mounts or the kernel can bring about: a full disk, a folder that may not be read."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

# The mounts are seen by the command alone, and end with it.
_ENTER = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
_FULL = """
cp -a "$1" "$1.copy"
mount -t tmpfs -o size=16m none "$1"
cp -a "$1.copy/." "$1"
dd if=/dev/zero of="$1/ballast" bs=64k 2>/dev/null
shift; exec "$@"
"""
_READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"'


def on_full_disk(folder: str) -> list[str]:
    """Put before a command: `folder` lies on a disk of 16 MB that has no byte left."""
    return _before(_FULL, folder)


def read_only(folder: str) -> list[str]:
    """Put before a command: nobody can write in `folder`."""
    return _before(_READ_ONLY, folder)


def without_privileges() -> list[str]:
    """Put before a command: the modes of files hold for it, whoever runs it."""
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []


def _before(script: str, folder: str) -> list[str]:
    works = shutil.which("unshare") and subprocess.run(
        [*_ENTER, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False
    )
    if not works or works.returncode:
        pytest.skip("no mount namespaces here")
    return [*_ENTER, "sh", "-c", script, "sh", folder]
