"""What a client reports, in Postil's own words, and what goes back to it."""

import json

from postil_hooks import spec as clients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# Whose hooks VS Code runs too, and what is in the path of its transcripts.
_BORROWED = ("claude-code", "copilot")
_VSCODE = "GitHub.copilot-chat"
# More than so many files of one patch are not looked up.
_MOST_PATHS = 20


class Event:
    """One thing a client reports.

    `name` is Postil's: session_start, prompt, tool_before, tool_after, tool_failed, compact_before,
    turn_end, agent_end, session_end; "" for what it makes nothing of. `detail` says more: the
    source of a session's start, the trigger of a compaction. `paths` are the files that a tool is
    about, `told` what it was asked. Missing fields are "".
    """

    __slots__ = (
        "agent",
        "agent_type",
        "answer",
        "client",
        "detail",
        "error",
        "folder",
        "name",
        "native",
        "paths",
        "prompt",
        "session",
        "told",
        "tool",
        "transcript",
    )

    def __init__(self, client: str, native: str, name: str, fields: "dict[str, str]") -> None:
        self.client = client
        self.native = native
        self.name = name
        self.session = fields.get("session", "")
        self.folder = fields.get("folder", "")
        self.transcript = fields.get("transcript", "")
        self.answer = fields.get("answer", "")
        self.detail = fields.get("detail", "")
        self.prompt = fields.get("prompt", "")
        self.tool = fields.get("tool", "")
        self.told = fields.get("told", "")
        self.error = fields.get("error", "")
        self.agent = fields.get("agent", "")
        self.agent_type = fields.get("agent_type", "")
        self.paths = _paths(fields)


def normalise(spec: "dict[str, Any]", native: str, payload: bytes) -> Event:
    """The event that `payload` reports. Raises ValueError when it is no JSON object.

    Fields of another type than text are left out: what a client adds tomorrow breaks nothing.
    """
    raw = json.loads(payload.decode("utf-8-sig", "replace") or "{}")
    if not isinstance(raw, dict):
        raise ValueError("the payload is not a JSON object")
    fields = {}
    for ours, theirs in spec["fields"].items():
        for name in theirs:
            value = _inner(raw, name)
            if isinstance(value, str):
                fields[ours] = value.encode("utf-8", "replace").decode()
                break
    return Event(spec["name"], native, spec["events"].get(native, ""), fields)


def host(spec: "dict[str, Any]", native: str, payload: bytes) -> "tuple[dict[str, Any], str]":
    """Who really runs the hook of a client, and what it calls the event.

    VS Code runs the hooks of Claude Code and of Copilot CLI as its own: under their names for the
    events, with its own payload, and reads only its own kind of answer.
    """
    if spec["name"] not in _BORROWED or b'"hook_event_name"' not in payload:
        return spec, native
    raw = json.loads(payload.decode("utf-8-sig", "replace"))
    own = raw.get("hook_event_name") if isinstance(raw, dict) else None
    is_named_otherwise = spec["name"] == "copilot" and native[:1].islower()
    if isinstance(own, str) and (is_named_otherwise or _VSCODE in str(raw.get("transcript_path"))):
        return clients.load("vscode"), own
    return spec, native


def carries(spec: "dict[str, Any]", event: Event) -> bool:
    """Whether an answer to this event reaches the model."""
    return event.name in spec["reply"]["inject_on"] or event.name in spec["reply"]["plain_on"]


def render(spec: "dict[str, Any]", event: Event, text: str) -> bytes:
    """What to print so that `text` reaches the model; empty when this event cannot carry any."""
    reply = spec["reply"]
    if not text or not carries(spec, event):
        return b""
    text = cut(text, reply["limit"])
    if event.name in reply["plain_on"]:
        return text.encode("utf-8", "replace")
    if reply["shape"] == "flat":
        return _json({reply["key"]: text})
    if reply["shape"] != "nested":
        raise ValueError("unknown reply shape: " + reply["shape"])
    # A wrong event name, or one key too many, and the client drops the text without a word.
    return _json({"hookSpecificOutput": {"hookEventName": event.native, "additionalContext": text}})


def cut(text: str, limit: int) -> str:
    """At most `limit` units of UTF-16, which is how clients count; never half a character."""
    units = text.encode("utf-16-le", "replace")
    if len(units) <= 2 * limit:
        return text
    return units[: 2 * limit].decode("utf-16-le", "ignore")


def _json(value: "dict[str, Any]") -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _inner(raw: object, name: str) -> object:
    """A field by its dotted name; a number is a place in a list."""
    for part in name.split("."):
        if isinstance(raw, dict):
            raw = raw.get(part)
        elif isinstance(raw, list) and part.isdigit() and int(part) < len(raw):
            raw = raw[int(part)]
        else:
            return None
    return raw


def _paths(fields: "dict[str, str]") -> "list[str]":
    """The files that a tool is about: its argument, or those of a patch."""
    found = [fields["path"]] if fields.get("path") else []
    patch = fields.get("patch", "")
    if "*** " in patch:
        for line in patch.split("\n"):
            for mark in _PATCHED:
                if line.startswith(mark):
                    found.append(line[len(mark) :].strip())
    return found[:_MOST_PATHS]
