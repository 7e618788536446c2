"""Source text to symbols and imports. Pure, and it cannot fail: broken code gives what is whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice

from tree_sitter import Node, Query, QueryCursor, Tree

from postil.codemap import heads
from postil.codemap.fingerprint import without_names
from postil.codemap.languages import LanguageSpec, languages, parser, query
from postil.model import Import, Symbol
from postil.words import clip

_BODY_WORDS = 150
# Where two patterns see one name (`const f = () => {}`), the more telling kind stays.
_RANK = {"variable": 0, "constant": 1, "property": 1, "type": 2, "function": 3, "class": 3}
# What an identifier consists of, and a space for everything else.
_IDENTIFIERS = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$" else 0x20 for byte in range(256)
)
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "object", "container"})
# Names that are prose or keys: taken as they are written.
_VERBATIM = frozenset({"heading", "key", "id", "block", "target", "table", "view", "index"})
# White space, quotes of one sort: what a formatter changes.
_LAYOUT = b" \t\r\n\f\v"
_LAST_COMMA = re.compile(rb",(?=\s*[)\]}])")
_QUOTES = bytes.maketrans(b"'`", b'""')


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a source file holds. `bodies` are the words of each symbol's own text, in order."""

    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    bodies: tuple[tuple[bytes, ...], ...]
    words: frozenset[bytes] = frozenset()
    has_errors: bool = False


@dataclass(slots=True)
class Definition:
    """A definition in a syntax tree: what it is called, where it stands (bytes)."""

    node: Node
    name_node: Node
    name: str
    kind: str
    owner: str = ""
    qualified: str = ""
    parent: Definition | None = None
    is_clause: bool = False
    start: int = 0
    end: int = 0
    words: dict[bytes, None] = field(default_factory=dict)


def parse(path: str, text: bytes, language: str) -> FileFacts:
    """The definitions and imports of `text`, in the order of their places."""
    spec = languages()[language]
    tree = tree_of(text, language)
    definitions, imports = read(tree, query(language), text, spec)
    words = _share_words(definitions, text)
    lines = heads.Lines(text, spec.comments)
    hashed = plain(text)
    listed = [one for one in definitions if one.kind != "container" and not one.is_clause]
    if not listed and tree.root_node.has_error:
        heads_alone = tuple(_heads_alone(path, text))
        return FileFacts(heads_alone, tuple(imports), ((),) * len(heads_alone), words, True)
    return FileFacts(
        symbols=tuple([_symbol(path, text, hashed, one, lines, language) for one in listed]),
        imports=tuple(imports),
        bodies=tuple(tuple(islice(one.words, _BODY_WORDS)) for one in listed),
        words=words,
        has_errors=tree.root_node.has_error,
    )


def tree_of(text: bytes, language: str) -> Tree:
    """The syntax tree of a text.

    A macro that stands alone on its line says nothing to a grammar, and is taken out if there are
    errors. Where an error swallows what follows, the line that it begins on is blanked out (places
    stay as they are) and the rest gets another chance.
    """
    tree = parser(language).parse(text)
    if language in _MACROS and tree.root_node.has_error:
        bare = _LONE_MACRO.sub(lambda one: b" " * len(one[0]), text)
        if bare != text:
            text, tree = bare, parser(language).parse(bare)
    for _ in range(_CHANCES):
        lost = _lost_rows(tree)
        if not lost:
            break
        start = text.rfind(b"\n", 0, lost[0]) + 1
        end = text.find(b"\n", lost[0])
        end = len(text) if end < 0 else end
        text = text[:start] + b" " * (end - start) + text[end:]
        again = parser(language).parse(text)
        if (after := _lost_rows(again)) and after[1] >= lost[1]:
            break
        tree = again
    return tree


def _lost_rows(tree: Tree) -> tuple[int, int] | None:
    """Where the first error begins that swallows lines, and how many lines all such swallow."""
    root = tree.root_node
    if not root.has_error:
        return None
    near = [
        *root.children,
        *(inner for one in root.children[:_NEAR] for inner in one.children[:_NEAR]),
    ]
    spans = [
        (one.start_byte, one.end_point.row - one.start_point.row)
        for one in near
        if one.type == "ERROR" and one.end_point.row - one.start_point.row >= _SWALLOWED
    ]
    return (min(spans)[0], sum(rows for _, rows in spans)) if spans else None


