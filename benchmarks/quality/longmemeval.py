"""LongMemEval: questions about the many sessions of one user with an assistant.

The data (Wu et al. 2024) are not part of this repository: give the path of a file such as
`longmemeval_s_cleaned.json`. A session's rank is that of its first turn. `session@k` is what its
authors call recall_any@k. Abstention questions (`*_abs`) are left out: nothing answers them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.quality.metrics import Ranked
from postil.model import Episode

Ask = Callable[[Sequence[Episode], str], list[str]]


def ranked(path: Path, ask: Ask, most: int = 0) -> list[Ranked]:
    """What a system answers to each question over its own sessions."""
    rows = []
    for row in json.loads(path.read_text(encoding="utf-8"))[: most or None]:
        if row["question_id"].endswith("_abs"):
            continue
        turns = [
            Episode(f"e-{place}-{number}", session, turn["role"], turn["content"])
            for place, (session, said) in enumerate(
                zip(row["haystack_session_ids"], row["haystack_sessions"], strict=True)
            )
            for number, turn in enumerate(said)
        ]
        owners = {turn.id: turn.session for turn in turns}
        found = ask(turns, row["question"])
        gold = frozenset(row["answer_session_ids"])
        rows.append(
            Ranked([owners[one] for one in found], gold, [owners[one] for one in found], gold)
        )
    return rows
