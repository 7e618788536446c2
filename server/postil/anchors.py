"""Anchors: what ties a memory to code, attached by content and resolved whenever it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.codemap.fingerprint import Fingerprint, digests_of, fingerprint, likeness
from postil.errors import UsageError
from postil.model import Anchor, AnchorState, Memory, ResolvedAnchor, Scope, Symbol
from postil.storage.codeindex import CodeIndex
from postil.storage.store import Store

Tied = tuple[Memory, ResolvedAnchor]

_SEPARATORS = ("#", "::")
# How much of its token runs code shares with what it once was, to be taken for the same: at its
# place, elsewhere under its name, elsewhere under another one. Set on tests/cases/anchors.jsonl.
_SAME_PLACE, _SAME_NAME, _OTHER_NAME = 0.12, 0.3, 0.4
# What is that much alike when a memory is attached is noted as something else.
_BESIDE = 0.35
# Token runs below which equal text says nothing of identity: `return None` under any name.
_TELLING = 6
_CANDIDATES = 40
# What may name a place in a text, and what tells a name from a word: quoted, called, put together.
_PLACE = re.compile(
    r"`[\w./#:-]+(?:\(\))?`|[\w./-]*\w\.\w+(?:(?:#|::)[\w.]+|:\d+)?(?:\(\))?|\w+(?:\(\))?"
)
_LIKE_CODE = re.compile(r"[`.#(]|\w_\w|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_MOST_MENTIONED = 3
# The part of a file's definitions that tell where the whole file went.
_FILE_HASHES, _FILE_SHARE = 12, 0.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A definition that an anchor may have come to mean, and how like it is, 0..1."""

    symbol: Symbol
    likeness: float


