"""What a reader sees at the head of a definition: signature and documentation."""

from __future__ import annotations

import re

from tree_sitter import Node

from postil.words import clip

_SIGNATURE_LENGTH = 200
_DOC_LENGTH = 160
_LONGEST_HEAD = 2_000
_DOC_LINES = 60

# Nodes around a definition that a reader takes for a part of it: decorators, `export`, `const`.
_WRAPPERS = frozenset(
    {
        "decorated_definition",
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "type_declaration",
        "const_declaration",
        "var_declaration",
        "template_declaration",
    }
)
_BODY_TYPES = frozenset(
    {"block", "class_body", "function_body", "declaration_list", "enum_class_body", "body"}
)
_DOCSTRING = re.compile(
    rb"\s*[rRuUbBfF]{0,2}(?:\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"([^\"\n]*)\"|'([^'\n]*)')", re.S
)
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|\(\*+|\{-\s*\|?|\*+/|//[/!]?|--+\s*\|?|\*|#+|;+)")
_COMMENT_END = re.compile(r"(?:\*+/|\*+\)|-\})\s*$")


class Lines:
    """A file's lines, split when the first is asked for."""

    def __init__(self, text: bytes, comments: tuple[str, ...]) -> None:
        self._text = text
        self._lines: list[bytes] | None = None
        self._opens = tuple(mark.encode() for mark in comments)

    def comment_above(self, row: int) -> str:
        """The comment that ends on the line above `row` (0-based); attributes may lie between."""
        if self._lines is None:
            self._lines = self._text.split(b"\n")
        lines = self._lines
        at = row - 1
        while at >= 0 and re.match(rb"\s*(?:#!?\[|@\w)", lines[at]):
            at -= 1
        found: list[bytes] = []
        while at >= 0 and len(found) < _DOC_LINES:
            line = lines[at].strip()
            closing = line.endswith((b"*/", b"*)", b"-}")) and not line.startswith(
                (b"/*", b"(*", b"{-")
            )
            if closing:
                while at >= 0 and not lines[at].strip().startswith((b"/*", b"(*", b"{-")):
                    found.append(lines[at])
                    at -= 1
            elif not line.startswith(self._opens):
                break
            if at >= 0:
                found.append(lines[at])
            at -= 1
        return b"\n".join(reversed(found)).decode("utf-8", "replace")

    def elixir_doc(self, row: int) -> str:
        """The `@doc` above a definition."""
        if self._lines is None:
            self._lines = self._text.split(b"\n")
        above = b"\n".join(self._lines[max(0, row - _DOC_LINES) : row]).decode("utf-8", "replace")
        found = re.search(
            r'@(?:module)?doc\s+(?:~\w)?(?:"""(.*?)"""|"([^"\n]*)")\s*(?:@\w[^\n]*\s*)*$',
            above,
            re.S,
        )
        return (found[1] or found[2] or "") if found else ""


def whole(node: Node) -> Node:
    """The node that a reader sees as the whole definition."""
    while (parent := node.parent) is not None and parent.type in _WRAPPERS:
        node = parent
    return node


def with_attributes(text: bytes, start: int) -> int:
    """Where a definition begins with the attributes and decorators that stand before it."""
    while True:
        line = text.rfind(b"\n", 0, start) + 1
        before = text[line:start].strip()
        if before:
            return line if before.startswith(_ATTRIBUTES) else start
        above = text.rfind(b"\n", 0, max(line - 1, 0)) + 1
        if above >= line or not text[above:line].lstrip().startswith(_ATTRIBUTES):
            return start
        start = above


_ATTRIBUTES = (b"@", b"#[")


def signature(node: Node, text: bytes) -> str:
    """The definition without its body, on one line."""
    body = _body(node)
    end = body.start_byte if body is not None else node.end_byte
    head = text[node.start_byte : min(end, node.start_byte + _LONGEST_HEAD)]
    written = head.decode("utf-8", "replace").rstrip()
    if body is None and "\n" in written:
        written = _first_statement(written)
    elif "#" in written or "//" in written:  # a comment may stand between the head and the body
        written = re.sub(r"(?m)(?<=[:{)])\s*(?:#|//).*$", "", written)
    if written.endswith((":", "{")):
        written = written[:-1].rstrip()
    elif written.endswith(_OPENERS):
        written = re.sub(r"\s*(?:=>|->|\bdo\b|\bwhere\b|=)\s*$", "", written)
    return clip(written, _SIGNATURE_LENGTH)


# How a head goes over into its body.
_OPENERS = (">", "do", "where", "=")


def doc(node: Node, outer: Node, text: bytes, lines: Lines, language: str) -> str:
    """The first sentence of the docstring, or of the comment just above."""
    if language == "python":
        body = node.child_by_field_name("body")
        found = None if body is None else _DOCSTRING.match(text, body.start_byte, body.end_byte)
        return _first_sentence(_docstring(found)) if found else ""
    row = outer.start_point.row
    if language == "elixir" and (told := lines.elixir_doc(row)):
        return _first_sentence(told)
    raw = lines.comment_above(row)
    if not raw:
        return ""
    stripped = (_COMMENT_END.sub("", _COMMENT_MARKS.sub("", one)) for one in raw.split("\n"))
    return _first_sentence("\n".join(stripped))


def _docstring(found: re.Match[bytes]) -> str:
    return next((part for part in found.groups() if part is not None), b"").decode(
        "utf-8", "replace"
    )


def _body(node: Node) -> Node | None:
    for name in ("body", "value", "right"):
        child = node.child_by_field_name(name)
        if child is not None:
            return child if name == "body" else child.child_by_field_name("body")
    last = node.child(node.child_count - 1) if node.child_count else None
    return last if last is not None and last.type in _BODY_TYPES else None


def _first_statement(text: str) -> str:
    """A head without a body's node: to its first brace, or its first line end outside brackets."""
    depth = 0
    for place, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif depth <= 0 and char in "{\n;" and text[:place].strip():
            return text[:place]
    return text


def _first_sentence(text: str) -> str:
    paragraph: list[str] = []
    for line in text.strip().split("\n"):
        if not line.strip():
            break
        paragraph.append(line.strip())
    joined = " ".join(paragraph)
    sentence = re.match(r".*?[.!?](?=\s|$)", joined)
    return clip(sentence.group(0) if sentence else joined, _DOC_LENGTH)
