"""Arguments that several tools take."""

from __future__ import annotations

from postil.toolspec.declare import Parameter

KINDS = (
    "decision",
    "fact",
    "rule",
    "preference",
    "plan",
    "lesson",
    "snippet",
    "summary",
    "note",
)
SCOPES = ("project", "user", "team", "session", "diary")
ID = Parameter("id", "string", "The id in brackets.", required=True)
# Without a number the settings `recall.tokens` and `brief.tokens` hold.
TOKENS = Parameter(
    "tokens", "integer", "Most tokens the answer may cost (about 800).", minimum=50, maximum=20_000
)
LIMIT = Parameter("limit", "integer", "Most results.", 10, minimum=1, maximum=100)
