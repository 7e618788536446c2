"""Keeps a store's vectors current: which rows lack one is a query, so there is no queue to lose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from postil.embed import Embedder
from postil.errors import EmbedError
from postil.storage.store import Fit, Pending, Shelf, Store

_BATCH = 256
# Texts that a fit looks at: frequencies of words settle long before this.
_FIT_SAMPLE = 20_000
# A store is fitted anew each time it has grown this much, so that the cost per row stays constant.
_GROWTH = 2

# Characters of a chunk: a longer text has one vector for each, so that its end is found as well.
_CHUNK = 1_500

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's vectors (raw float32, one for each chunk), and the fit that they are of.

    Under a fit with a mean vectors are `centred`: what all texts share is taken out of them.
    """

    chunks: tuple[bytes, ...]
    fit: int
    centred: bool = False


def encode(store: Store, embedder: Embedder, text: str) -> Encoded | None:
    """The vectors of a text under the store's fit; None while there is none or none says much."""
    fit = current_fit(store, embedder)
    if fit is None:
        return None
    try:
        # The text as it stands: the tokens of a name depend on its case.
        vectors = embedder.embed(chunked(text), fit, is_query=True)
    except EmbedError:
        return None  # words answer meanwhile; `embedder.problem` tells of it
    if not vectors.any() or vectors.shape[1] != fit.dimension:
        return None  # nothing to compare, or the model is another one under the same name
    return Encoded(tuple(one.tobytes() for one in vectors), fit.number, bool(fit.mean))


def chunked(text: str) -> list[str]:
    """A text in pieces of some 1,500 characters, cut between words."""
    pieces = []
    while len(text) > _CHUNK * 1.3:
        cut = text.rfind(" ", _CHUNK // 2, _CHUNK)
        cut = cut if cut > 0 else _CHUNK
        pieces.append(text[:cut])
        text = text[cut:].lstrip()
    return [*pieces, text]


def refresh(store: Store, embedder: Embedder, limit: int, progress: Progress | None = None) -> int:
    """Embed up to `limit` rows that lack a vector, after fitting a store that outgrew its fit.

    Returns how many rows were embedded. Work for those who have time: a fit embeds every row.
    """
    fit = current_fit(store, embedder)
    if fit is None or _outgrown(store, fit):
        done = _refit(store, embedder, progress)
        if done is not None:
            return done
    return embed_pending(store, embedder, limit, progress)


def embed_pending(
    store: Store, embedder: Embedder, limit: int, progress: Progress | None = None
) -> int:
    """Embed up to `limit` rows that lack a vector of the current fit; how many were embedded."""
    fit = current_fit(store, embedder)
    done = 0
    while fit is not None and done < limit:
        pending = store.without_vector(min(_BATCH, limit - done))
        if not pending:
            break
        _embed(store, embedder, fit, pending)
        done += len(pending)
        if progress is not None:
            progress(len(pending))
    return done


def current_fit(store: Store, embedder: Embedder) -> Fit | None:
    """The fit to compare a query under; None while the store has no vectors of this embedder."""
    fit = store.current_fit()
    return fit if fit is not None and fit.name == embedder.name else None


def _outgrown(store: Store, fit: Fit) -> bool:
    return _rows(store) > _GROWTH * max(fit.fitted_rows, 16)


def _rows(store: Store) -> int:
    return sum(store.row_counts().values())


def _refit(store: Store, embedder: Embedder, progress: Progress | None) -> int | None:
    """Fit the store and embed all its rows beside the old vectors; None while another does it.

    The old fit serves queries until the new one is complete. Rows that are written meanwhile are
    pending under the new one.
    """
    with store.fitting() as mine:
        if not mine:
            return None
        rows = _rows(store)
        fit = store.unfinished_fit()
        if fit is None or fit.name != embedder.name or rows > _GROWTH * max(fit.fitted_rows, 16):
            made = embedder.fit(store.sample_texts(_FIT_SAMPLE))
            fit = replace(made, fitted_rows=rows)
            fit = replace(fit, number=store.add_fit(fit))
        number = fit.number
        done = 0
        for shelf in Shelf:
            last = store.filled_up_to(shelf, number)  # where one was broken off, it goes on
            while batch := store.rows_after(shelf, last, _BATCH):
                _embed(store, embedder, fit, batch)
                last = batch[-1].rowid
                done += len(batch)
                if progress is not None:
                    progress(len(batch))
        store.make_current(number)
    return done


def _embed(store: Store, embedder: Embedder, fit: Fit, rows: Sequence[Pending]) -> None:
    pieces = [chunked(row.text) for row in rows]
    found = embedder.embed([piece for row in pieces for piece in row], fit)
    if len(found) and found.shape[1] != fit.dimension:
        raise EmbedError(
            f"{embedder.name} gives {found.shape[1]} numbers now, not {fit.dimension}",
            hint="give it another name in embedder.model, or take the old model back",
        )
    vectors = iter(found)
    store.put_vectors(
        fit.number,
        [
            (row, [next(vectors).tobytes() for _ in parts])
            for row, parts in zip(rows, pieces, strict=True)
        ],
    )
