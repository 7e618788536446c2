"""What an installation puts into a file, part by part: applied and taken out again. Pure.

A part knows itself in any file, with a receipt or without: a member and a table by their names, an
item of a list by the program that it calls, a block by its marks, a whole file by its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from postil.errors import ClientFileError
from postil_installers.edits import json_text, text_block, toml_table
from postil_installers.edits.json_text import Json

# Programs that only we bring: an entry that calls one of them is ours, wherever it was installed.
_OUR_PROGRAM = re.compile(r"(?:^|[/\\'\" ])postil-hook(?:\.py)?(?:['\" ]|$)|postil_hooks[/\\]")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing in one file.

    `kind` is `member` (of a JSON object), `default` (a member that others need too), `item` (of a
    JSON list), `table` (of TOML), `block` (of a text) or `file` (all of it). `keeps_places`: the
    client knows the items of a list by their place.
    """

    kind: str
    dialect: str
    path: tuple[str, ...]
    value: Json
    keeps_places: bool = False

    def to_row(self) -> dict[str, Any]:
        """For a receipt."""
        return {
            "kind": self.kind, "dialect": self.dialect, "path": list(self.path),
            "value": self.value, "keeps_places": self.keeps_places,
        }  # fmt: skip

    @staticmethod
    def from_row(row: dict[str, Any]) -> Part:
        """From a receipt."""
        return Part(
            row["kind"], row["dialect"], tuple(row["path"]), row["value"], row["keeps_places"]
        )

    def is_same_place(self, other: Part) -> bool:
        """Whether both are the same thing, with whatever value."""
        return (self.kind, self.path) == (other.kind, other.path)


@dataclass(frozen=True, slots=True)
class Removed:
    """A file without a part; `aside` is what a person may have written into it, `left` a word
    on what had to stay."""

    data: bytes
    aside: bytes = b""
    left: str = ""


def put(name: str, data: bytes, part: Part) -> bytes:
    """The file with the part in it. ClientFileError when that cannot be done safely."""
    return _PUT[part.kind](name, data, part)


def take_out(name: str, data: bytes, part: Part, original: bytes | None = None) -> Removed:
    """The file without the part; unchanged when it is not there.

    `original` is the file before the installation: what had the place of a part comes back.
    """
    return _TAKE_OUT[part.kind](name, data, part, original)


def is_ours(item: Json) -> bool:
    """Whether an entry of a list calls our program."""
    if isinstance(item, str):
        return bool(_OUR_PROGRAM.search(item))
    if isinstance(item, dict):
        return any(is_ours(one) for one in item.values())
    return isinstance(item, list) and any(map(is_ours, item))


def own_items(name: str, data: bytes, part: Part) -> list[Json]:
    """Our entries in the list that a part belongs to."""
    document = json_text.parse(name, data, part.dialect)
    if not json_text.holds(document, part.path):
        return []
    found = json_text.get(document, part.path)
    return [one for one in found if is_ours(one)] if isinstance(found, list) else []


def _put_member(name: str, data: bytes, part: Part) -> bytes:
    document = json_text.parse(name, data, part.dialect)
    value = part.value
    if json_text.holds(document, part.path):
        known = json_text.get(document, part.path)
        if isinstance(known, dict) and isinstance(value, dict):
            # What a person added to our entry (an environment, a time limit) stays.
            value = {**known, **value}
        if known == value:
            return data
    return json_text.set_member(document, part.path, value)


def _put_default(name: str, data: bytes, part: Part) -> bytes:
    """A member that the file must have, whoever wrote it."""
    document = json_text.parse(name, data, part.dialect)
    if json_text.holds(document, part.path):
        return data
    return json_text.set_member(document, part.path, part.value)


