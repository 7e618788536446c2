"""Rules that run: what breaks a rule, as a pattern, and where a text does."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

import pathspec
import regex
from tree_sitter import Query, QueryCursor, QueryError

from postil.codemap.languages import grammar, language_in, language_of, languages
from postil.codemap.parse import tree_of
from postil.errors import UsageError
from postil.model import Pattern

# A pattern may be anybody's: so long may it take on one line, and so long a line is looked at.
_SECONDS = 0.2
_LONGEST_LINE = 2_000
_MATCHES = 1_000
_WRITTEN = re.compile(r"\s*(regex|query|glob)(?:\s+([\w#+.-]+))?\s*:\s*(.+?)\s*", re.DOTALL)
_HINT = "lines of `regex: EXPRESSION`, `query LANGUAGE: (node) @match`, `glob: src/**`"


def parse_pattern(written: str) -> Pattern:
    """A pattern from lines of `regex: ...`, `query LANGUAGE: ...`, `glob: ...`.

    UsageError for what is none, for an expression or a query that does not compile.
    """
    parts: dict[str, str] = {}
    for line in re.split(r"\n(?=\s*(?:regex|query|glob)\b)", written.strip()):
        found = _WRITTEN.fullmatch(line)
        if found is None or found[1] in parts or (found[2] and found[1] != "query"):
            raise UsageError(f"{line!r:.80} is no pattern", hint=_HINT)
        parts[found[1]] = found[3]
        if found[1] == "query":
            parts["language"] = (found[2] or "").lower()
    pattern = Pattern(**parts)
    complaint = flaw(pattern)
    if complaint:
        raise UsageError(complaint, hint=_HINT)
    return pattern


def flaw(pattern: Pattern) -> str:
    """Why a pattern cannot be checked; "" when it can."""
    if pattern.regex and pattern.query:
        return "a rule has either a `regex` or a `query`"
    try:
        if pattern.regex:
            _expression(pattern.regex)
        if pattern.query:
            _query(pattern.query, pattern.language)
        if pattern.glob:
            _glob(pattern.glob)
    except QueryError as error:
        return f"the query does not compile for {pattern.language}: {error}"
    except (regex.error, ValueError, UsageError) as error:
        return f"the pattern does not compile: {error}"
    return ""


def concerns(pattern: Pattern, path: str) -> bool:
    """Whether a pattern looks at this file at all."""
    if pattern.glob and not _glob(pattern.glob).match_file(path):
        return False
    return not pattern.query or language_of(path) is not None


def breaks(pattern: Pattern, path: str, text: bytes, lines: Set[int] | None = None) -> list[int]:
    """The lines (1-based) of a text that break a rule; of `lines` alone where they are given.

    A pattern that is a path alone is broken by the file itself: line 0. TimeoutError when an
    expression takes too long.
    """
    if not concerns(pattern, path):
        return []
    if pattern.query:
        language = language_in(path, text)
        if language is None or not _speaks(language, pattern.language):
            return []
        found = set(_matching_rows(pattern, language, text))
        return sorted(found if lines is None else found & lines)
    if pattern.regex:
        expression = _expression(pattern.regex)
        every = text.decode("utf-8", "replace").split("\n")
        wanted = range(1, len(every) + 1) if lines is None else sorted(lines)
        return [
            number
            for number in wanted
            if number <= len(every)
            and expression.search(every[number - 1].rstrip("\r")[:_LONGEST_LINE], timeout=_SECONDS)
        ]
    return [0]


def _matching_rows(pattern: Pattern, language: str, text: bytes) -> list[int]:
    query = _query(pattern.query, language)
    cursor = QueryCursor(query, match_limit=_MATCHES)
    captures = cursor.captures(tree_of(text, language).root_node)
    return [node.start_point.row + 1 for node in captures.get("match", ())]


@lru_cache(maxsize=256)
def _expression(written: str) -> regex.Pattern[str]:
    return regex.compile(written)


@lru_cache(maxsize=256)
def _query(written: str, language: str) -> Query:
    language_object = grammar(language) if language in languages() else None
    if language_object is None:
        named = "without a language" if not language else f"for {language}, which is not mapped"
        raise UsageError(f"a query {named}")
    query = Query(language_object, written)
    if "match" not in {query.capture_name(one) for one in range(query.capture_count)}:
        raise UsageError("it captures no @match")
    return query


@lru_cache(maxsize=256)
def _glob(written: str) -> pathspec.GitIgnoreSpec:
    return pathspec.GitIgnoreSpec.from_lines([written])


def _speaks(language: str, wanted: str) -> bool:
    """Whether files of a language are meant by one that was named."""
    return language == wanted or languages()[language].extends == wanted
