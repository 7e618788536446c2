"""Imports lead to the files that they mean, by the rules of each language, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil.codemap.update import update
from postil.codemap.walk import Limits
from postil.storage.codeindex import CodeIndex
from support.project import make_project

TSCONFIG = """{
  // where our modules lie
  "compilerOptions": {
    "baseUrl": ".", "paths": {"@app/*": ["src/app/*"], "~util": ["src/util.ts"],},
  },
}"""
EXPORTS = json.dumps(
    {
        "name": "@shop/core",
        "exports": {
            ".": {"import": "./dist/index.js"},
            "./till": "./src/till.ts",
            "./parts/*": {"types": "./src/parts/*.ts"},
        },
    }
)
# Files, the importing one first, and what its imports lead to.
CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "python: absolute, src layout": (
        {
            "src/shop/a.py": "import shop.b\nfrom shop import c, VERSION\nimport os, requests\n",
            "src/shop/__init__.py": "VERSION = 1\n",
            "src/shop/b.py": "B = 1\n",
            "src/shop/c.py": "C = 1\n",
        },
        ["src/shop/__init__.py", "src/shop/b.py", "src/shop/c.py"],
    ),
    "python: relative": (
        {
            "shop/in/a.py": (
                "from . import b\nfrom .. import top\n"
                "from ..top import x\nfrom ...no import y\n"
            ),
            "shop/__init__.py": "",
            "shop/in/__init__.py": "",
            "shop/in/b.py": "B = 1\n",
            "shop/top.py": "x = 1\n",
        },
        ["shop/in/b.py", "shop/top.py"],
    ),
    "python: namespace package": (
        {"a.py": "import space.inner.b\nfrom space.inner import c\n",
         "space/inner/b.py": "B = 1\n", "space/inner/c.py": "C = 1\n"},
        ["space/inner/b.py", "space/inner/c.py"],
    ),
    "python: a package of the same name is not within another": (
        {"a.py": "import json\n", "shop/__init__.py": "", "shop/json.py": "J = 1\n"},
        [],
    ),
    "script: relative, index, written as built": (
        {
            "src/a.ts": (
                'import "./b";\nimport x from "./c.js";\n'
                'export * from "./d";\nimport "react";\n'
            ),
            "src/b.ts": "",
            "src/c.ts": "export default 1\n",
            "src/d/index.tsx": "",
        },
        ["src/b.ts", "src/c.ts", "src/d/index.tsx"],
    ),
    "script: paths of a configuration with comments": (
        {
            "src/a.ts": 'import "@app/x";\nimport "~util";\nimport "src/y";\n',
            "tsconfig.json": TSCONFIG,
            "src/app/x.ts": "",
            "src/util.ts": "",
            "src/y.ts": "",
        },
        ["src/app/x.ts", "src/util.ts", "src/y.ts"],
    ),
    "script: paths of the configuration that is extended": (
        {
            "web/a.ts": 'import "@app/x";\n',
            "web/tsconfig.json": '{"extends": "../tsconfig.base.json"}',
            "tsconfig.base.json": TSCONFIG,
            "src/app/x.ts": "",
        },
        ["src/app/x.ts"],
    ),
    "script: workspaces and exports": (
        {
            "apps/a.js": 'require("@shop/core");\nimport "@shop/core/till";\n'
            'import "@shop/core/parts/z";\n',
            "packages/core/package.json": EXPORTS,
            "packages/core/src/index.ts": "",
            "packages/core/src/till.ts": "",
            "packages/core/src/parts/z.ts": "",
        },
        ["packages/core/src/index.ts", "packages/core/src/parts/z.ts", "packages/core/src/till.ts"],
    ),
    "go: packages of a module": (
        {
            "cmd/a.go": 'package main\nimport (\n"fmt"\n"example.com/shop/till"\n)\n',
            "go.mod": "module example.com/shop\n",
            "till/till.go": "package till\n",
            "till/more.go": "package till\n",
            "till/till_test.go": "package till\n",
        },
        ["till/more.go", "till/till.go"],
    ),
    "rust: crate, super, mod, another crate": (
        {
            "app/src/shop/a.rs": "use crate::till::{Coin, drawer::Drawer};\n"
            "use super::b;\nuse shop_core::Money;\n"
            "use std::fs;\n",
            "app/Cargo.toml": '[package]\nname = "app"\n',
            "app/src/till/mod.rs": "",
            "app/src/till/drawer.rs": "",
            "app/src/shop/b.rs": "",
            "core/Cargo.toml": '[package]\nname = "shop-core"\n',
            "core/src/lib.rs": "pub struct Money;\n",
        },
        ["app/src/shop/b.rs", "app/src/till/drawer.rs", "app/src/till/mod.rs", "core/src/lib.rs"],
    ),
    "rust: modules of a file": (
        {"src/lib.rs": "mod till;\npub mod shop;\n", "Cargo.toml": '[package]\nname = "x"\n',
         "src/till.rs": "", "src/shop/mod.rs": ""},
        ["src/shop/mod.rs", "src/till.rs"],
    ),
    "java: types, packages, static": (
        {
            "src/main/java/app/A.java": "import shop.Till;\n"
            "import shop.parts.*;\nimport static shop.Rates.of;\n"
            "import java.util.List;\n",
            "src/main/java/shop/Till.java": "",
            "src/main/java/shop/Rates.java": "",
            "src/main/java/shop/parts/Coin.java": "",
        },
        ["src/main/java/shop/Rates.java", "src/main/java/shop/Till.java",
         "src/main/java/shop/parts/Coin.java"],
    ),
    "kotlin: a type of Java, a function of a package": (
        {"app/A.kt": "import shop.Till\nimport shop.tools.taxed\n", "shop/Till.java": "",
         "shop/tools/Tools.kt": ""},
        ["shop/Till.java", "shop/tools/Tools.kt"],
    ),
    "c: beside, and by the end of the path": (
        {"src/a.c": '#include "a.h"\n#include "shop/till.h"\n#include <stdio.h>\n',
         "src/a.h": "", "include/shop/till.h": ""},
        ["include/shop/till.h", "src/a.h"],
    ),
    "ruby": (
        {"lib/a.rb": 'require_relative "b"\nrequire "shop/till"\nrequire "json"\n',
         "lib/b.rb": "", "lib/shop/till.rb": ""},
        ["lib/b.rb", "lib/shop/till.rb"],
    ),
    "php: a namespace below src": (
        {"src/A.php": "<?php\nuse App\\Shop\\Till;\nrequire 'b.php';\n",
         "src/Shop/Till.php": "<?php\n",
         "src/b.php": "<?php\n"},
        ["src/Shop/Till.php", "src/b.php"],
    ),
    "others": (
        {"a.lua": 'local b = require("shop.b")\n', "shop/b.lua": ""},
        ["shop/b.lua"],
    ),
    "ocaml": ({"bin/a.ml": "open Till\n", "lib/till.ml": ""}, ["lib/till.ml"]),
    "css": ({"a.css": '@import url("parts/b.css");\n', "parts/b.css": ""}, ["parts/b.css"]),
    "markdown": ({"README.md": "# A\n\n[b](docs/b.md#c)\n", "docs/b.md": "# B\n"}, ["docs/b.md"]),
}  # fmt: skip


@pytest.fixture
def index(tmp_path: Path) -> CodeIndex:
    return CodeIndex(tmp_path / "index.db")


@pytest.mark.parametrize("case", CASES)
def test_imports_lead_to_files(case: str, tmp_path: Path, index: CodeIndex) -> None:
    files, expected = CASES[case]
    root = make_project(tmp_path / "p", files)

    update(root, index, Limits())

    linked = index.graph.linked(next(iter(files)), outgoing=True)
    assert sorted(path for path, _ in linked) == expected


def test_links_follow_every_change(tmp_path: Path, index: CodeIndex) -> None:
    files = {"a.ts": 'import "./b";\n', "b.ts": "", "c.ts": ""}
    root = make_project(tmp_path / "p", files)
    update(root, index, Limits())
    assert index.graph.linked("b.ts", outgoing=False) == [("a.ts", 1)]

    (root / "a.ts").write_text('\n\nimport "./c";\n', encoding="utf-8")
    update(root, index, Limits())
    assert index.graph.linked("a.ts", outgoing=True) == [("c.ts", 3)]

    (root / "a.ts").write_text("const nothing = 1;\n", encoding="utf-8")
    update(root, index, Limits())
    assert index.graph.linked("a.ts", outgoing=True) == []

    (root / "a.ts").write_text('import "./new";\n', encoding="utf-8")
    update(root, index, Limits())
    (root / "new.ts").write_text("", encoding="utf-8")
    update(root, index, Limits())
    assert index.graph.linked("a.ts", outgoing=True) == [("new.ts", 1)], "it came later"

    (root / "new.ts").unlink()
    update(root, index, Limits())
    assert index.graph.linked("a.ts", outgoing=True) == []


def test_a_manifest_moves_what_others_import(tmp_path: Path, index: CodeIndex) -> None:
    files = {"a.ts": 'import "@x/b";\n', "tsconfig.json": "{}", "src/b.ts": ""}
    root = make_project(tmp_path / "p", files)
    update(root, index, Limits())
    assert index.graph.linked("a.ts", outgoing=True) == []

    paths = {"compilerOptions": {"paths": {"@x/*": ["./src/*"]}}}
    (root / "tsconfig.json").write_text(json.dumps(paths), encoding="utf-8")
    update(root, index, Limits())

    assert index.graph.linked("a.ts", outgoing=True) == [("src/b.ts", 1)]


def test_what_many_import_is_central(tmp_path: Path, index: CodeIndex) -> None:
    files = {f"m{n}.py": "import core\n" for n in range(5)} | {"core.py": "C = 1\n", "x.py": ""}
    root = make_project(tmp_path / "p", files)

    update(root, index, Limits())

    assert index.graph.files_using("core", 1) == ["m0.py"]
    ranks = index.graph.ranks(files)
    assert ranks["core.py"] == 1.0 and ranks["m0.py"] < 0.5 and ranks["x.py"] == 0.0
