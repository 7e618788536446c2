"""Tasks of a coding agent, made by script from what the machine has: no data are shipped.

| task | what is stored | query | gold |
|---|---|---|---|
| rationale | bodies of commits, trailers left out | the subject, cleaned | that body |
| symbols | the code map of a package without docstrings | the first sentence of one | its symbol |
| changes | the code map of a snapshot | subjects of later commits | the files they modified |
| cosqa | functions without docstrings | what somebody typed into a search engine | the function |

Leaks are kept out as in the published definitions: a query of fewer than three content words, a
subject that its body repeats and a text that occurs twice are dropped.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.metrics import Ranked
from benchmarks.quality.systems import DEPTH
from postil.codemap import search as code_search
from postil.codemap.history import read_history
from postil.codemap.languages import language_of
from postil.codemap.update import update
from postil.codemap.walk import Limits
from postil.embed import Embedder
from postil.storage.codeindex import CodeIndex
from postil.words import STOP_WORDS, code_words, query_terms

_TRAILER = re.compile(
    r"(?im)^\s*(?:[A-Z][\w-]*-(?:by|id|from|to|url)|signed-off-by|fixes|closes|resolves|refs?).*$"
    r"|https?://\S+"
)
# Prose and data that commits change beside the code.
_NO_CODE = (None, "markdown", "toml", "json", "yaml")
_LONGEST = 4_000
_SHORTEST = 200


@dataclass(frozen=True)
class Asked:
    """A query and what answers it."""

    text: str
    gold: frozenset[str]


def rationale(repository: Path, most: int) -> tuple[list[str], list[Asked]]:
    """Bodies of commits, and their subjects as queries; the gold names a body by its place."""
    bodies: list[str] = []
    asked: list[Asked] = []
    for subject, body in _commits(repository):
        body = re.sub(r"\n{3,}", "\n\n", _TRAILER.sub("", body)).strip()
        subject = _clean(subject)
        told_twice = subject.lower() in body.lower()
        if len(body) < _SHORTEST or not _says_enough(subject) or told_twice:
            continue
        asked.append(Asked(subject, frozenset([str(len(bodies))])))
        bodies.append(body[:_LONGEST])
        if len(bodies) == most:
            break
    return bodies, _once(asked)


def symbols(source: Path, folder: Path) -> tuple[Path, list[Asked]]:
    """A copy of a package without its docstrings, and their first sentences as queries."""
    target = folder / source.name
    asked: list[Asked] = []
    for path in sorted(source.rglob("*.py")):
        if {"test", "tests", "testing", "vendor", "_vendor"} & set(path.parts):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        relative = path.relative_to(source)
        for name, node in _definitions(tree, ""):
            doc = ast.get_docstring(node)
            if doc is not None:
                sentence = _sentence(doc)
                if _says_enough(sentence) and len(sentence) <= 300:
                    asked.append(Asked(sentence, frozenset([f"{relative.as_posix()}#{name}"])))
                node.body = node.body[1:] or [ast.Pass()]
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(ast.unparse(tree), encoding="utf-8")  # comments go with it
    return target, _once(asked)


def changes(repository: Path, window: int, folder: Path) -> tuple[Path, list[Asked]]:
    """A clone at the commit before the last ones, and these' subjects as queries for their files.

    All history that the clone can reach ends at that commit.
    """
    log = _git(
        repository, "log", "--no-merges", "--diff-filter=M", "--name-only",
        "--format=%x01%H%x02%s%x02", f"-n{6 * window}",
    )  # fmt: skip
    records = [record.split("\x02", 2) for record in log.split("\x01")[1:]]
    base = records[-1][0] + "^"
    known = set(_git(repository, "ls-tree", "-r", "--name-only", base).splitlines())
    target = folder / f"{repository.parent.name}-{repository.stem}-before"
    subprocess.run(["git", "clone", "-q", "-n", "--shared", repository, target], check=True)
    _git(target, "checkout", "-q", "--detach", base)
    asked = []
    for _, subject, listed in records:
        files = [one for one in listed.split("\n") if language_of(one) not in _NO_CODE]
        subject = _clean(subject)
        if 1 <= len(files) <= 5 and set(files) <= known and _says_enough(subject):
            asked.append(Asked(subject, frozenset(files)))
    return target, asked[:window]


def cosqa(folder: Path, split: str) -> tuple[list[str], list[Asked]]:
    """CoSQA's functions and web queries (Huang et al. 2021), from the folder of its files."""
    codes = json.loads((folder / "code_idx_map.txt").read_text(encoding="utf-8"))
    texts = [""] * len(codes)
    for code, place in codes.items():
        texts[place] = re.sub(r'(?s)("""|\'\'\').*?\1', "", code, count=1)
    rows = json.loads((folder / f"cosqa-retrieval-{split}-500.json").read_text(encoding="utf-8"))
    return texts, [Asked(row["doc"], frozenset([str(row["retrieval_idx"])])) for row in rows]