def _take_default(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    """It stays for hooks of others that came after it: they need it as well."""
    hooks = (*part.path[:-1], "hooks")
    before = json_text.parse(name, original, part.dialect) if original is not None else None
    document = json_text.parse(name, data, part.dialect)
    if json_text.holds(document, hooks) and not json_text.holds(before, hooks):
        return Removed(data)
    return _take_member(name, data, part, original)


def _put_item(name: str, data: bytes, part: Part) -> bytes:
    document = json_text.parse(name, data, part.dialect)
    places = _own_places(document, part)
    if not places:
        return json_text.append_item(document, part.path, part.value)
    for place in reversed(places[1:]):  # of an older installation beside this one
        data = _without_item(document, part, place, None).data
        document = json_text.parse(name, data, part.dialect)
    if _items(document, part)[places[0]] == part.value:
        return data
    return json_text.replace_item(document, part.path, places[0], part.value)


def _put_table(name: str, data: bytes, part: Part) -> bytes:
    assert isinstance(part.value, dict)
    return toml_table.put(name, data, part.path, part.value)


def _put_block(name: str, data: bytes, part: Part) -> bytes:
    assert isinstance(part.value, list)
    return text_block.put(name, data, [str(line) for line in part.value])


def _put_file(name: str, data: bytes, part: Part) -> bytes:
    return str(part.value).encode()


def _take_member(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    document = json_text.parse(name, data, part.dialect)
    if not json_text.holds(document, part.path):
        return Removed(data)
    before = json_text.parse(name, original, part.dialect) if original is not None else None
    if before is not None and json_text.holds(before, part.path):
        theirs = json_text.get(before, part.path)
        if theirs == json_text.get(document, part.path):
            return Removed(data)
        return Removed(json_text.set_member(document, part.path, theirs))
    data = json_text.remove(document, part.path, before=before)
    return Removed(_without_empty(name, data, part, part.path[:-1], before))


def _take_item(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    left = ""
    before = json_text.parse(name, original, part.dialect) if original is not None else None
    document = json_text.parse(name, data, part.dialect)
    places = _own_places(document, part)
    for place in reversed(places):
        removed = _without_item(document, part, place, before)
        data, left = removed.data, left or removed.left
        document = json_text.parse(name, data, part.dialect)
    if places and not left:
        data = _without_empty(name, data, part, part.path, before)
    return Removed(data, left=left)


def _take_table(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    theirs = toml_table.get(name, original, part.path) if original is not None else None
    if theirs is not None:
        assert isinstance(part.value, dict)
        return Removed(toml_table.put_back(name, data, part.path, theirs, part.value))
    return Removed(toml_table.take_out(name, data, part.path, original))


def _take_block(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    found = text_block.take_out(name, data, original)
    return Removed(found.text, found.block) if found is not None else Removed(data)


def _take_file(name: str, data: bytes, part: Part, original: bytes | None) -> Removed:
    return Removed(original or b"", data)


def _own_places(document: json_text.Document, part: Part) -> list[int]:
    return [place for place, one in enumerate(_items(document, part)) if is_ours(one)]


def _items(document: json_text.Document, part: Part) -> list[Json]:
    if not json_text.holds(document, part.path):
        return []
    found = json_text.get(document, part.path)
    if not isinstance(found, list):
        where = ".".join(part.path)
        raise ClientFileError(f"{document.name}: {where} is not a list", hint="nothing was changed")
    return found


def _without_item(
    document: json_text.Document, part: Part, place: int, before: json_text.Document | None
) -> Removed:
    items = _items(document, part)
    if part.keeps_places and not all(map(is_ours, items[place + 1 :])):
        # Those behind it are known by their place: it is left empty.
        data = json_text.replace_item(document, part.path, place, {"hooks": []})
        return Removed(data, left="an empty entry keeps the places of the entries behind it")
    return Removed(json_text.remove(document, part.path, place, before))


def _without_empty(
    name: str, data: bytes, part: Part, path: tuple[str, ...], before: json_text.Document | None
) -> bytes:
    """Without the containers on the way that hold nothing any more and were not there before."""
    while path and not json_text.holds(before, path):
        document = json_text.parse(name, data, part.dialect)
        if json_text.get(document, path):
            break
        data = json_text.remove(document, path, before=before)
        path = path[:-1]
    return data


def rendered(value: Json) -> str:
    """A JSON file that is ours alone."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


_PUT: dict[str, Callable[[str, bytes, Part], bytes]] = {
    "member": _put_member,
    "default": _put_default,
    "item": _put_item,
    "table": _put_table,
    "block": _put_block,
    "file": _put_file,
}
_TAKE_OUT: dict[str, Callable[[str, bytes, Part, bytes | None], Removed]] = {
    "member": _take_member,
    "default": _take_default,
    "item": _take_item,
    "table": _take_table,
    "block": _take_block,
    "file": _take_file,
}
