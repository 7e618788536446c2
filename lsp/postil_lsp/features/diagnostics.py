"""Diagnostics: memories that may not hold any more, and rules that are broken here.

Hints where something is only doubtful, information where a rule is broken; never more than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from postil.codemap import rules
from postil.model import Memory
from postil.review import line_mark
from postil.words import clip
from postil_hooks.quote import disarm
from postil_lsp.features.document import Document, Range
from postil_lsp.features.margin import Margin, doubt

_LENGTH = 160
_MOST = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to be looked at: `code` is drifted, moved, expired, contradicted or broken-rule.

    `line` is the text that a dismissal would be about.
    """

    range: Range
    code: str
    message: str
    memory: str
    line: str = ""


Dismissed = Mapping[tuple[str, str, str], str]
_CODES = {
    "code changed since": "drifted",
    "code moved since": "moved",
    "expired": "expired",
    "contradicted": "contradicted",
}


def problems(
    document: Document, margin: Margin, every: Iterable[Memory], dismissed: Dismissed
) -> list[Problem]:
    """All of a document, in the order of its lines. `every` are the rules that can be checked."""
    found = list(_doubtful(document, margin))
    for rule in every:
        found += _broken(document, rule, dismissed)
    return sorted(found, key=lambda one: (one.range.line, one.range.start))[:_MOST]


def _doubtful(document: Document, margin: Margin) -> Iterable[Problem]:
    for place, tied, _ in margin.placed(document):
        for one in tied:
            reason = doubt(one, margin)
            code = _CODES.get(reason)
            if code is None or code == "moved":
                continue  # what only moved is still what it was
            text = clip(disarm(one[0].what), _LENGTH)
            if code == "contradicted":
                text += f" / {clip(disarm(margin.contested[one[0].id].what), _LENGTH)}"
            yield Problem(place, code, f"{reason.capitalize()}: {text}", one[0].id)


def _broken(document: Document, rule: Memory, dismissed: Dismissed) -> Iterable[Problem]:
    if rules.flaw(rule.pattern):
        return
    try:
        lines = rules.breaks(rule.pattern, document.path, document.text.encode("utf-8", "replace"))
    except TimeoutError:
        return  # `postil review` names expressions that take too long
    for number in lines:
        text = document.lines[number - 1] if number else ""
        if (rule.id, document.path, line_mark(text)) in dismissed:
            continue
        start = len(text) - len(text.lstrip())
        place = Range(max(number - 1, 0), start, len(text.rstrip()))
        message = f"Breaks the rule: {clip(disarm(rule.what), _LENGTH)}"
        yield Problem(place, "broken-rule", message, rule.id, text)