class Anchors:
    """The anchors of one working tree: `root` is where its files lie, `index` their map."""

    def __init__(self, root: Path, index: CodeIndex) -> None:
        self._root = root
        self._index = index
        # By store: the state of store and map that it was asked for, and the answer.
        self._homeless: dict[Path, tuple[tuple[int, ...], list[tuple[str, str]]]] = {}

    # -- attach ----------------------------------------------------------------------------------

    def attach(self, where: str, commit: str = "") -> Anchor:
        """The anchor for `path`, `path#Qualified.name`, `path:line` or a symbol unique here.

        A file that is not mapped (prose, data) can be an anchor as a whole. UsageError for a place
        that is not there, with the nearest ones.
        """
        where = where.strip().removeprefix("./")
        for separator in _SEPARATORS:
            if separator in where:
                path, _, name = where.partition(separator)
                path = re.sub(r":\d+$", "", path.strip())
                return self.to_anchor(self._named(path, name.strip()), commit)
        at_line = re.fullmatch(r"(.+?):(\d+)(?:[:-]\d+)*", where)
        if at_line and self._index.knows(at_line[1]):
            around = innermost(self._index.symbols_in(at_line[1]), int(at_line[2]))
            return self.to_anchor(around, commit) if around else self.to_file(at_line[1], commit)
        if self._index.knows(where):
            return self.to_file(where, commit)
        found = [] if "/" in where else self._index.find(where)
        if len(found) == 1:
            return self.to_anchor(found[0], commit)
        if len(found) > 1:
            places = ", ".join(f"{one.path}#{one.qualified}" for one in found[:5])
            raise UsageError(f"{where!r} is ambiguous", hint=f"name one of: {places}")
        raise self._unknown(where)

    def mentioned(self, text: str, commit: str = "") -> tuple[Anchor, ...]:
        """Anchors for the files and symbols that a text names without any doubt, few at most.

        A path must be that of one file; a name must look like code and be that of one symbol.
        """
        found: dict[tuple[str, str], Anchor] = {}
        for written in dict.fromkeys(one[0] for one in _PLACE.finditer(text)):
            anchor = self._mentioned(written.rstrip("."), commit)
            if anchor is not None:
                found.setdefault((anchor.path, anchor.symbol), anchor)
        inner = {path for path, symbol in found if symbol}
        told = [one for (path, name), one in found.items() if name or path not in inner]
        return tuple(told[:_MOST_MENTIONED])

    def _mentioned(self, written: str, commit: str) -> Anchor | None:
        name = written.strip("`").removesuffix("()")
        path = re.split(r"#|::|:(?=\d)", name, maxsplit=1)[0]
        if re.fullmatch(r"[\w./-]*\w\.\w+", path):
            whole = self._index.paths_ending(path, limit=2)
            if len(whole) == 1:
                name = whole[0] + name[len(path) :]
        if "/" not in name and not _LIKE_CODE.search(written):
            return None
        try:
            return self.attach(name, commit)
        except UsageError:  # it names nothing, or more than one thing
            return None

    def to_anchor(self, symbol: Symbol, commit: str = "") -> Anchor:
        """The anchor for a symbol of the map."""
        text = self._text(symbol)
        own = digests_of(text, symbol.qualified)
        words = fingerprint(text, symbol.qualified).words
        beside = {
            other.content_hash
            for other in self._alike(symbol, words)
            if (other.path, other.line) != (symbol.path, symbol.line)
            and (
                other.qualified == symbol.qualified
                or likeness(own, digests_of(self._text(other), other.qualified)) >= _BESIDE
            )
        }
        return Anchor(
            symbol.path,
            symbol.qualified,
            symbol.kind,
            symbol.content_hash,
            commit,
            str(Fingerprint(own, words, frozenset(sorted(beside)[:_CANDIDATES]))),
        )

    def to_file(self, path: str, commit: str = "") -> Anchor:
        """The anchor for a file as a whole."""
        hashes = [one.content_hash for one in self._index.symbols_in(path)]
        step = max(1, len(hashes) // _FILE_HASHES)
        known = Fingerprint(beside=frozenset(hashes[::step][:_FILE_HASHES]))
        return Anchor(path, "", "", self._index.file_hash(path), commit, str(known))

    def _named(self, path: str, name: str) -> Symbol:
        name = name.replace("::", ".")
        in_file = self._index.symbols_in(path) if path else self._index.find(name)
        for symbol in in_file:
            if symbol.qualified == name:
                return symbol
        ending = [one for one in in_file if one.qualified.endswith("." + name) or one.name == name]
        if len(ending) == 1:
            return ending[0]
        if not in_file:
            raise self._unknown(path or name)
        names = ", ".join(one.qualified for one in (ending or in_file)[:8])
        raise UsageError(f"{path} has no symbol {name!r}", hint=f"it has: {names}")

    def _unknown(self, path: str) -> UsageError:
        near = self._index.paths_ending(path.rsplit("/", 1)[-1])
        hint = f"did you mean {' or '.join(near)}?" if near else "paths start at the project's root"
        return UsageError(f"{path!r} is not in the project", hint=hint)

    # -- resolve ---------------------------------------------------------------------------------

    def resolve(self, anchor: Anchor) -> ResolvedAnchor:
        """Where the anchor's code is now: same place, moved, changed (drifted) or gone.

        By its qualified name, then by its text under whatever name, then by what is most like it.
        """
        if not self._index.meta("mapped"):
            return ResolvedAnchor(anchor, AnchorState.UNKNOWN, anchor.path, symbol=anchor.symbol)
        if not anchor.symbol:
            return self._resolve_file(anchor)
        here = [
            one
            for one in self._index.find(anchor.symbol)
            if (one.path, one.qualified) == (anchor.path, anchor.symbol)
        ]
        for one in here:
            if one.content_hash == anchor.content_hash:
                return _at(anchor, AnchorState.EXACT, one)
        known = Fingerprint.parse(anchor.fingerprint) or Fingerprint()
        in_place = self._best(here, known)
        if in_place and (in_place.likeness >= _OTHER_NAME or not known.digests):
            return _at(anchor, AnchorState.DRIFTED, in_place.symbol)
        same = self._same_text(anchor, known)
        if same:
            return _at(anchor, AnchorState.MOVED, same)
        elsewhere = self._elsewhere(anchor, known)
        if in_place and in_place.likeness >= _SAME_PLACE:
            # What was split keeps its place, even where another name got more of it.
            has_left = elsewhere is not None and elsewhere.symbol.name == in_place.symbol.name
            if not has_left:
                return _at(anchor, AnchorState.DRIFTED, in_place.symbol)
        if elsewhere:
            return _at(anchor, AnchorState.DRIFTED, elsewhere.symbol)
        return ResolvedAnchor(anchor, AnchorState.GONE)

    def resolve_all(self, memory: Memory) -> tuple[ResolvedAnchor, ...]:
        """All anchors of a memory, resolved."""
        return tuple(self.resolve(anchor) for anchor in memory.anchors)

    def by_symbol(
        self, stores: Iterable[Store], path: str, scopes: Sequence[Scope]
    ) -> dict[str, list[Tied]]:
        """The memories whose code now lies in `path`, by qualified symbol name; "" is the file.

        Only anchors that can lie here are resolved: of this path, of a name or a content found
        here, or of a place that is not there any more.
        """
        here = self._index.symbols_in(path)
        names = [symbol.qualified for symbol in here]
        hashes = [symbol.content_hash for symbol in here]
        placed: dict[str, list[Tied]] = {}
        for store in stores:
            homeless = self._homeless_of(store)
            for memory in store.tied_to(path, names, hashes, homeless, scopes):
                for anchor in memory.anchors:
                    now = self.resolve(anchor)
                    if now.path == path and now.state is not AnchorState.GONE:
                        placed.setdefault(now.symbol, []).append((memory, now))
        return placed

    def _resolve_file(self, anchor: Anchor) -> ResolvedAnchor:
        if self._index.knows(anchor.path):
            return ResolvedAnchor(anchor, AnchorState.EXACT, anchor.path, 1)
        moved = self._index.files_with_hash(anchor.content_hash) if anchor.content_hash else []
        if len(moved) == 1:
            return ResolvedAnchor(anchor, AnchorState.MOVED, moved[0], 1)
        known = Fingerprint.parse(anchor.fingerprint)
        if known and known.beside:
            path, count = self._index.file_holding(known.beside)
            if count >= _FILE_SHARE * len(known.beside):
                return ResolvedAnchor(anchor, AnchorState.DRIFTED, path, 1)
        return ResolvedAnchor(anchor, AnchorState.GONE)

    def _best(self, found: Iterable[Symbol], known: Fingerprint) -> _Candidate | None:
        """The most alike of these that was not there, as something else, from the beginning."""
        judged = [
            _Candidate(one, likeness(known.digests, digests_of(self._text(one), one.qualified)))
            for one in found
            if one.content_hash not in known.beside
        ]
        return max(judged, key=lambda one: one.likeness, default=None)

    def _same_text(self, anchor: Anchor, known: Fingerprint) -> Symbol | None:
        """The definition that has the anchor's text, under whatever name."""
        found = self._index.with_hash(anchor.content_hash) if anchor.content_hash else []
        name = anchor.symbol.rpartition(".")[2]
        if anchor.content_hash in known.beside or len(known.digests) < _TELLING:
            found = [one for one in found if one.name == name]
        return max(found, key=lambda one: _nearness(one, anchor), default=None)

    def _elsewhere(self, anchor: Anchor, known: Fingerprint) -> _Candidate | None:
        """What is like the anchor's code enough to be it, at another place."""
        if len(known.digests) < _TELLING:
            return None
        name = anchor.symbol.rpartition(".")[2]
        start = Symbol(anchor.path, name, anchor.symbol, anchor.symbol_kind, 0, 0)
        others = [one for one in self._alike(start, known.words) if _is_akin(one, anchor)]
        named = self._best([one for one in others if one.name == name], known)
        unnamed = self._best([one for one in others if one.name != name], known)
        fit = [
            one
            for one, least in ((named, _SAME_NAME), (unnamed, _OTHER_NAME))
            if one is not None and one.likeness >= least
        ]
        return max(fit, key=lambda one: one.likeness, default=None)

    def _alike(self, symbol: Symbol, words: Sequence[str]) -> list[Symbol]:
        """Definitions that may be like a symbol: of its file, of its name, of its words."""
        found = {(one.path, one.line, one.qualified): one for one in self._near(symbol, words)}
        return list(found.values())

    def _near(self, symbol: Symbol, words: Sequence[str]) -> Iterable[Symbol]:
        yield from self._index.symbols_in(symbol.path)[:_CANDIDATES]
        yield from self._index.find(symbol.name)[:_CANDIDATES]
        if words:
            rows = self._index.match_words(list(words), _CANDIDATES)
            yield from self._index.symbols(list(rows)).values()

    def _text(self, symbol: Symbol) -> bytes:
        """The lines of a symbol; empty when its file cannot be read now."""
        try:
            lines = (self._root / symbol.path).read_bytes().split(b"\n")
        except OSError:
            return b""
        return b"\n".join(lines[symbol.line - 1 : symbol.end_line])

    def _homeless_of(self, store: Store) -> list[tuple[str, str]]:
        """The places of anchors (path, symbol) that are not in the map any more."""
        state = (store.change_counter(), *self._index.version)
        known = self._homeless.get(store.path)
        if known is None or known[0] != state:
            known = self._homeless[store.path] = (state, self._index.missing(store.anchored()))
        return known[1]


def innermost(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost of a file's symbols around a line (1-based)."""
    around = [one for one in symbols if one.line <= line <= one.end_line]
    return max(around, key=lambda one: (one.line, -one.end_line), default=None)


def _is_akin(symbol: Symbol, anchor: Anchor) -> bool:
    """Whether a symbol is of a sort that the anchor's can have become."""
    callables = {"function", "method", "constructor", "macro"}
    if anchor.symbol_kind in callables or symbol.kind in callables:
        return anchor.symbol_kind in callables and symbol.kind in callables
    return True


def _nearness(symbol: Symbol, anchor: Anchor) -> tuple[bool, bool, bool, bool]:
    name = anchor.symbol.rpartition(".")[2]
    return (
        symbol.qualified == anchor.symbol,
        symbol.name == name,
        symbol.path == anchor.path,
        symbol.kind == anchor.symbol_kind,
    )


def _at(anchor: Anchor, state: AnchorState, symbol: Symbol) -> ResolvedAnchor:
    return ResolvedAnchor(anchor, state, symbol.path, symbol.line, symbol.qualified)
