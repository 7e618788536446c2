"""The whole server over its protocol, as editors speak it: each position encoding, live updates."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from postil import curate
from postil.model import Kind, Memory, Pattern
from postil.workspace import open_workspace
from support.project import POSTIL, clean_environment, make_project

pytestmark = pytest.mark.slow

TEXT = 'def charge(): ...\n\n\nlabel = "🎉é"; total = charge()\n'
UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


def _encoding(capabilities: types.ServerCapabilities) -> str:
    told = capabilities.position_encoding or "utf-16"
    return str(getattr(told, "value", told))


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[POSTIL, "lsp"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path
) -> AsyncIterator[None]:
    root = make_project(tmp_path / "shop", {"pay.py": TEXT})
    workspace = open_workspace(root)
    curate.write(
        workspace, Memory(id="", what="Retries are off", kind=Kind.DECISION), ["pay.py#charge"]
    )
    workspace.close()
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=root.as_uri(),
            initialization_options={"lens": True, "navigation": True},
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), "shop")],
        )
    )
    editor: Any = lsp_client
    editor.root = root
    editor.units = UNITS[_encoding(result.capabilities)]
    editor.refreshes = 0

    @editor.feature(types.WORKSPACE_CODE_LENS_REFRESH)  # type: ignore[untyped-decorator]
    def refreshed(params: None) -> None:
        editor.refreshes += 1

    editor.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: None)

    lsp_client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem((root / "pay.py").as_uri(), "python", 1, TEXT)
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name not in clean_environment(home) and not name.startswith("PYTEST"):
            monkeypatch.delenv(name)


@pytest.mark.asyncio
async def test_hover_and_lens_stand_at_the_right_columns(client: Any) -> None:
    document = types.TextDocumentIdentifier((client.root / "pay.py").as_uri())
    line = TEXT.split("\n")[3]
    start = client.units(line[: line.index("charge")])

    card = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(3, start + 2))
    )
    before = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(3, start - 2))
    )
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))

    assert card is not None and "Retries are off" in card.contents.value
    assert card.range == types.Range(types.Position(3, start), types.Position(3, start + 6))
    assert before is None
    linked = re.findall(r"\[history\]\(file://([^)]+)\)", card.contents.value)
    if "markdown" in card.contents.kind.value:
        assert "Retries are off" in Path(linked[0]).read_text(encoding="utf-8")
    assert [(row.command.title, row.range.start) for row in rows] == [
        ("1 decision", types.Position(0, 4))
    ]
    told = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(rows[0].command.command, rows[0].command.arguments)
    )
    assert "Retries are off" in told
    resolved = await client.code_lens_resolve_async(rows[0])
    assert resolved.command.title == "1 decision · 1 caller"


@pytest.mark.asyncio
async def test_an_agents_write_appears_without_being_asked_for(client: Any) -> None:
    document = types.TextDocumentIdentifier((client.root / "pay.py").as_uri())
    await client.text_document_code_lens_async(types.CodeLensParams(document))

    other = open_workspace(client.root)
    curate.write(other, Memory(id="", what="Never in a loop", kind=Kind.RULE), ["pay.py#charge"])
    other.close()

    capability = client.capabilities.workspace
    asks = capability and capability.code_lens and capability.code_lens.refresh_support
    for _ in range(50):
        if client.refreshes or not asks:
            break
        await asyncio.sleep(0.1)
    assert client.refreshes or not asks
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert [row.command.title for row in rows] == ["1 rule · 1 decision"]


@pytest.mark.asyncio
async def test_what_is_no_file_is_left_alone(client: Any) -> None:
    for uri in ("untitled:Untitled-1", "git:/x/pay.py", "file:///nowhere/at/all.py"):
        document = types.TextDocumentIdentifier(uri)
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT))
        )
        assert not await client.text_document_code_lens_async(types.CodeLensParams(document))


async def _run(client: Any, command: str, *arguments: object) -> Any:
    return await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, list(arguments))
    )


def _document(client: Any) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier((client.root / "pay.py").as_uri())


def _whole() -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(10, 0))


async def _actions(
    client: Any, first: int, last: int, **context: Any
) -> list[tuple[str, str, dict[str, Any]]]:
    """Title, command and argument of each code action.

    The client's library takes each for a `Command`, whose name is then the written command.
    """
    place = types.Range(types.Position(first, 0), types.Position(last, 1))
    told = types.CodeActionContext(**{"diagnostics": [], **context})
    params = types.CodeActionParams(_document(client), place, told)
    found = []
    for one in await client.text_document_code_action_async(params):
        command = ast.literal_eval(one.command)
        found.append((one.title, command["command"], command["arguments"][0]))
    return found


@pytest.mark.asyncio
async def test_marks_symbols_links_and_completion(client: Any) -> None:
    document = _document(client)
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, _whole()))
    assert [(one.label, one.position) for one in hints] == [("⚖1", types.Position(0, 17))]
    assert "Retries are off" in hints[0].tooltip

    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [one.name for one in outline] == ["charge", "label", "total"] or outline[
        0
    ].name == "charge"
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("charge"))
    assert any(one.name == "charge" and one.location.range.start.line == 0 for one in found)

    line = TEXT.split("\n")[3]
    call = types.Position(3, client.units(line[: line.index("charge")]) + 1)
    (target,) = await client.text_document_definition_async(types.DefinitionParams(document, call))
    assert target.range.start.line == 0
    uses = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document, call)
    )
    assert sorted(one.range.start.line for one in uses) == [0, 3]
    (item,) = await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(document, types.Position(0, 5))
    )
    assert item.name == "charge"
    assert not await client.call_hierarchy_outgoing_calls_async(
        types.CallHierarchyOutgoingCallsParams(item)
    )


@pytest.mark.asyncio
async def test_what_a_person_does_with_a_memory(client: Any) -> None:
    """Remember, keep, confirm, correct, replace, mute, mark as wrong: each by its command."""
    document = _document(client)
    titles = [title for title, _, _ in await _actions(client, 0, 0)]
    assert "Postil: remember this line" in titles
    assert "Postil: still true: Retries are off" in titles
    uri = document.uri
    told = await _run(
        client, "postil.remember", {"uri": uri, "line": 0, "what": "Call it once", "kind": "rule"}
    )
    rule = _id(told["text"])
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert rows[0].command.title == "1 rule · 1 decision"

    assert "Kept" in (await _run(client, "postil.keep", {"memory": rule}))["text"]
    assert "Still true" in (await _run(client, "postil.confirm", {"memory": rule}))["text"]
    told = await _run(client, "postil.correct", {"memory": rule, "what": "Call it only once"})
    assert "Call it only once" in told["text"]
    told = await _run(client, "postil.supersede", {"memory": rule, "what": "Call it at most once"})
    newer = _id(told["text"].replace(rule, ""))
    await _run(client, "postil.mute", {"memory": newer})
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert rows[0].command.title == "1 decision"
    await _run(client, "postil.unmute", {})
    told = await _run(client, "postil.wrong", {"memory": newer, "reason": "it may be retried"})
    assert "Marked as wrong" in told["text"]
    rows = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert rows[0].command.title == "1 decision"
    with pytest.raises(Exception, match="is wanted"):
        await _run(client, "postil.forget", {})
    with pytest.raises(Exception, match="no memory"):
        await _run(client, "postil.forget", {"memory": "m-000000000000"})
    found = await _run(client, "postil.search", uri, {"query": "retries"})
    assert "Retries are off" in found["text"]


def _id(text: str) -> str:
    found = re.search(r"m-[0-9a-z]{12}", text)
    assert found is not None, text
    return found[0]


@pytest.mark.asyncio
async def test_a_selected_comment_is_remembered(client: Any) -> None:
    document = _document(client)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=document.uri),
            [
                types.TextDocumentContentChangePartial(
                    text="# Amounts are whole cents\n",
                    range=types.Range(types.Position(1, 0), types.Position(1, 0)),
                )
            ],
        )
    )
    found = await _actions(client, 1, 1)
    ((command, argument),) = [row[1:] for row in found if "remember" in row[0]]

    told = await _run(client, command, argument)

    assert "Amounts are whole cents" in told["text"]
    found = await _run(client, "postil.search", document.uri, {"query": "whole cents"})
    assert "Amounts are whole cents" in found["text"]


@pytest.mark.asyncio
async def test_a_broken_rule_is_told_and_may_be_dismissed(client: Any) -> None:
    """Pulled where the client asks for diagnostics, else pushed."""
    workspace = open_workspace(client.root)
    pattern = Pattern(regex=r"🎉")
    rule = Memory(id="", what="No parties", kind=Kind.RULE, pattern=pattern)
    curate.write(workspace, rule)
    workspace.close()

    (problem,) = await _diagnosed(client, 1)

    assert (problem.message, problem.range.start.line) == ("Breaks the rule: No parties", 3)
    assert problem.severity is types.DiagnosticSeverity.Information
    line = TEXT.split("\n")[3]
    assert problem.range.end.character == client.units(line)
    fixes = await _actions(client, 3, 3, diagnostics=[problem])
    (argument,) = [row[2] for row in fixes if row[1] == "postil.dismiss"]
    await _run(client, "postil.dismiss", {**argument, "reason": "it is a birthday"})
    assert await _diagnosed(client, 0) == []


async def _diagnosed(client: Any, count: int) -> list[types.Diagnostic]:
    """The diagnostics once there are so many, pulled or pushed."""
    document = _document(client)
    text = client.capabilities.text_document
    for _ in range(60):
        if text and text.diagnostic:
            params = types.DocumentDiagnosticParams(document)
            found = (await client.text_document_diagnostic_async(params)).items
        else:
            found = client.diagnostics.get(document.uri, [])
        if len(found) == count:
            break
        await asyncio.sleep(0.1)
    return list(found)


@pytest.mark.asyncio
async def test_a_draft_is_remembered_once_it_is_saved(client: Any, home: Path) -> None:
    told = await _run(client, "postil.remember", {"uri": _document(client).uri, "line": 0})
    (draft,) = (home / ".cache/postil/drafts").glob("*.md")
    text = draft.read_text(encoding="utf-8")
    assert "where: pay.py#charge" in text
    del told

    draft.write_text(text.replace("what: ", "what: The card is charged twice"), encoding="utf-8")

    for _ in range(50):
        found = await _run(client, "postil.search", _document(client).uri, {"query": "card twice"})
        if "charged twice" in found["text"]:
            break
        await asyncio.sleep(0.1)
    assert "charged twice" in found["text"] and not draft.exists()


@pytest.mark.asyncio
async def test_switches_work_while_it_runs(client: Any) -> None:
    document = _document(client)
    ask = types.CodeLensParams(document)
    assert await client.text_document_code_lens_async(ask)

    for told in ({"postil": {"lens": False}}, {"lens": False, "unknown": 3}, {"lens": "no"}):
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(told))
        assert not await client.text_document_code_lens_async(ask)
    client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"postil": {"lens": True}})
    )
    assert await client.text_document_code_lens_async(ask)
    await _run(client, "postil.mute", {"file": document.uri})
    assert not await client.text_document_code_lens_async(ask)
    await _run(client, "postil.unmute", {"file": str(client.root / "pay.py")})
    await _run(client, "postil.mute", {"minutes": 30})
    assert not await client.text_document_code_lens_async(ask)
    await _run(client, "postil.unmute", {})
    assert await client.text_document_code_lens_async(ask)


@pytest.mark.asyncio
async def test_a_second_project_in_the_same_editor(client: Any, tmp_path: Path) -> None:
    other = make_project(tmp_path / "bank", {"teller.py": "def pay_out(): ...\n"})
    workspace = open_workspace(other)
    curate.write(workspace, Memory(id="", what="Never at night"), ["teller.py#pay_out"])
    workspace.close()
    uri = (other / "teller.py").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri, "python", 1, "\n\ndef pay_out(): ...\n")
        )
    )
    place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(2, 5))

    card = await client.text_document_hover_async(place)

    assert "Never at night" in card.contents.value
    first = types.HoverParams(_document(client), types.Position(0, 5))
    assert "Retries are off" in (await client.text_document_hover_async(first)).contents.value


@pytest.mark.asyncio
async def test_mapping_shows_its_progress(client: Any, tmp_path: Path) -> None:
    """Where the client shows progress: it begins when the first file is opened, and ends."""
    window = client.capabilities.window
    if not (window and window.work_done_progress):
        return
    files = {f"part{number}.py": f"def f{number}(): ...\n" * 40 for number in range(1_500)}
    big = make_project(tmp_path / "big", files)
    uri = (big / "part1.py").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, "x = 1\n"))
    )
    for _ in range(100):
        told = [one for rows in client.progress_reports.values() for one in rows]
        if any(isinstance(one, types.WorkDoneProgressEnd) for one in told):
            break
        await asyncio.sleep(0.1)
    assert any("Postil maps big" in getattr(one, "title", "") for one in told)
    assert any(isinstance(one, types.WorkDoneProgressEnd) for one in told)


@pytest.mark.asyncio
async def test_a_citation_leads_to_the_memory(client: Any) -> None:
    document = _document(client)
    found = await _run(client, "postil.search", document.uri, {"query": "retries off"})
    name = _id(found["text"])
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=document.uri),
            [types.TextDocumentContentChangeWholeDocument(text=f"# 🎉 see [{name}] and [\n")],
        )
    )

    (link,) = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert link.range.start.character == client.units("# 🎉 see ")
    resolved = await client.document_link_resolve_async(link)
    page = Path(resolved.target.removeprefix("file://"))
    assert "Retries are off" in page.read_text(encoding="utf-8")

    end = types.Position(0, client.units(f"# 🎉 see [{name}] and ["))
    offered = await client.text_document_completion_async(types.CompletionParams(document, end))
    assert [one.label for one in offered.items] == [f"[{name}]"]
    assert offered.items[0].text_edit.range.start.character == end.character - 1


@pytest.mark.asyncio
async def test_lists_for_views_and_the_queue(client: Any) -> None:
    document = _document(client)
    (row,) = (await _run(client, "postil.list", {"uri": document.uri}))["rows"]
    assert (row["what"], row["symbol"], row["line"], row["state"]) == (
        "Retries are off", "charge", 1, "",
    )  # fmt: skip
    assert Path(row["file"]) == client.root / "pay.py"
    whole = (await _run(client, "postil.list", {"uri": document.uri, "all": True}))["rows"]
    assert [one["what"] for one in whole] == ["Retries are off"]

    workspace = open_workspace(client.root)
    drafts = [
        Memory(id="", what=what, author="agent:x") for what in ("One of them", "Another thing")
    ]
    for draft in drafts:
        curate.write(workspace, draft, is_proposed=True)
    workspace.close()
    waiting = (await _run(client, "postil.proposals", {}))["rows"]
    assert {one["what"] for one in waiting} == {"One of them", "Another thing"}
    by_text = {one["what"]: one["id"] for one in waiting}
    told = await _run(
        client, "postil.accept", {"memory": by_text["One of them"], "what": "One of us"}
    )
    assert "One of us" in told["text"]
    await _run(client, "postil.reject", {"memory": by_text["Another thing"]})
    assert (await _run(client, "postil.proposals", {}))["rows"] == []
    whole = (await _run(client, "postil.list", {"uri": document.uri, "all": True}))["rows"]
    assert {one["what"] for one in whole} == {"Retries are off", "One of us"}


@pytest.mark.asyncio
async def test_memories_by_their_ids(client: Any) -> None:
    document = _document(client)
    (row,) = (await _run(client, "postil.list", {"uri": document.uri}))["rows"]
    wanted = {"ids": [row["id"], "m-000000000000", "nonsense"]}
    (found,) = (await _run(client, "postil.memories", wanted))["rows"]
    assert (found["id"], found["line"]) == (row["id"], 1)
    with pytest.raises(Exception, match="'ids' is wanted"):
        await _run(client, "postil.memories", {})


@pytest.mark.asyncio
async def test_a_store_that_was_removed_is_told_of(client: Any) -> None:
    document = _document(client)
    assert len((await _run(client, "postil.list", {"uri": document.uri}))["rows"]) == 1
    workspace = open_workspace(client.root)
    folder = workspace.store.path.parent
    workspace.close()
    shutil.rmtree(folder)
    for _ in range(50):
        if any("was removed" in one.message for one in client.messages):
            break
        await asyncio.sleep(0.1)
    (told,) = [one for one in client.messages if "was removed" in one.message]
    assert "postil backup" in told.message
    assert (await _run(client, "postil.list", {"uri": document.uri}))["rows"] == []
