"""Imports of JavaScript and TypeScript: `tsconfig` paths, workspaces, `exports`, index files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from postil.codemap.tree import Tree, inside, join, star

_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser")
_MOST_EXTENDED = 5


def script(tree: Tree, path: str, module: str, statement: str) -> Iterator[str]:
    """The rule of these languages."""
    if module.startswith("."):
        base = join(path.rpartition("/")[0], module)
        if base is not None:
            yield from _script_file(tree, base)
        return
    for folder in (*tree.above(path, "tsconfig.json"), *tree.above(path, "jsconfig.json")):
        config = (
            "tsconfig.json" if inside(folder, "tsconfig.json") in tree.paths else "jsconfig.json"
        )
        found = list(_by_paths(tree, inside(folder, config), module))
        if found:
            yield from found
            return
    if module.startswith("#"):
        for folder in tree.above(path, "package.json"):
            manifest = tree.read_json(inside(folder, "package.json"))
            yield from _by_map(tree, folder, manifest.get("imports"), module)
            return
    yield from _by_package(tree, module)


def _by_paths(tree: Tree, config: str, module: str) -> Iterator[str]:
    """What `paths` and `baseUrl` of a configuration (or of those that it extends) say."""
    for _ in range(_MOST_EXTENDED):
        data = tree.read_json(config)
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        folder = config.rpartition("/")[0]
        base = join(folder, str(options.get("baseUrl", ".")))
        paths = options.get("paths")
        for pattern, targets in (paths if isinstance(paths, dict) else {}).items():
            rest = star(pattern, module)
            if rest is None or base is None:
                continue
            for target in targets if isinstance(targets, list) else ():
                place = join(base, str(target).replace("*", rest))
                found = list(_script_file(tree, place)) if place is not None else []
                if found:
                    yield from found
                    return
        if "baseUrl" in options and base is not None:
            yield from _script_file(tree, f"{base}/{module}".lstrip("/"))
        extended = data.get("extends")
        if not isinstance(extended, str) or not extended.startswith("."):
            return
        config = join(folder, extended if extended.endswith(".json") else extended + ".json") or ""


def _by_package(tree: Tree, module: str) -> Iterator[str]:
    parts = module.split("/")
    cut = 2 if module.startswith("@") else 1
    folder = tree.packages.get("/".join(parts[:cut]))
    if folder is None:
        return
    rest = "/".join(parts[cut:])
    manifest = tree.read_json(inside(folder, "package.json"))
    found = list(_by_map(tree, folder, manifest.get("exports"), f"./{rest}" if rest else "."))
    if not found and not rest:
        for key in ("source", "types", "module", "main"):
            if isinstance(manifest.get(key), str):
                found = found or list(_built(tree, folder, manifest[key]))
    if not found:
        for inner in (rest, f"src/{rest}") if rest else ("index", "src/index"):
            found = found or list(_script_file(tree, inside(folder, inner)))
    yield from found


def _by_map(tree: Tree, folder: str, entries: object, wanted: str) -> Iterator[str]:
    """What an `exports` or `imports` map says of a name; patterns hold one star."""
    if isinstance(entries, str) or (
        isinstance(entries, dict) and not any(k[:1] in ".#" for k in entries)
    ):
        entries = {".": entries}
    for pattern, value in entries.items() if isinstance(entries, dict) else ():
        rest = star(pattern, wanted)
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


def _built(tree: Tree, folder: str, written: str) -> Iterator[str]:
    """A file that a manifest names; where that is built, what it is built from."""
    place = join(folder, written)
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


def _script_file(tree: Tree, base: str) -> Iterator[str]:
    bare = re.sub(r"\.([cm]?)jsx?$", "", base)
    tries = [base, *(base + ending for ending in _SCRIPT_ENDINGS)]
    if bare != base:
        tries += [bare + ending for ending in _SCRIPT_ENDINGS]
    tries += [f"{base}/index{ending}".lstrip("/") for ending in _SCRIPT_ENDINGS]
    for one in tries:
        if one in tree.paths:
            yield one
            return
