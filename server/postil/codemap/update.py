"""Brings the code map up to the working tree: only what changed is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from postil import git
from postil.codemap.entries import Unchanged, entries
from postil.codemap.languages import language_of
from postil.codemap.links import link
from postil.codemap.walk import Candidate, Limits, walk
from postil.model import Skip
from postil.storage.codeenter import MappedFile
from postil.storage.codeindex import CodeIndex

_FILES_PER_WRITE = 400

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Scan:
    """How the tree differs from the map, judged by size and time alone."""

    changed: tuple[Candidate, ...]
    removed: tuple[str, ...]
    skips: tuple[Skip, ...]

    @property
    def behind(self) -> int:
        """How many files the map has not seen as they are."""
        return len(self.changed) + len(self.removed)


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did."""

    mapped: int
    unchanged: int
    removed: int
    skipped: int


def scan(root: Path, index: CodeIndex, limits: Limits) -> Scan:
    """Compare the working tree with the map without reading any file."""
    candidates, skips = walk(root, limits)
    known = index.files()
    skipped_before = {skip.path for skip in index.skips() if skip.reason in _BY_CONTENT}
    changed = []
    for one in candidates:
        row = known.pop(one.path, None)
        if row is not None and (row.size, row.mtime_ns) == (one.size, one.mtime_ns):
            if one.path in skipped_before and row.content_hash in _BY_CONTENT:
                skips.append(Skip(one.path, row.content_hash))
            continue
        changed.append(one)
    return Scan(tuple(changed), tuple(sorted(known)), tuple(skips))


def is_behind(root: Path, index: CodeIndex, path: str) -> bool:
    """Whether a mapped file has another size or time than the map knows."""
    row = index.files([path]).get(path)
    try:
        info = (root / path).stat()
    except OSError:
        return row is not None
    return row is not None and (row.size, row.mtime_ns) != (info.st_size, info.st_mtime_ns)


def update_file(root: Path, index: CodeIndex, path: str) -> bool:
    """Map one file anew whose size or time moved; False when there was nothing to do."""
    row = index.files([path]).get(path)
    language = language_of(path)
    if row is None or language is None:
        return False
    try:
        info = (root / path).lstat()
    except OSError:  # gone: the next comparison of the tree tells where to
        return False
    if (row.size, row.mtime_ns) == (info.st_size, info.st_mtime_ns) or not S_ISREG(info.st_mode):
        return False
    one = Candidate(path, language, info.st_size, info.st_mtime_ns)
    for [(_, entry)] in entries(root, [one], {path: row.content_hash}):
        if isinstance(entry, Unchanged):
            index.touch([(path, one.size, one.mtime_ns)])
        elif not isinstance(entry, Skip):
            index.apply([entry], ())
            link(root, index, {path}, is_whole=False)
            return True
    return False


# A file that is left out for its content has a row without symbols, so that it is not read again.
_BY_CONTENT = frozenset({"binary", "generated", "minified"})


def update(
    root: Path, index: CodeIndex, limits: Limits, progress: Progress | None = None
) -> Updated:
    """Map all files that are new or changed, forget those that are gone."""
    with index.entering():
        return _updated(root, index, limits, progress)


def _updated(root: Path, index: CodeIndex, limits: Limits, progress: Progress | None) -> Updated:
    found = scan(root, index, limits)
    skips = list(found.skips)
    known = index.files()
    touched: list[tuple[str, int, int]] = []
    rows: list[MappedFile] = []
    written: set[str] = set()
    mapped = 0
    is_whole = bool(found.removed) or index.meta("linked") != "1"
    index.set_meta("linked", "")  # until it is done: what is broken off here is made up for
    index.apply((), found.removed)
    digests = {path: row.content_hash for path, row in known.items()}
    for batch in entries(root, found.changed, digests):
        for one, entry in batch:
            if isinstance(entry, Skip):
                skips.append(entry)
                if entry.reason in _BY_CONTENT:
                    rows.append(_empty(one, entry.reason))
            elif isinstance(entry, Unchanged):
                touched.append((one.path, one.size, one.mtime_ns))
            else:
                rows.append(entry)
                written.add(one.path)
        if len(rows) >= _FILES_PER_WRITE:
            index.apply(rows, ())
            mapped += len(rows)
            rows = []
        if progress is not None:
            progress("mapping the code", len(batch), len(found.changed))
    index.apply(rows, ())
    link(root, index, written, is_whole or not written <= known.keys())
    index.set_meta("linked", "1")
    index.touch(touched)
    index.set_skips(skips)
    index.set_meta("head", git.head(root))
    mapped += len(rows)
    return Updated(mapped, len(known) - len(found.removed), len(found.removed), len(skips))


def _empty(one: Candidate, reason: str) -> MappedFile:
    return MappedFile(one.path, one.language, reason, one.size, one.mtime_ns)
