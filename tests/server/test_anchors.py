"""An anchor knows what became of its code."""

from __future__ import annotations

import pytest

from postil import curate
from postil.errors import UsageError
from postil.model import AnchorState, Memory, Scope
from postil.workspace import Workspace


def state_after(workspace: Workspace, **files: str) -> tuple[AnchorState, str, int]:
    written = curate.write(workspace, Memory(id="", what="Retries are off"), ["pay.py#charge"])
    for name in ("pay.py", "lib/cart.py"):
        if name in files:
            (workspace.root / name).write_text(files[name])
    if "gone" in files:
        (workspace.root / files["gone"]).unlink()
    workspace.update_map()
    now = workspace.anchors.resolve_all(written.memory)[0]
    return now.state, now.path, now.line


SAME = 'def charge(amount: int) -> int:\n    """Charge the card."""\n    return amount\n'


def test_untouched_code_is_exact(workspace: Workspace) -> None:
    assert state_after(workspace) == (AnchorState.EXACT, "pay.py", 1)


def test_lines_above_do_not_matter(workspace: Workspace) -> None:
    assert state_after(workspace, **{"pay.py": "import os\n\n" + SAME}) == (
        AnchorState.EXACT,
        "pay.py",
        3,
    )


def test_changed_code_has_drifted(workspace: Workspace) -> None:
    text = SAME.replace("return amount", "return 2 * amount")
    assert state_after(workspace, **{"pay.py": text}) == (AnchorState.DRIFTED, "pay.py", 1)


def test_code_in_another_file_has_moved(workspace: Workspace) -> None:
    files = {"pay.py": "", "lib/cart.py": "\n" + SAME}
    assert state_after(workspace, **files) == (AnchorState.MOVED, "lib/cart.py", 2)


def test_renamed_code_has_moved_too(workspace: Workspace) -> None:
    other = "def other(): ...\n"
    same_body_elsewhere = {"pay.py": other, "lib/cart.py": SAME.replace("charge(", "charge(", 1)}
    assert state_after(workspace, **same_body_elsewhere)[0] is AnchorState.MOVED


def test_deleted_code_is_gone(workspace: Workspace) -> None:
    assert state_after(workspace, gone="pay.py") == (AnchorState.GONE, "", 0)


@pytest.mark.parametrize("where", ["pay.py#charge", "./pay.py::charge", "charge"])
def test_places_are_named_in_several_ways(workspace: Workspace, where: str) -> None:
    written = curate.write(workspace, Memory(id="", what="x y"), [where])

    assert [(one.path, one.symbol) for one in written.memory.anchors] == [("pay.py", "charge")]
    assert written.memory.anchors[0].content_hash


