"""Words of scripts that are written without spaces: particles, use and denial told apart. Pure."""

from __future__ import annotations

import re

from postil.memory.dedup.tokens import Token

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_PARTICLES = re.compile(
    r"から|まで|です|ます|してください|して下さい|する|します|こと|必ず|常に|いつも|を|に|で|の|と|も|へ"
    r"|は|が|作为|所有|统一|必须|应该|应当|一直|总是|务必|一定|我们|的|了|请|把|在|是|都|会|要|须|被|对"
    r"|에서|으로|합니다|한다|하세요|해야|항상|반드시|하기|은$|는$|이$|가$|을$|를$|에$|의$|와$|과$|도$"
)
# Who uses what is told by the other words: these carry no weight, as `use` does elsewhere.
_UNSPACED_USE = re.compile(r"使用|采用|採用|運用|利用|使い|用的是|用(?![户戶途])|사용")
_UNSPACED_DENIAL = re.compile(r"不|没|禁止|勿|别|ない|ません|않|마세요|금지")


def is_unspaced(text: str) -> bool:
    """Whether a text has words of a script without spaces."""
    return bool(_UNSPACED.search(text))


def unspaced(token: Token) -> Token | None:
    """A run of a script without spaces: particles go, the rest is one word."""
    text = token.text
    marks = (*token.marks, "not") if _UNSPACED_DENIAL.search(text) else token.marks
    text = _UNSPACED_USE.sub("", _UNSPACED_DENIAL.sub("", text))
    rest = _PARTICLES.sub("", text)
    return Token(rest, "word", marks) if rest or marks else None