# Languages with a preprocessor, and what only it understands.
_MACROS = frozenset({"c", "cpp", "objc"})
_LONE_MACRO = re.compile(rb"(?m)^[ \t]*[A-Z][A-Z0-9_]{4,}[ \t]*(?=\r?$)")
# How often a text is read anew, how many lines an error may hold, how many nodes are looked at.
_CHANCES = 3
_SWALLOWED = 4
_NEAR = 200


def read(
    tree: Tree, patterns: Query, text: bytes, spec: LanguageSpec
) -> tuple[list[Definition], list[Import]]:
    """The definitions of a tree, outer before inner, with qualified names; and its imports."""
    found: dict[int, Definition] = {}
    imports: dict[tuple[str, int], Import] = {}
    for _, captures in QueryCursor(patterns).matches(tree.root_node):
        if "import" in captures:
            one = _import(captures, text)
            imports.setdefault((one.module, one.line), one)
        elif "name" in captures:
            _add(found, captures, text, spec)
        elif "links" in captures:
            for one in _links(captures["links"][0], text):
                imports.setdefault((one.module, one.line), one)
    ordered = _arranged(found, text, spec, tree.root_node.has_error)
    return ordered, list(imports.values())


def _arranged(
    found: dict[int, Definition], text: bytes, spec: LanguageSpec, has_error: bool
) -> list[Definition]:
    """Definitions outer before inner, each with its true end and its qualified name."""
    ordered = sorted(found.values(), key=lambda one: (one.start, -one.end))
    if "bodies" in spec.traits:
        _take_bodies(ordered)
    if "sections" in spec.traits:
        _nest_sections(ordered, len(text))
    if has_error:
        _cut_short(ordered, text)
    _qualify(ordered, "flat" in spec.traits)
    if "once" in spec.traits:
        _join_clauses(ordered)
    _fold_companions(ordered)
    return ordered


def selector(node: Node, text: bytes, field_name: str = "") -> str:
    """The name of a method whose parts stand between its arguments: `sell:amount:`."""
    parts = (
        node.children_by_field_name(field_name)
        if field_name
        else [one for one in node.children if one.type == "identifier"]
    )
    takes = any(one.type in (":", "method_parameter") for one in node.children)
    return "".join(_text(one, text) + (":" if takes else "") for one in parts)


def hash_of(text: bytes, qualified: str) -> str:
    """A digest of code that neither a formatter nor another name changes.

    Layout, quotes and last commas do not count, nor its own name and the names around it.
    """
    return _hash_of_plain(plain(text), qualified)


def plain(text: bytes) -> bytes:
    """A text of the same length without last commas, quotes all of one sort."""
    return _LAST_COMMA.sub(b" ", text).translate(_QUOTES)


def _hash_of_plain(text: bytes, qualified: str) -> str:
    bare = without_names(text, qualified).translate(None, _LAYOUT)
    return blake2b(bare, digest_size=10).hexdigest()


def _add(
    found: dict[int, Definition], captures: dict[str, list[Node]], text: bytes, spec: LanguageSpec
) -> None:
    kind = _kind(captures)
    node, name = captures[kind][0], captures["name"][0]
    known = found.get(name.id)
    if known is not None and _RANK.get(known.kind, 9) >= _RANK.get(kind, 9):
        return
    owner = _dotted(_text(captures["owner"][0], text)) if "owner" in captures else ""
    if node.type in _SELECTORS:
        while node.parent is not None and node.type != "rule_set":
            node = node.parent
    parts = captures["name"]
    raw = _text(name, text)
    if kind in _VERBATIM:
        written = ".".join(_text(part, text).strip().strip("'\"`") for part in parts)
        written = written.rsplit("\n", 1)[-1]
    elif node.type in _SELECTED and "selectors" in spec.traits:
        written = selector(node, text)
    else:
        written = _dotted(raw)
    if kind == "destructor":
        kind, written = "method", f"~{written}"
    elif kind == "function" and "::" in raw:
        kind = "method"
    if written:
        found[name.id] = Definition(
            node, name, written, kind, owner, start=node.start_byte, end=node.end_byte
        )


def _kind(captures: Iterable[str]) -> str:
    """The name of the capture that is no mark."""
    for name in captures:
        if name not in _MARKS and name[0] != "_":
            return name
    raise ValueError(f"no kind among {', '.join(captures)}")


