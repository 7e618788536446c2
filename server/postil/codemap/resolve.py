"""Imports to the files of the project that they mean. What leads outside leads nowhere here."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
# A package or a folder is many files: so many of them are linked at most.
_MOST_TARGETS = 60
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser")
_MOST_EXTENDED = 5

Rule = Callable[["Resolver", str, str, str], Iterable[str]]


class Resolver:
    """Resolves the imports of one tree: `paths` are its mapped files, `root` where they lie."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = root
        self.paths = frozenset(paths)
        self.by_name: dict[str, list[str]] = {}
        self.folders: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            folder, _, name = path.rpartition("/")
            self.by_name.setdefault(name, []).append(path)
            self.folders.setdefault(folder, []).append(path)
        self._folders_by_name: dict[str, list[str]] = {}
        for folder in self.folders:
            self._folders_by_name.setdefault(folder.rpartition("/")[2], []).append(folder)
        self._packages: dict[str, str] | None = None
        self._go_modules: dict[str, str] | None = None
        self._crates: dict[str, str] | None = None
        self.read_json = lru_cache(maxsize=None)(self._read_json)

    def targets(self, path: str, language: str, module: str, statement: str) -> list[str]:
        """The files that an import in `path` means, nearest first; none when it leads outside."""
        rule = _RULES.get(language)
        if rule is None or not module:
            return []
        found = dict.fromkeys(one for one in rule(self, path, module, statement) if one != path)
        return list(found)[:_MOST_TARGETS]

    def beside(self, path: str, written: str, endings: Iterable[str] = ("",)) -> Iterator[str]:
        """The file `written` relative to the folder of `path`, with the first ending that is there."""
        base = _join(path.rpartition("/")[0], written)
        if base is not None:
            yield from self.first(base, endings)

    def first(self, base: str, endings: Iterable[str]) -> Iterator[str]:
        """The first of `base` with these endings that is a file here."""
        for ending in endings:
            if base + ending in self.paths:
                yield base + ending
                return

    def ending(self, tail: str, near: str, endings: Iterable[str] = ("",)) -> Iterator[str]:
        """The file whose path ends in `tail`, the nearest to `near` when there are several."""
        for ending in endings:
            whole = tail + ending
            found = [
                one
                for one in self.by_name.get(whole.rpartition("/")[2], ())
                if one == whole or one.endswith("/" + whole)
            ]
            if found:
                yield max(found, key=lambda one: (_shared(one, near), -len(one)))
                return

    def folder(self, name: str, endings: tuple[str, ...]) -> list[str]:
        """The files of a folder with these endings."""
        return [one for one in self.folders.get(name, ()) if one.endswith(endings)]

    def folders_ending(self, tail: str) -> list[str]:
        """The folders whose path ends in `tail`."""
        named = self._folders_by_name.get(tail.rpartition("/")[2], ())
        return [one for one in named if one == tail or one.endswith("/" + tail)]

    def files_of(self, folders: Iterable[str], endings: tuple[str, ...]) -> list[str]:
        """The files with these endings in all of these folders."""
        return [one for name in folders for one in self.folder(name, endings)]

    def has_folder(self, name: str) -> bool:
        """Whether files lie directly in this folder."""
        return name in self.folders

    def above(self, path: str, name: str) -> Iterator[str]:
        """The folders above `path` that hold a file `name`, nearest first."""
        folder = path.rpartition("/")[0]
        while True:
            if (f"{folder}/{name}" if folder else name) in self.paths:
                yield folder
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    # -- what the manifests say ------------------------------------------------------------------

    @property
    def packages(self) -> dict[str, str]:
        """Folders of the packages of this tree (workspaces), by name."""
        if self._packages is None:
            self._packages = {}
            for path in self.by_name.get("package.json", ()):
                name = self.read_json(path).get("name")
                if isinstance(name, str):
                    self._packages.setdefault(name, path.rpartition("/")[0])
        return self._packages

    @property
    def go_modules(self) -> dict[str, str]:
        """Folders of Go modules by module path."""
        if self._go_modules is None:
            self._go_modules = dict(self._manifests("go.mod", r"(?m)^module\s+(\S+)"))
        return self._go_modules

    @property
    def crates(self) -> dict[str, str]:
        """Folders of Rust crates by the name that code calls them by."""
        if self._crates is None:
            found = self._manifests("Cargo.toml", r'(?ms)^\[package\].*?^name\s*=\s*"([^"]+)"')
            self._crates = {name.replace("-", "_"): folder for name, folder in found}
        return self._crates

    def _manifests(self, name: str, pattern: str) -> Iterator[tuple[str, str]]:
        known = set(self.by_name.get(name, ()))
        folders = {one.rpartition("/")[0] for one in known} | set(_parents(self.folders))
        for folder in sorted(folders):
            path = f"{folder}/{name}" if folder else name
            found = re.search(pattern, self._read(path))
            if found:
                yield found[1], folder

    def _read(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:  # not there, or not to be read: then it says nothing
            return ""

    def _read_json(self, path: str) -> dict[str, Any]:
        """A JSON file, with comments and last commas; {} when it is not one."""
        text = re.sub(
            r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/',
            lambda one: one[1] or "",
            self._read(path),
            flags=re.S,
        )
        try:
            data = json.loads(re.sub(r",(?=\s*[}\]])", "", text))
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}


