"""A file's bytes to its entry in the code map; in several processes when there are many files."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from hashlib import blake2b
from pathlib import Path

from postil.codemap.languages import grammar, language_in
from postil.codemap.parse import parse
from postil.codemap.walk import Candidate, content_skip
from postil.model import Skip, Symbol
from postil.storage.codeenter import MappedFile, Words
from postil.words import STOP_WORDS, clip, code_words, indexable

# Files that are worth another process, and how many go to one at a time.
_MANY = 300
_CHUNK = 40
_MOST_PROCESSES = 8
_STATEMENT = 300
# Symbols of one file: what has more is data, of which the first are enough.
_MOST_SYMBOLS = 5_000


class Unchanged(Candidate):
    """A file whose size or time moved, and whose content did not."""


Entry = MappedFile | Skip | Unchanged


def entries(
    root: Path, wanted: Sequence[Candidate], known: dict[str, str]
) -> Iterator[list[tuple[Candidate, Entry]]]:
    """The entries of files, in batches and in order. `known` are the digests that the map has."""
    chunks = [wanted[at : at + _CHUNK] for at in range(0, len(wanted), _CHUNK)]
    jobs = [
        (root, chunk, {c.path: known[c.path] for c in chunk if c.path in known}) for chunk in chunks
    ]
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    if len(wanted) < _MANY or processes == 1:
        for job in jobs:
            yield list(zip(job[1], _entries_of(job), strict=True))
        return
    alone = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if alone else "spawn")
    done = 0
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=gc.disable)
    try:
        for chunk, batch in zip(chunks, pool.map(_entries_of, jobs), strict=True):
            yield list(zip(chunk, batch, strict=True))
            done += 1
    except BrokenProcessPool:  # one was ended from outside: slower, but it goes on
        for job in jobs[done:]:
            yield list(zip(job[1], _entries_of(job), strict=True))
    finally:  # they end while the rest is done here
        pool.shutdown(wait=False, cancel_futures=True)


def _entries_of(job: tuple[Path, Sequence[Candidate], dict[str, str]]) -> list[Entry]:
    root, chunk, known = job
    return [_entry(root, one, known.get(one.path, "")) for one in chunk]


def _entry(root: Path, one: Candidate, known: str) -> Entry:
    try:
        with open(f"{root}/{one.path}", "rb", buffering=0) as file:  # noqa: PTH123 - a path object costs more
            text = file.read()
    except OSError as error:
        return Skip(one.path, f"unreadable: {error.strerror}")
    reason = content_skip(text)
    if reason:
        return Skip(one.path, reason)
    digest = blake2b(text, digest_size=16).hexdigest()
    if digest == known:
        return Unchanged(one.path, one.language, one.size, one.mtime_ns)
    return mapped(one, as_utf8(text), digest)


def mapped(one: Candidate, text: bytes, digest: str) -> MappedFile:
    """The entry of a file's text (UTF-8)."""
    language = language_in(one.path, text) or one.language
    if grammar(language) is None:
        language = one.language
    facts = parse(one.path, text, language)
    symbols = facts.symbols[:_MOST_SYMBOLS]
    return MappedFile(
        path=one.path,
        language=language,
        content_hash=digest,
        size=one.size,
        mtime_ns=one.mtime_ns,
        symbols=[one[1:] for one in symbols],
        imports=[(one.module, one.line, clip(one.statement, _STATEMENT)) for one in facts.imports],
        words=_words(symbols, facts.bodies),
        identifiers=b" ".join(facts.words).decode("utf-8", "replace"),
        has_errors=facts.has_errors,
    )


def as_utf8(text: bytes) -> bytes:
    """A file's text as UTF-8: UTF-16 by its mark is converted, a mark of UTF-8 taken off."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return text.decode("utf-16", "replace").encode()
    return text.removeprefix(b"\xef\xbb\xbf")


def _words(symbols: Sequence[Symbol], bodies: Sequence[tuple[bytes, ...]]) -> list[Words]:
    """What each symbol is found by: its own words, and some of what lies in it."""
    rows: list[Words] = []
    inner: dict[str, list[str]] = {}
    for one, body in zip(symbols, bodies, strict=False):
        name, own = _NAMES[one.name], " ".join(map(_BODY.__getitem__, body))
        owner = one.qualified.rpartition(".")[0]
        if one.name != name and one.name.isidentifier():
            name = f"{one.name} {name}"
        if owner:
            whole = one.name in _TELLING_OF_ITS_CLASS or not one.name[:1].isalpha()
            inner.setdefault(owner, []).append(f"{name} {own}" if whole else name)
        doc = indexable(one.doc) if one.doc else ""
        rows.append((name, _NAMES[owner], doc, own))
    if not inner:
        return rows
    return [
        (*row[:3], _joined(row[3], inner[one.qualified])) if one.qualified in inner else row
        for one, row in zip(symbols, rows, strict=False)
    ]


def _joined(own: str, inner: Sequence[str]) -> str:
    """The distinct words of a symbol and of what lies in it."""
    words = dict.fromkeys(" ".join((own, *inner)).split())
    return " ".join(list(words)[:_MOST_WORDS])


# Methods whose text tells what their class does.
_TELLING_OF_ITS_CLASS = frozenset(
    {"__init__", "__call__", "__iter__", "__enter__", "constructor", "init", "new", "New", "run",
     "call", "execute", "handle", "apply", "main"}
)  # fmt: skip
_MOST_WORDS = 300


class _Known(dict[str, str]):
    """The words of names, kept while they are few: looked up more often than all else."""

    def __missing__(self, name: str) -> str:
        if len(self) > _MOST_KNOWN:
            self.clear()
        self[name] = words = code_words(name)
        return words


class _KnownBytes(dict[bytes, str]):
    """The words of identifiers as they stand in a text.

    None of a number, and none of what no question is ever asked by.
    """

    def __missing__(self, identifier: bytes) -> str:
        if len(self) > _MOST_KNOWN:
            self.clear()
        words = ""
        if identifier.islower() and identifier.isascii() and identifier[:1].isalpha():
            words = identifier.decode().replace("_", " ").replace("$", " ")
        elif not identifier[:1].isdigit():
            words = code_words(identifier.decode("utf-8", "replace"))
        if words in _UNTOLD:
            words = ""
        self[identifier] = words
        return words


_MOST_KNOWN = 100_000
_UNTOLD = STOP_WORDS | {"self", "this", "cls", "def"}
_NAMES, _BODY = _Known(), _KnownBytes()
