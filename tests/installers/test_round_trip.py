"""Whatever a person's files look like, installing and taking out leaves them as they were.

Each example is a file in each place where a client keeps one; the client is installed, installed
again, upgraded and taken out in any order.
"""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil_hooks import spec
from postil_installers.apply import install, uninstall
from postil_installers.machine import Machine
from postil_installers.parts import is_ours
from postil_installers.plan import Target, place, plan
from postil_installers.receipt import recall
from support import configs

CLIENTS = [name for name in spec.names() if spec.load(name)["edits"]]
# All in all more than 300 files: so many examples of each client, one to three files each.
EXAMPLES = 25
RULES = {
    "json": (False, False),
    "json with comments": (True, False),
    "jsonc": (True, True),
}
STEPS = st.lists(st.sampled_from(("install", "upgrade", "uninstall", "edit")), max_size=6)


def files_of(client: str, home: Path) -> dict[Path, dict[str, Any]]:
    """The files that a client keeps, and an edit that goes into each."""
    machine, told = Machine({"HOME": str(home)}), spec.load(client)
    found: dict[Path, dict[str, Any]] = {}
    for edit in told["edits"]:
        if "user" in edit["file"] and edit["kind"] in ("member", "hooks", "block"):
            found.setdefault(place(told, edit, Target(client), machine), edit)
    return found


def a_file(edit: dict[str, Any]) -> st.SearchStrategy[bytes | None]:
    """A file as a person may have it; None for no file at all."""
    if edit["dialect"] == "text":
        return st.none() | configs.texts()
    if edit["dialect"] == "toml":
        return st.none() | configs.toml_files()
    comments, trailing = RULES[edit["dialect"]]
    path = tuple(edit["path"]) if edit["kind"] == "member" else ()
    event = next(iter(edit.get("timeouts", ())), "")
    document = configs.documents(path, event)
    mark = edit.get("mark", True)
    return st.none() | document.flatmap(
        lambda value: configs.rendered(value, comments, trailing, mark)
    )


def read(data: bytes, edit: dict[str, Any]) -> Any:
    """A file as its client reads it."""
    if edit["dialect"] == "text":
        return data
    if edit["dialect"] == "toml":
        return configs.read_toml(data)
    return configs.read_json(data, *RULES[edit["dialect"]])


def foreign(value: Any, edits: list[dict[str, Any]]) -> Any:
    """What a client reads, without what is ours."""
    value = copy.deepcopy(value)
    for edit in edits:
        if edit["kind"] == "member" or edit["kind"] == "default":
            _drop(value, edit["path"])
        elif edit["kind"] == "hooks" and isinstance(value.get("hooks"), dict):
            for event, entries in list(value["hooks"].items()):
                if isinstance(entries, list):
                    value["hooks"][event] = [one for one in entries if not is_ours(one)]
    return _pruned(value)


def _drop(value: Any, path: list[str]) -> None:
    for key in path[:-1]:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        value.pop(path[-1], None)


def _pruned(value: Any) -> Any:
    """Without what holds nothing: that may come and go with us."""
    if isinstance(value, dict):
        inner = {key: _pruned(one) for key, one in value.items()}
        return {key: one for key, one in inner.items() if one not in ({}, [])}
    return value


def edited(data: bytes, edit: dict[str, Any], count: int) -> bytes:
    """A change that a person makes somewhere else in the file: at its very beginning."""
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    body = data[len(mark) :]
    if edit["dialect"] == "text":
        return mark + b"Line %d\n" % count + body
    if edit["dialect"] == "toml":
        return mark + b"edited_%d = %d\n" % (count, count) + body
    at = body.index(b"{") + 1
    comma = b"" if body[at:].lstrip().startswith(b"}") else b","
    return mark + body[:at] + b'"edited %d": %d%s' % (count, count, comma) + body[at:]


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_byte_comes_back(client: str, home: Path, data: st.DataObject) -> None:
    _emptied(home)
    files = files_of(client, home)
    edits = {path: _edits_of(client, path, home) for path in files}
    expected = {path: data.draw(a_file(edit), label=path.name) for path, edit in files.items()}
    for path, text in expected.items():
        if text is not None:
            _write(path, text, home, data.draw(st.booleans(), label="as a link"))
    now = Machine({"HOME": str(home)})
    target = Target(client)
    for number, step in enumerate(data.draw(STEPS, label="steps")):
        if step == "edit":
            expected = {
                path: _edit_both(path, expected[path], edit, number) for path, edit in files.items()
            }
        elif step == "uninstall":
            uninstall(target, now)
        else:
            now = Machine({"HOME": str(home)}, python=f"/v{number if step == 'upgrade' else 0}/py")
            install(target, plan(target, now, recall(client)), now)
        for path, edit in files.items():
            _check(path, edit, edits[path], expected[path])
    uninstall(target, now)

    for path, text in expected.items():
        assert (path.read_bytes() if path.exists() else None) == text, path


def _emptied(home: Path) -> None:
    for one in [*home.iterdir()]:
        shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()


def _edit_both(path: Path, old: bytes | None, edit: dict[str, Any], number: int) -> bytes | None:
    """Make the same change in the file and in what it is to be in the end, where it has a place."""
    if old is None:
        return None
    # A brace in a comment before the first is none; what is in an empty file is anybody's.
    is_json = edit["dialect"].startswith("json")
    if is_json and (b"//" in old.split(b"{")[0] or not read(old, edit)):
        return old
    path.resolve().write_bytes(edited(path.resolve().read_bytes(), edit, number))
    return edited(old, edit, number)


def _edits_of(client: str, path: Path, home: Path) -> list[dict[str, Any]]:
    machine, told = Machine({"HOME": str(home)}), spec.load(client)
    return [
        edit
        for edit in told["edits"]
        if "user" in edit["file"] and place(told, edit, Target(client), machine) == path
    ]


def _write(path: Path, text: bytes, home: Path, as_link: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if as_link:
        real = home / "dotfiles" / path.name
        real.parent.mkdir(exist_ok=True)
        real.write_bytes(text)
        path.symlink_to(real)
    else:
        path.write_bytes(text)


def _check(
    path: Path, edit: dict[str, Any], edits: list[dict[str, Any]], expected: bytes | None
) -> None:
    """The file can be read by its client, and holds what others put there."""
    if not path.exists():
        assert expected is None
        return
    found = read(path.read_bytes(), edit)
    if edit["dialect"] != "text":
        assert foreign(found, edits) == foreign(read(expected or b"", edit), edits)
    else:
        assert found.startswith(expected or b"")
