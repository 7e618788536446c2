"""Source text to symbols and imports. Pure, and it cannot fail: broken code gives what is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from tree_sitter import Node, QueryCursor

from postil.codemap.languages import parser, query
from postil.model import Import, Symbol
from postil.words import clip

_SIGNATURE_LENGTH = 200
_DOC_LENGTH = 160
_BODY_WORDS = 150
# Where two patterns see one name (`const f = () => {}`), the more telling kind stays.
_RANK = {"variable": 0, "constant": 1, "field": 1, "type": 2}
_IDENTIFIER = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "container"})


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a source file holds. `bodies` are the words of each symbol's own text, in order."""

    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    bodies: tuple[str, ...]
    has_errors: bool = False


@dataclass(slots=True)
class _Definition:
    node: Node
    name: str
    kind: str
    owner: str = ""


def parse(path: str, text: bytes, language: str) -> FileFacts:
    """The definitions and imports of `text`, in the order of their places."""
    tree = parser(language).parse(text)
    definitions: dict[int, _Definition] = {}
    imports: dict[tuple[str, int], None] = {}
    for _, captures in QueryCursor(query(language)).matches(tree.root_node):
        if "import" in captures:
            node = captures["import"][0]
            imports[_module(node, text), node.start_point.row + 1] = None
        else:
            _add(definitions, captures, text)
    ordered = sorted(
        definitions.values(), key=lambda one: (one.node.start_byte, -one.node.end_byte)
    )
    rows = list(_symbols(path, text, ordered, language))
    return FileFacts(
        symbols=tuple(symbol for symbol, _ in rows),
        imports=tuple(Import(module, line) for module, line in imports),
        bodies=tuple(body for _, body in rows),
        has_errors=tree.root_node.has_error,
    )


def hash_of(text: bytes) -> str:
    """A digest of code that does not change with indentation or blank lines."""
    lines = b"\n".join(stripped for line in text.splitlines() if (stripped := line.strip()))
    return blake2b(lines, digest_size=10).hexdigest()


def _add(definitions: dict[int, _Definition], captures: dict[str, list[Node]], text: bytes) -> None:
    kind = next(name for name in captures if name not in ("name", "owner") and name[0] != "_")
    node, name = captures[kind][0], captures["name"][0]
    known = definitions.get(name.id)
    if known is not None and _RANK.get(known.kind, 9) >= _RANK.get(kind, 9):
        return
    owner = _text(captures["owner"][0], text) if "owner" in captures else ""
    definitions[name.id] = _Definition(node, _name(_text(name, text)), kind, owner)


def _name(text: str) -> str:
    """A name as people write it: `this.x`, `Foo::bar` and `'./x'` become dotted or bare."""
    text = re.sub(r"\s+", "", text).strip("'\"`")
    return re.sub(r"^(?:this|exports|module\.exports)\.", "", text).replace("::", ".")


def _symbols(
    path: str, text: bytes, ordered: list[_Definition], language: str
) -> Iterator[tuple[Symbol, str]]:
    parents: list[tuple[_Definition, str]] = []
    for place, one in enumerate(ordered):
        while parents and parents[-1][0].node.end_byte <= one.node.start_byte:
            parents.pop()
        above = one.owner or (parents[-1][1] if parents else "")
        qualified = f"{above}.{one.name}" if above else one.name
        kind = one.kind
        if kind == "function" and (one.owner or (parents and parents[-1][0].kind in _TYPES)):
            kind = "method"
        inner = (ordered[later].node for later in range(place + 1, len(ordered)))
        parents.append((one, qualified))
        if kind == "container":
            continue
        outer = _with_decorators(one.node)
        yield (
            Symbol(
                path=path,
                name=one.name.rsplit(".", 1)[-1],
                qualified=qualified,
                kind=kind,
                line=one.node.start_point.row + 1,
                end_line=one.node.end_point.row + 1,
                column=one.node.start_point.column,
                signature=_signature(one.node, text),
                doc=_doc(one.node, outer, text, language),
                content_hash=hash_of(text[outer.start_byte : outer.end_byte]),
            ),
            _body_words(one.node, inner, text),
        )


def _with_decorators(node: Node) -> Node:
    """The node that a reader sees as the whole definition: with decorators, `export`, `const`."""
    wrappers = {
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
    while node.parent is not None and node.parent.type in wrappers:
        node = node.parent
    return node


def _signature(node: Node, text: bytes) -> str:
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value")) is not None:
        body = value.child_by_field_name("body")
    if body is None and (right := node.child_by_field_name("right")) is not None:
        body = right.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    colon = next((child for child in node.children if child.type == ":"), None)
    if body is not None and colon is not None:
        end = min(end, colon.start_byte)  # a comment may stand between the colon and the body
    head = text[node.start_byte : min(end, node.start_byte + 2000)].decode("utf-8", "replace")
    if body is None and "\n" in head and node.type not in _MANY_LINED:
        head = head.split("\n", 1)[0]
    return clip(re.sub(r"\s*(?:=>|[{:=])\s*$", "", head), _SIGNATURE_LENGTH)


_MANY_LINED = {"declaration", "field_declaration", "method_signature", "function_signature"}


def _doc(node: Node, outer: Node, text: bytes, language: str) -> str:
    """The first sentence of the docstring, or of the comment just above."""
    if language == "python":
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_children else None
        if first is not None and first.type == "expression_statement":
            first = first.named_children[0] if first.named_children else first
        if first is None or first.type != "string":
            return ""
        raw = _text(first, text)
        return _first_sentence(re.sub(r"^[A-Za-z]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", raw))
    lines: list[str] = []
    below, above = outer, outer.prev_sibling
    while (
        above is not None
        and "comment" in above.type
        and below.start_point.row - above.end_point.row <= 1
    ):
        lines.insert(0, _text(above, text))
        below, above = above, above.prev_sibling
    cleaned = [
        re.sub(r"^\s*(?:/\*+!?|\*+/|//[/!]?|\*|#+)|\*+/\s*$", "", line)
        for line in "\n".join(lines).split("\n")
    ]
    return _first_sentence("\n".join(cleaned))


def _first_sentence(text: str) -> str:
    paragraph: list[str] = []
    for line in text.strip().split("\n"):
        if not line.strip():
            break
        paragraph.append(line.strip())
    joined = " ".join(paragraph)
    sentence = re.match(r".*?[.!?](?=\s|$)", joined)
    return clip(sentence.group(0) if sentence else joined, _DOC_LENGTH)


def _body_words(node: Node, inner: Iterator[Node], text: bytes) -> str:
    """The distinct identifiers of a definition, those of the definitions inside it left out."""
    words: dict[bytes, None] = {}
    start = node.start_byte
    for other in inner:
        if other.start_byte >= node.end_byte or len(words) >= _BODY_WORDS:
            break
        if other.start_byte > start:
            words.update(dict.fromkeys(_IDENTIFIER.findall(text, start, other.start_byte)))
        start = max(start, other.end_byte)
    if start < node.end_byte and len(words) < _BODY_WORDS:
        words.update(dict.fromkeys(_IDENTIFIER.findall(text, start, node.end_byte)))
    return b" ".join(list(words)[:_BODY_WORDS]).decode("utf-8", "replace")


def _module(node: Node, text: bytes) -> str:
    return re.sub(r"\s+", "", _text(node, text)).strip("<>\"'`")


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace")
