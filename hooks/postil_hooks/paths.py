"""Where Postil's processes meet: computed alike by the hook client and by everyone else."""

import os
import sys


def data_dir() -> str:
    """The folder of all stores: `$POSTIL_HOME`, else the platform's folder for user data."""
    chosen = os.environ.get("POSTIL_HOME")
    if chosen:
        return os.path.abspath(chosen)
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.path.join(base, "postil")


def spool_dir() -> str:
    """Where events wait when nobody was there to take them."""
    return os.path.join(data_dir(), "spool")


def fired_dir() -> str:
    """Where each event of each client leaves a mark of when it came last."""
    return os.path.join(data_dir(), "fired")


def work_tree(folder: str) -> str:
    """The nearest folder at or above `folder` that holds `.git`, else `folder` itself."""
    start = os.path.realpath(folder)
    here = start
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return start
        here = above
    return here


def endpoint_name(root: str) -> str:
    """The name of the leader's meeting point for the working tree `root`."""
    try:
        from _blake2 import blake2b  # a third of the start-up cost of hashlib
    except ImportError:
        from hashlib import blake2b
    return blake2b(
        os.path.normcase(root).encode("utf-8", "surrogateescape"), digest_size=10
    ).hexdigest()


def run_dir() -> str:
    """The private folder of locks and sockets; short, since socket paths hold about 100 bytes."""
    folder = os.path.join(data_dir(), "run")
    if len(os.fsencode(folder)) <= 70 or sys.platform == "win32":
        return folder
    name = f"postil-{os.getuid()}-{endpoint_name(folder)[:8]}"
    return os.path.join("/tmp", name)


def stores_path(root: str) -> str:
    """The file that names the stores of the tree `root`, one a line."""
    return os.path.join(run_dir(), endpoint_name(root) + ".stores")


def endpoint_path(root: str) -> str:
    """The leader's socket (or, without Unix sockets, its address file) for the tree `root`."""
    return os.path.join(run_dir(), endpoint_name(root) + ".sock")
