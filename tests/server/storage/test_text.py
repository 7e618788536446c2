"""Any text goes in whole and is found again. CO-7, CO-8, CO-9."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from postil.embed import HashEmbedder, open_embedder
from postil.memory import vectors
from postil.memory.recall import Query
from postil.memory.write import remember
from postil.model import Actor, Memory
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Fit, Shelf
from support.search import found as answer


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


WORDS = [
    "東京タワー",
    "Ελληνικά",
    "привет",
    "naïve",
    "e\u0301te\u0301",
    "🎉🎊",
    "ﬁnance",
    "क्षत्रिय",
    "שלום",
    "مرحبا",
    "ไทยแลนด์",
    "한국어",
]


@pytest.mark.parametrize("word", WORDS)
def test_any_script_is_found_said_again_and_known(store: SqliteStore, word: str) -> None:
    """CO-7: with the offline embedder: exact, among others, as a restatement."""
    for other in WORDS:
        if other != word:
            remember(store, Memory("", f"Filler {other} text"))
    memory = remember(store, Memory("", f"Note {word} here")).memory

    if re.search(r"\w", word):
        for embedder in (open_embedder("hash"), None):
            assert answer([store], embedder, Query(word)).hits[0].id == memory.id
    assert not remember(store, Memory("", f"note {word}  HERE.")).created
    fit = Fit(0, "hash-512", 512, 0, b"", b"")
    assert HashEmbedder().embed([word], fit).any()


@pytest.mark.parametrize("text", ["\ud800 lone", "a\x00b", "\udcff\udcfe bytes", "x\ufffd"])
def test_what_is_no_text_is_replaced_and_said(store: SqliteStore, text: str) -> None:
    """CO-8: no row is lost."""
    written = remember(store, Memory("", text, why=text, tags=(text,)))

    assert store.memory(written.memory.id) == written.memory
    assert bool(written.notes) == (text != "x\ufffd")


@pytest.mark.slow
def test_the_end_of_a_megabyte_is_found(store: SqliteStore) -> None:
    """CO-9: stored whole; a phrase from its last hundredth is among the first 3."""
    for number in range(300):
        remember(store, Memory("", f"Short note n{number} on servers, tests and releases"))
    filler = " ".join(f"Paragraph {n} speaks of weather, rivers and trains." for n in range(21_000))
    body = filler[:1_040_000] + " The heron certificates are rotated by the night porter."
    written = remember(store, Memory("", body)).memory
    embedder = open_embedder("static")
    assert embedder is not None
    vectors.refresh(store, embedder, 10_000)

    kept = store.memory(written.id)
    assert kept is not None and kept.what == body and len(body.encode()) > 1_000_000
    for query in ("heron certificates rotated", "who renews the bird's TLS certs at night"):
        ids = [hit.id for hit in answer([store], embedder, Query(query)).hits[:3]]
        assert written.id in ids, query
    fit = store.current_fit()
    assert fit is not None
    vector = embedder.embed(["The heron certificates are rotated by the night porter."], fit)[0]
    near = store.match_vector(
        Shelf.MEMORY, vector.tobytes(), fit.number, Filters(Actor().scopes), 3
    )
    assert store.row_of(written.id) in near, "by its last chunk's vector alone"
