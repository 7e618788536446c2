"""One module for each client's transcript format."""

from __future__ import annotations

from postil.capture.formats import claude, codex, copilot, cursor, gemini
from postil.capture.transcript import Parse

FORMATS: dict[str, Parse] = {
    "claude": claude.parse,
    "codex": codex.parse,
    "copilot": copilot.parse,
    "cursor": cursor.parse,
    "gemini": gemini.parse,
}
