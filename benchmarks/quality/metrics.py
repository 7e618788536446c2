"""Measures of retrieval, each defined once. All are means over questions, in per cent.

| name | meaning |
|---|---|
| R@k | share of the gold items among the first k |
| hit@k | whether any gold item is among the first k |
| MRR | 1 / rank of the first gold item, 0 when it is not found |
| nDCG@10 | binary gain, log2 discount, the ideal order has min(gold, 10) ones |
| group@k | whether any gold group (session, file) is among the first k groups |
| chars@n | share of the gold items within the first n characters of what is returned |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2_000


@dataclass(frozen=True)
class Ranked:
    """What one question got: items in order, each with its group and its length in characters."""

    items: Sequence[str]
    gold: frozenset[str]
    groups: Sequence[str] = ()
    gold_groups: frozenset[str] = frozenset()
    lengths: Sequence[int] = ()
    kind: str = ""

    def recall(self, k: int) -> float:
        return len(self.gold & set(self.items[:k])) / len(self.gold)

    def hit(self, k: int) -> float:
        return float(bool(self.gold & set(self.items[:k])))

    def reciprocal(self) -> float:
        return next((1 / (at + 1) for at, one in enumerate(self.items) if one in self.gold), 0.0)

    def ndcg(self) -> float:
        gain = sum(
            1 / math.log2(at + 2) for at, one in enumerate(self.items[:10]) if one in self.gold
        )
        return gain / sum(1 / math.log2(at + 2) for at in range(min(len(self.gold), 10)))

    def group(self, k: int) -> float:
        first = list(dict.fromkeys(self.groups))[:k]
        return float(bool(self.gold_groups & set(first)))

    def within(self, characters: int) -> float:
        used = found = 0
        for item, length in zip(self.items, self.lengths, strict=True):
            used += length
            if used > characters:
                break
            found += item in self.gold
        return found / len(self.gold)


Measure = Callable[[Ranked], float]

TURNS: dict[str, Measure] = {
    "R@1": lambda one: one.recall(1),
    "R@5": lambda one: one.recall(5),
    "R@10": lambda one: one.recall(10),
    "nDCG@10": lambda one: one.ndcg(),
    "session@1": lambda one: one.group(1),
    "session@5": lambda one: one.group(5),
    "chars@2000": lambda one: one.within(2_000),
}
SINGLE: dict[str, Measure] = {
    "hit@1": lambda one: one.hit(1),
    "hit@10": lambda one: one.hit(10),
    "MRR": lambda one: one.reciprocal(),
}


def table(measures: Mapping[str, Measure], systems: Mapping[str, Sequence[Ranked]]) -> str:
    """Systems against measures as a Markdown table, with 95% intervals (bootstrap, questions)."""
    lines = [
        "| system | n | " + " | ".join(measures) + " |",
        "|---|---|" + "---|" * len(measures),
    ]
    for name, rows in systems.items():
        cells = [_cell([measure(row) for row in rows]) for measure in measures.values()]
        lines.append(f"| {name} | {len(rows):,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(values: Sequence[float]) -> str:
    found = np.array(values)
    chance = np.random.default_rng(0)
    means = found[chance.integers(0, len(found), (_RESAMPLES, len(found)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{100 * found.mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]"
