"""What a file uses: calls and bases, each with the definition that it stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node, QueryCursor

from postil.codemap.languages import languages, query
from postil.codemap.parse import innermost, read, selector, tree_of

# What stands before a called name: `shop.items[0]` of `shop.items[0].sell()`.
_RECEIVER = re.compile(
    rb"([\w$\x80-\xff@]+(?:\s*(?:\.|::|->|\?\.)\s*[\w$\x80-\xff]+)*)\s*(?:\.|::|->|\?\.)\s*$"
)
_AFTER_CALL = re.compile(rb"[)\]}\"'`]\s*(?:\.|::|->|\?\.)\s*$")
_MOST_TYPES = 3
# `x = Shop(`, `x := &Shop{`, `x: Shop`, `Shop x;`
_ASSIGNED = re.compile(
    rb"(?P<name>[\w$]+)\s*:?=\s*(?:await\s+|new\s+|&)?(?P<type>(?:[\w$]+(?:\.|::))*[A-Z][\w$]*)(?:<[^>\n]*>)?\s*[({]"
)
_ANNOTATED = re.compile(
    rb"(?P<name>[\w$]+)\??\s*:\s*(?:Optional\[|&\s*(?:mut\s+)?|readonly\s+)?[\"']?(?P<type>(?:[\w$]+\.)*[A-Z][\w$]*)"
)
_DECLARED = re.compile(rb"\b(?P<type>[A-Z]\w+)(?:<[^>\n]*>)?[*&\s]+(?P<name>[a-z_]\w*)\s*[=;,)]")
# Definitions that calls are made from; a variable's value is its scope's.
_CALLERS = frozenset(
    {"function", "method", "macro", "property", "class", "interface", "struct", "enum", "trait",
     "object", "container"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name: `call` or `base`.

    `caller` is the qualified name of the definition that it stands in and `caller_line` that one's
    line; "" and 0 at file level. `receiver` is what the name is reached through, as it is written
    (`?` when that is more than names), and after a colon the types that the file says it has.
    """

    kind: str
    caller: str
    caller_line: int
    name: str
    line: int
    receiver: str = ""


def uses(text: bytes, language: str) -> list[Use]:
    """The calls and bases of a file, in the order of their places."""
    tree = tree_of(text, language)
    spec, patterns = languages()[language], query(language, references=True)
    definitions, _ = read(tree, patterns, text, spec)
    starts = [one.start for one in definitions]
    names = {one.name_node.id for one in definitions}
    matches = [captures for _, captures in QueryCursor(patterns).matches(tree.root_node)]
    asides = [one["aside"][0].byte_range for one in matches if "aside" in one]
    types = _types(text)
    found: dict[Use, None] = {}
    for captures in matches:
        kind = "call" if "call" in captures else "base" if "base" in captures else ""
        if not kind:
            continue
        node = captures[kind][0]
        name = _name(node, text)
        is_aside = any(start <= node.start_byte < end for start, end in asides)
        if not name or name in spec.silent or node.id in names or is_aside:
            continue
        around = innermost(definitions, starts, node.start_byte)
        while around is not None and around.kind not in _CALLERS:
            around = around.parent
        receiver = _receiver(text, node.start_byte) if kind == "call" else ""
        if receiver and (typed := types.get(receiver.rpartition(".")[2])):
            receiver = f"{receiver}:{typed}"
        line = node.start_point.row + 1
        if around is None:
            found[Use(kind, "", 0, name, line, receiver)] = None
        else:
            defined = around.node.start_point.row + 1
            found[Use(kind, around.qualified, defined, name, line, receiver)] = None
    return sorted(found, key=lambda one: one.line)


def _name(node: Node, text: bytes) -> str:
    """The last simple name of what is called."""
    if node.parent is not None and node.parent.type == "message_expression":
        return selector(node.parent, text, "method")
    written = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    plain = re.sub(r"<.*", "", re.sub(r"\s+", "", written), flags=re.S)
    return re.split(r"\.|::|\\|->", plain)[-1].lstrip("@")


def _types(text: bytes) -> dict[str, str]:
    """The types of names, as far as a file says them; `A|B` when it says several."""
    found: dict[str, set[str]] = {}
    for pattern in (_ASSIGNED, _ANNOTATED, _DECLARED):
        for match in pattern.finditer(text):
            name, typed = (
                match["name"].decode("utf-8", "replace"),
                match["type"].decode("utf-8", "replace"),
            )
            found.setdefault(name, set()).add(re.split(r"\.|::", typed)[-1])
    return {name: "|".join(sorted(one)) for name, one in found.items() if len(one) <= _MOST_TYPES}


def _receiver(text: bytes, start: int) -> str:
    """What the called name is reached through; `?` when it is more than names."""
    before = text[max(0, start - 120) : start]
    found = _RECEIVER.search(before)
    if found:
        return (
            re.sub(r"\s+|\?", "", found[1].decode("utf-8", "replace"))
            .replace("::", ".")
            .replace("->", ".")
        )
    return "?" if _AFTER_CALL.search(before) else ""
