"""Keeps a store's vectors current: which rows lack one is a query, so there is no queue to lose."""

from __future__ import annotations

from collections.abc import Callable

from postil.embed import Embedder
from postil.storage.store import Fit, Store

_BATCH = 256
# Texts that a fit looks at: frequencies of words settle long before this.
_FIT_SAMPLE = 20_000
# A store is fitted anew each time it has grown this much, so that the cost per row stays constant.
_GROWTH = 2

Progress = Callable[[int], None]


def refresh(store: Store, embedder: Embedder, limit: int, progress: Progress | None = None) -> int:
    """Embed up to `limit` rows that lack a vector, after fitting a store that outgrew its fit.

    Returns how many rows were embedded. A new fit is made current only once all rows have its
    vectors, so a search never compares vectors of two fits.
    """
    fit = store.current_fit()
    if fit is None or fit.name != embedder.name or _outgrown(store, fit):
        return _refit(store, embedder, progress)
    return _embed_pending(store, embedder, fit, limit, progress)


def current_fit(store: Store, embedder: Embedder) -> Fit | None:
    """The fit to compare a query under; None while the store has no vectors of this embedder."""
    fit = store.current_fit()
    return fit if fit is not None and fit.name == embedder.name else None


def _outgrown(store: Store, fit: Fit) -> bool:
    return sum(store.counts().values()) > _GROWTH * max(fit.fitted_rows, 16)


def _refit(store: Store, embedder: Embedder, progress: Progress | None) -> int:
    made = embedder.fit(store.sample_texts(_FIT_SAMPLE))
    rows = sum(store.counts().values())
    number = store.add_fit(
        Fit(0, made.name, made.dimension, rows, made.counts, made.mean),
    )
    fit = Fit(number, made.name, made.dimension, rows, made.counts, made.mean)
    done = _embed_pending(store, embedder, fit, limit=1 << 40, progress=progress)
    store.make_current(number)
    return done


def _embed_pending(
    store: Store, embedder: Embedder, fit: Fit, limit: int, progress: Progress | None
) -> int:
    done = 0
    while done < limit:
        pending = store.without_vector(fit.number, min(_BATCH, limit - done))
        if not pending:
            break
        vectors = embedder.embed([row.text for row in pending], fit)
        rows = [(row, vector.tobytes()) for row, vector in zip(pending, vectors, strict=True)]
        store.put_vectors(fit.number, rows)
        done += len(pending)
        if progress is not None:
            progress(len(pending))
    return done
