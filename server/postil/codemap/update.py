"""Brings the code map up to the working tree: only what changed is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from postil import git
from postil.codemap.parse import parse
from postil.codemap.walk import Candidate, Limits, content_skip, walk
from postil.model import Skip
from postil.storage.codeindex import CodeIndex, MappedFile

_FILES_PER_WRITE = 100

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


# A file that is left out for its content has a row without symbols, so that it is not read again.
_BY_CONTENT = frozenset({"binary", "generated", "minified"})


def update(
    root: Path, index: CodeIndex, limits: Limits, progress: Progress | None = None
) -> Updated:
    """Map all files that are new or changed, forget those that are gone."""
    found = scan(root, index, limits)
    skips = list(found.skips)
    known = index.files()
    touched: list[tuple[str, int, int]] = []
    mapped = 0
    index.apply((), found.removed)
    for batch in _batches(found.changed):
        rows = []
        for one in batch:
            read = _read(root, one)
            if isinstance(read, Skip):
                skips.append(read)
                if read.reason in _BY_CONTENT:
                    rows.append(_empty(one, read.reason))
                continue
            before = known.get(one.path)
            if before is not None and before.content_hash == read[1]:
                touched.append((one.path, one.size, one.mtime_ns))
                continue
            rows.append(_map(one, *read))
        index.apply(rows, ())
        mapped += len(rows)
        if progress is not None:
            progress("mapping the code", len(batch), len(found.changed))
    index.touch(touched)
    index.set_skips(skips)
    index.set_meta("head", git.head(root))
    return Updated(mapped, len(known) - len(found.removed), len(found.removed), len(skips))


def _read(root: Path, one: Candidate) -> tuple[bytes, str] | Skip:
    try:
        text = (root / one.path).read_bytes()
    except OSError as error:
        return Skip(one.path, f"unreadable: {error.strerror}")
    reason = content_skip(text)
    if reason:
        return Skip(one.path, reason)
    return text, blake2b(text, digest_size=16).hexdigest()


def _map(one: Candidate, text: bytes, digest: str) -> MappedFile:
    facts = parse(one.path, _as_utf8(text), one.language)
    return MappedFile(
        path=one.path,
        language=one.language,
        content_hash=digest,
        size=one.size,
        mtime_ns=one.mtime_ns,
        symbols=facts.symbols,
        imports=facts.imports,
        bodies=facts.bodies,
        has_errors=facts.has_errors,
    )


def _empty(one: Candidate, reason: str) -> MappedFile:
    return MappedFile(
        one.path, one.language, reason, one.size, one.mtime_ns, (), (), (), has_errors=False
    )


def _as_utf8(text: bytes) -> bytes:
    """A file's text as UTF-8: UTF-16 by its mark is converted, a mark of UTF-8 taken off."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return text.decode("utf-16", "replace").encode()
    return text.removeprefix(b"\xef\xbb\xbf")


def _batches(items: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    batch: list[Candidate] = []
    for item in items:
        batch.append(item)
        if len(batch) == _FILES_PER_WRITE:
            yield batch
            batch = []
    if batch:
        yield batch
