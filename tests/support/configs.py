"""Clients' files as people have them, made up at random, and an independent look at them."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from hypothesis import strategies as st

Json = Any

_YES_OR_NO: st.SearchStrategy[bool] = st.booleans()
_WORDS = ("model", "theme", "path", "env", "häkchen", "a.b", "with space", "x" * 30, "")
_KEYS = st.sampled_from(_WORDS)
# Numbers as people and programs write them: their text must stay.
_NUMBERS = st.sampled_from(("0", "1.50", "-3e+5", str(2**60), "1E400", "12345678901234567890.0"))
_STRINGS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(("\x00", "// no comment", "/* nor this */", 'a "quote"', "}{", "\u2028", "🎉")),
)


class Raw(str):
    """A number's own text."""

    __slots__ = ()


_SCALARS = st.one_of(_STRINGS, _NUMBERS.map(Raw), st.none(), st.booleans())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)
_FOREIGN_SERVER = {"command": "/opt/other/bin/server", "args": ["--quiet"], "env": {"A": "b"}}
_FOREIGN_GROUP = {"matcher": "Bash", "hooks": [{"type": "command", "command": "say done"}]}


@st.composite
def documents(draw: st.DrawFn, path: tuple[str, ...] = (), hooks: str = "") -> dict[str, Json]:
    """A document, at times with a neighbour of ours at `path`, and foreign `hooks`."""
    made = draw(st.dictionaries(_KEYS, _VALUES, max_size=4))
    has_path, has_neighbour = draw(_YES_OR_NO), draw(_YES_OR_NO)
    if path and has_path:
        inner: dict[str, Json] = {"other": _FOREIGN_SERVER} if has_neighbour else {}
        for key in reversed(path[:-1]):
            inner = {key: inner}
        made |= inner
    if hooks and draw(_YES_OR_NO):
        events = draw(st.lists(st.sampled_from((hooks, "Stop", "Custom")), max_size=2))
        made["hooks"] = {event: [_FOREIGN_GROUP] for event in events}
    return made


@st.composite
def rendered(draw: st.DrawFn, value: Json, comments: bool, trailing: bool, mark: bool) -> bytes:
    """A document as somebody may have written it, in one of many layouts."""
    style = draw(_STYLES)
    text = _render(draw, value, style, comments, trailing, 0)
    if comments and draw(_YES_OR_NO):
        text = f"// mine{style.newline or chr(10)}{text}"
    text += draw(st.sampled_from(("", style.newline, style.newline * 2, " ")))
    encoded = text.encode()
    return b"\xef\xbb\xbf" + encoded if mark and draw(_YES_OR_NO) else encoded


class Style:
    """How a file is laid out."""

    def __init__(self, unit: str, newline: str, colon: str) -> None:
        self.unit, self.newline, self.colon = unit, newline, colon


_STYLES = st.builds(
    Style,
    st.sampled_from(("  ", "    ", "\t", "")),
    st.sampled_from(("\n", "\r\n", "")),
    st.sampled_from((": ", ":", " : ")),
)


def _render(
    draw: st.DrawFn, value: Json, style: Style, comments: bool, trailing: bool, depth: int
) -> str:
    if isinstance(value, Raw):
        return str(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=draw(_YES_OR_NO))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if not value:
        return opening + draw(st.sampled_from(("", " ", style.newline))) + closing
    rows = value.items() if isinstance(value, dict) else ((None, one) for one in value)
    lines = []
    for key, one in rows:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
        lines.append(name + _render(draw, one, style, comments, trailing, depth + 1))
    inner, outer = style.newline + style.unit * (depth + 1), style.newline + style.unit * depth
    noted = comments and style.newline and draw(_YES_OR_NO)
    after = [" // note" if noted and draw(_YES_OR_NO) else "" for _ in lines]
    comma = "," if trailing and draw(_YES_OR_NO) else ""
    body = "".join(
        f"{inner}{line}{',' if place < len(lines) - 1 else comma}{after[place]}"
        for place, line in enumerate(lines)
    )
    return f"{opening}{body}{outer}{closing}"


_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/|,(?=(?:\s|//[^\r\n]*|/\*.*?\*/)*[}\]])', re.S
)


def read_json(data: bytes, comments: bool, trailing: bool) -> Json:
    """What a client reads: by Python's own parser, once what the dialect allows is taken out."""
    text = data.decode("utf-8-sig")
    if not text.strip():
        return {}

    def kept(found: re.Match[str]) -> str:
        token = found[0]
        if token.startswith('"'):
            return token
        if token == ",":
            return "" if trailing else token
        return "" if comments else token

    return json.loads(_TOKEN.sub(kept, text), parse_float=Raw, parse_int=Raw)


_TOML_LINES = (
    'model = "o5"',
    "# a comment of mine",
    "",
    '[mcp_servers.other]\ncommand = "x" # why',
    '[mcp_servers.other.env]\nA = "b"',
    '[[hooks.Stop]]\nmatcher = "*"',
    "[features]\nweb = true",
    '["odd name".\'and [another]\']\nvalue = """\n[mcp_servers.postil]\nnot a table\n"""',
    "[profiles.work]\nlist = [\n  1, # one\n  [2, 3],\n]",
    '[language-server.pylsp]\ncommand = "pylsp"',
)


@st.composite
def toml_files(draw: st.DrawFn) -> bytes:
    """A TOML file with tables of others, comments and odd texts."""
    first = draw(st.lists(st.sampled_from(_TOML_LINES[:3]), max_size=2, unique=True))
    rest = draw(st.lists(st.sampled_from(_TOML_LINES[3:]), max_size=5, unique=True))
    rest.sort(key=_TOML_LINES.index)
    newline = draw(st.sampled_from(("\n", "\r\n")))
    text = "\n".join([*first, *rest]).replace("\n", newline)
    text += draw(st.sampled_from(("", newline, newline * 2, f"{newline}# the end")))
    return text.encode()


def read_toml(data: bytes) -> Json:
    """What a client reads."""
    return tomllib.loads(data.decode("utf-8-sig"))


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A text that people write for agents."""
    lines = draw(
        st.lists(st.sampled_from(("# Mine", "", "- use tabs", "häkchen", "```")), max_size=5)
    )
    newline = draw(st.sampled_from(("\n", "\r\n")))
    return (newline.join(lines) + draw(st.sampled_from(("", newline)))).encode()
