"""`index_search`: from words or a question to the symbols and files that answer it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from postil.codemap import synonyms
from postil.codemap.graph import in_tests
from postil.embed import Embedder, Vectors, plain_fit
from postil.model import CodeHit, FileHit, Symbol
from postil.storage.codeindex import CodeIndex
from postil.words import code_words, query_terms

_NOMINEES = 300
_BATCH = 512
# How much each sort of evidence counts, each divided by its best. Set on click, requests and
# networkx without their documentation (`benchmarks.quality --package`).
_WORDS_WEIGHT = 0.6
_VECTOR_WEIGHT = 0.45
# The best of vectors that are no nearer than this counts for less than all.
_FAR = 0.5
# What another word for the same is worth, and how many are looked for.
_BESIDE_WEIGHT = 0.3
_MOST_BESIDE = 40
# Files of past commits that read like the question; who is imported by many; who has memories.
_VOTE_WEIGHT = 0.25
_RANK_WEIGHT = 0.03
# What was changed lately is asked for more often; half as much after so many seconds.
_RECENT_WEIGHT = 0.02
_HALF_LIFE = 60 * 86_400.0
_TIED_WEIGHT = 0.04
# A name that the question spells out in words (`hybrid property` for `hybrid_property`).
_SPELLED_NAME = 0.2
# A name as it is written: all that was asked, or one word of a sentence.
_EXACT_NAME, _NAME_IN_PASSING = 0.5, 0.15
_FEW_WORDS = 2
# What is said of a thing in passing: constants, examples, a function inside a function.
_ASIDE = re.compile(r"(^|/)(examples?|docs?|samples?|demos?|benchmarks?)/", re.I)
_ASIDE_FACTOR = 0.75
_NESTED_FACTOR = 0.7
# Tests mention what they test; unless tests are asked for, the code itself comes first.
_TEST_FACTOR = 0.55
_CALLABLE = frozenset({"function", "method"})
# A word of the question in the path.
_PATH_WORD = 0.03
_COMMON_FOLDERS = frozenset({"src", "lib", "test", "main", "index", "init"})
# Words of a symbol's text that its vector is made of.
_BODY_WORDS = 80
_NAME = re.compile(r"[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]+")
# A file is as good as its best symbols: each next one counts less.
_NEXT_SYMBOL = 0.5
_PATH_WEIGHT = 0.3
_FILE_VOTE = 0.6


def search(
    index: CodeIndex,
    embedder: Embedder | None,
    query: str,
    limit: int,
    tied: Iterable[str] = (),
) -> list[CodeHit]:
    """The best symbols for `query`, best first; ties by path and line.

    `tied` are the paths of files that memories are tied to.
    """
    terms = query_terms(query)
    if not terms:
        return []
    hits = _scored(index, embedder, query, terms, index.history.votes(terms), frozenset(tied))
    hits.sort(key=lambda hit: (-round(hit.score, 9), hit.symbol.path, hit.symbol.line))
    return hits[:limit]


def search_files(
    index: CodeIndex,
    embedder: Embedder | None,
    query: str,
    limit: int,
    votes: Mapping[str, float] | None = None,
) -> list[FileHit]:
    """The best files for `query`: by symbols, by path, and by past commits that read like it.

    `votes` by path replace those of the commits.
    """
    terms = query_terms(query)
    if not terms:
        return []
    votes = index.history.votes(terms) if votes is None else votes
    found: dict[str, list[float]] = {}
    for hit in _scored(index, embedder, query, terms, {}, frozenset()):
        found.setdefault(hit.symbol.path, []).append(hit.score)
    known = index.files([*found, *votes])
    content = {path: _joint(scores) for path, scores in found.items()}
    best = max(1.0, *content.values()) if content else 1.0
    asked = {term.rstrip("s") for term in terms}
    rows = []
    for path in known:
        parts = {part.rstrip("s") for part in code_words(path.rpartition(".")[0]).lower().split()}
        named = len(asked & parts) / max(len(parts), 1)
        score = content.get(path, 0.0) / best + _PATH_WEIGHT * named
        if in_tests(path) and not _about_tests(terms):
            score *= _TEST_FACTOR
        score += _FILE_VOTE * votes.get(path, 0.0)
        rows.append(FileHit(path, score))
    rows.sort(key=lambda hit: (-round(hit.score, 9), hit.path))
    return rows[:limit]


def _joint(scores: Iterable[float]) -> float:
    total, share = 0.0, 1.0
    for score in sorted(scores, reverse=True)[:6]:
        total += share * score
        share *= _NEXT_SYMBOL
    return total


def _scored(
    index: CodeIndex,
    embedder: Embedder | None,
    query: str,
    terms: list[str],
    votes: Mapping[str, float],
    tied: frozenset[str],
) -> list[CodeHit]:
    words = index.match_words(terms, _NOMINEES)
    others = synonyms.beside(terms)[:_MOST_BESIDE]
    if others:
        for row, score in index.match_words(others, _NOMINEES).items():
            words[row] = words.get(row, 0.0) + _BESIDE_WEIGHT * score
    vectors = _near(index, embedder, query, terms, words)
    best_word = max(words.values(), default=0.0) or 1.0
    best_vector = max(_FAR, *vectors.values()) if vectors else 1.0
    symbols = index.symbols(list(words.keys() | vectors.keys()))
    ranks = index.graph.ranks({symbol.path for symbol in symbols.values()})
    recent = _recency(index, {symbol.path for symbol in symbols.values()})
    nested = index.nested(symbols)
    asked = {name.lower() for name in re.findall(r"[\w$]+(?:\.[\w$]+)*", query)}
    stems = frozenset(map(synonyms.stem, terms))
    asked_for = stems - _COMMON_FOLDERS
    hits = []
    for row, symbol in symbols.items():
        score = _WORDS_WEIGHT * words.get(row, 0.0) / best_word
        score += _VECTOR_WEIGHT * max(vectors.get(row, 0.0), 0.0) / best_vector
        score += _RANK_WEIGHT * ranks.get(symbol.path, 0.0) + _TIED_WEIGHT * (symbol.path in tied)
        score += _VOTE_WEIGHT * votes.get(symbol.path, 0.0)
        score += _RECENT_WEIGHT * recent.get(symbol.path, 0.0)
        score += _PATH_WORD * len(asked_for & _path_words(symbol.path))
        if _named(symbol, asked):
            score += _EXACT_NAME if len(asked) <= _FEW_WORDS else _NAME_IN_PASSING
        elif _spelled_out(symbol, stems):
            score += _SPELLED_NAME
        score *= _factor(symbol, row in nested, _about_tests(terms))
        hits.append(CodeHit(symbol, score))
    return hits


def _recency(index: CodeIndex, paths: Iterable[str]) -> dict[str, float]:
    """How lately files were changed by a commit, 1 for the latest of them."""
    times = index.history.changed_lately(paths)
    latest = max(times.values(), default=0)
    return {path: 0.5 ** ((latest - at) / _HALF_LIFE) for path, at in times.items()}


def _factor(symbol: Symbol, is_nested: bool, about_tests: bool) -> float:
    """What is less likely to be meant: constants and examples, inner functions, tests."""
    factor = 1.0
    if symbol.kind in ("variable", "constant", "key") or _ASIDE.search(symbol.path):
        factor *= _ASIDE_FACTOR
    if is_nested and symbol.kind in _CALLABLE:
        factor *= _NESTED_FACTOR
    if not about_tests and in_tests(symbol.path):
        factor *= _TEST_FACTOR
    return factor


def _about_tests(terms: Iterable[str]) -> bool:
    return any(term.startswith("test") for term in terms)


def embed_pending(
    root: Path,
    index: CodeIndex,
    embedder: Embedder,
    limit: int,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Embed up to `limit` symbols that have no vector yet; how many were embedded."""
    index.use_vectors(embedder.name, embedder.dimension)
    fit = plain_fit(embedder)
    done = 0
    while done < limit:
        pending = index.without_vector(min(_BATCH, limit - done))
        if not pending:
            break
        vectors = embedder.embed(_descriptions(root, pending.values()), fit)
        index.put_vectors(list(zip(pending, _as_int8(vectors), strict=True)))
        done += len(pending)
        if progress is not None:
            progress(len(pending))
    return done


