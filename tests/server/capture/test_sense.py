"""What a person's words ask to be kept, on labelled turns; and what is never read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from postil.capture.sense import Signal, sense

CASES = Path(__file__).parents[2] / "cases" / "sensing.tsv"
ROWS = [
    (kind, text.replace("\\n", "\n"))
    for kind, _, text in (
        line.partition("\t") for line in CASES.read_text(encoding="utf-8").splitlines()
    )
]


def test_precision_and_recall_on_labelled_turns() -> None:
    right: Counter[str] = Counter()
    said: Counter[str] = Counter()
    labelled = Counter(kind for kind, _ in ROWS)
    wrong = []
    for kind, text in ROWS:
        signals = {one.signal.value for one in sense(text)}
        said.update(signals)
        right.update(signals & {kind})
        wrong += [(kind, sorted(signals), text)] if signals - {kind} else []
    table = [
        f"{kind:10} {labelled[kind]:3} labelled, precision {right[kind] / max(said[kind], 1):.2f},"
        f" recall {right[kind] / labelled[kind]:.2f}"
        for kind in Signal
    ]
    print("\n".join(table))
    assert len(ROWS) >= 300
    assert right.total() / said.total() >= 0.9, wrong
    assert right.total() / sum(labelled[kind] for kind in Signal) >= 0.6
    for kind in Signal:
        assert right[kind] / said[kind] >= 0.9, wrong
        assert right[kind] / labelled[kind] >= 0.6, (kind, table)


def test_the_reason_is_kept_apart() -> None:
    [one] = sense("We chose SQLite because it needs no server.")

    assert (one.signal, one.what, one.why) == (
        Signal.DECISION,
        "We chose SQLite",
        "it needs no server",
    )


@pytest.mark.parametrize(
    "text",
    [
        "> Never commit to main",
        "```\nAlways run the tests.\n```",
        "    Never do this.",
        'The page says "Always run the tests before committing."',
        "x" * 7_000 + ". Always run the tests.",
    ],
)
def test_what_is_not_the_persons_own_text_says_nothing(text: str) -> None:
    assert sense(text) == []
