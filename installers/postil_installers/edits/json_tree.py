"""Reads JSON and its laxer forms into a tree that knows where each value stands.

Values themselves are not converted: numbers, duplicate keys and escapes stay as they are written.
The standard library alone, and no recursion: a file may be nested as deep as it likes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b"
)
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_CLOSING = {"object": "}", "array": "]"}


class JsonSyntaxError(ValueError):
    """Why a text is none of what was asked for, and where: `line` and `column` from 1."""

    def __init__(self, text: str, at: int, what: str) -> None:
        super().__init__(what)
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a client reads beside strict JSON."""

    comments: bool = False
    trailing_commas: bool = False


DIALECTS = {
    "json": Dialect(),
    "json with comments": Dialect(comments=True),
    "jsonc": Dialect(comments=True, trailing_commas=True),
}


@dataclass(slots=True)
class Node:
    """A value from `start` to `end`; of a member of an object `key` and where the key begins.

    `comma` is the place after the comma that follows, or -1. `items` are the members of an object,
    the values of an array.
    """

    kind: str
    start: int
    end: int = -1
    key: str | None = None
    key_start: int = -1
    comma: int = -1
    parent: Node | None = None
    items: list[Node] = field(default_factory=list)

    @property
    def begin(self) -> int:
        """Where it begins, with its key."""
        return self.start if self.key is None else self.key_start


def parse(text: str, dialect: Dialect) -> Node:
    """The tree of a text. Raises JsonSyntaxError."""
    return _Parser(text, dialect).run()


class _Parser:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._at = 0

    def run(self) -> Node:
        self._skip()
        root = self._value(None)
        open_: Node | None = root if root.kind in _CLOSING else None
        while open_ is not None:
            open_ = self._step(open_)
        self._skip()
        if self._at < len(self._text):
            raise self._wrong("there is more after the end")
        return root

    def _step(self, container: Node) -> Node | None:
        """Read up to the next value of a container; the container that is open then."""
        self._skip()
        last = container.items[-1] if container.items else None
        if self._peek() == _CLOSING[container.kind]:
            if last is not None and last.comma >= 0 and not self._dialect.trailing_commas:
                raise self._wrong("a trailing comma is not allowed here", last.comma - 1)
            self._at += 1
            container.end = self._at
            return container.parent
        if last is not None and last.comma < 0:
            if self._peek() != ",":
                raise self._wrong(f"a comma or {_CLOSING[container.kind]} is missing")
            self._at += 1
            last.comma = self._at
            return container
        child = self._member(container) if container.kind == "object" else self._value(container)
        container.items.append(child)
        return child if child.kind in _CLOSING else container

    def _member(self, container: Node) -> Node:
        start = self._at
        found = _STRING.match(self._text, start)
        if found is None:
            raise self._wrong("a name in double quotes is missing")
        self._at = found.end()
        self._skip()
        if self._peek() != ":":
            raise self._wrong("a colon is missing")
        self._at += 1
        self._skip()
        node = self._value(container)
        node.key, node.key_start = json.loads(found[0]), start
        return node

    def _value(self, parent: Node | None) -> Node:
        start, first = self._at, self._peek()
        if first in ("{", "["):
            self._at += 1
            return Node("object" if first == "{" else "array", start, parent=parent)
        found = (_STRING if first == '"' else _SCALAR).match(self._text, start)
        if found is None:
            raise self._wrong("this is no JSON value" if first else "the end comes too early")
        self._at = found.end()
        return Node("string" if first == '"' else "scalar", start, self._at, parent=parent)

    def _skip(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if not self._text.startswith(("//", "/*"), self._at):
                return
            if not self._dialect.comments:
                raise self._wrong("a comment is not allowed here")
            self._at = self._comment_end()

    def _comment_end(self) -> int:
        line = _LINE_COMMENT.match(self._text, self._at)
        if line is not None:
            return line.end()
        end = self._text.find("*/", self._at + 2)
        if end < 0:
            raise self._wrong("a comment is not closed")
        return end + 2

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _wrong(self, what: str, at: int | None = None) -> JsonSyntaxError:
        return JsonSyntaxError(self._text, self._at if at is None else at, what)
