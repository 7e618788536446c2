"""What was said before a compaction is found after it, whatever was killed on the way."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.capture.formats import FORMATS
from postil.capture.transcript import Reading, read_since
from postil.leader.hooks import Hooks, take_event
from postil.memory.recall import Query
from postil.model import Actor
from postil.present import recall_cost
from postil.storage.store import Filters
from postil.workspace import Workspace
from support.project import clean_environment

_NOUNS = [
    "ledger",
    "broker",
    "parser",
    "kernel",
    "beacon",
    "turbine",
    "gasket",
    "lattice",
    "harbor",
    "quarry",
    "meadow",
    "lantern",
    "anvil",
    "compass",
    "thicket",
    "glacier",
    "cobalt",
    "saffron",
    "walnut",
    "pelican",
]
_VERBS = [
    "overheats",
    "leaks",
    "stalls",
    "doubles",
    "expires",
    "rotates",
    "buckles",
    "drifts",
    "shrinks",
    "flickers",
]


def line(session: str, number: int, role: str, text: str, **more: object) -> str:
    row = {"type": role, "uuid": f"{session}-{number}", "sessionId": session,
           "message": {"role": role, "content": text}, **more}  # fmt: skip
    return json.dumps(row) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True], ids=["whole", "killed at random"])
def test_every_planted_fact_survives_two_compactions(
    workspace: Workspace, tmp_path: Path, is_killed: bool
) -> None:
    """50 sessions of 200 turns and two compactions; 6 facts in each.

    Where it is killed, half of all events never arrive, and a third of the transcripts is torn
    when one does; the start of the next session makes up for it.
    """
    chance = random.Random(7)
    planted: list[tuple[str, str]] = []
    hooks = Hooks(workspace)
    for number in range(50):
        session = f"s{number}"
        path = tmp_path / f"{session}.jsonl"
        payload = {"session_id": session, "transcript_path": str(path)}
        places = set(chance.sample(range(200), 6))
        for turn in range(200):
            text = f"turn {turn} of {session}, nothing of note"
            if turn in places:
                name = f"{chance.choice(_NOUNS)}-{number}-{turn}"
                planted.append((name, f"The {name} {chance.choice(_VERBS)} on Tuesdays"))
                text = planted[-1][1]
            with path.open("a") as file:
                file.write(line(session, turn, "user" if turn % 2 == 0 else "assistant", text))
            if turn in (70, 140):
                fire(workspace, chance, is_killed, "PreCompact", payload)
                with path.open("a") as file:
                    summary = "a summary of what was said"
                    file.write(line(session, 1000 + turn, "user", summary, isCompactSummary=True))
                start = json.dumps({**payload, "source": "compact"}).encode()
                hooks.answer("claude-code", "SessionStart", start)
                fire(workspace, chance, is_killed, "SessionStart", {**payload, "source": "compact"})
        fire(workspace, chance, is_killed, "Stop", payload)
        fire(workspace, chance, False, "SessionEnd", payload)

    assert len(planted) == 300
    lost = [fact for name, fact in planted if not finds(workspace, name, fact)]
    assert lost == []


def fire(
    workspace: Workspace,
    chance: random.Random,
    is_killed: bool,
    native: str,
    payload: dict[str, str],
) -> None:
    if is_killed and chance.random() < 0.5:
        return  # killed before it wrote anything
    path = Path(payload["transcript_path"])
    whole = path.read_bytes()
    is_torn = is_killed and chance.random() < 0.33
    if is_torn:
        path.write_bytes(whole[: -chance.randrange(1, 60)])
    take_event(workspace, "claude-code", native, json.dumps(payload).encode(), is_late=True)
    if is_torn:
        path.write_bytes(whole)


def finds(workspace: Workspace, name: str, fact: str) -> bool:
    query = Query(name, tokens=2_000, limit=5, filters=Filters(Actor().scopes))
    found = workspace.recall(query, recall_cost)
    return any(hit.episode is not None and fact in hit.episode.text for hit in found.hits)


TEXTS = st.text(alphabet='a\u2028\u0085\x0c\u00e9\U0001f600"\\ {}', max_size=30)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, max_size=8), cuts=st.lists(st.integers(0, 3_000), max_size=6))
def test_wherever_a_transcript_is_cut_it_is_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: list[int]
) -> None:
    """The file grows by any bytes; what is read in steps is what is read at once."""
    rows = [
        json.dumps(
            {"type": "user", "uuid": str(n), "message": {"content": text}}, ensure_ascii=n % 2 == 0
        )
        for n, text in enumerate(texts)
    ]
    whole = "".join(row + "\n" for row in rows).encode()
    path = tmp_path_factory.mktemp("cut") / "t.jsonl"
    parse = FORMATS["claude"]
    path.write_bytes(whole)
    at_once = list(read_since(path, Reading(0), parse))

    reading = Reading(0)
    in_steps = []
    for cut in [*sorted(cuts), len(whole)]:
        path.write_bytes(whole[:cut])
        in_steps += list(read_since(path, reading, parse))

    assert in_steps == at_once
    assert len(at_once) == sum(bool(text.strip()) for text in texts)


IMPORT = """
import re, sys
from pathlib import Path
from postil.capture.ingest import ingest
from postil.storage.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[2]))
path = Path(sys.argv[1])
first = ingest(store, "claude-code", "claude", path, "s")
again = ingest(store, "claude-code", "claude", path, "s")
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(first.added, first.oversized, again.added, peak)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_two_gigabytes_are_read_within_200_megabytes(home: Path, tmp_path: Path) -> None:
    """Mostly tool output, as real ones are; one line alone is larger than what is held."""
    path = tmp_path / "huge.jsonl"
    output = json.dumps({"type": "user", "uuid": "", "toolUseResult": "x" * 4_100_000})
    with path.open("w") as file:
        for number in range(1_000):
            file.write(line("s", number, "user", f"turn {number} about the {_NOUNS[number % 20]}"))
            if number % 2 == 0:
                file.write(output.replace('"uuid": ""', f'"uuid": "o{number}"') + "\n")
            if number == 500:
                file.write(json.dumps({"type": "user", "image": "y" * 30_000_000}) + "\n")
    assert path.stat().st_size > 2_000_000_000
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(path), str(tmp_path / "memory.db")],
        env=clean_environment(home), capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    added, oversized, again, peak = map(int, done.stdout.split())

    assert (added, oversized, again) == (1_000, 1, 0)
    assert peak < 200_000, f"{peak} kB"
    path.unlink()
