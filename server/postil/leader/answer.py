"""What the leader says to the command line."""

from __future__ import annotations

import json

from postil import tools
from postil.errors import PostilError
from postil.model import Actor
from postil.workspace import Workspace


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
