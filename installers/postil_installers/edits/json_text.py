"""Edits JSON by ranges of its tree: every character outside the change stays as it is."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from postil.errors import ClientFileError
from postil_installers.edits import json_tree
from postil_installers.edits.json_tree import DIALECTS, JsonSyntaxError, Node

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Path = Sequence[str]

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# White space and a comment that ends the line: what stands behind a value belongs to it.
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its name, its text without a byte order mark, and its tree."""

    name: str
    text: str
    root: Node
    encoding: str
    bom: bytes
    dialect: str

    def write(self, *changes: tuple[int, int, str]) -> bytes:
        """The file with ranges (start, end, new text) replaced; they come in order."""
        parts, at = [], 0
        for start, end, new in changes:
            parts += [self.text[at:start], new]
            at = end
        return self.bom + "".join([*parts, self.text[at:]]).encode(self.encoding)


def parse(name: str, data: bytes, dialect: str = "json") -> Document:
    """Parse a file; ClientFileError with line and column when it is none of its dialect.

    A file of nothing but white space counts as `{}`.
    """
    text, encoding, bom = _decoded(name, data)
    if not text.strip():
        text = "{}\n"
    try:
        root = json_tree.parse(text, DIALECTS[dialect])
    except JsonSyntaxError as wrong:
        raise ClientFileError(
            f"{name} is not valid JSON: line {wrong.line}, column {wrong.column}: {wrong}",
            hint="its client does not read the file as it is; mend it, then try again",
        ) from wrong
    if root.kind != "object":
        raise ClientFileError(f"{name} does not hold a JSON object", hint="nothing was changed")
    return Document(name, text, root, encoding, bom, dialect)


def get(document: Document, path: Path) -> Json:
    """The value at `path`; KeyError when there is none."""
    node = _find(document, path)
    if node is None:
        raise KeyError(".".join(path))
    return value_of(document, node)


def value_of(document: Document, node: Node) -> Json:
    """What a node says. Of duplicate keys the last counts."""
    if node.kind == "object":
        return {str(one.key): value_of(document, one) for one in node.items}
    if node.kind == "array":
        return [value_of(document, one) for one in node.items]
    value: Json = json.loads(document.text[node.start : node.end])
    return value


def set_member(document: Document, path: Path, value: Json) -> bytes:
    """The file with `value` at `path`; objects on the way are made where they are missing."""
    node = _find(document, path)
    if node is not None:
        return document.write((node.start, node.end, _dump(document, value, _depth(node), node)))
    parent = _find(document, path[:-1])
    if parent is None:
        return set_member(document, path[:-1], {path[-1]: value})
    if parent.kind != "object":
        raise _not_a(document, path[:-1], "an object")
    return _append(document, parent, json.dumps(path[-1], ensure_ascii=False) + ": ", value)


def append_item(document: Document, path: Path, value: Json) -> bytes:
    """The file with `value` at the end of the list at `path`, which is made where it is missing."""
    node = _find(document, path)
    if node is None:
        return set_member(document, path, [value])
    if node.kind != "array":
        raise _not_a(document, path, "a list")
    return _append(document, node, "", value)


def replace_item(document: Document, path: Path, place: int, value: Json) -> bytes:
    """The file with another value at a place of the list at `path`."""
    item = _existing(document, path).items[place]
    return document.write((item.start, item.end, _dump(document, value, _depth(item), item)))


def remove(
    document: Document, path: Path, place: int | None = None, before: Document | None = None
) -> bytes:
    """The file without the member at `path`, or without one item of the list at `path`.

    The comma and the white space that came with it go too. Where nothing is left, the container
    looks as it did in `before`.
    """
    found = _existing(document, path)
    doomed = found if place is None else found.items[place]
    container = doomed.parent
    assert container is not None, "the root is never removed"
    items = container.items
    at = next(number for number, item in enumerate(items) if item is doomed)
    gap = _gap_before(document, doomed)
    end = doomed.end if doomed.comma < 0 else doomed.comma
    if len(items) == 1:
        inside = document.text[container.start + 1 : gap] + document.text[end : container.end - 1]
        if not inside.strip():
            old = _inside(before, path[:-1] if place is None else path)
            return document.write((container.start + 1, container.end - 1, old))
        return document.write((gap, end, ""))
    if at == len(items) - 1 and doomed.comma < 0:
        previous = items[at - 1]
        # The comma between the two goes; a comment behind it stays.
        return document.write((previous.comma - 1, previous.comma, ""), (gap, end, ""))
    return document.write((gap, end, ""))


