"""Text to vectors, offline. The static embedder weighs each token by how rare it is in the store.

Weights `a / (a + p(token))` and the subtracted mean are those of smooth inverse frequency
(Arora, Liang and Ma 2017); with this vocabulary they took held-out recall at 10 on LoCoMo from
35 to 60 per cent, while a prior from other text gave no such gain, so a store is fitted to itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from postil.embed.base import FIT_FROM, Embedder, Vectors, fit_of, unit
from postil.storage.store import Fit
from postil.words import query_terms

# Arora et al.'s smoothing constant; the flat optimum lies between 1e-4 and 1e-3.
_SMOOTHING = 1e-3


def static_files() -> tuple[Path, Path] | None:
    """Weights and tokenizer as the wordllama wheel carries them, read without importing it."""
    found = find_spec("wordllama")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    return (weights, tokenizer) if weights.is_file() and tokenizer.is_file() else None


class StaticEmbedder:
    """Static token vectors (256 dimensions), pooled with frequency weights, centred."""

    name = "static-wordllama-256"
    problem = ""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._table: NDArray[np.float16] = load_file(weights)["embedding.weight"]
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.dimension = int(self._table.shape[1])

    def fit(self, texts: Sequence[str]) -> Fit:
        """Token counts and mean vector of `texts`; nothing while they are few."""
        if len(texts) < FIT_FROM:
            return fit_of(self, len(texts), b"", b"")
        counts = np.zeros(len(self._table), np.uint32)
        for ids in self._tokens(texts):
            np.add.at(counts, ids, 1)
        fit = fit_of(self, len(texts), counts.tobytes(), b"")
        mean = self.embed(texts, fit).mean(axis=0)
        return fit_of(self, len(texts), counts.tobytes(), mean.astype(np.float32).tobytes())

    def embed(self, texts: Sequence[str], fit: Fit, is_query: bool = False) -> Vectors:
        """See `Embedder.embed`."""
        weights, mean = _weights(fit)
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, ids in enumerate(self._tokens(texts)):
            if len(ids):
                weight = np.ones(len(ids), np.float32) if weights is None else weights[ids]
                total = weight @ self._table[ids].astype(np.float32)
                out[row] = total / max(float(weight.sum()), 1e-6)
        out = unit(out)
        return out if mean is None else unit(out - mean)

    def _tokens(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        top = len(self._table) - 1
        return [np.minimum(np.array(one.ids, np.int64), top) for one in encoded]


class HashEmbedder:
    """Signed hashing of words and their three-letter parts; any script, nothing to load."""

    name = "hash-512"
    problem = ""
    dimension = 512

    def fit(self, texts: Sequence[str]) -> Fit:
        """Nothing: hashing knows no frequencies."""
        return fit_of(self, len(texts), b"", b"")

    def embed(self, texts: Sequence[str], fit: Fit, is_query: bool = False) -> Vectors:
        """See `Embedder.embed`."""
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in query_terms(text, limit=2000) or text.split() or [text]:
                for place, sign, weight in _features(word):
                    out[row, place] += sign * weight
        return unit(np.sign(out) * np.log1p(np.abs(out)))


def plain_fit(embedder: Embedder) -> Fit:
    """A fit that weighs all tokens alike: better for code, whose frequent words carry meaning."""
    return fit_of(embedder, 0, b"", b"")


@dataclass(frozen=True, slots=True)
class _Key:
    counts: bytes
    mean: bytes


def _weights(fit: Fit) -> tuple[Vectors | None, Vectors | None]:
    return _decoded(_Key(fit.counts, fit.mean))


@cache
def _decoded(key: _Key) -> tuple[Vectors | None, Vectors | None]:
    if not key.counts:
        return None, None
    counts = np.frombuffer(key.counts, np.uint32).astype(np.float64)
    share = counts / max(float(counts.sum()), 1.0)
    weights = (_SMOOTHING / (_SMOOTHING + share)).astype(np.float32)
    return weights, np.frombuffer(key.mean, np.float32) if key.mean else None


@cache
def _features(word: str) -> tuple[tuple[int, float, float], ...]:
    framed = f"#{word}#"
    parts = [(f"w:{word}", 1.0)]
    if re.search(r"\w", word):
        parts += [(f"c:{framed[i : i + 3]}", 0.5) for i in range(len(framed) - 2)]
    rows = []
    for text, weight in parts:
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        sign = 1.0 if number >> 63 else -1.0
        rows.append((number % HashEmbedder.dimension, sign, weight))
    return tuple(rows)
