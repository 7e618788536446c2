"""Eleven real projects: the map holds what git lists, and the symbols of broken files too."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from postil.codemap.languages import language_of
from postil.codemap.update import scan, update
from postil.codemap.walk import Limits
from postil.storage.codeindex import CodeIndex
from support.project import run_git
from support.real import real_project

# The project, and the language that most of its code is in.
PROJECTS = {
    "django-5.2.8": "python",
    "sqlalchemy-2.1.9": "python",
    "express-5.1.0": "javascript",
    "rxjs-7.8.2": "typescript",
    "cryptography-46.0.3": "rust",
    "psutil-7.1.3": "c",
    "pysimdjson-7.0.2": "cpp",
    "capacitor-android-7.4.4": "java",
    "capacitor-ios-7.4.4": "swift",
    "react-native-0.82.1": "kotlin",
    "wordpress-block-library-9.34.0": "php",
}
LIMITS = Limits()
# What the list of skips says and nothing else; "unreadable" and "deleted" would be ours to explain.
DECLARED = {
    "no grammar", "binary", "generated", "minified", "vendored", "too large", "symbolic link",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_the_map_is_gits_list_minus_declared_skips(tmp_path: Path, name: str) -> None:
    root = real_project(name, tmp_path / name)
    run_git(root, "add", "-A")
    index = CodeIndex(tmp_path / "index.db")
    done = update(root, index, LIMITS)

    listed = set(run_git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0")) - {""}
    skips = {skip.path: skip.reason for skip in index.skips()}
    mapped = index.files().keys() - skips.keys()
    assert mapped | skips.keys() == listed
    assert mapped.isdisjoint(skips)
    assert set(skips.values()) <= DECLARED, Counter(skips.values())
    assert not [path for path, why in skips.items() if why == "no grammar" and language_of(path)]
    assert scan(root, index, LIMITS).behind == 0

    languages = Counter(language_of(path) for path in mapped)
    assert languages[PROJECTS[name]], languages
    # Templates and style sheets hold names only where somebody gave ids.
    broken = [one for one in index.with_errors() if language_of(one) not in ("html", "css")]
    yielding = [path for path in broken if index.symbols_in(path)]
    print(name, done, dict(Counter(skips.values())), len(broken), len(yielding))
    # Some hold nothing that has a name, as one anonymous export.
    nameless = set(broken) - set(yielding)
    assert len(nameless) <= max(3, 0.03 * len(broken)), sorted(nameless)
    index.close()
