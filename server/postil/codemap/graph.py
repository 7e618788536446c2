"""Who calls whom: uses read when asked for, and resolved to definitions with a confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path

from postil.codemap.builtins import COMMON_METHODS
from postil.codemap.entries import as_utf8
from postil.codemap.references import uses
from postil.model import Symbol
from postil.storage.codegraph import UseRow
from postil.storage.codeindex import CodeIndex

# Files that are read for the uses of one name at most.
_MOST_FILES = 400
# Below this a resolved use is a guess, and not shown.
LIKELY = 0.5
_SELF = frozenset({"self", "this", "cls", "Self", "@", "static", "$this"})
_SUPER = frozenset({"super", "super()", "base", "parent"})
_FAMILIES = {
    "typescript": "script",
    "tsx": "script",
    "javascript": "script",
    "c": "c",
    "cpp": "c",
    "objc": "c",
    "java": "jvm",
    "kotlin": "jvm",
    "scala": "jvm",
    "ocaml_interface": "ocaml",
}
# Where a method is called without naming its object, and where a folder is one namespace.
_IMPLICIT_SELF = frozenset({"jvm", "c", "csharp", "swift", "ruby", "dart"})
_ONE_NAMESPACE = frozenset({"go", "jvm", "csharp", "swift", "hcl"})
_METHODS = frozenset({"method", "property"})
_CALLABLE = frozenset(
    {"function", "method", "class", "struct", "macro", "interface", "trait", "object", "enum",
     "type", "property"}
)  # fmt: skip
_TYPES = frozenset({"class", "struct", "interface", "trait", "object", "enum", "type"})
# Where a name can be used without an import that says where it comes from.
_GLOBAL = frozenset({"c", "csharp", "swift", "ruby", "php", "jvm", "lua", "bash", "elixir"})
# Definitions among which a use without other signs may be meant; of how many types when one of them
# lies in the same file, and of how many otherwise.
_FEW = 3
_FEW_TYPES_HERE, _FEW_TYPES = 6, 2
# How often what a file hands on is followed.
_RE_EXPORTS = 2
_CONSTRUCTORS = frozenset({"__init__", "constructor", "init"})


@dataclass(frozen=True, slots=True)
class Edge:
    """One symbol uses another. `source` is None at file level; confidence is 0..1."""

    source: Symbol | None
    target: Symbol
    path: str
    line: int
    kind: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    rowid: int
    family: str
    symbol: Symbol

    @property
    def owner(self) -> str:
        """The simple name of the type or function that it lies in; "" at the top."""
        return self.symbol.qualified.rpartition(".")[0].rpartition(".")[2]


class Graph:
    """The uses of one tree. Lives for one question: what it reads is kept."""

    def __init__(self, root: Path, index: CodeIndex) -> None:
        self._root = root
        self._index = index
        self._graph = index.graph
        self._named = cache(self._candidates)
        self._statements = cache(self._graph.statements)
        self._family = cache(self._family_of)
        self._bases = cache(self._bases_of)
        self._exported = cache(self._exports)

    def callees(self, symbol: Symbol) -> list[Edge]:
        """What a symbol calls, in the order of its text."""
        self.read([symbol.path])
        rowid = self._graph.rowid_of(symbol)
        found: list[Edge] = []
        for use in self._graph.uses_by(rowid):
            if use.kind == "call":
                found.extend(self._edges(use, symbol))
        return _best(found)

    def callers(self, symbol: Symbol) -> list[Edge]:
        """What calls a symbol, by path and line."""
        name, meant = symbol.name, symbol.qualified
        if name in _CONSTRUCTORS and symbol.kind == "method" and "." in meant:
            meant = meant.rpartition(".")[0]  # a class is called by its own name
            name = meant.rpartition(".")[2]
        self.read(self._graph.files_using(name.split(":")[0], _MOST_FILES))
        found = []
        for use in self._graph.uses_of(name):
            if use.kind == "call":
                caller = self._index.symbols([use.caller]).get(use.caller)
                found += [
                    edge
                    for edge in self._edges(use, caller)
                    if (edge.target.path, edge.target.qualified) == (symbol.path, meant)
                ]
        return _best(found)

    def bases(self, symbol: Symbol) -> list[Edge]:
        """The types of this tree that a type extends or implements."""
        self.read([symbol.path])
        rowid = self._graph.rowid_of(symbol)
        rows = [use for use in self._graph.uses_by(rowid) if use.kind == "base"]
        return _best([edge for use in rows for edge in self._edges(use, symbol)])

    def derived(self, symbol: Symbol) -> list[Edge]:
        """The types that extend or implement a type."""
        self.read(self._graph.files_using(symbol.name, _MOST_FILES))
        found = []
        for use in self._graph.uses_of(symbol.name):
            if use.kind == "base":
                source = self._index.symbols([use.caller]).get(use.caller)
                found += [one for one in self._edges(use, source) if one.target == symbol]
        return _best(found)

    def read(self, paths: Iterable[str]) -> int:
        """Read the uses of files that were not read yet; how many were."""
        waiting = self._graph.without_uses(list(paths), _MOST_FILES)
        for path, language, digest in waiting:
            read_uses(self._root, self._index, path, language, digest)
        return len(waiting)

    # -- which definition a use means ------------------------------------------------------------

    def _edges(self, use: UseRow, caller: Symbol | None) -> Iterator[Edge]:
        for candidate, confidence in self._resolved(use, caller):
            if confidence >= LIKELY:
                yield Edge(caller, candidate.symbol, use.path, use.line, use.kind, confidence)

    def _resolved(self, use: UseRow, caller: Symbol | None) -> list[tuple[_Candidate, float]]:
        family = self._family(use.path)
        wanted = _TYPES if use.kind == "base" else _CALLABLE
        candidates = [
            one
            for one in self._named(use.name)
            if one.family == family and one.symbol.kind in wanted
        ]
        if not candidates:
            return []
        receiver, _, typed = use.receiver.partition(":")
        last = receiver.rpartition(".")[2]
        owner = self._type_around(caller)
        if receiver in _SUPER:
            return self._inherited(candidates, owner, family, own=False)
        if receiver in _SELF:
            own = self._inherited(candidates, owner, family, own=True)
            return own or self._overridden(use, candidates, owner, family)
        if self._leads_outside(use.path, receiver.partition(".")[0] or use.name):
            return []
        if not receiver:
            return self._bare(use, candidates, caller, owner, family)
        if receiver != "?":
            found = self._through(use, candidates, last, typed, family)
            if found:
                return found
        return self._dynamic(use, candidates, last)

    def _bare(
        self,
        use: UseRow,
        candidates: list[_Candidate],
        caller: Symbol | None,
        owner: str,
        family: str,
    ) -> list[tuple[_Candidate, float]]:
        """A name without a receiver: what is in sight, innermost first."""
        here = [one for one in candidates if one.symbol.path == use.path]
        scope = caller.qualified if caller is not None else ""
        while scope:
            inner = [one for one in here if one.symbol.qualified == f"{scope}.{use.name}"]
            inner = [one for one in inner if one.symbol.kind not in _METHODS]
            if inner:
                return [(one, 0.95) for one in inner]
            scope = scope.rpartition(".")[0]
        if owner and family in _IMPLICIT_SELF:
            own = self._inherited(candidates, owner, family, own=True)
            if own:
                return own
        free = [one for one in candidates if one.symbol.kind not in _METHODS]
        top = [one for one in free if one.symbol.path == use.path and not one.owner]
        if top:
            return [(one, 0.95) for one in top]
        imported = self._imported(use.path, use.name, free)
        if imported:
            return [(one, 0.9) for one in imported]
        folder = use.path.rpartition("/")[0]
        if family in _ONE_NAMESPACE or family == "c":
            near = [one for one in free if one.symbol.path.rpartition("/")[0] == folder]
            if near:
                return _shared(near, 0.85)
        same = [one for one in free if one.symbol.path == use.path]
        if same:
            return _shared(same, 0.6)
        return _shared(free, 0.6) if family in _GLOBAL and len(free) <= _FEW else []

    def _through(
        self, use: UseRow, candidates: list[_Candidate], last: str, typed: str, family: str
    ) -> list[tuple[_Candidate, float]]:
        """A name reached through another: a module, a type, or a thing of a known type."""
        several = typed.split("|")
        for name, confidence in (
            *((one, 0.9 if len(several) == 1 else 0.6) for one in several),
            (last, 0.95),
        ):
            if name:
                owned = [one for one in candidates if one.owner == name]
                if owned:
                    return _shared(self._nearest(use.path, name, owned), confidence)
                if self._types(name, family):
                    inherited = self._inherited(candidates, name, family, own=True)
                    if inherited:
                        return inherited
        free = [one for one in candidates if one.symbol.kind not in _METHODS]
        modules = self._imported(use.path, last, free, as_module=True)
        return [(one, 0.9) for one in modules]

    def _dynamic(
        self, use: UseRow, candidates: list[_Candidate], last: str
    ) -> list[tuple[_Candidate, float]]:
        """A method of something unknown: by the likeness of names, or if few can be meant."""
        methods = [one for one in candidates if self._is_member(one)]
        methods = [one for one in methods if not in_tests(one.symbol.path) or in_tests(use.path)]
        bare = re.sub(r"[^a-z]", "", last.lower()).rstrip("s")
        alike = [one for one in methods if len(bare) > 3 and _alike(bare, one.owner)]
        exact = (
            last[:1].upper() + last[1:]
        )  # `observer` is an `Observer` where there is such a type
        if self._types(exact, self._family(use.path)):
            alike = [one for one in alike if one.owner == exact]
        if alike:
            near = [one for one in alike if one.symbol.path == use.path]
            return [(one, 0.6) for one in near or alike]
        if use.name in COMMON_METHODS or not methods:
            return []
        owners = {one.owner for one in methods}
        here = [one for one in methods if one.symbol.path == use.path]
        if here and len(owners) <= _FEW_TYPES_HERE:
            return [(one, 0.55) for one in here]
        return [(one, 0.55) for one in methods] if len(owners) <= _FEW_TYPES else []

    def _is_member(self, one: _Candidate) -> bool:
        """Whether it is reached through a thing: a method, or a function assigned to a field."""
        if one.symbol.kind in _METHODS:
            return True
        if one.symbol.kind != "function" or not one.owner or one.family != "script":
            return False
        return not any(
            other.symbol.path == one.symbol.path and other.symbol.kind in ("function", "method")
            for other in self._named(one.owner)
        )

    def _leads_outside(self, path: str, name: str) -> bool:
        """Whether a file imports this name from elsewhere, so that no definition here is meant."""
        word = _word(name)
        naming = [targets for text, targets in self._statements(path) if word.search(text)]
        return bool(naming) and not any(naming)

    def _overridden(
        self, use: UseRow, candidates: list[_Candidate], owner: str, family: str
    ) -> list[tuple[_Candidate, float]]:
        """A method of one's own that only heirs have; outside of types, of what the file builds."""
        if not owner:
            here = [
                one for one in candidates if one.symbol.path == use.path and self._is_member(one)
            ]
            return _shared(here, 0.6)
        heirs = [one for one in candidates if owner in self._bases(one.owner, family)]
        return _shared(heirs, 0.6)

    def _inherited(
        self, candidates: list[_Candidate], owner: str, family: str, own: bool
    ) -> list[tuple[_Candidate, float]]:
        """The methods of a type, or of the nearest of its bases that has such a one."""
        seen: set[str] = set()
        level = [owner] if own else self._bases(owner, family)
        confidence = 0.95
        while level:
            found = [one for one in candidates if one.owner in level]
            if found:
                return [(one, confidence) for one in found]
            seen.update(level)
            above = [base for one in level for base in self._bases(one, family)]
            level = [one for one in dict.fromkeys(above) if one not in seen]
            confidence = 0.9
        return []

    def _bases_of(self, name: str, family: str) -> list[str]:
        found: list[str] = []
        for one in self._types(name, family):
            self.read([one.symbol.path])
            found += [use.name for use in self._graph.uses_by(one.rowid) if use.kind == "base"]
        return list(dict.fromkeys(found))

    def _types(self, name: str, family: str) -> list[_Candidate]:
        return [
            one for one in self._named(name) if one.symbol.kind in _TYPES and one.family == family
        ]

    def _nearest(self, path: str, name: str, owned: list[_Candidate]) -> list[_Candidate]:
        """Of several types of one name, the one that `path` defines or imports."""
        here = [one for one in owned if one.symbol.path == path]
        return here or self._imported(path, name, owned) or owned

    def _imported(
        self, path: str, name: str, candidates: list[_Candidate], as_module: bool = False
    ) -> list[_Candidate]:
        """The candidates in files that the imports of `path` naming `name` lead to."""
        word = _word(name)
        stars, named = [], []
        for statement, targets in self._statements(path):
            if word.search(statement):
                named += targets
            elif re.search(
                r"\*|^\s*(?:#\s*include|require|use\s|using\s|import\s+\w+\s*;?$)", statement
            ):
                stars += targets
        for targets in (named, [] if as_module else stars):
            found = [one for one in candidates if one.symbol.path in targets]
            for _ in range(_RE_EXPORTS):
                if found or not targets:
                    break
                targets = [more for one in targets for more in self._exported(one)]
                found = [one for one in candidates if one.symbol.path in targets]
            if found:
                return found
        return []

    def _exports(self, path: str) -> list[str]:
        """What a file that only hands on leads to."""
        return [target for _, targets in self._statements(path) for target in targets]

    def _type_around(self, caller: Symbol | None) -> str:
        """The simple name of the type that a symbol lies in; "" outside of types."""
        if caller is None:
            return ""
        if caller.kind in _TYPES:
            return caller.name
        parts = caller.qualified.split(".")[:-1]
        family = self._family(caller.path)
        for part in reversed(parts):
            if any(one.symbol.path == caller.path for one in self._types(part, family)):
                return part
        while parts and family == "script" and self._is_function(".".join(parts), caller.path):
            parts.pop()
        assigned = family == "script" and caller.kind == "function"
        return parts[-1] if parts and (caller.kind == "method" or assigned) else ""

    def _is_function(self, qualified: str, path: str) -> bool:
        return any(
            one.symbol.path == path and one.symbol.qualified == qualified
            for one in self._named(qualified.rpartition(".")[2])
        )

    def _candidates(self, name: str) -> list[_Candidate]:
        return [
            _Candidate(rowid, _FAMILIES.get(language, language), symbol)
            for rowid, language, symbol in self._graph.named(name)
        ]

    def _family_of(self, path: str) -> str:
        language = self._graph.language_of(path)
        return _FAMILIES.get(language, language)


