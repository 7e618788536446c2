"""LoCoMo: long conversations of two people, and questions with the turns that answer them.

The data (snap-research/locomo, CC BY-NC 4.0) are not part of this repository: give their path.
Conversations 1 to 5 are for choosing settings (dev), 6 to 10 for reporting them (test).

A turn is stored as `Speaker: text [image: caption]`, with the time of its session. The query is the
question alone. Gold are the turns named as evidence, ids normalised; names of no turn are dropped,
and so are questions that are left with none. Categories are those of the data's own scorer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from postil.model import Episode

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
DEV, TEST = slice(0, 5), slice(5, 10)


@dataclass(frozen=True)
class Question:
    text: str
    category: int
    gold: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    id: str
    turns: list[Episode]
    questions: list[Question]
    without_evidence: list[Question]


def load(path: Path) -> list[Conversation]:
    """The conversations in their order."""
    return [_conversation(row) for row in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(row: dict[str, Any]) -> Conversation:
    spoken = row["conversation"]
    numbers = sorted(
        int(name.split("_")[1])
        for name, value in spoken.items()
        if re.fullmatch(r"session_\d+", name) and isinstance(value, list)
    )
    turns = []
    for number in numbers:
        at = _when(spoken.get(f"session_{number}_date_time", ""))
        for turn in spoken[f"session_{number}"]:
            turns.append(
                Episode(
                    _turn_id(f"D{number}:{turn['dia_id'].split(':')[1]}"),
                    session=f"s{number}",
                    role="user",
                    text=_text(turn),
                    at=at,
                )
            )
    known = {turn.id for turn in turns}
    asked = [
        Question(one["question"], one["category"], _gold(one.get("evidence") or [], known))
        for one in row["qa"]
    ]
    return Conversation(
        row["sample_id"],
        turns,
        [one for one in asked if one.gold],
        [one for one in asked if not one.gold],
    )


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption") or ""
    image = f" [image: {caption}]" if caption else ""
    return f"{turn['speaker']}: {turn['text']}{image}"


def _gold(evidence: list[str], known: set[str]) -> frozenset[str]:
    named = [
        _turn_id(f"D{session}:{turn}")
        for text in evidence
        for session, turn in re.findall(r"D?(\d+):(\d+)", text.replace("D:", "D"))
    ]
    return frozenset(one for one in named if one in known)


def _turn_id(text: str) -> str:
    session, turn = text[1:].split(":")
    return f"e-{int(session)}-{int(turn)}"


def _when(text: str) -> float:
    """`1:56 pm on 8 May, 2023` in seconds."""
    moment = datetime.strptime(text, "%I:%M %p on %d %B, %Y")
    return moment.replace(tzinfo=UTC).timestamp()
