"""What a client reports, in Postil's own words, and what goes back to it."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Event:
    """One thing a client reports.

    `name` is Postil's: session_start, compact_before, turn_end. `detail` says more: the source of
    a session's start, the trigger of a compaction. Missing fields are "".
    """

    __slots__ = ("answer", "client", "detail", "folder", "name", "native", "session", "transcript")

    def __init__(self, client: str, native: str, name: str, fields: "dict[str, str]") -> None:
        self.client = client
        self.native = native
        self.name = name
        self.session = fields.get("session", "")
        self.folder = fields.get("folder", "")
        self.transcript = fields.get("transcript", "")
        self.answer = fields.get("answer", "")
        self.detail = fields.get("detail", "")


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
            if isinstance(raw.get(name), str):
                fields[ours] = raw[name]
                break
    return Event(spec["name"], native, spec["events"].get(native, ""), fields)


def render(spec: "dict[str, Any]", event: Event, text: str) -> bytes:
    """What to print so that `text` reaches the model; empty when this event cannot carry any."""
    if not text or event.name not in spec["reply"]["inject_on"]:
        return b""
    text = text[: spec["reply"]["limit_characters"]]
    if spec["reply"]["shape"] != "nested":
        raise ValueError("unknown reply shape: " + spec["reply"]["shape"])
    # A wrong event name, or one key too many, and the client drops the text without a word.
    reply = {"hookSpecificOutput": {"hookEventName": event.native, "additionalContext": text}}
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")