@lru_cache(maxsize=10_000)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def read_uses(root: Path, index: CodeIndex, path: str, language: str, digest: str) -> None:
    """Read what a file uses, and store it; a file that changed meanwhile is left for later."""
    try:
        text = (root / path).read_bytes()
    except OSError:  # gone: the next update says so
        return
    if blake2b(text, digest_size=16).hexdigest() != digest:
        return
    found = uses(as_utf8(text), language)
    index.graph.put_uses(
        path,
        digest,
        [
            (one.caller, one.caller_line, one.kind, one.name, one.line, one.receiver)
            for one in found
        ],
    )


def _shared(candidates: list[_Candidate], confidence: float) -> list[tuple[_Candidate, float]]:
    """Several definitions that can be meant share what is known; overloads are one."""
    places = {(one.symbol.path, one.symbol.qualified) for one in candidates}
    share = confidence if len(places) <= 2 else confidence * 2 / len(places)
    return [(one, share) for one in candidates]


def _alike(bare: str, owner: str) -> bool:
    lowered = owner.lower()
    return lowered.endswith(bare) or bare.endswith(lowered)


def in_tests(path: str) -> bool:
    """Whether a file is a test, by its path."""
    return bool(_TESTS.search(path))


_TESTS = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|fixtures)/|(^|/)(test_|conftest\.)|[._-](test|spec)\."
)


def _best(edges: list[Edge]) -> list[Edge]:
    """Each pair once, at its first place, with its best confidence."""
    kept: dict[tuple[object, ...], Edge] = {}
    for one in edges:
        key = (one.source, one.target, one.path if one.source is None else "")
        known = kept.get(key)
        if known is None or known.confidence < one.confidence:
            kept[key] = one
    return sorted(kept.values(), key=lambda one: (one.path, one.line, -one.confidence))
