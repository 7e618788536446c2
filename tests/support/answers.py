"""Answers of tools as tests look at them."""

from __future__ import annotations

from typing import Any, cast

from postil.tools.rows import Answer


def rows(answer: Answer, name: str) -> list[dict[str, Any]]:
    """A list of an answer's data."""
    return cast("list[dict[str, Any]]", answer.data[name])


def row(answer: Answer, name: str) -> dict[str, Any]:
    """An object of an answer's data."""
    return cast("dict[str, Any]", answer.data[name])
