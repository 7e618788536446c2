"""JSON edits keep every byte they do not mean to change."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import ClientFileError
from postil_installers.edits import json_text
from postil_installers.edits.json_text import Json

CASES = {
    "empty file": b"",
    "empty object": b"{}\n",
    "two spaces": b'{\n  "theme": "dark",\n  "n": 1.50\n}\n',
    "tabs without last newline": b'{\n\t"a": {\n\t\t"b": [1, 2]\n\t}\n}',
    "one line": b'{"a": 1, "b": {"c": []}}',
    "carriage returns": b'{\r\n    "a": 1\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{\n  "a": "\xc3\xa9"\n}\n',
    "duplicate keys": b'{\n  "a": 1,\n  "a": 2\n}\n',
    "odd layout": b'{ "a" :1 ,\n\n      "b":\t[ ]\n   }',
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_a_member_that_is_set_and_removed_leaves_the_same_bytes(text: bytes) -> None:
    with_member = json_text.set_member(json_text.parse("f", text), ["servers", "x"], {"k": [1]})

    value = json.loads(with_member.decode("utf-8-sig"))
    assert value["servers"]["x"] == {"k": [1]}
    back = json_text.remove(json_text.parse("f", with_member), ["servers"])
    assert back.strip() in (text.strip(), b"{}") if not text.strip(b" \n{}") else back == text


def test_a_new_member_looks_like_its_neighbours() -> None:
    text = b'{\r\n\t"a": 1\r\n}\r\n'

    done = json_text.set_member(json_text.parse("f", text), ["b"], {"c": [1]})

    assert done == b'{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n'


def test_an_item_goes_to_the_end_and_the_others_do_not_move() -> None:
    text = b'{\n  "hooks": {\n    "Stop": [\n      {"mine": 1}\n    ]\n  }\n}\n'

    done = json_text.append_item(json_text.parse("f", text), ["hooks", "Stop"], {"ours": 2})

    assert done.startswith(text[: text.index(b'{"mine": 1}') + 11])
    assert json.loads(done)["hooks"]["Stop"] == [{"mine": 1}, {"ours": 2}]
    assert json_text.remove(json_text.parse("f", done), ["hooks", "Stop"], 1) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'{\n  "a": 1,\n}', "line 2, column 9"),
        (b'{\n  // mine\n  "a": 1\n}', "line 2, column 3"),
        (b"[1]", "does not hold a JSON object"),
        (b"\xff\xfe{\x00}", "not UTF-16-LE"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_what_is_no_strict_json_is_refused_with_its_place(text: bytes, told: str) -> None:
    with pytest.raises(ClientFileError, match=told):
        json_text.parse("settings.json", text)


_SCALARS = st.none() | st.booleans() | st.integers(-9, 10**6) | st.text(max_size=8)
_VALUES: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    before=st.dictionaries(
        st.text(max_size=5).filter(lambda key: key != "ours"), _VALUES, min_size=1
    ),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    value=_VALUES,
)
def test_any_document_keeps_its_bytes(
    before: dict[str, Json], indent: int | str | None, newline: str, value: Json
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False).replace("\n", newline).encode()

    done = json_text.set_member(json_text.parse("f", text), ["ours"], value)

    assert json.loads(done) == {**before, "ours": value}
    assert json_text.remove(json_text.parse("f", done), ["ours"]) == text
