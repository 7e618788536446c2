"""Commands: what a person does with memories from the editor. Documented in `docs/lsp.md`.

Each takes one object (but `postil.showMemories` and `postil.search`, which say their own), answers
with `{"text": …}` and shows that text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from postil import curate, git, present, tools
from postil.errors import PostilError
from postil.model import Actor, Anchor, Kind, Memory, Scope
from postil.review import dismiss, review
from postil.workspace import Workspace
from postil_lsp import convert, listing, shown
from postil_lsp.features.actions import statement_in
from postil_lsp.margin_server import PostilServer

_PERSON = Actor()
Argument = dict[str, Any]
Command = Callable[[PostilServer, Argument], Awaitable[str]]
_REVIEW_TOKENS = 4_000


def register(server: PostilServer) -> None:
    """Give the server its commands."""
    for name, command in COMMANDS.items():
        server.command(name)(_answering(command))
    server.command(convert.SHOW_MEMORIES)(_on_show_memories)
    server.command("postil.search")(_on_search)
    for name, rows in (
        ("list", _list),
        ("proposals", _proposals),
        ("memories", _memories),
    ):
        server.command(f"postil.{name}")(_listing(rows))


def _answering(command: Command) -> Callable[[PostilServer, Argument], Awaitable[Argument]]:
    """A command as the protocol calls it: what goes wrong is told, and is an error."""

    async def answer(server: PostilServer, argument: Argument) -> Argument:
        try:
            text = await command(server, argument)
        except PostilError as error:
            told = f"{error}" + (f" ({error.hint})" if error.hint else "")
            server.tell(told, is_wrong=True)
            raise JsonRpcInvalidParams(told) from None
        if text:
            server.tell(text)
        _changed(server)
        return {"text": text}

    return answer


def _listing(
    rows: Callable[[PostilServer, Argument], list[listing.Row]],
) -> Callable[[PostilServer, Argument], Awaitable[Argument]]:
    """Rows as the protocol answers them; what goes wrong is an error with what to do."""

    async def answer(server: PostilServer, argument: Argument) -> Argument:
        try:
            return {"rows": rows(server, argument)}
        except PostilError as error:
            told = f"{error}" + (f" ({error.hint})" if error.hint else "")
            raise JsonRpcException(told, code=types.LSPErrorCodes.RequestFailed.value) from None

    return answer


def _changed(server: PostilServer) -> None:
    server.session.forget()
    server.refresh()
    for uri in list(server.open):
        server.push_later(uri)


async def _remember(server: PostilServer, argument: Argument) -> str:
    """Store a statement; without one what the selection says, or a draft to be filled in."""
    uri = _text(argument, "uri")
    found = await server.located(uri)
    if found is None:
        raise JsonRpcInvalidParams(f"{uri} belongs to no project")
    workspace, document = found
    first = int(argument.get("line") or 0)
    last = int(argument.get("end") or first)
    symbol = document.symbol_around(first)
    lines = document.lines[first : last + 1]
    what = str(argument.get("what") or statement_in(lines))
    place = f"{document.path}#{symbol.qualified}" if symbol is not None else document.path
    if not what:
        return await _open_draft(server, workspace, where=place)
    draft = Memory(
        id="",
        what=what,
        why=str(argument.get("why", "")),
        kind=Kind.parse(str(argument.get("kind") or "decision")),
        scope=Scope.parse(str(argument.get("scope") or "project")),
        client="editor",
    )
    return present.written_text(curate.write(workspace, draft, _existing(workspace, place)))


def _existing(workspace: Workspace, place: str) -> list[str]:
    """A place that the map knows: what was typed a moment ago is in no file yet."""
    path, _, name = place.partition("#")
    known = {one.qualified for one in workspace.index.symbols_in(path)}
    return [place if name in known else path]


async def _open_draft(server: PostilServer, workspace: Workspace, **fields: str) -> str:
    path = server.drafts.begin(workspace, **fields)
    if await _opened(server, path):
        return ""
    return f"Write it down in {path}: it is remembered once it is saved."


async def _show(server: PostilServer, path: Path) -> str:
    """Open a text in the editor, or name its file."""
    return "" if await _opened(server, path) else f"See {path}"


async def _opened(server: PostilServer, path: Path) -> bool:
    """Whether the editor opened a file."""
    if not server.shows_documents():
        return False
    told = types.ShowDocumentParams(shown.uri_of(path), take_focus=True)
    try:
        return (await server.window_show_document_async(told)).success
    except JsonRpcException:
        return False  # it says that it can, and cannot


def take_drafts(server: PostilServer) -> None:
    """Store what was written down in drafts that were saved."""
    try:
        for workspace, draft in server.drafts.saved():
            server.tell(_take_draft(workspace, draft))
            _changed(server)
    except PostilError as error:
        why = f"{error} ({error.hint})" if error.hint else str(error)
        server.tell(
            f"Not remembered yet: {why}. Change the draft and save it again.", is_wrong=True
        )


def _take_draft(workspace: Workspace, draft: shown.Draft) -> str:
    if draft.corrects:
        edited = curate.update(
            workspace,
            draft.corrects,
            lambda old: replace(old, what=draft.what, why=draft.why, kind=draft.kind),
            _PERSON,
        )
        return f"Corrected: {present.memory_line(edited)}"
    memory = Memory(
        id="", what=draft.what, why=draft.why, kind=draft.kind, scope=draft.scope, client="editor"
    )
    replaced = [draft.replaces] if draft.replaces else []
    written = curate.write(workspace, memory, draft.where, supersedes=replaced)
    return present.written_text(written)


async def _confirm(server: PostilServer, argument: Argument) -> str:
    """What a memory says still holds: tie it to the code as it is now."""
    workspace, memory = _memory(server, argument)
    anchors = []
    for now in workspace.anchors.resolve_all(memory):
        anchors += _anew(workspace, now.path, now.symbol) or [now.anchor]
    done = curate.update(
        workspace,
        memory.id,
        lambda old: replace(old, anchors=tuple(anchors), commit=git.head(workspace.root)),
        _PERSON,
    )
    return f"Still true: {present.memory_line(done)}"


def _anew(workspace: Workspace, path: str, symbol: str) -> list[Anchor]:
    if not path:
        return []
    return workspace.attach([f"{path}#{symbol}" if symbol else path])


async def _correct(server: PostilServer, argument: Argument) -> str:
    """Change what a memory says; without a new text a draft is opened."""
    workspace, memory = _memory(server, argument)
    what = str(argument.get("what", ""))
    if not what:
        fields = {"what": memory.what, "why": memory.why, "kind": str(memory.kind)}
        return await _open_draft(server, workspace, corrects=memory.id, **fields)
    why = str(argument.get("why", memory.why))
    done = curate.update(
        workspace, memory.id, lambda old: replace(old, what=what, why=why), _PERSON
    )
    return f"Corrected: {present.memory_line(done)}"


async def _supersede(server: PostilServer, argument: Argument) -> str:
    """Replace a memory by a new statement; without one a draft is opened."""
    workspace, memory = _memory(server, argument)
    what = str(argument.get("what", ""))
    if not what:
        fields = {"kind": str(memory.kind), "scope": str(memory.scope)}
        return await _open_draft(server, workspace, replaces=memory.id, **fields)
    draft = replace(
        Memory(id="", what=what, kind=memory.kind, scope=memory.scope, client="editor"),
        why=str(argument.get("why", "")),
        anchors=memory.anchors,
    )
    written = curate.write(workspace, draft, supersedes=[memory.id])
    return present.written_text(written)


async def _forget(server: PostilServer, argument: Argument) -> str:
    """Take a memory out of every answer."""
    workspace, memory = _memory(server, argument)
    curate.forget(workspace, [memory.id], _PERSON)
    return f"Forgotten: {present.memory_line(memory)}. `postil restore {memory.id}` brings it back."


async def _wrong(server: PostilServer, argument: Argument) -> str:
    """A memory never was true: forget it, and keep the reason."""
    workspace, memory = _memory(server, argument)
    reason = str(argument.get("reason", "")) or "marked as wrong in the editor"
    curate.update(
        workspace,
        memory.id,
        lambda old: replace(old, tags=(*old.tags, "wrong"), how=reason),
        _PERSON,
    )
    curate.forget(workspace, [memory.id], _PERSON)
    return f"Marked as wrong: {present.memory_line(memory)}"


async def _keep(server: PostilServer, argument: Argument) -> str:
    """Pin a memory, so that it comes first, or let it go again."""
    workspace, memory = _memory(server, argument)
    pinned = bool(argument.get("pinned", True))
    curate.keep(workspace, memory.id, _PERSON, pinned)
    return f"{'Kept' if pinned else 'No longer kept'}: {present.memory_line(memory)}"


async def _promote(server: PostilServer, argument: Argument) -> str:
    """Let a memory hold for the team."""
    workspace, memory = _memory(server, argument)
    done = curate.update(workspace, memory.id, lambda old: replace(old, scope=Scope.TEAM), _PERSON)
    return f"For the team: {present.memory_line(done)}"


async def _history(server: PostilServer, argument: Argument) -> str:
    """Open a memory with all that was done to it."""
    workspace, memory = _memory(server, argument)
    return await _show(server, shown.page_of(workspace, memory))


async def _source(server: PostilServer, argument: Argument) -> str:
    """Open the turns that a memory came from."""
    workspace, memory = _memory(server, argument)
    return await _show(server, shown.page_of_source(workspace, memory))


async def _review(server: PostilServer, argument: Argument) -> str:
    """Say what memory knows about the changes of a file that are not committed."""
    uri = _text(argument, "uri")
    place = server.session.locate(uri)
    if place is None:
        raise JsonRpcInvalidParams(f"{uri} belongs to no project")
    workspace, path = place
    done = review(workspace, git.comparison(workspace.root, "", False), _PERSON)
    mine = replace(done, findings=tuple(one for one in done.findings if one.path == path), files=1)
    text = present.review_text(mine, _REVIEW_TOKENS)
    return await _show(server, shown.page("review.md", f"# Review of {path}\n\n{text}\n"))


async def _mute(server: PostilServer, argument: Argument) -> str:
    """Hide a memory, a kind, all of a file, a surface, or everything for some minutes."""
    minutes = float(argument.get("minutes", 0) or 0)
    for sort in ("memory", "kind", "file", "surface"):
        if argument.get(sort):
            name = str(argument[sort])
            if sort == "file" and name.startswith("file:"):
                place = server.session.locate(name)
                name = str(place[0].root / place[1]) if place is not None else name
            server.session.mutes.mute(sort, name, minutes)
            return f"Hidden in the editor: {sort} {Path(name).name}. `postil.unmute` shows it."
    server.session.mutes.mute("all", "", minutes or 30)
    return f"Postil is quiet for {minutes or 30:.0f} minutes."


async def _unmute(server: PostilServer, argument: Argument) -> str:
    """Show something again; without a name everything."""
    for sort in ("memory", "kind", "file", "surface"):
        if argument.get(sort):
            count = server.session.mutes.unmute(sort, str(argument[sort]))
            return f"{count} shown again."
    return f"{server.session.mutes.unmute()} shown again."


async def _dismiss(server: PostilServer, argument: Argument) -> str:
    """Let a line break a rule, for a reason that is kept."""
    workspace, memory = _memory(server, argument)
    place = server.session.locate(_text(argument, "uri"))
    if place is None:
        raise JsonRpcInvalidParams("the file belongs to no project")
    reason = str(argument.get("reason", "")) or "dismissed in the editor"
    line = str(argument.get("line", ""))
    made = dismiss(workspace, memory.id, str(place[0].root / place[1]), line, reason, _PERSON)
    return f"[{made.memory}] may be broken there: {made.reason}"


async def _accept(server: PostilServer, argument: Argument) -> str:
    """Let hold what an agent proposed; with another text, that one."""
    workspace, memory = _memory(server, argument)
    if argument.get("what"):
        what = str(argument["what"])
        curate.update(workspace, memory.id, lambda old: replace(old, what=what), _PERSON)
    return f"Accepted: {present.memory_line(curate.approve(workspace, memory.id, _PERSON))}"


async def _reject(server: PostilServer, argument: Argument) -> str:
    """Put away what an agent proposed."""
    workspace, memory = _memory(server, argument)
    curate.reject(workspace, memory.id, _PERSON)
    return f"Rejected: {present.memory_line(memory)}"


COMMANDS: dict[str, Command] = {
    "postil.remember": _remember,
    "postil.confirm": _confirm,
    "postil.correct": _correct,
    "postil.supersede": _supersede,
    "postil.forget": _forget,
    "postil.wrong": _wrong,
    "postil.keep": _keep,
    "postil.promote": _promote,
    "postil.history": _history,
    "postil.source": _source,
    "postil.review": _review,
    "postil.mute": _mute,
    "postil.unmute": _unmute,
    "postil.dismiss": _dismiss,
    "postil.accept": _accept,
    "postil.reject": _reject,
}


def _memory(server: PostilServer, argument: Argument) -> tuple[Workspace, Memory]:
    """The memory that is meant, and its project."""
    name = _text(argument, "memory")
    wrong: PostilError | None = None
    for workspace in server.session.workspaces:
        try:
            return workspace, curate.get(workspace, name, _PERSON)
        except PostilError as error:
            wrong = error
    if wrong is None:
        raise JsonRpcInvalidParams("no project is open")
    raise wrong


def _text(argument: Argument, name: str) -> str:
    value = argument.get(name) if isinstance(argument, dict) else None
    if not isinstance(value, str) or not value:
        raise JsonRpcInvalidParams(f"{name!r} is wanted, a text")
    return value


def _on_show_memories(server: PostilServer, ids: list[str]) -> str:
    lines = []
    for memory_id in ids:
        for workspace in server.session.workspaces:
            try:
                lines.append(present.memory_line(curate.get(workspace, memory_id, _PERSON)))
            except PostilError:
                continue  # of another project, or forgotten since the lens was drawn
    text = "\n".join(lines) or present.NOTHING
    server.tell(text)
    return text


async def _on_search(server: PostilServer, uri: str, arguments: Argument) -> Argument:
    """`memory_search` in the project of a file: the same arguments, the same answer."""
    place = server.session.locate(uri)
    if place is None:
        raise JsonRpcInvalidParams(f"{uri} belongs to no project")
    try:
        answer = tools.call(place[0], "memory_search", arguments, _PERSON)
    except PostilError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return {"text": answer.text, "data": answer.data}


def _list(server: PostilServer, argument: Argument) -> list[listing.Row]:
    """The memories of the file at `uri`, or of its project where `all` is true."""
    place = server.session.locate(_text(argument, "uri"))
    if place is None:
        return []
    workspace, path = place
    if argument.get("all"):
        return listing.of_project(workspace)
    return listing.of_file(workspace, path, server.session.margin(workspace, path))


def _proposals(server: PostilServer, argument: Argument) -> list[listing.Row]:
    """What waits for a person, in all open projects, and in those of the files at `uris`."""
    for uri in argument.get("uris") or () if isinstance(argument, dict) else ():
        server.session.locate(str(uri))
    return [row for one in server.session.workspaces for row in listing.proposals(one)]


def _memories(server: PostilServer, argument: Argument) -> list[listing.Row]:
    """The memories with these `ids`; what is gone, or of another person, is left out."""
    ids = argument.get("ids") if isinstance(argument, dict) else None
    if not isinstance(ids, list):
        raise JsonRpcInvalidParams("'ids' is wanted, a list of texts")
    return [row for one in server.session.workspaces for row in listing.named(one, ids)]
