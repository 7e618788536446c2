"""Edits one table of a TOML file; everything outside of it stays as it is, to the byte.

A table is put at the end, where it moves nobody else's. What comes out is read again and compared:
where the text can be understood in two ways, nothing is written.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

import tomlkit
from tomlkit.items import Table

from postil.errors import ClientFileError
from postil_installers.edits import text_block

Path = Sequence[str]
Values = dict[str, Any]

_BOM = "\ufeff"
_HEADER = re.compile(r"^[ \t]*\[\[?([^\[\]\r\n]+)\]\]?[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_AT = re.compile(r"at line (\d+), column (\d+)")


def get(name: str, data: bytes, path: Path) -> Values | None:
    """The table at `path`, or None. ClientFileError when the file is no TOML."""
    found: Any = _values(name, _decoded(name, data))
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def put(name: str, data: bytes, path: Path, wanted: Values) -> bytes:
    """The file with these keys in the table at `path`; its other keys and sub-tables stay."""
    text = _decoded(name, data)
    before = _values(name, text)
    known = get(name, data, path)
    if known is not None and known | wanted == known:
        return data
    if known is None:
        new = _appended(text, path, wanted)
    else:
        start, end = _span(name, text, path)
        new = text[:start] + _changed(text[start:end], path, wanted) + text[end:]
    _check(name, new, _with(before, path, {**(known or {}), **wanted}))
    return new.encode()


def put_back(name: str, data: bytes, path: Path, theirs: Values, ours: Values) -> bytes:
    """The file whose table at `path` says of our keys what it said before; the others stay."""
    text = _decoded(name, data)
    known = get(name, data, path)
    if known is None:
        return data
    start, end = _span(name, text, path)
    table = {key: one for key, one in known.items() if key in theirs or key not in ours}
    table |= {key: theirs[key] for key in ours if key in theirs}
    if table == known:
        return data
    gone = [key for key in known if key not in table]
    new = text[:start] + _changed(text[start:end], path, table, gone) + text[end:]
    _check(name, new, _with(_values(name, text), path, table))
    return new.encode()


def take_out(name: str, data: bytes, path: Path, original: bytes | None = None) -> bytes:
    """The file without the table at `path` and its sub-tables.

    `original` is the file before the table came: the empty line put between them goes too.
    """
    text = _decoded(name, data)
    before = _values(name, text)
    if get(name, data, path) is None:
        return data
    start, end = _span(name, text, path)
    new = text_block.joined(
        text[:start], text[end:], original.decode() if original is not None else None
    )
    _check(name, new, _without(before, path))
    return new.encode()


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as wrong:
        raise ClientFileError(
            f"{name} is not UTF-8 (byte {wrong.start})", hint="save it as UTF-8, then try again"
        ) from wrong


def _values(name: str, text: str) -> Values:
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as wrong:
        place = _AT.search(str(wrong))
        where = f"line {place[1]}, column {place[2]}: " if place else ""
        raise ClientFileError(
            f"{name} is not valid TOML: {where}{str(wrong).split(' (at')[0]}",
            hint="its client does not read the file as it is; mend it, then try again",
        ) from wrong


def _appended(text: str, path: Path, wanted: Values) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    own = f"[{'.'.join(map(_key, path))}]\n{tomlkit.dumps(wanted)}"
    own = own.replace("\n", newline)
    if not text.removeprefix(_BOM):
        return text + own
    return text + (newline if text.endswith("\n") else newline * 2) + own


def _changed(own: str, path: Path, wanted: Values, gone: Sequence[str] = ()) -> str:
    """Our own table with other values; comments and keys that a person put in stay."""
    document = tomlkit.parse(own)
    table: Any = document
    for key in path:
        table = table[key]
    assert isinstance(table, Table)
    for key in gone:
        del table[key]
    for key, value in wanted.items():
        if table.get(key) != value:
            table[key] = value
    changed = tomlkit.dumps(document)
    return changed.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in own else changed


def _span(name: str, text: str, path: Path) -> tuple[int, int]:
    """From our header up to the next table that is not ours; comments above that one are its."""
    headers = [
        (found, _keys(found[1]))
        for found in _HEADER.finditer(text)
        if _is_whole(text[: found.start()])
    ]
    ours = [
        place for place, (_, keys) in enumerate(headers) if tuple(keys[: len(path)]) == tuple(path)
    ]
    if not ours or ours != list(range(ours[0], ours[-1] + 1)):
        raise _unclear(name, path)
    start = headers[ours[0]][0].start()
    is_last = ours[-1] + 1 == len(headers)
    end = len(text) if is_last else headers[ours[-1] + 1][0].start()
    lines = text[start:end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        end -= len(lines.pop())
    return start, end


def _is_whole(text: str) -> bool:
    """Whether no string and no list is open at the end: what follows is read on its own."""
    try:
        tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _keys(header: str) -> list[str]:
    """The keys of a header; none when it only looks like one."""
    try:
        found: Any = tomllib.loads(f"[{header}]")
    except tomllib.TOMLDecodeError:
        return []
    keys = []
    while isinstance(found, dict) and found:
        key = next(iter(found))
        keys.append(key)
        found = found[key]
    return keys


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else tomlkit.string(key).as_string()


def _with(values: Values, path: Path, table: Values) -> Values:
    if not path:
        return table
    inner = values.get(path[0], {})
    if not isinstance(inner, dict):
        inner = {}
    return {**values, path[0]: _with(inner, path[1:], table)}


def _without(values: Values, path: Path) -> Values:
    if len(path) == 1:
        return {key: value for key, value in values.items() if key != path[0]}
    inner = _without(values[path[0]], path[1:])
    rest = {key: value for key, value in values.items() if key != path[0]}
    # A table above that was only implied goes with its last part.
    return {**rest, path[0]: inner} if inner else rest


def _check(name: str, text: str, expected: Values) -> None:
    try:
        found = tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError:
        found = None
    if found is None or _pruned(found) != _pruned(expected):
        raise ClientFileError(
            f"{name} is written in a way that cannot be edited safely",
            hint="write its tables as [table.name], then try again; nothing was changed",
        )


def _pruned(values: Values) -> Values:
    """Without empty tables, which a text may imply or not."""
    pruned = {key: _pruned(one) if isinstance(one, dict) else one for key, one in values.items()}
    return {key: one for key, one in pruned.items() if one != {}}


def _unclear(name: str, path: Path) -> ClientFileError:
    return ClientFileError(
        f"{name}: the table {'.'.join(path)} is not written as tables of its own, one after the"
        " other",
        hint="move its tables together, then try again; nothing was changed",
    )
