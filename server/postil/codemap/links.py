"""Links between files: imports resolved, and which files are central by them."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import numpy as np

from postil.codemap.resolve import targets
from postil.codemap.tree import MANIFESTS, Tree
from postil.storage.codeindex import CodeIndex

# PageRank's usual damping (Brin and Page 1998), and rounds after which ranks stand still.
_DAMPING = 0.85
_ROUNDS = 30


def link(root: Path, index: CodeIndex, written: Set[str], is_whole: bool) -> None:
    """Resolve the imports of the files just written; of all when files came or went.

    So it is when a manifest was written that says where modules lie.
    """
    is_whole = is_whole or any(map(_is_manifest, written))
    if not written and not is_whole:
        return
    tree = Tree(root, index.files())
    rows = index.graph.imports(None if is_whole else written)
    links = [
        (row.file, row.line, target)
        for row in rows
        for target in targets(tree, row.path, row.language, row.module, row.statement)
    ]
    before = set() if is_whole else index.graph.links()
    index.graph.set_links(sorted({row.file for row in rows}), links)
    after = index.graph.links()
    if is_whole or before != after:
        index.graph.set_ranks(_ranks(sorted(after)))


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in MANIFESTS


def _ranks(links: list[tuple[int, int]]) -> list[tuple[float, int]]:
    """PageRank of files by who imports them, the highest being 1."""
    if not links:
        return []
    rows = sorted({row for pair in links for row in pair})
    place = {row: number for number, row in enumerate(rows)}
    source = np.array([place[one] for one, _ in links])
    target = np.array([place[one] for _, one in links])
    share = 1.0 / np.bincount(source, minlength=len(rows))[source]
    ranks = np.full(len(rows), 1.0 / len(rows))
    for _ in range(_ROUNDS):
        flow = np.bincount(target, ranks[source] * share, minlength=len(rows))
        ranks = (1 - _DAMPING) / len(rows) + _DAMPING * flow
    ranks = ranks / ranks.max()
    return [(float(rank), row) for rank, row in zip(ranks, rows, strict=True)]
