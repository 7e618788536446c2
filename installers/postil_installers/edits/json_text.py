"""Edits JSON by ranges of its syntax tree: every byte outside the change stays as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import tree_sitter_json
from tree_sitter import Language, Node, Parser

from postil.errors import ClientFileError

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Path = Sequence[str]

_BOM = b"\xef\xbb\xbf"
_CONTAINERS = ("object", "array")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed strict JSON file: text without the byte order mark, and its syntax tree's root."""

    text: bytes
    root: Node
    bom: bytes

    def write(self, start: int, end: int, new: bytes) -> bytes:
        """The file with one range replaced."""
        return self.bom + self.text[:start] + new + self.text[end:]


def parse(name: str, text: bytes) -> Document:
    """Parse a strict JSON file; ClientFileError with line and column when it is none.

    A file of nothing but white space counts as `{}`.
    """
    bom = _BOM if text.startswith(_BOM) else b""
    body = text[len(bom) :]
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ClientFileError(f"{name} is not UTF-8", hint="save it as UTF-8, then try again")
    if not body.strip():
        body = b"{}\n"
    try:
        value = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as wrong:
        raise ClientFileError(f"{name} is not UTF-8 (byte {wrong.start})") from wrong
    except json.JSONDecodeError as wrong:
        raise ClientFileError(
            f"{name} is not valid JSON: line {wrong.lineno}, column {wrong.colno}: {wrong.msg}",
            hint="its client ignores the file as it is; mend it, then try again",
        ) from wrong
    if not isinstance(value, dict):
        raise ClientFileError(f"{name} does not hold a JSON object")
    root = next(node for node in _parser().parse(body).root_node.children if node.type == "object")
    return Document(body, root, bom)


def get(document: Document, path: Path) -> Json:
    """The value at `path`; KeyError when there is none."""
    node = _find(document, path)
    if node is None:
        raise KeyError(".".join(path))
    value: Json = json.loads(document.text[node.start_byte : node.end_byte])
    return value


def set_member(document: Document, path: Path, value: Json) -> bytes:
    """The file with `value` at `path`; objects on the way are made where they are missing."""
    node = _find(document, path)
    if node is not None:
        depth = _depth(document, node)
        return document.write(node.start_byte, node.end_byte, _dump(document, value, depth, node))
    parent = _find(document, path[:-1]) if len(path) > 1 else document.root
    if parent is None:
        return set_member(document, path[:-1], {path[-1]: value})
    if parent.type != "object":
        raise ClientFileError(f"{'.'.join(path[:-1])} is not an object", hint="nothing was changed")
    key = json.dumps(path[-1], ensure_ascii=False).encode() + b": "
    return _append(document, parent, key, value)


def append_item(document: Document, path: Path, value: Json) -> bytes:
    """The file with `value` at the end of the list at `path`, which is made where it is missing."""
    node = _find(document, path)
    if node is None:
        return set_member(document, path, [value])
    if node.type != "array":
        raise ClientFileError(f"{'.'.join(path)} is not a list", hint="nothing was changed")
    return _append(document, node, b"", value)


def replace_item(document: Document, path: Path, place: int, value: Json) -> bytes:
    """The file with another value at a place of the list at `path`."""
    item = _items(_existing(document, path))[place]
    new = _dump(document, value, _depth(document, item), item)
    return document.write(item.start_byte, item.end_byte, new)


def remove(document: Document, path: Path, place: int | None = None) -> bytes:
    """The file without the member at `path`, or without one item of the list at `path`.

    The comma and the white space that came with it go too; an emptied container keeps none.
    """
    if place is not None:
        container = _existing(document, path)
        doomed = _items(container)[place]
    else:
        pair = _existing(document, path).parent
        assert pair is not None and pair.parent is not None
        doomed, container = pair, pair.parent
    items = _items(container)
    at = next(number for number, item in enumerate(items) if item.start_byte == doomed.start_byte)
    if len(items) == 1:
        return document.write(container.start_byte + 1, container.end_byte - 1, b"")
    if at:
        return document.write(items[at - 1].end_byte, doomed.end_byte, b"")
    return document.write(doomed.start_byte, items[1].start_byte, b"")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_json.language()))


def _existing(document: Document, path: Path) -> Node:
    node = _find(document, path)
    if node is None:
        raise KeyError(".".join(path))
    return node


def _find(document: Document, path: Path) -> Node | None:
    node = document.root
    for key in path:
        if node.type != "object":
            return None
        # Of duplicate keys the last one counts, as it does for the client.
        values = [
            pair.child_by_field_name("value")
            for pair in _items(node)
            if _key(document, pair) == key
        ]
        last = values[-1] if values else None
        if last is None:
            return None
        node = last
    return node


def _key(document: Document, pair: Node) -> str:
    key = pair.child_by_field_name("key")
    assert key is not None
    return str(json.loads(document.text[key.start_byte : key.end_byte]))


def _items(container: Node) -> list[Node]:
    return [child for child in container.named_children if child.type != "comment"]


def _append(document: Document, container: Node, prefix: bytes, value: Json) -> bytes:
    items = _items(container)
    depth = _depth(document, container) + 1
    new = prefix + _dump(document, value, depth, container)
    inline = _is_inline(document, container)
    if items:
        gap = b", " if inline else b"," + _newline(document) + _indent(document) * depth
        return document.write(items[-1].end_byte, items[-1].end_byte, gap + new)
    before = _newline(document) + _indent(document) * depth
    after = _newline(document) + _indent(document) * (depth - 1)
    return document.write(container.start_byte + 1, container.end_byte - 1, before + new + after)


def _dump(document: Document, value: Json, depth: int, near: Node) -> bytes:
    """`value` as text that looks like its surroundings."""
    if _is_inline(document, near) and near.type in _CONTAINERS and _items(near):
        return json.dumps(value, ensure_ascii=False).encode()
    unit = _indent(document).decode()
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (_newline(document).decode() + unit * depth).join(lines).encode()


def _is_inline(document: Document, container: Node) -> bool:
    inside = document.text[container.start_byte : container.end_byte]
    return b"\n" not in inside and bool(_items(container))


def _depth(document: Document, node: Node) -> int:
    depth = 0
    while node.parent is not None and node.id != document.root.id:
        node = node.parent
        depth += node.type in _CONTAINERS
    return depth


def _newline(document: Document) -> bytes:
    return b"\r\n" if b"\r\n" in document.text else b"\n"


def _indent(document: Document) -> bytes:
    """The unit of indentation: that of the first member; two spaces where there is none."""
    items = _items(document.root)
    if items:
        before = document.text[: items[0].start_byte]
        line = before[before.rfind(b"\n") + 1 :]
        if b"\n" in before and line and not line.strip():
            return line
    return b"  "
