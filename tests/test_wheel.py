"""What is shipped is whole: every module of the wheel can be imported from it, and it works."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.project import clean_environment

ROOT = Path(__file__).parents[1]
PACKAGES = ("server/postil", "lsp/postil_lsp", "hooks/postil_hooks", "installers/postil_installers")
_IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
for name in ("postil", "postil_lsp", "postil_hooks", "postil_installers"):
    package = importlib.import_module(name)
    assert package.__file__.startswith(sys.argv[1]), package.__file__
    for one in pkgutil.walk_packages(package.__path__, name + "."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)
"""


@pytest.mark.slow
def test_the_wheel_is_whole(home: Path, tmp_path: Path) -> None:
    """INS-16: nothing that is imported or read is missing in it."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "out")]
    subprocess.run(build, cwd=ROOT, env=clean_environment(home), check=True, capture_output=True)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    place = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)

    shipped = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    for package in PACKAGES:
        top = ROOT / package
        files = {
            f"{top.name}/{path.relative_to(top).as_posix()}"
            for path in top.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert files <= shipped, sorted(files - shipped)
    assert not [name for name in shipped if name.startswith(("tests", "benchmarks"))]
    done = subprocess.run(
        [sys.executable, "-I", "-c", _IMPORT_ALL, str(place)],
        env=clean_environment(home),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
