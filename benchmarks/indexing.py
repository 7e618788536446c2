"""How fast the code is mapped, against reading and bare parsing of the same files."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.measure import Row
from postil.codemap.languages import parser
from postil.codemap.update import update
from postil.codemap.walk import Limits, walk
from postil.storage.codeindex import CodeIndex


def rows(project: Path, folder: Path) -> list[Row]:
    """Map a project from nothing, then again with nothing changed."""
    candidates, _ = walk(project, Limits())
    start = time.perf_counter()
    size = 0
    for one in candidates:
        text = (project / one.path).read_bytes()
        size += len(text)
        parser(one.language).parse(text)
    bare = (time.perf_counter() - start) * 1000
    index = CodeIndex(folder / "index.db")
    start = time.perf_counter()
    update(project, index, Limits())
    full = (time.perf_counter() - start) * 1000
    start = time.perf_counter()
    update(project, index, Limits())
    again = (time.perf_counter() - start) * 1000
    files, symbols = index.totals()
    index.close()
    speed = f"{size / full / 1000:.1f} MB/s, {files / full * 1000:.0f} files/s"
    return [
        Row(f"read and parse {files:,} files", [bare], note=f"{size / bare / 1000:.1f} MB/s"),
        Row(f"map them ({symbols:,} symbols)", [full], "bare parse", full / bare, speed),
        Row("update, nothing changed", [again], "bare parse", again / bare),
    ]
