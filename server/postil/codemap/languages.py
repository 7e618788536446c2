"""The languages of the code map: one query file each says all there is to say of a language.

A file `queries/NAME.scm` begins with comments of the form `; key: value`: `grammar` (the module of
the grammar, and its function after a colon), `endings` and `names` of its files, `comments` (how a
comment's line begins), `extends` (another query file that it goes on from), `silent` (names whose
calls tell nothing), and traits: `once` (several clauses are one definition), `flat` (nothing
qualifies a name), `bodies: beside` (a body is its head's sibling), `sections` (headings have
levels), `selectors` (names stand between arguments).
Its patterns come in two parts, parted by the line `; references`: what is defined and imported, and
what is used.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files

from tree_sitter import Language, Parser, Query

_PART = re.compile(r"(?m)^; references\s*$")
_TRAITS = frozenset({"once", "flat", "bodies", "sections", "selectors"})
_HEADER = re.compile(r"(?m)^; ([a-z]+): (.+)$")


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """One language: its grammar, its files, its comments, and its two queries."""

    name: str
    grammar: str
    endings: tuple[str, ...]
    names: tuple[str, ...]
    comments: tuple[str, ...]
    definitions: str
    references: str
    silent: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    extends: str = ""


@cache
def languages() -> dict[str, LanguageSpec]:
    """All languages by name."""
    folder = files("postil.codemap").joinpath("queries")
    texts = {
        one.name.removesuffix(".scm"): one.read_text(encoding="utf-8")
        for one in folder.iterdir()
        if one.name.endswith(".scm")
    }
    return {name: _spec(name, texts) for name in sorted(texts)}


def language_of(path: str) -> str | None:
    """The name of the language of a file, by its name or ending; None when it is not mapped."""
    by_name, by_ending = _owners()
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    found = by_name.get(name) or (by_ending.get(f".{ending.lower()}") if stem and dot else None)
    return found or by_name.get(name.partition(".")[0] + ".*")


def language_in(path: str, text: bytes) -> str | None:
    """The language of a file's text: a name's ending does not tell for all.

    A header may be C, C++ or Objective-C; a script that is marked for Flow has types, which the
    grammar of TypeScript with JSX reads.
    """
    found = language_of(path)
    if found == "c" and path.lower().endswith(".h"):
        if _OBJECTIVE.search(text):
            return "objc"
        if _PLUS_PLUS.search(text):
            return "cpp"
        return "objc" if b"#import" in text else found
    if found == "javascript" and b"@flow" in text[:_HEAD]:
        return "tsx"
    return found


_HEAD = 2_000
_OBJECTIVE = re.compile(rb"(?m)^\s*@(?:interface|protocol|class|implementation|import)\b")
_PLUS_PLUS = re.compile(
    rb"(?m)^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w+|(?:public|private|protected)\s*:)"
    rb"|\bstd::|\bconstexpr\b|\bextern \"C\+\+\""
)


@cache
def grammar(name: str) -> Language | None:
    """The grammar of a language, loaded on first use; None where it cannot be had here."""
    module, _, function = languages()[name].grammar.partition(":")
    try:
        load: Callable[[], object] = getattr(import_module(module), function or "language")
        found = load()
        return Language(_capsule(found) if isinstance(found, int) else found)
    except (ImportError, AttributeError, ValueError):  # not installed, or made for another version
        return None


@cache
def parser(name: str) -> Parser:
    """A parser of a language; not to be shared between threads."""
    return Parser(_loaded(name))


@cache
def query(name: str, references: bool = False) -> Query:
    """The compiled query of a language: definitions and imports; or what is used as well."""
    spec = languages()[name]
    return Query(_loaded(name), spec.definitions + (spec.references if references else ""))


def _capsule(address: int) -> object:
    """The address that an older grammar gives, as the binding takes it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    made: object = new(address, b"tree_sitter.Language", None)
    return made


def _loaded(name: str) -> Language:
    found = grammar(name)
    if found is None:
        raise LookupError(f"no grammar of {name} can be loaded")
    return found


def _spec(name: str, texts: dict[str, str]) -> LanguageSpec:
    text = texts[name]
    own = dict(_HEADER.findall(_PART.split(text)[0]))
    definitions, references = _parts(text)
    if base := own.get("extends"):
        below = _spec(base, texts)
        definitions, references = below.definitions + definitions, below.references + references
        own.setdefault("comments", " ".join(below.comments))
        own.setdefault("silent", " ".join(below.silent))
    return LanguageSpec(
        name,
        own["grammar"],
        tuple(own.get("endings", "").split()),
        tuple(own.get("names", "").split()),
        tuple(own.get("comments", "").split()),
        definitions,
        references,
        frozenset(own.get("silent", "").split()),
        _TRAITS & own.keys(),
        own.get("extends", ""),
    )


def _parts(text: str) -> tuple[str, str]:
    definitions, *references = _PART.split(text, maxsplit=1)
    return definitions, "".join(references)


@cache
def _owners() -> tuple[dict[str, str], dict[str, str]]:
    specs = languages().values()
    by_name = {name: spec.name for spec in specs for name in spec.names}
    by_ending = {ending: spec.name for spec in specs for ending in spec.endings}
    return by_name, by_ending