# Objective-C's methods, whose names stand between their arguments.
_SELECTED = ("method_declaration", "method_definition")
# The parts of a rule's selector list; what they name is the rule.
_SELECTORS = ("id_selector", "class_selector")
_MARKS = frozenset({"name", "owner", "import", "statement", "call", "base", "aside"})


def _dotted(text: str) -> str:
    """A name as people write it: `this.x`, `Foo::bar` and `'./x'` become dotted or bare."""
    if text.isidentifier():
        return text
    text = re.sub(r"\s+", "", text).strip("'\"`")
    text = re.sub(r"^(?:this|exports|module\.exports)\.", "", text)
    return re.sub(r"<.*>$", "", text.replace("::", ".").replace(":", ".")).strip(".")


def _qualify(ordered: list[Definition], flat: bool) -> None:
    above: list[Definition] = []
    for one in ordered:
        while above and above[-1].end <= one.start:
            above.pop()
        one.parent = above[-1] if above else None
        around = next((up for up in reversed(above) if up.kind not in _LEAVES), None)
        outer = around.qualified if around is not None else ""
        if one.owner:
            module = next((up.qualified for up in reversed(above) if up.kind == "module"), "")
            outer = f"{module}.{one.owner}" if module else one.owner
        is_flat = flat or not outer or one.kind in _FLAT or one.node.type.startswith("preproc")
        one.qualified = one.name if is_flat else f"{outer}.{one.name}"
        in_type = one.owner or (around is not None and around.kind in _TYPES)
        if one.kind == "function" and in_type:
            one.kind = "method"
        above.append(one)


def _take_bodies(ordered: list[Definition]) -> None:
    for one in ordered:
        beside = one.node.next_named_sibling
        if beside is not None and beside.type == "function_body":
            one.end = beside.end_byte


def _nest_sections(ordered: list[Definition], length: int) -> None:
    """A heading's section ends where the next of its level begins."""
    open_ones: list[tuple[int, Definition]] = []
    for one in ordered:
        marker = one.node.child(0) if one.node.type == "atx_heading" else one.node.child(1)
        level = int(found[0]) if marker and (found := re.search(r"\d", marker.type)) else 1
        while open_ones and open_ones[-1][0] >= level:
            open_ones.pop()[1].end = one.start
        open_ones.append((level, one))
    for _, one in open_ones:
        one.end = length


def _cut_short(ordered: list[Definition], text: bytes) -> None:
    """A function without an end swallows the next in broken code: what is no deeper ends it."""
    above: list[Definition] = []
    for one in ordered:
        while above and above[-1].end <= one.start:
            above.pop()
        indent = _indent(one, text)
        while (
            above
            and above[-1].kind in _CUT
            and above[-1].node.start_point.row != one.node.start_point.row
            and indent <= _indent(above[-1], text)
        ):
            above.pop().end = one.start
        above.append(one)


def _indent(one: Definition, text: bytes) -> int:
    line = text[text.rfind(b"\n", 0, one.start) + 1 : one.start]
    return len(line) - len(line.lstrip())


_CUT = frozenset({"function", "method"})


def _fold_companions(ordered: list[Definition]) -> None:
    """An object beside a type of its name is that type's companion: its members are the type's."""
    types = {one.qualified for one in ordered if one.kind in _TYPES - {"object"}}
    for one in ordered:
        if one.kind == "object" and one.qualified in types:
            one.kind = "container"


def _join_clauses(ordered: list[Definition]) -> None:
    """Several clauses (or a signature and its equations) are one definition, at the first."""
    first: dict[str, Definition] = {}
    for one in ordered:
        if one.kind in _CLAUSES:
            known = first.setdefault(one.qualified, one)
            if known is not one:
                one.is_clause, one.kind = True, known.kind


_CLAUSES = frozenset({"function", "method", "macro", "variable"})


# What encloses nothing by name, and what is named for the whole file.
_LEAVES = frozenset({"constant", "property", "type"})
_FLAT = frozenset({"id", "target", "table", "view", "index", "trigger"})


def _symbol(
    path: str, text: bytes, hashed: bytes, one: Definition, lines: heads.Lines, language: str
) -> Symbol:
    node = one.node
    outer = heads.whole(node)
    start, end = heads.with_attributes(text, outer.start_byte), outer.end_byte
    row, column = node.start_point
    return Symbol(
        path,
        one.name if one.kind in _VERBATIM else one.name.rsplit(".", 1)[-1],
        one.qualified,
        one.kind,
        (one.name_node.end_point.row if one.kind == "target" else row) + 1,
        node.end_point.row + 1,
        column,
        heads.signature(node, text),
        heads.doc(node, outer, text, lines, language),
        _hash_of_plain(hashed[start:end], one.qualified),
    )


