"""Export, import, export of a large store: identical, with its time and peak memory.

Bar 7 of the memory core: at most 300 MB. Each step is a process of its own, so that the peak of
one is not the peak of all.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

MOST_MEGABYTES = 300
_FOR = ("orders", "mail", "billing")


def main(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        first, second = home / "first.jsonl", home / "second.jsonl"
        rows = [
            _step("fill", home / "a.db", str(size)),
            _step("export", home / "a.db", str(first)),
            _step("import", home / "b.db", str(first)),
            _step("export", home / "b.db", str(second)),
        ]
        same = _digest(first) == _digest(second)
        print(f"{size:,} memories, {first.stat().st_size / 1e6:.0f} MB of JSONL")
        for row in rows:
            print(f"  {row['step']:7} {row['seconds']:7.1f} s  peak {row['megabytes']:4.0f} MB")
        peak = max(row["megabytes"] for row in rows[1:])
        print(f"  identical: {'yes' if same else 'NO'}; peak {peak:.0f} MB of {MOST_MEGABYTES}")
        if not same or peak > MOST_MEGABYTES:
            sys.exit(1)


def _step(step: str, store: Path, argument: str) -> dict[str, float]:
    code = f"import benchmarks.transferring as b; b.work({step!r}, {str(store)!r}, {argument!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    row: dict[str, float] = json.loads(done.stdout)
    return row


def work(step: str, store_path: str, argument: str) -> None:
    """One step, in its own process; prints its time and peak memory."""
    from postil.storage.sqlite import SqliteStore
    from postil.transfer import jsonl

    started = time.perf_counter()
    store = SqliteStore(Path(store_path))
    if step == "fill":
        _fill(store, int(argument))
    elif step == "export":
        with Path(argument).open("w", encoding="utf-8", newline="\n") as sink:
            jsonl.export(store, sink)
    else:
        done = jsonl.load(store, Path(argument))
        assert done.skipped == 0, done.problems
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 if sys.platform == "linux" else 1_000
    )
    row = {"step": step, "seconds": time.perf_counter() - started, "megabytes": peak / 1_000}
    print(json.dumps(row))


def _fill(store: object, size: int) -> None:
    import random

    from postil.memory.facts import assert_fact
    from postil.memory.write import Terms, remember
    from postil.model import Anchor, Fact, Kind, Memory
    from postil.storage.sqlite import SqliteStore

    assert isinstance(store, SqliteStore)
    chance = random.Random(7)
    kinds = list(Kind)
    terms = Terms(compares=False)
    for start in range(0, size, 1_000):
        with store.transaction():
            for number in range(start, min(start + 1_000, size)):
                draft = Memory(
                    "",
                    f"Service s{number} of team t{number % 97} uses queue"
                    f" q{chance.randrange(9_999)} for {chance.choice(_FOR)} with limit {number}",
                    kinds[number % len(kinds)],
                    why=f"measured in run r{chance.randrange(10**9)}; see ticket T-{number}",
                    tags=(f"tag{number % 50}", "bench"),
                    about=(f"s{number % 500}",),
                    anchors=(Anchor(f"src/s{number % 900}.py", "Service.run", "method", "ab12"),),
                    author="agent:bench",
                    session=f"s{number % 1000}",
                )
                remember(store, draft, terms)
    for number in range(100):
        assert_fact(store, Fact("", f"s{number}", "uses", f"q{number}"))


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