def _near(
    index: CodeIndex,
    embedder: Embedder | None,
    query: str,
    terms: list[str],
    words: Iterable[int],
) -> dict[int, float]:
    if embedder is None or index.meta("vectors") != embedder.name:
        return {}
    vector = embedder.embed([" ".join(terms) or query], plain_fit(embedder))
    return index.match_vector(_as_int8(vector)[0], _NOMINEES, words) if vector.any() else {}


def _named(symbol: Symbol, asked: set[str]) -> bool:
    """Whether the query names the symbol: a plain lower-case word in a sentence is no name."""
    name = symbol.name.lower()
    if "." in symbol.qualified and symbol.qualified.lower() in asked:
        return True
    return name in asked and (len(asked) == 1 or name != symbol.name or "_" in name.strip("_"))


def _spelled_out(symbol: Symbol, stems: frozenset[str]) -> bool:
    """Whether all parts of a name are asked for: of several words, or with its owner's."""
    name = _parts(symbol.name)
    if len(name) > 1 and stems.issuperset(name):
        return True
    owner = _parts(symbol.qualified.rpartition(".")[0].rpartition(".")[2])
    return bool(owner) and stems.issuperset(name) and stems.issuperset(owner)


@lru_cache(maxsize=20_000)
def _path_words(path: str) -> frozenset[str]:
    return frozenset(_parts(path.rpartition(".")[0]))


def _parts(name: str) -> list[str]:
    return [synonyms.stem(part) for part in code_words(name).lower().replace("_", " ").split()]


def _descriptions(root: Path, symbols: Iterable[Symbol]) -> list[str]:
    """What symbols are compared by: name, signature, documentation, and words of their text."""
    lines: dict[str, list[str]] = {}
    texts = []
    for one in symbols:
        if one.path not in lines:
            lines[one.path] = _lines(root / one.path)
        body = " ".join(lines[one.path][one.line : min(one.end_line, one.line + _BODY_WORDS)])
        words = dict.fromkeys(_NAME.findall(body))
        said = " ".join([one.qualified, one.signature, one.doc, *words])
        texts.append(" ".join(code_words(said).lower().split()[: 2 * _BODY_WORDS]))
    return texts


def _lines(path: Path) -> list[str]:
    """A file's lines; none when it is gone by now: then its symbols' heads have to do."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []


def _as_int8(vectors: Vectors) -> list[bytes]:
    """Unit vectors scaled to bytes; cosine needs no common scale."""
    top = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    return [row.tobytes() for row in np.round(vectors / top * 127).astype(np.int8)]
