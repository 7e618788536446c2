"""The folders Postil keeps its files in, private to the person."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import platformdirs

from postil.errors import StoreError
from postil_hooks import paths as wire

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def data_dir() -> Path:
    """All stores; see `postil_hooks.paths.data_dir`, which the hook client shares."""
    return Path(wire.data_dir())


def config_dir() -> Path:
    """The person's own settings."""
    chosen = os.environ.get("POSTIL_HOME")
    return Path(chosen).absolute() if chosen else platformdirs.user_config_path("postil", False)


def cache_dir() -> Path:
    """What can be rebuilt at any time: the code maps."""
    chosen = os.environ.get("POSTIL_HOME")
    if chosen:
        return Path(chosen).absolute() / "cache"
    return platformdirs.user_cache_path("postil", False)


def private(folder: Path) -> Path:
    """`folder`, made if it is missing, closed to other people."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
        if os.name == "posix":
            if folder.stat().st_uid != os.getuid():
                raise StoreError(f"{folder} belongs to somebody else", hint="remove or rename it")
            if stat.S_IMODE(folder.stat().st_mode) & 0o077:
                folder.chmod(PRIVATE_FOLDER)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be used: {error.strerror}", hint="check its owner and mode"
        ) from error
    return folder