def over_map(
    root: Path, asked: Sequence[Asked], embedder: Embedder | None, folder: Path
) -> list[Ranked]:
    """The symbols that the code map of a tree answers with."""
    index = _mapped(root, embedder, folder)
    rows = []
    for one in asked:
        hits = code_search.search(index, embedder, one.text, DEPTH)
        found = [f"{hit.symbol.path}#{hit.symbol.qualified}" for hit in hits]
        rows.append(Ranked(list(dict.fromkeys(found)), one.gold))
    index.close()
    return rows


def over_files(
    root: Path, asked: Sequence[Asked], embedder: Embedder | None, folder: Path, vote: bool
) -> list[Ranked]:
    """The files that the code map of a tree answers with; with past commits' votes or without."""
    index = _mapped(root, embedder, folder)
    read_history(root, index)
    rows = []
    for one in asked:
        votes: dict[str, float] | None = None if vote else {}
        hits = code_search.search_files(index, embedder, one.text, DEPTH, votes)
        rows.append(Ranked([hit.path for hit in hits], one.gold))
    index.close()
    return rows


def without_its_name(asked: Sequence[Asked]) -> list[bool]:
    """Whether a query shares no word with the name of what it asks for (`noleak`)."""
    return [not _words(one.text) & _words(next(iter(one.gold)).partition("#")[2]) for one in asked]


def _words(text: str) -> set[str]:
    words = set(code_words(text).lower().split())
    return {word for word in words if len(word) > 1} - STOP_WORDS


def _mapped(root: Path, embedder: Embedder | None, folder: Path) -> CodeIndex:
    index = CodeIndex(folder / f"{root.name}.db")
    update(root, index, Limits())
    if embedder is not None:
        code_search.embed_pending(root, index, embedder, limit=1 << 40)
    return index


def over(answer: Callable[[str], list[str]], asked: Sequence[Asked]) -> list[Ranked]:
    """What a system answers, whose items are named by their places."""
    return [Ranked(answer(one.text), one.gold) for one in asked]


def _definitions(
    tree: ast.AST, prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            yield name, node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{name}.")


def _sentence(doc: str) -> str:
    paragraph = re.split(r"\n\s*\n", doc.strip())[0]
    paragraph = re.sub(r":\w+:`~?([^`<]+)(?:<[^>]*>)?`", r"\1", paragraph)
    paragraph = re.sub(r"[`*]+", "", " ".join(paragraph.split()))
    return re.split(r"(?<=[.!?])\s", paragraph)[0].strip()


def _clean(subject: str) -> str:
    subject = re.sub(r"\(#\d+\)|#\d+|\[[^\]]*\]", "", subject)
    subject = re.sub(r"^\s*\w+(?:\([^)]*\))?!?:\s+", "", subject)
    return " ".join(subject.split())


def _says_enough(text: str) -> bool:
    return len([word for word in query_terms(text) if word not in STOP_WORDS]) >= 3


def _once(asked: Sequence[Asked]) -> list[Asked]:
    counts = Counter(one.text.lower() for one in asked)
    return [one for one in asked if counts[one.text.lower()] == 1]


def _commits(repository: Path) -> Iterator[tuple[str, str]]:
    log = _git(repository, "log", "--no-merges", "--format=%x01%s%x02%b")
    for record in log.split("\x01")[1:]:
        subject, _, body = record.partition("\x02")
        yield subject, body


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")
