"""Real text in any amount: comments and docstrings of the installed Python, each line once.

Beyond what there is, two lines are joined: the words stay real, and their frequencies too.
"""

from __future__ import annotations

import random
import re
import site
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from postil.model import Kind, Memory
from postil.storage.store import Keys, Store

_LINE = re.compile(r"^\s*#\s+(\S.{25,160})$|^\s+([A-Z][^\"'=(){}]{30,160})$", re.MULTILINE)
_KINDS = tuple(Kind)
_AT_ONCE = 5_000


def lines() -> list[str]:
    """The distinct lines, in an order that is the same for the same installation."""
    found: dict[str, None] = {}
    for root in [sysconfig.get_path("stdlib"), *site.getsitepackages()]:
        for path in sorted(Path(root).rglob("*.py")):
            text = path.read_text(encoding="utf-8", errors="replace")
            for comment, prose in _LINE.findall(text):
                line = (comment or prose).strip()
                if line.count(" ") > 3:
                    found[line] = None
    ordered = list(found)
    random.Random(1).shuffle(ordered)
    return ordered


def texts(size: int, known: list[str]) -> Iterator[str]:
    """So many distinct texts."""
    yield from known[:size]
    chance = random.Random(2)
    for number in range(max(size - len(known), 0)):
        yield f"{chance.choice(known)} {chance.choice(known)} n{number}"


def fill(store: Store, size: int, known: list[str]) -> None:
    """Write so many memories past the gate, which is not what is measured here."""
    made = texts(size, known)
    for start in range(0, size, _AT_ONCE):
        with store.transaction():
            for number in range(start, min(start + _AT_ONCE, size)):
                memory = Memory(
                    f"m-{number:010d}",
                    next(made),
                    _KINDS[number % len(_KINDS)],
                    about=(f"thing{number % 5_000}",),
                    created_at=number + 1.0,
                    updated_at=number + 1.0,
                )
                store.insert_memory(memory, Keys(str(number), str(number)))
