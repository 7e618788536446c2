"""`python -m benchmarks`: all of them, in a home of their own, as one table."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import activating, indexing, margin, searching, starts, transferring, wiring
from benchmarks.measure import table

CACHE = Path(os.environ.get("POSTIL_TEST_CACHE") or "/tmp/postil-test-cache")


_CHOICES = (
    *("starts", "wiring", "margin", "indexing", "memory"),
    *("searching", "transferring", "activating"),
)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--size", type=int, default=10_000, help="memories in the largest store")
    asked.add_argument("--memories", type=int, default=0, help="memories for `--only starts`")
    asked.add_argument("--repeats", type=int, default=30, help="starts of each program")
    asked.add_argument("--project", type=Path, default=CACHE / "django-5.2.8")
    asked.add_argument(
        "--only",
        choices=_CHOICES,
    )
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="postil-bench-") as name:
        folder = Path(name)
        for variable in [one for one in os.environ if one.startswith(("POSTIL_", "XDG_"))]:
            del os.environ[variable]
        os.environ["HOME"] = str(folder / "home")
        print(f"postil on Python {platform.python_version()}, {os.cpu_count()} cores")
        small = folder / "shop"
        small.mkdir()
        (small / "pay.py").write_text("def charge():\n    return 1\n", encoding="utf-8")
        (small / ".git").mkdir()
        _print(options, folder, small)


def _print(options: argparse.Namespace, folder: Path, small: Path) -> None:
    if options.only in (None, "wiring"):
        print(table(wiring.rows(small, options.repeats)), flush=True)
    if options.only in (None, "starts"):
        print(table(starts.rows(small, options.repeats, options.memories)), flush=True)
    if options.only in (None, "indexing"):
        if not options.project.is_dir():
            sys.exit(f"{options.project} is missing: `make test` brings it, or name another")
        print(table(indexing.rows(_copy(options.project, folder), folder)), flush=True)
    if options.only in (None, "margin"):
        _margin(options, folder)
    if options.only == "memory":
        print(table(indexing.peak_memory(options.project, folder)), flush=True)
    if options.only == "activating":
        print(table(activating.rows(folder, min(options.repeats, 10))), flush=True)
    if options.only in (None, "searching"):
        sizes = [size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= options.size]
        print(table(searching.rows(sizes or [options.size], folder)), flush=True)
    if options.only in (None, "transferring"):
        transferring.main(min(options.size, 100_000))


def _margin(options: argparse.Namespace, folder: Path) -> None:
    place = _copy(options.project, folder / "margin")
    if (CACHE / "sqlalchemy-2.1.9").is_dir():
        _copy(CACHE / "sqlalchemy-2.1.9", place)
    size = options.memories or options.size
    print(table(margin.rows(place, size, max(options.repeats, 40), CACHE)), flush=True)


def _copy(project: Path, folder: Path) -> Path:
    """A copy outside of any repository's ignore rules."""
    target = folder / project.name
    shutil.copytree(project, target, symlinks=True)
    return target


if __name__ == "__main__":
    main()
