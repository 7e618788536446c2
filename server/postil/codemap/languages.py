"""The languages of the code map: which files they own, which grammar parses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import PurePosixPath

from tree_sitter import Language, Parser, Query


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """One language: its grammar's module and function, and the endings of its files."""

    name: str
    module: str
    endings: tuple[str, ...]
    function: str = "language"
    queries: str = ""

    @property
    def query_file(self) -> str:
        """The name of its query file, without the ending."""
        return self.queries or self.name


LANGUAGES: tuple[LanguageSpec, ...] = (
    LanguageSpec("python", "tree_sitter_python", (".py", ".pyi", ".pyw")),
    LanguageSpec("javascript", "tree_sitter_javascript", (".js", ".mjs", ".cjs", ".jsx")),
    LanguageSpec(
        "typescript", "tree_sitter_typescript", (".ts", ".mts", ".cts"), "language_typescript"
    ),
    LanguageSpec("tsx", "tree_sitter_typescript", (".tsx",), "language_tsx", "typescript"),
    LanguageSpec("go", "tree_sitter_go", (".go",)),
    LanguageSpec("rust", "tree_sitter_rust", (".rs",)),
    LanguageSpec("java", "tree_sitter_java", (".java",)),
    LanguageSpec("c", "tree_sitter_c", (".c", ".h")),
    LanguageSpec("cpp", "tree_sitter_cpp", (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp")),
)
_BY_NAME = {spec.name: spec for spec in LANGUAGES}
_BY_ENDING = {ending: spec.name for spec in LANGUAGES for ending in spec.endings}


def language_of(path: str) -> str | None:
    """The name of the language of a file, by its ending; None when it is not mapped."""
    return _BY_ENDING.get(PurePosixPath(path).suffix.lower())


@cache
def grammar(name: str) -> Language:
    """The grammar of a language, loaded on first use."""
    spec = _BY_NAME[name]
    load: Callable[[], object] = getattr(import_module(spec.module), spec.function)
    return Language(load())


@cache
def parser(name: str) -> Parser:
    """A parser of a language; not to be shared between threads."""
    return Parser(grammar(name))


@cache
def query(name: str) -> Query:
    """The compiled query of a language: definitions and imports in one pass."""
    spec = _BY_NAME[name]
    source = files("postil.codemap").joinpath("queries", f"{spec.query_file}.scm")
    return Query(grammar(name), source.read_text(encoding="utf-8"))