def _heads_alone(path: str, text: bytes) -> Iterator[Symbol]:
    """Definitions by their first lines, for a text in which the grammar finds none at all."""
    for row, line in enumerate(text.split(b"\n"), 1):
        found = _HEAD.match(line[:_LONGEST_HEAD])
        if found:
            word, name = (part.decode("utf-8", "replace") for part in found.groups())
            kind = _HEAD_KINDS.get(word.lstrip("@"), "function")
            head = line.strip().decode("utf-8", "replace")
            signature = clip(head.rstrip("{ "), _LONGEST_HEAD)
            yield Symbol(path, name, name, kind, row, row, 0, signature, "", hash_of(line, name))


_LONGEST_HEAD = 200
_HEAD = re.compile(
    rb"\s*(?:(?:export|default|public|private|protected|internal|abstract|open|final|static|async"
    rb"|data|sealed)\s+)*(@?(?:class|interface|struct|enum|trait|protocol|object|namespace|module"
    rb"|implementation|function|func|fun|fn|def|sub|component|hook))\s+([A-Za-z_]\w*)"
)
_KINDS = ("class", "interface", "struct", "enum", "trait", "object", "module")
_HEAD_KINDS = {
    **{
        kind: kind for kind in ("class", "interface", "struct", "enum", "trait", "object", "module")
    },
    **{"implementation": "class", "protocol": "interface", "namespace": "module"},
}


def _share_words(ordered: list[Definition], text: bytes) -> frozenset[bytes]:
    """Give each definition the distinct words of its own text, inner ones left out; all of them.

    Words are identifiers and numbers, as they stand there.
    """
    spaced = text.translate(_IDENTIFIERS)
    outside: dict[bytes, None] = {}
    above: list[Definition] = []
    at = 0
    for one in ordered:
        while above and above[-1].end <= one.start:
            up = above.pop()
            if at < up.end:
                up.words.update(dict.fromkeys(spaced[at : up.end].split()))
                at = up.end
        if at < one.start:
            words = above[-1].words if above else outside
            words.update(dict.fromkeys(spaced[at : one.start].split()))
            at = one.start
        above.append(one)
    for up in reversed(above):
        if at < up.end:
            up.words.update(dict.fromkeys(spaced[at : up.end].split()))
            at = up.end
    outside.update(dict.fromkeys(spaced[at:].split()))
    return frozenset(outside).union(*[one.words for one in ordered])


def innermost(ordered: list[Definition], starts: list[int], byte: int) -> Definition | None:
    """The innermost definition around a place; `starts` are theirs, ascending."""
    place = bisect_right(starts, byte) - 1
    one = ordered[place] if place >= 0 else None
    while one is not None and one.end <= byte:
        one = one.parent
    return one


def _links(node: Node, text: bytes) -> Iterator[Import]:
    """Links of prose to files beside it."""
    written = re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), _text(node, text))
    for found in _LINK.finditer(written):
        line = node.start_point.row + 1 + written.count("\n", 0, found.start())
        yield Import(found[1], line, found[0])


_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(<?(?![a-z][\w+.-]*:|#|/)([^\s)#>?]+)[^)\n]*\)")


def _import(captures: dict[str, list[Node]], text: bytes) -> Import:
    node = captures["import"][0]
    statement = captures["statement"][0] if "statement" in captures else node
    module = _text(node, text)
    if not module.isidentifier():
        module = _LEADING.sub("", module)
        module = "".join(module.split()).strip("<>\"'`;")
    if text.startswith(b".*", node.end_byte):
        module += ".*"
    line = statement.start_point.row + 1
    while statement.type in _VALUES and statement.parent is not None:
        statement = statement.parent  # `const { a } = require("b")` says what it takes
    return Import(module, line, _text(statement, text)[:_LONGEST_STATEMENT])


_LEADING = re.compile(r"^(?:import|using)\s+")
_LONGEST_STATEMENT = 2_000
_VALUES = frozenset(
    {"string_fragment", "string", "arguments", "call_expression", "member_expression",
     "await_expression", "function_call", "expression_list", "builtin_function"}
)  # fmt: skip


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace")
