"""Shows an edit to a person before it is written."""

from __future__ import annotations

import difflib

from postil.redact import redact
from postil_installers.plan import Edit


def diff(edit: Edit) -> str:
    """The change as a unified diff; carriage returns and byte order marks are not shown."""
    before, after = _lines(edit.before or b""), _lines(edit.after)
    name = str(edit.path)
    old = name if edit.before is not None else "/dev/null"
    return "\n".join(difflib.unified_diff(before, after, old, name, lineterm="", n=2))


def _lines(text: bytes) -> list[str]:
    # Neighbouring entries may hold other programs' tokens; a file may be one long line.
    shown = redact(text.decode("utf-8-sig", "replace")).text.splitlines()
    return [line if len(line) < 400 else f"{line[:200]} ... {line[-150:]}" for line in shown]
