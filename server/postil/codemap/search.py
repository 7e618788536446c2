"""`index_search`: from words or a question to the symbols that answer it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from postil.embed import Embedder, Vectors, plain_fit
from postil.model import CodeHit, Symbol
from postil.storage.codeindex import CodeIndex
from postil.words import identifier_parts, query_terms

_NOMINEES = 200
_BATCH = 512
_WORDS_WEIGHT = 0.6
_VECTOR_WEIGHT = 0.4
# A name that the question spells out in words (`hybrid property` for `hybrid_property`).
_SPELLED_NAME = 0.3
# What is said of a thing in passing: constants, examples.
_ASIDE = re.compile(r"(^|/)(examples?|docs?|samples?|demos?|benchmarks?)/", re.I)
_ASIDE_FACTOR = 0.75
# Tests mention what they test; unless tests are asked for, the code itself comes first.
_TEST_PATH = re.compile(
    r"(^|[/_.-])(tests?|testing|spec|specs|__tests__|fixtures?)([/_.-]|$)", re.I
)
_TEST_FACTOR = 0.55
_EXACT_NAME = 0.5


def search(index: CodeIndex, embedder: Embedder | None, query: str, limit: int) -> list[CodeHit]:
    """The best symbols for `query`, best first; ties by path and line."""
    terms = query_terms(query)
    if not terms:
        return []
    words = index.match_words(terms, _NOMINEES)
    vectors = _near(index, embedder, query, terms)
    best_word = max(words.values(), default=0.0)
    best_vector = max(vectors.values(), default=0.0)
    about_tests = any(term.startswith("test") for term in terms)
    asked = {name.lower() for name in re.findall(r"[\w$]+(?:\.[\w$]+)*", query)}
    one_word = len(asked) == 1
    hits = []
    for row, symbol in index.symbols(list(words.keys() | vectors.keys())).items():
        score = 0.0
        if best_word > 0:
            score += _WORDS_WEIGHT * words.get(row, 0.0) / best_word
        if best_vector > 0:
            score += _VECTOR_WEIGHT * max(vectors.get(row, 0.0), 0.0) / best_vector
        if _named(symbol, asked, one_word):
            score += _EXACT_NAME
        elif _spelled_out(symbol.name, terms):
            score += _SPELLED_NAME
        if symbol.kind in ("variable", "constant", "key") or _ASIDE.search(symbol.path):
            score *= _ASIDE_FACTOR
        if not about_tests and _TEST_PATH.search(symbol.path):
            score *= _TEST_FACTOR
        hits.append(CodeHit(symbol, score))
    hits.sort(key=lambda hit: (-round(hit.score, 9), hit.symbol.path, hit.symbol.line))
    return hits[:limit]


def embed_pending(
    index: CodeIndex, embedder: Embedder, limit: int, progress: Callable[[int], None] | None = None
) -> int:
    """Embed up to `limit` symbols that have no vector yet; how many were embedded."""
    index.use_vectors(embedder.name, embedder.dimension)
    fit = plain_fit(embedder)
    done = 0
    while done < limit:
        pending = index.without_vector(min(_BATCH, limit - done))
        if not pending:
            break
        vectors = embedder.embed([_description(symbol) for symbol in pending.values()], fit)
        index.put_vectors(list(zip(pending, _as_int8(vectors), strict=True)))
        done += len(pending)
        if progress is not None:
            progress(len(pending))
    return done


def _near(
    index: CodeIndex, embedder: Embedder | None, query: str, terms: list[str]
) -> dict[int, float]:
    if embedder is None or index.meta("vectors") != embedder.name:
        return {}
    vector = embedder.embed([" ".join(terms) or query], plain_fit(embedder))
    return index.match_vector(_as_int8(vector)[0], _NOMINEES) if vector.any() else {}


def _named(symbol: Symbol, asked: set[str], one_word: bool) -> bool:
    """Whether the query names the symbol: a plain lower-case word in a sentence is no name."""
    name = symbol.name.lower()
    if "." in symbol.qualified and symbol.qualified.lower() in asked:
        return True
    return name in asked and (one_word or name != symbol.name or "_" in name.strip("_"))


def _spelled_out(name: str, terms: list[str]) -> bool:
    """Whether all parts of a name of several words are among the terms."""
    parts = [part for word in re.split(r"[\W_]+", name) if word for part in _parts(word)]
    asked = {term.rstrip("s") for term in terms}
    return len(parts) > 1 and all(part.rstrip("s") in asked for part in parts)


def _parts(word: str) -> list[str]:
    return identifier_parts(word) or [word.lower()]


def _description(symbol: Symbol) -> str:
    words = re.sub(r"[/_.]+", " ", f"{symbol.path} {symbol.qualified}")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", words)
    return f"{words} {symbol.doc or symbol.signature}"


def _as_int8(vectors: Vectors) -> list[bytes]:
    """Unit vectors scaled to bytes; cosine needs no common scale."""
    top = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    return [row.tobytes() for row in np.round(vectors / top * 127).astype(np.int8)]
