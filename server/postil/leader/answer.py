"""What the leader says to a hook or to the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from postil import present, tools
from postil.capture.ingest import ingest
from postil.config.clients import load_client
from postil.errors import PostilError
from postil.model import Actor
from postil.redact import redact
from postil.workspace import Workspace
from postil_hooks import event as wire


def answer_hook(workspace: Workspace, client: str, native: str, payload: bytes) -> bytes:
    """What to print for a client's event; empty for nothing. Raises ValueError on a bad payload."""
    spec = load_client(client)
    event = wire.normalise(spec, native, payload)
    if event.name != "session_start":
        return b""
    text = present.brief_text(workspace.brief(), workspace.config.number("brief.tokens"))
    return wire.render(spec, event, text)


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an event; `is_behind` when the transcript does not tell of it yet."""

    told: str
    is_behind: bool = False


def take_event(workspace: Workspace, client: str, native: str, payload: bytes) -> Taken:
    """Store what an event tells of: the conversation so far.

    Clients write their transcript as they go: it can lag the event, which is then taken again.
    """
    spec = load_client(client)
    event = wire.normalise(spec, native, payload)
    if event.name not in ("compact_before", "turn_end") or not event.transcript:
        return Taken("nothing to store")
    if not workspace.config.flag("capture.episodes"):
        return Taken("capture is off")
    transcript = Path(event.transcript)
    if not transcript.is_file():
        return Taken("there is no transcript yet", is_behind=True)
    done = ingest(workspace.store, client, spec["transcript"], transcript, event.session)
    told = f"{done.added} turns stored, {done.malformed + done.oversized} lines passed over"
    expected = redact(event.answer).text.strip()
    last = workspace.store.last_turn(event.session, "assistant")
    stored = last.text if last is not None else ""
    return Taken(told, is_behind=event.name == "turn_end" and expected not in stored)


def answer_call(workspace: Workspace, request: bytes) -> bytes:
    """The answer to a tool call of the command line, as JSON: `text` and `data`, or `error`."""
    asked = json.loads(request)
    try:
        caller = Actor(**asked.get("caller", {}))
        answer = tools.call(workspace, asked["tool"], asked["arguments"], caller)
        reply: dict[str, object] = {"text": answer.text, "data": answer.data}
    except PostilError as error:
        reply = {"error": {"message": str(error), "hint": error.hint, "exit_code": error.exit_code}}
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")
