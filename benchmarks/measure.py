"""Timing and printing."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report. `ratio` is to the run's own baseline, named in `against`."""

    name: str
    milliseconds: Sequence[float]
    against: str = ""
    ratio: float = 0.0
    note: str = ""

    @property
    def p50(self) -> float:
        return statistics.median(self.milliseconds)

    @property
    def p95(self) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """Wall-clock milliseconds of each repeat."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return times


def interleaved(
    commands: Mapping[str, Callable[[], object]], repeats: int
) -> dict[str, list[float]]:
    """Each in turn, so that whatever else the machine does falls on all alike."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, work in commands.items():
            times[name] += timed(work, 1)
    return times


def run(command: Sequence[str], stdin: bytes = b"", cwd: str | None = None) -> bytes:
    """Output of a command in the benchmark's own home."""
    environment = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(
        command, input=stdin, cwd=cwd, env=environment, capture_output=True, check=True
    )
    return done.stdout


def table(rows: Sequence[Row]) -> str:
    """The report as aligned text."""
    lines = [f"{'what':44} {'p50 ms':>9} {'p95 ms':>9}  ratio"]
    for row in rows:
        ratio = f"{row.ratio:.2f} x {row.against}" if row.against else ""
        text = f"{row.name:44} {row.p50:9.2f} {row.p95:9.2f}  {ratio}"
        lines.append(f"{text}  {row.note}".rstrip())
    return "\n".join(lines)
