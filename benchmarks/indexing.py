"""How fast the code is mapped, against reading and bare parsing of the same files.

Beside it: the same files through universal-ctags where that is installed, a tree of ten thousand
files in which nothing changed, a saved file until it is found, and the memory of all processes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, timed
from postil.codemap.languages import parser
from postil.codemap.update import update
from postil.codemap.walk import Candidate, Limits, walk
from postil.leader.watch import Watcher
from postil.storage.codeindex import CodeIndex

_REPEATS = 3
_SAVES = 7
_LARGE_TREE = 10_000
_PATIENCE = 10.0


def rows(project: Path, folder: Path) -> list[Row]:
    """Map a project from nothing, then again with nothing changed."""
    candidates, _ = walk(project, Limits())
    bare: list[float] = []
    full: list[float] = []
    for repeat in range(_REPEATS):  # in turn: what else the machine does falls on both
        bare += timed(lambda: _parse(project, candidates), 1)
        one = CodeIndex(folder / f"index-{repeat}.db")
        full += timed(partial(update, project, one, Limits()), 1)
        one.close()
    index = CodeIndex(folder / "index-0.db")
    again = timed(lambda: update(project, index, Limits()), _REPEATS)
    files, symbols = index.totals()
    saved = _saved(project, index)
    index.close()
    size = sum(one.size for one in candidates)
    parsed = Row(f"read and parse {files:,} files", bare)
    base = parsed.p50
    mapped = Row(
        f"map them ({symbols:,} symbols)",
        full,
        "bare parse",
        sorted(full)[len(full) // 2] / base,
        f"{size / min(full) / 1000:.1f} MB/s",
    )
    rows = [
        parsed,
        mapped,
        Row("update, nothing changed", again, "bare parse", min(again) / base),
        Row("a file is saved, until it is found", saved),
    ]
    if tags := shutil.which("ctags"):
        times = timed(lambda: _ctags(tags, project, candidates), _REPEATS)
        rows.append(Row("ctags of the same files, one process", times, "bare parse",
                        min(times) / base, "names and lines only"))  # fmt: skip
    return [*rows, *_large(project, candidates, folder)]


def peak_memory(project: Path, folder: Path) -> list[Row]:
    """The most memory that all processes together hold while a project is mapped (Linux)."""
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, sum(map(_proportional, [os.getpid(), *_children(os.getpid())])))

    watcher = threading.Thread(target=watch)
    candidates, _ = walk(project, Limits())
    lines = sum((project / one.path).read_bytes().count(b"\n") for one in candidates)
    index = CodeIndex(folder / "memory.db")
    watcher.start()
    took = timed(lambda: update(project, index, Limits()), 1)
    done.set()
    watcher.join()
    index.close()
    note = f"{peak / 1000:.0f} MB of all processes at most"
    return [Row(f"map {lines:,} lines in {len(candidates):,} files", took, note=note)]


def _parse(project: Path, candidates: list[Candidate]) -> None:
    for one in candidates:
        parser(one.language).parse((project / one.path).read_bytes())


def _ctags(program: str, project: Path, candidates: list[Candidate]) -> None:
    listed = "\n".join(one.path for one in candidates)
    command = [program, "-f", os.devnull, "--fields=+nKS", "-L", "-"]
    subprocess.run(command, cwd=project, input=listed.encode(), capture_output=True, check=True)


def _saved(project: Path, index: CodeIndex) -> list[float]:
    """From a save to the moment that a search of words finds what was saved."""

    def refresh() -> None:
        update(project, index, Limits())

    watcher = Watcher(project, refresh)
    target = project / "saved_by_benchmark.py"
    times = []
    try:
        time.sleep(1.0)  # the watcher has told what it saw of the copying
        for number in range(_SAVES):
            name = f"benchmarked{number}"
            start = time.perf_counter()
            target.write_text(f"def {name}():\n    return {number}\n", encoding="utf-8")
            while not index.match_words([name], 1):
                if time.perf_counter() - start > _PATIENCE:
                    raise TimeoutError(f"{name} was not found within {_PATIENCE} s")
                time.sleep(0.002)
            times.append((time.perf_counter() - start) * 1000)
    finally:
        watcher.close()
        target.unlink(missing_ok=True)
    return times


def _large(project: Path, candidates: list[Candidate], folder: Path) -> list[Row]:
    """An update of ten thousand files in which nothing changed."""
    root = folder / "large"
    for number in range(_LARGE_TREE):
        one = candidates[number % len(candidates)]
        target = root / f"copy{number // len(candidates)}" / one.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project / one.path, target)
    index = CodeIndex(folder / "large.db")
    update(root, index, Limits())
    times = timed(lambda: update(root, index, Limits()), _REPEATS)
    index.close()
    return [Row(f"update of {_LARGE_TREE:,} files, nothing changed", times)]


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in listed.read_text(encoding="ascii").split()]


def _proportional(process: int) -> int:
    """What a process holds in kilobytes, shared pages by their share; 0 when it has ended."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    found = next((one for one in rollup.splitlines() if one.startswith("Pss:")), "Pss: 0 kB")
    return int(found.split()[1])
