"""Words are taken from identifiers and from scripts without spaces alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.words import clip, estimate_tokens, identifier_parts, indexable, query_terms


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("HTTPServer", ["http", "server"]),
        ("utf8", ["utf", "8"]),
        ("plain", []),
        ("ABC", []),
    ],
)
def test_identifiers_fall_into_their_parts(word: str, parts: list[str]) -> None:
    assert identifier_parts(word) == parts


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_terms("where is the parser") == ["parser"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]


def test_unspaced_scripts_are_found_by_pairs() -> None:
    assert query_terms("東京都") == ["東京", "京都"]
    assert "京都" in indexable("東京都").split()


@given(st.text(max_size=200), st.integers(2, 60))
def test_a_clipped_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    short = clip(text, limit)

    assert len(short) <= limit
    assert short == " ".join(short.split())


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)
