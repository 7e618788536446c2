"""What ranking asks of a store, and what a mirror of its searchable rows is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from postil.storage.values import Around, Changes, Filters, Matrix, Postings, Shelf, Standing


class Reading(Protocol):
    """What ranking reads of the searchable rows, whoever keeps it at hand."""

    def stems(self, text: str) -> list[str]:
        """The terms of a text as the word index has them, in order."""
        ...

    def frequencies(self, shelf: Shelf, terms: Sequence[str]) -> dict[str, int]:
        """In how many rows each term stands; terms that nobody wrote are left out."""
        ...

    def terms_between(self, shelf: Shelf, low: str, high: str, limit: int) -> list[str]:
        """Terms of the index in [low, high)."""
        ...

    def postings(self, shelf: Shelf, term: str) -> Postings:
        """Where a term stands."""
        ...

    def lengths(self, shelf: Shelf, rows: Sequence[int]) -> dict[int, int]:
        """The lengths of rows in characters."""
        ...

    def extent(self, shelf: Shelf) -> tuple[int, float]:
        """The highest row, and the typical length of rows in characters."""
        ...

    def around(self, rows: Sequence[int], distance: int) -> list[Around]:
        """These turns and those of their sessions up to `distance` away, by session and place."""
        ...

    def similar(
        self, shelf: Shelf, rows: Sequence[int], vector: bytes, fit: int
    ) -> dict[int, float]:
        """The cosine similarity of rows to a vector; rows without one are left out."""
        ...

    def dated(
        self, shelf: Shelf, since: float, until: float, filters: Filters, limit: int
    ) -> list[int]:
        """The rows that pass and whose event lies in [since, until), the newest first."""
        ...

    def narrow(self, filters: Filters, limit: int) -> list[int] | None:
        """The memory rows that filters let through; None when they are more than `limit`."""
        ...


class Mirrored(Protocol):
    """What a mirror of the searchable rows is made from, and how it follows them."""

    def every_posting(self, shelf: Shelf) -> Iterator[Standing]:
        """All terms and the rows that they stand in, a part at a time."""
        ...

    def every_length(self, shelf: Shelf) -> Matrix:
        """All rows with their lengths in characters, shape (n, 2)."""
        ...

    def every_vector(self, shelf: Shelf, fit: int) -> Iterator[tuple[Matrix, Matrix]]:
        """All rows of a fit, shape (n,), and their vectors, shape (n, dimension), by parts.

        A row comes once for each of its chunks.
        """
        ...

    def vectors_of(self, shelf: Shelf, rows: Sequence[int], fit: int) -> tuple[Matrix, Matrix]:
        """The same of some rows only."""
        ...

    def words_of(self, shelf: Shelf, rows: Sequence[int]) -> dict[int, dict[str, float]]:
        """The terms of rows as the word index has them, each with its weighted count."""
        ...

    def changes(self) -> Changes:
        """How far the searchable rows have changed."""
        ...

    def changed_since(self, number: int) -> list[tuple[Shelf, int]]:
        """The rows that were changed after that number."""
        ...
