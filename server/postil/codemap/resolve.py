"""Imports to the files of the project that they mean. What leads outside leads nowhere here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from postil.codemap.scripts import script
from postil.codemap.tree import Tree, join, shared

# A package or a folder is many files: so many of them are linked at most.
_MOST_TARGETS = 60

Rule = Callable[[Tree, str, str, str], Iterable[str]]


def targets(tree: Tree, path: str, language: str, module: str, statement: str) -> list[str]:
    """The files that an import in `path` means, nearest first; none when it leads outside."""
    rule = _RULES.get(language)
    if rule is None or not module:
        return []
    found = dict.fromkeys(one for one in rule(tree, path, module, statement) if one != path)
    return list(found)[:_MOST_TARGETS]


def _python(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
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
        bases = _python_bases(tree, path, tail)
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


def _python_bases(tree: Tree, path: str, tail: str) -> list[str]:
    """Where a module of this name can lie, the nearest first."""
    roots = tree.homes.get(tail)
    if roots is None:
        roots = tree.homes[tail] = _python_homes(tree, tail)
    if len(roots) < 2:
        return roots
    return sorted(roots, key=lambda one: (-shared(one, path), len(one)))


def _python_homes(tree: Tree, tail: str) -> list[str]:
    """Where a module of this name can lie: below the folders that no package holds."""
    last = tail.rpartition("/")[2]
    found = [
        f"{base}{tail}"
        for name in (f"{last}.py", f"{last}.pyi")
        for one in tree.by_name.get(name, ())
        if (base := one.rpartition(".")[0][: -len(tail)]) + tail == one.rpartition(".")[0]
    ]
    found += tree.folders_ending(tail)
    return [
        one
        for one in dict.fromkeys(found)
        if not tree.has_folder(one[: -len(tail)].rstrip("/"))
        or f"{one[: -len(tail)]}__init__.py" not in tree.paths
        or one == tail
    ]


def imported_names(statement: str) -> list[str]:
    """The names that an import statement takes out of its module, as they are called there."""
    if not statement.lstrip().startswith("from"):
        return []
    if "#" in statement:
        statement = re.sub(r"#[^\n]*", "", statement)
    found = re.search(r"\bimport\s+(.+)$", statement, re.S)
    if not found:
        return []
    return [
        part.split(" as ")[0].strip() for part in found[1].strip("() \n").split(",") if part.strip()
    ]


def _go(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    for name, folder in sorted(tree.go_modules.items(), key=lambda one: -len(one[0])):
        if module == name or module.startswith(name + "/"):
            inner = "/".join(filter(None, (folder, module[len(name) + 1 :])))
            yield from (one for one in tree.folder(inner, (".go",)) if not one.endswith("_test.go"))
            return


def _rust(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
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


def _rust_file(tree: Tree, base: str, parts: list[str]) -> Iterator[str]:
    for length in range(len(parts), 0, -1):
        inner = "/".join(filter(None, (base, *parts[:length])))
        found = list(tree.first(inner, (".rs", "/mod.rs")))
        if found:
            yield from found
            return
    yield from tree.first(base, (".rs", "/mod.rs", "/lib.rs", "/main.rs"))


def _crate_root(tree: Tree, path: str) -> str:
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


def _jvm(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
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


def _include(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    found = list(tree.beside(path, module))
    yield from found or tree.ending(module, path)


def _ruby(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    if "require_relative" in statement or module.startswith("."):
        yield from tree.beside(path, module, ("", ".rb"))
    else:
        yield from tree.ending(module, path, (".rb", ""))


def _php(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
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
    def rule(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
        yield from tree.ending(module.replace(".", "/"), path, endings)

    return rule


def _elixir(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    snake = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", part).lower() for part in module.split(".")]
    yield from tree.ending("/".join(snake), path, (".ex", ".exs"))


def _dart(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    if module.startswith("package:"):
        yield from tree.ending("lib/" + module.partition("/")[2], path)
    else:
        yield from tree.beside(path, module)


def _relative(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    yield from tree.beside(path, re.split(r"[?#]", module)[0])


def _folder(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    place = join(path.rpartition("/")[0], module) if module.startswith(".") else None
    if place is not None:
        yield from tree.folder(place, (".tf",))


def _ocaml(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    name = module.split(".")[-1]
    yield from tree.ending(name[:1].lower() + name[1:], path, (".ml",))


_RULES: dict[str, Rule] = {
    "python": _python,
    "javascript": script,
    "typescript": script,
    "tsx": script,
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
    "ocaml_interface": _ocaml,
    "dart": _dart,
    "zig": _relative,
    "bash": _relative,
    "css": _relative,
    "html": _relative,
    "markdown": _relative,
    "make": _relative,
    "hcl": _folder,
}