def holds(document: Document | None, path: Path) -> bool:
    """Whether there is anything at `path`."""
    return document is not None and _find(document, path) is not None


def _decoded(name: str, data: bytes) -> tuple[str, str, bytes]:
    bom, encoding = b"", "utf-8"
    if data.startswith(codecs.BOM_UTF8):
        bom = codecs.BOM_UTF8
    elif data.startswith(_UTF_16):
        bom = data[:2]
        encoding = "utf-16-le" if bom == codecs.BOM_UTF16_LE else "utf-16-be"
    try:
        return data[len(bom) :].decode(encoding), encoding, bom
    except UnicodeDecodeError as wrong:
        raise ClientFileError(
            f"{name} is not {encoding.upper()} (byte {wrong.start + len(bom)})",
            hint="save it as UTF-8, then try again",
        ) from wrong


def _not_a(document: Document, path: Path, what: str) -> ClientFileError:
    where = ".".join(path)
    return ClientFileError(f"{document.name}: {where} is not {what}", hint="nothing was changed")


def _existing(document: Document, path: Path) -> Node:
    node = _find(document, path)
    if node is None:
        raise KeyError(".".join(path))
    return node


def _find(document: Document, path: Path) -> Node | None:
    node = document.root
    for key in path:
        if node.kind != "object":
            return None
        # Of duplicate keys the last one counts, as it does for the client.
        values = [one for one in node.items if one.key == key]
        if not values:
            return None
        node = values[-1]
    return node


def _inside(before: Document | None, path: Path) -> str:
    """What stood inside of a container that held nothing before."""
    node = _find(before, path) if before is not None else None
    if before is None or node is None or node.items or node.kind not in ("object", "array"):
        return ""
    return before.text[node.start + 1 : node.end - 1]


def _gap_before(document: Document, node: Node) -> int:
    """Where the white space before a node begins."""
    start = node.begin
    while start and document.text[start - 1] in " \t\r\n":
        start -= 1
    return start


def _append(document: Document, container: Node, prefix: str, value: Json) -> bytes:
    depth = _depth(container) + 1
    new = prefix + _dump(document, value, depth, container)
    line = _newline(document) + _indent(document) * depth
    if not container.items:
        return _fill(document, container, line + new, depth)
    last = container.items[-1]
    if _is_inline(document, container):
        line = " "
    if last.comma >= 0:
        end = _end_of_line(document, last.comma)
        return document.write((end, end, line + new + ","))
    end = _end_of_line(document, last.end)
    if end == last.end:
        return document.write((end, end, "," + line + new))
    return document.write((last.end, last.end, ","), (end, end, line + new))


def _fill(document: Document, container: Node, new: str, depth: int) -> bytes:
    """Put the first item into a container, behind whatever comments it holds."""
    inside = document.text[container.start + 1 : container.end - 1]
    close = _newline(document) + _indent(document) * (depth - 1)
    if not inside.strip():
        return document.write((container.start + 1, container.end - 1, new + close))
    end = container.start + 1 + len(inside.rstrip())
    tail = "" if "\n" in document.text[end : container.end - 1] else close
    return document.write((end, end, new + tail))


def _end_of_line(document: Document, at: int) -> int:
    """Behind the comment that follows on the same line, or `at`."""
    found = _REST_OF_LINE.match(document.text, at)
    return found.end() if found is not None else at


def _dump(document: Document, value: Json, depth: int, near: Node) -> str:
    """`value` as text that looks like its surroundings."""
    if _is_inline(document, near):
        return json.dumps(value, ensure_ascii=False)
    unit = _indent(document)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (_newline(document) + unit * depth).join(lines)


def _is_inline(document: Document, container: Node) -> bool:
    return bool(container.items) and "\n" not in document.text[container.start : container.end]


def _depth(node: Node) -> int:
    depth = 0
    while node.parent is not None:
        node, depth = node.parent, depth + 1
    return depth


def _newline(document: Document) -> str:
    return "\r\n" if "\r\n" in document.text else "\n"


def _indent(document: Document) -> str:
    """The unit of indentation: that of the first member; two spaces where there is none."""
    if document.root.items:
        before = document.text[: document.root.items[0].begin]
        line = before[before.rfind("\n") + 1 :]
        if "\n" in before and line and not line.strip():
            return line
    return "  "