def test_an_absolute_path_inside_the_project_is_made_relative(workspace: Workspace) -> None:
    written = curate.write(
        workspace, Memory(id="", what="x"), [str(workspace.root / "lib/cart.py#Cart.total")]
    )

    assert written.memory.anchors[0].path == "lib/cart.py"


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("pay.py#refund", "has no symbol 'refund'"),
        ("nowhere.py#f", "not in the project"),
        ("cart.py#Cart", "not in the project"),
        ("docs/none.md", "not in the project"),
        ("../other/x.py", "outside the project"),
        ("/etc/passwd", "outside the project"),
    ],
)
def test_a_wrong_place_is_refused_with_what_there_is(
    workspace: Workspace, where: str, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        curate.write(workspace, Memory(id="", what="x"), [where])


def test_a_wrong_place_names_the_nearest(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as raised:
        curate.write(workspace, Memory(id="", what="x"), ["cart.py#Cart"])

    assert raised.value.hint == "did you mean lib/cart.py?"


def test_a_line_names_the_symbol_around_it(workspace: Workspace) -> None:
    written = curate.write(workspace, Memory(id="", what="x"), ["lib/cart.py:3"])

    assert written.memory.anchors[0].symbol == "Cart.total"


def test_a_file_that_is_not_code_can_be_an_anchor(workspace: Workspace) -> None:
    note = workspace.root / "notes.md"
    note.write_text("Hello", encoding="utf-8")
    written = curate.write(workspace, Memory(id="", what="x"), ["notes.md"])
    assert workspace.anchors.resolve_all(written.memory)[0].state is AnchorState.EXACT

    note.unlink()
    workspace.update_map()
    assert workspace.anchors.resolve_all(written.memory)[0].state is AnchorState.GONE


def test_without_a_map_nothing_is_said_to_be_gone(workspace: Workspace) -> None:
    written = curate.write(workspace, Memory(id="", what="x"), ["pay.py#charge"])
    workspace.index.set_meta("mapped", "")

    assert workspace.anchors.resolve_all(written.memory)[0].state is AnchorState.UNKNOWN


def test_a_second_write_adds_its_places_and_tags(workspace: Workspace) -> None:
    first = curate.write(workspace, Memory(id="", what="Use cents", tags=("a",)), ["pay.py"])
    again = curate.write(
        workspace, Memory(id="", what="Use cents", tags=("b",)), ["lib/cart.py#Cart"]
    )

    assert not again.created and again.memory.id == first.memory.id
    assert again.memory.tags == ("a", "b")
    assert [one.path for one in again.memory.anchors] == ["pay.py", "lib/cart.py"]
    assert workspace.memories_in("lib/cart.py")["Cart"]


def test_code_that_was_renamed_and_edited_shows_its_memories(workspace: Workspace) -> None:
    """The old place is not there any more: whoever looks at the new one is told."""
    body = "".join(f"    total += amount * rates[{n}]\n" for n in range(8))
    before = f"def charge(amount, rates):\n    total = 0\n{body}    return total\n"
    (workspace.root / "pay.py").write_text(before)
    curate.write(workspace, Memory(id="", what="Rates are never cached"), ["pay.py#charge"])

    (workspace.root / "pay.py").unlink()
    (workspace.root / "bill.py").write_text(
        before.replace("charge", "bill").replace("total = 0", "total = 1")
    )
    workspace.update_map()
    tied = workspace.memories_in("bill.py")

    assert [(name, now.state) for name, rows in tied.items() for _, now in rows] == [
        ("bill", AnchorState.DRIFTED)
    ]


def test_a_renamed_file_keeps_what_is_said_of_it(workspace: Workspace) -> None:
    written = curate.write(workspace, Memory(id="", what="Carts are per tab"), ["lib/cart.py"])
    path = workspace.root / "lib/cart.py"
    path.rename(workspace.root / "lib/basket.py")
    workspace.update_map()
    assert written.memory.anchors[0].symbol == ""
    now = workspace.anchors.resolve_all(written.memory)[0]
    assert (now.state, now.path) == (AnchorState.MOVED, "lib/basket.py")

    (workspace.root / "lib/basket.py").write_text(
        "import os\n" + (workspace.root / "lib/basket.py").read_text()
    )
    workspace.update_map()
    now = workspace.anchors.resolve_all(written.memory)[0]
    assert (now.state, now.path) == (AnchorState.DRIFTED, "lib/basket.py")


@pytest.mark.parametrize(
    ("what", "places"),
    [
        ("Never retry in charge(): the card is billed twice", [("pay.py", "charge")]),
        ("`charge` must stay idempotent", [("pay.py", "charge")]),
        (
            "Cart.total rounds half up, as pay.py does",
            [("lib/cart.py", "Cart.total"), ("pay.py", "")],
        ),
        ("See lib/cart.py#Cart.total", [("lib/cart.py", "Cart.total")]),
        ("Rounding is in cart.py:2.", [("lib/cart.py", "Cart.total")]),
        ("They charge for storage in total", []),
        ("Nothing in elsewhere.py or `unknown_name()`", []),
    ],
)
def test_a_memory_without_a_place_is_tied_to_what_it_names(
    workspace: Workspace, what: str, places: list[tuple[str, str]]
) -> None:
    workspace.update_map()

    written = curate.write(workspace, Memory(id="", what=what))

    assert [(one.path, one.symbol) for one in written.memory.anchors] == places


def test_what_a_name_may_mean_twice_is_tied_to_neither(workspace: Workspace) -> None:
    (workspace.root / "other.py").write_text("def charge() -> None: ...\n")
    workspace.update_map()

    assert curate.write(workspace, Memory(id="", what="`charge` is slow")).memory.anchors == ()


def test_ones_own_memory_is_not_tied_to_a_project(workspace: Workspace) -> None:
    workspace.update_map()
    mine = Memory(id="", what="I like how charge() reads", scope=Scope.USER)

    assert curate.write(workspace, mine).memory.anchors == ()
