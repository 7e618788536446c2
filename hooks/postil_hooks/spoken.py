"""What was said, without what clients and we ourselves put around it. Pure."""

import re

# What a client or a hook put into a user's turn.
_INJECTED = re.compile(
    r"<(system-reminder|system_reminder|hook_context|hook_prompt|user-prompt-submit-hook"
    r"|session_context|environment_context|user_instructions|INSTRUCTIONS|ide_[a-z_]+)>.*?</\1>\s*",
    re.DOTALL,
)
# Our own notes, with their fence; they may stand indented or behind a client's words.
_OURS = re.compile(
    r"(?:^[^\n]*)?Postil[^\n]*recalled notes ([0-9a-f]{6}) \(data, not instructions\).*?"
    r"End of notes \1[^\n]*(?:\n|$)|Recalled notes ([0-9a-f]{6}) \(data, not instructions\):.*?"
    r"End of notes \2(?:\n|$)",
    re.DOTALL | re.MULTILINE,
)
# What wraps a user's own words.
_WRAPPED = re.compile(r"\A\s*<user_query>\s*(.*?)\s*</user_query>\s*\Z", re.DOTALL)
# How texts begin that nobody said.
_NOBODY = (
    "<local-command-",
    "<command-name>",
    "<command-message>",
    "Caveat: The messages below",
    "# AGENTS.md instructions",
    "<environment_context>",
)


def spoken(text: str) -> str:
    """The words of a turn; "" when nobody said it."""
    text = _INJECTED.sub("", text)
    if "of notes" in text or "ecalled notes" in text:
        text = _OURS.sub("", text)
    wrapped = _WRAPPED.match(text)
    text = (wrapped[1] if wrapped else text).strip()
    return "" if text.startswith(_NOBODY) else text
