"""How recalled text is quoted: as data, which no client can take for its own markup."""

import os
import re

# Tags by which clients mark what is not a user's text; inside a memory they are only words.
_MARKUP = re.compile(
    r"<(?=/?\s*(?:system|user|assistant|human|tool|function|invoke|parameter|hook|antml|context"
    r"|instructions|command|local-command|persisted|postil)[\w:-]*[\s>/])",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x9b\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ENDS = re.compile("[\r\n\u2028\u2029]+")


def disarm(text: str) -> str:
    """Text without control characters, in which no client's markup can be mistaken for its own."""
    return _MARKUP.sub("\u2039", _CONTROL.sub("", text))


def flat(text: str) -> str:
    """`disarm`, on one line: whatever a file name or a signature holds, it starts no line."""
    return _ENDS.sub(" ", disarm(text))


def fence() -> str:
    """A mark that no stored text can know, to tell where recalled text begins and ends."""
    return os.urandom(3).hex()
