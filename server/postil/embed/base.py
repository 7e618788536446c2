"""What every embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.storage.store import Fit

Vectors = NDArray[np.float32]

# Below this many texts their frequencies and their mean are noise: what few texts share is their
# subject, and weighing it down or subtracting it hides just that.
FIT_FROM = 32


class Embedder(Protocol):
    """Turns texts into unit vectors that can be compared by their dot product.

    `name` tells models apart: vectors of one are never compared with those of another. Raises
    EmbedError where a model cannot be had, at once while that lasts; `problem` then says why.
    """

    name: str
    problem: str

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; known once a model is loaded or has answered."""
        ...

    def fit(self, texts: Sequence[str]) -> Fit:
        """What the embedder learns from a store's texts; empty arrays when it learns nothing."""
        ...

    def embed(self, texts: Sequence[str], fit: Fit, is_query: bool = False) -> Vectors:
        """Unit vectors, shape (len(texts), dimension), of texts under a fit.

        Some models tell questions (`is_query`) from what may answer them.
        """
        ...


def unit(rows: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-9), np.float32)


def fit_of(embedder: Embedder, rows: int, counts: bytes, mean: bytes) -> Fit:
    """A fit that is not stored yet."""
    return Fit(0, embedder.name, embedder.dimension, rows, counts, mean)