def _python(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    endings = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
    dots = len(module) - len(module.lstrip("."))
    names = imported_names(statement)
    tail = module[dots:].replace(".", "/")
    if dots:
        folder = path.rpartition("/")[0]
        for _ in range(dots - 1):
            folder = folder.rpartition("/")[0]
        bases = ["/".join(filter(None, (folder, tail)))]
    else:
        bases = list(_python_bases(tree, path, tail))
    for base in bases:
        submodules = [
            one for name in names for one in tree.first(f"{base}/{name}".lstrip("/"), endings)
        ]
        package = (
            list(tree.first(base, endings)) if base else list(tree.first("__init__", (".py",)))
        )
        if submodules or package:
            yield from submodules
            if not names or len(submodules) < len(names):
                yield from package
            return


def _python_bases(tree: Resolver, path: str, tail: str) -> Iterator[str]:
    """Where a module of this name can lie: below the folders that no package holds."""
    last = tail.rpartition("/")[2]
    found = [
        f"{base}{tail}"
        for name in (f"{last}.py", f"{last}.pyi")
        for one in tree.by_name.get(name, ())
        if (base := one.rpartition(".")[0][: -len(tail)]) + tail == one.rpartition(".")[0]
    ]
    found += tree.folders_ending(tail)
    roots = [
        one
        for one in dict.fromkeys(found)
        if not tree.has_folder(one[: -len(tail)].rstrip("/"))
        or f"{one[: -len(tail)]}__init__.py" not in tree.paths
        or one == tail
    ]
    yield from sorted(roots, key=lambda one: (-_shared(one, path), len(one)))


def imported_names(statement: str) -> list[str]:
    """The names that an import statement takes out of its module, as they are called there."""
    found = re.search(r"\bimport\s+(.+)$", re.sub(r"#[^\n]*", "", statement), re.S)
    if not found or not statement.lstrip().startswith("from"):
        return []
    return [
        part.split(" as ")[0].strip() for part in found[1].strip("() \n").split(",") if part.strip()
    ]


def _script(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    if module.startswith("."):
        base = _join(path.rpartition("/")[0], module)
        if base is not None:
            yield from _script_file(tree, base)
        return
    for folder in (*tree.above(path, "tsconfig.json"), *tree.above(path, "jsconfig.json")):
        config = "tsconfig.json" if _in(folder, "tsconfig.json") in tree.paths else "jsconfig.json"
        found = list(_by_paths(tree, _in(folder, config), module))
        if found:
            yield from found
            return
    if module.startswith("#"):
        for folder in tree.above(path, "package.json"):
            manifest = tree.read_json(_in(folder, "package.json"))
            yield from _by_map(tree, folder, manifest.get("imports"), module)
            return
    yield from _by_package(tree, module)


def _by_paths(tree: Resolver, config: str, module: str) -> Iterator[str]:
    """What `paths` and `baseUrl` of a configuration (or of those that it extends) say."""
    for _ in range(_MOST_EXTENDED):
        data = tree.read_json(config)
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        folder = config.rpartition("/")[0]
        base = _join(folder, str(options.get("baseUrl", ".")))
        paths = options.get("paths")
        for pattern, targets in (paths if isinstance(paths, dict) else {}).items():
            rest = _star(pattern, module)
            if rest is None or base is None:
                continue
            for target in targets if isinstance(targets, list) else ():
                place = _join(base, str(target).replace("*", rest))
                found = list(_script_file(tree, place)) if place is not None else []
                if found:
                    yield from found
                    return
        if "baseUrl" in options and base is not None:
            yield from _script_file(tree, f"{base}/{module}".lstrip("/"))
        extended = data.get("extends")
        if not isinstance(extended, str) or not extended.startswith("."):
            return
        config = _join(folder, extended if extended.endswith(".json") else extended + ".json") or ""


def _by_package(tree: Resolver, module: str) -> Iterator[str]:
    parts = module.split("/")
    cut = 2 if module.startswith("@") else 1
    folder = tree.packages.get("/".join(parts[:cut]))
    if folder is None:
        return
    rest = "/".join(parts[cut:])
    manifest = tree.read_json(_in(folder, "package.json"))
    found = list(_by_map(tree, folder, manifest.get("exports"), f"./{rest}" if rest else "."))
    if not found and not rest:
        for key in ("source", "types", "module", "main"):
            if isinstance(manifest.get(key), str):
                found = found or list(_built(tree, folder, manifest[key]))
    if not found:
        for inner in (rest, f"src/{rest}") if rest else ("index", "src/index"):
            found = found or list(_script_file(tree, _in(folder, inner)))
    yield from found


def _by_map(tree: Resolver, folder: str, entries: object, wanted: str) -> Iterator[str]:
    """What an `exports` or `imports` map says of a name; patterns hold one star."""
    if isinstance(entries, str) or (
        isinstance(entries, dict) and not any(k[:1] in ".#" for k in entries)
    ):
        entries = {".": entries}
    for pattern, value in entries.items() if isinstance(entries, dict) else ():
        rest = _star(pattern, wanted)
        if rest is not None:
            for place in _conditions(value):
                found = list(_built(tree, folder, place.replace("*", rest)))
                if found:
                    yield from found
                    return


def _conditions(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _conditions(one)
    elif isinstance(value, dict):
        for name in (*_CONDITIONS, *(set(value) - set(_CONDITIONS))):
            if name in value:
                yield from _conditions(value[name])


def _built(tree: Resolver, folder: str, written: str) -> Iterator[str]:
    """A file that a manifest names; where that is built, what it is built from."""
    place = _join(folder, written)
    if place is None:
        return
    found = list(_script_file(tree, place))
    if not found:
        source = re.sub(
            r"(^|/)(?:dist|lib|build|out|es|esm|cjs)(?:/(?:esm|cjs|types|es\d*))?/",
            r"\1src/",
            place,
        )
        source = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", source)
        found = list(_script_file(tree, source))
    yield from found


def _script_file(tree: Resolver, base: str) -> Iterator[str]:
    bare = re.sub(r"\.([cm]?)jsx?$", "", base)
    tries = [base, *(base + ending for ending in _SCRIPT_ENDINGS)]
    if bare != base:
        tries += [bare + ending for ending in _SCRIPT_ENDINGS]
    tries += [f"{base}/index{ending}".lstrip("/") for ending in _SCRIPT_ENDINGS]
    for one in tries:
        if one in tree.paths:
            yield one
            return


def _go(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    for name, folder in sorted(tree.go_modules.items(), key=lambda one: -len(one[0])):
        if module == name or module.startswith(name + "/"):
            inner = "/".join(filter(None, (folder, module[len(name) + 1 :])))
            yield from (one for one in tree.folder(inner, (".go",)) if not one.endswith("_test.go"))
            return


def _rust(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    inner = (
        folder if name in ("mod.rs", "lib.rs", "main.rs") else f"{folder}/{name[:-3]}".lstrip("/")
    )
    if re.match(r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s", statement):
        yield from tree.first(f"{inner}/{module}".lstrip("/"), (".rs", "/mod.rs"))
        return
    for use in _braces(module):
        parts = [one for one in use.split("::") if one not in ("*", "")]
        base = inner
        if parts and parts[0] == "crate":
            base, parts = _crate_root(tree, path), parts[1:]
        elif parts and parts[0] in ("self", "super"):
            while parts and parts[0] in ("self", "super"):
                base = base.rpartition("/")[0] if parts.pop(0) == "super" else base
        elif parts and parts[0] in tree.crates:
            base, parts = f"{tree.crates[parts[0]]}/src".lstrip("/"), parts[1:]
        elif not any(
            tree.first(f"{inner}/{parts[0]}".lstrip("/"), (".rs", "/mod.rs")) if parts else ()
        ):
            continue
        yield from _rust_file(tree, base, parts)


def _rust_file(tree: Resolver, base: str, parts: list[str]) -> Iterator[str]:
    for length in range(len(parts), 0, -1):
        inner = "/".join(filter(None, (base, *parts[:length])))
        found = list(tree.first(inner, (".rs", "/mod.rs")))
        if found:
            yield from found
            return
    yield from tree.first(base, (".rs", "/mod.rs", "/lib.rs", "/main.rs"))


def _crate_root(tree: Resolver, path: str) -> str:
    inside = [one for one in tree.crates.values() if path.startswith(f"{one}/" if one else "")]
    crate = max(inside, key=len, default="")
    return f"{crate}/src".lstrip("/")


def _braces(use: str) -> Iterator[str]:
    """`a::{b,c::{d}}` as its single paths."""
    use = re.sub(r"\bas\w+$", "", use)
    start = use.find("{")
    if start < 0:
        yield use
        return
    head, body, depth, begin = use[:start], use[start + 1 : use.rfind("}")], 0, 0
    for place, char in enumerate(body + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if place > begin:
                yield from _braces(head + body[begin:place])
            begin = place + 1


def _jvm(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    endings = (".java", ".kt", ".kts", ".scala")
    base = re.sub(r"\.\{.*$|\.[*_]$", ".*", module)
    if base.endswith(".*"):
        place = base[:-2].replace(".", "/")
        found = list(tree.ending(place, path, endings))
        yield from found or tree.files_of(tree.folders_ending(place), endings)
        return
    parts = base.split(".")
    for length in range(len(parts), 1, -1):
        found = list(tree.ending("/".join(parts[:length]), path, endings))
        if found:
            yield from found
            return
    folders = tree.folders_ending("/".join(parts[:-1]))  # a function of a package
    yield from tree.files_of(folders, (".kt", ".scala"))


def _include(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    found = list(tree.beside(path, module))
    yield from found or tree.ending(module, path)


def _ruby(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    if "require_relative" in statement or module.startswith("."):
        yield from tree.beside(path, module, ("", ".rb"))
    else:
        yield from tree.ending(module, path, (".rb", ""))


def _php(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    if module.endswith((".php", ".inc")):
        found = list(tree.beside(path, module.lstrip("/")))
        yield from found or tree.ending(module.lstrip("./"), path)
        return
    parts = module.strip("\\").split("\\")
    for start in range(len(parts) - 1):  # a namespace's first parts are often not folders
        found = list(tree.ending("/".join(parts[start:]), path, (".php",)))
        if found:
            yield from found
            return


def _dotted(*endings: str) -> Rule:
    def rule(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
        yield from tree.ending(module.replace(".", "/"), path, endings)

    return rule


def _elixir(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    snake = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", part).lower() for part in module.split(".")]
    yield from tree.ending("/".join(snake), path, (".ex", ".exs"))


def _dart(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    if module.startswith("package:"):
        yield from tree.ending("lib/" + module.partition("/")[2], path)
    else:
        yield from tree.beside(path, module)


def _relative(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    yield from tree.beside(path, re.split(r"[?#]", module)[0])


def _folder(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    place = _join(path.rpartition("/")[0], module) if module.startswith(".") else None
    if place is not None:
        yield from tree.folder(place, (".tf",))


def _ocaml(tree: Resolver, path: str, module: str, statement: str) -> Iterator[str]:
    name = module.split(".")[-1]
    yield from tree.ending(name[:1].lower() + name[1:], path, (".ml",))


_RULES: dict[str, Rule] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "java": _jvm,
    "kotlin": _jvm,
    "scala": _jvm,
    "c": _include,
    "cpp": _include,
    "objc": _include,
    "ruby": _ruby,
    "php": _php,
    "lua": _dotted(".lua", "/init.lua"),
    "haskell": _dotted(".hs"),
    "elixir": _elixir,
    "ocaml": _ocaml,
    "dart": _dart,
    "zig": _relative,
    "bash": _relative,
    "css": _relative,
    "html": _relative,
    "markdown": _relative,
    "make": _relative,
    "hcl": _folder,
}


def _join(folder: str, written: str) -> str | None:
    """A path below the root; None when it leads out."""
    place = posixpath.normpath(posixpath.join(folder, written))
    if place.startswith(("../", "/")) or place == "..":
        return None
    return "" if place == "." else place


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common from the root."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def _star(pattern: str, wanted: str) -> str | None:
    """What a star of `pattern` stands for in `wanted`; "" without one, None when they differ."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == wanted else None
    fits = (
        wanted.startswith(head) and wanted.endswith(tail) and len(wanted) >= len(head) + len(tail)
    )
    return wanted[len(head) : len(wanted) - len(tail)] if fits else None


def _parents(folders: Iterable[str]) -> Iterator[str]:
    seen = {""}
    yield ""
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]
