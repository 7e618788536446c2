"""One table for each task: ours, plain FTS5, vectors alone, and what others publish.

    python -m benchmarks.quality --locomo locomo10.json [--local FOLDER] [--dev]
        [--longmemeval FILE] [--cosqa FOLDER] [--repository PATH ...] [--package FOLDER ...]

Settings were frozen on the dev halves (`--dev`): LoCoMo conversations 1 to 5, CoSQA dev. Without it
the test halves are reported.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.quality import code, locomo, longmemeval, systems
from benchmarks.quality.metrics import SINGLE, TURNS, Ranked, table
from postil.embed import Choice, Embedder, open_embedder
from postil.memory import vectors
from postil.memory.reading import StoreReader
from postil.memory.recall import Query, recall
from postil.model import Episode, Memory
from postil.present import recall_cost, recall_text
from postil.storage.sqlite import SqliteStore

# Session retrieval on LoCoMo, all categories, as their makers publish it (R@1 / R@5 / R@10).
_PUBLISHED = """
Published by others, sessions found among the first k of all five categories:
| system | session@1 | session@5 | session@10 | what runs |
|---|---|---|---|---|
| luamemo 0.4.0, EmbeddingGemma-300M | 58.9 | - | - | a row for each session |
| luamemo 0.4.0, bge-m3 | 58.4 | - | - | the same, on a GPU |
| MemPalace hybrid v5 | 54.1 | 83.2 | 92.5 | recomputed from their file of answers |
| engram-search | - | 93.9 | 95.0 | bge-large and a cross-encoder |
| Hebb Mind | - | - | 95.75 | turns, bge-large and a reranker |
"""
_BUDGET = 800


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--cosqa", type=Path)
    parser.add_argument("--repository", type=Path, action="append", default=[])
    parser.add_argument(
        "--package", type=Path, action="append", default=[], help="the folder of a Python package"
    )
    parser.add_argument("--local", default="", help="a folder with a transformer")
    parser.add_argument("--dev", action="store_true", help="the half that settings were chosen on")
    options = parser.parse_args()
    embedders: dict[str, Embedder | None] = {
        "ours, words alone": None,
        "ours, hash": open_embedder("hash"),
        "ours, default": open_embedder("auto"),
    }
    if options.local:
        embedders["ours, local transformer"] = open_embedder(Choice("local", folder=options.local))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.locomo:
            _locomo(locomo.load(options.locomo), options.dev, embedders, folder)
        if options.longmemeval:
            _longmemeval(options.longmemeval, embedders, folder)
        if options.cosqa:
            texts, asked = code.cosqa(options.cosqa, "dev" if options.dev else "test")
            _texts("CoSQA", texts, asked, embedders, folder)
        for repository in options.repository:
            texts, asked = code.rationale(repository, 1_500)
            _texts(f"rationale: {repository.stem}", texts, asked, embedders, folder)
            root, asked = code.changes(repository, 200, folder)
            _files(repository, root, asked, folder)
        for package in options.package:
            root, asked = code.symbols(package, folder)
            _symbols(package, root, asked, folder)


def _locomo(
    conversations: Sequence[locomo.Conversation],
    dev: bool,
    embedders: dict[str, Embedder | None],
    folder: Path,
) -> None:
    part = conversations[locomo.DEV if dev else locomo.TEST]
    print(f"## LoCoMo, conversations {'1 to 5 (dev)' if dev else '6 to 10 (test)'}\n")
    static = open_embedder("static")
    assert static is not None
    makers: dict[str, Callable[[locomo.Conversation], systems.Answer]] = {
        "FTS5 alone": lambda one: systems.plain_fts(one.turns),
        "vectors alone": lambda one: systems.vectors_alone(one.turns, static),
    }
    for name, embedder in embedders.items():
        makers[name] = _ours(embedder, folder, name)
    found: dict[str, list[Ranked]] = {}
    for name, make in makers.items():
        start = time.perf_counter()
        found[name] = [row for one in part for row in _answers(one, make(one))]
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    print("\n" + table(TURNS, found) + "\n\nDefault, by category:\n")
    kinds = dict.fromkeys(locomo.CATEGORIES.values())
    ours = found["ours, default"]
    print(table(TURNS, {kind: [row for row in ours if row.kind == kind] for kind in kinds}))
    print(_PUBLISHED)
    _bytes(part, folder)


def _ours(
    embedder: Embedder | None, folder: Path, name: str
) -> Callable[[locomo.Conversation], systems.Answer]:
    def make(one: locomo.Conversation) -> systems.Answer:
        return systems.ours(one.turns, embedder, folder / f"{name}-{one.id}.db")

    return make


def _answers(conversation: locomo.Conversation, answer: systems.Answer) -> list[Ranked]:
    turns = {turn.id: turn for turn in conversation.turns}
    rows = []
    for question in conversation.questions:
        ids = answer(question.text)
        rows.append(
            Ranked(
                ids,
                question.gold,
                [turns[one].session for one in ids],
                frozenset(turns[one].session for one in question.gold),
                [len(turns[one].text) + 1 for one in ids],
                locomo.CATEGORIES[question.category],
            )
        )
    return rows


def _bytes(part: Sequence[locomo.Conversation], folder: Path) -> None:
    """How many bytes an agent is given for questions, and for those that nothing answers."""
    embedder = open_embedder("auto")
    readers = [StoreReader(SqliteStore(folder / f"ours, default-{one.id}.db")) for one in part]

    def sizes(place: int, questions: Sequence[locomo.Question]) -> list[int]:
        return [
            len(
                recall_text(
                    recall([readers[place]], embedder, Query(one.text, _BUDGET), recall_cost),
                    _BUDGET,
                ).encode()
            )
            for one in questions
        ]

    own, foreign, none, adversarial = [], [], [], []
    for place, one in enumerate(part):
        own += sizes(place, one.questions)
        adversarial += sizes(place, [q for q in one.questions if q.category == 5])
        foreign += sizes((place + 1) % len(part), one.questions)
        none += sizes(place, one.without_evidence)
    print("Bytes given to an agent, default, 800 tokens:\n")
    for name, found in (
        ("questions of the conversation", own),
        ("those of category 5 (evidence, but no answer)", adversarial),
        ("without evidence", none),
        ("asked of another conversation: nothing answers", foreign),
    ):
        if found:
            silent = sum(size < 200 for size in found) / len(found)
            print(
                f"- {name}: n {len(found)}, median {statistics.median(found):,.0f},"
                f" under 200 bytes {100 * silent:.1f} %"
            )


def _longmemeval(path: Path, embedders: dict[str, Embedder | None], folder: Path) -> None:
    print(f"\n## LongMemEval: {path.name}\n")
    found = {}
    for name, embedder in embedders.items():
        found[name] = longmemeval.ranked(path, _anew(embedder, folder))
    print(table({k: TURNS[k] for k in ("session@1", "session@5")}, found))


def _anew(embedder: Embedder | None, folder: Path) -> longmemeval.Ask:
    def ask(turns: Sequence[Episode], question: str) -> list[str]:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            return systems.ours(turns, embedder, Path(place) / "memory.db")(question)

    return ask


def _texts(
    title: str,
    texts: Sequence[str],
    asked: Sequence[code.Asked],
    embedders: dict[str, Embedder | None],
    folder: Path,
) -> None:
    print(f"\n## {title}: {len(texts):,} texts, {len(asked):,} queries\n", flush=True)
    if not asked:
        return
    turns = [Episode(str(place), str(place), "user", text) for place, text in enumerate(texts)]
    found = {"FTS5 alone": code.over(systems.plain_fts(turns), asked)}
    for name, embedder in embedders.items():
        path = folder / f"{title.replace(':', '')}-{name}.db"
        found[name] = code.over(_memories(texts, embedder, path), asked)
    print(table(SINGLE, found))


def _memories(texts: Sequence[str], embedder: Embedder | None, path: Path) -> systems.Answer:
    """Postil, with each text as a memory."""
    store = SqliteStore(path)
    with store.transaction():
        for place, text in enumerate(texts):
            systems.put(store, Memory(str(place), text))
    if embedder is not None:
        vectors.refresh(store, embedder, limit=1 << 40)
    return systems.over_store(store, embedder)


def _symbols(package: Path, root: Path, asked: Sequence[code.Asked], folder: Path) -> None:
    print(f"\n## symbols: {package.name}, {len(asked):,} queries\n", flush=True)
    kept = code.without_its_name(asked)
    found: dict[str, list[Ranked]] = {}
    for name, embedder in (("words alone", None), ("default", open_embedder("static"))):
        rows = code.over_map(root, asked, embedder, folder)
        noleak = [row for row, keep in zip(rows, kept, strict=True) if keep]
        found[f"ours, {name}"] = rows
        found[f"ours, {name}; noleak ({len(noleak)})"] = noleak
    print(table(SINGLE, found))


def _files(repository: Path, root: Path, asked: Sequence[code.Asked], folder: Path) -> None:
    print(f"\n## changes: {repository.parent.name}, {len(asked):,} queries\n", flush=True)
    static = open_embedder("static")
    found = {
        f"ours, {'with' if vote else 'without'} votes of past commits": code.over_files(
            root, asked, static, folder, vote
        )
        for vote in (False, True)
    }
    print(table(SINGLE, found))


if __name__ == "__main__":
    main()
