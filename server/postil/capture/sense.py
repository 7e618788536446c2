"""What a person's words ask to be kept: rules, corrections, praise, decisions. Pure, no model.

Only whole sentences of the person count: never a question, a quotation, code, or a pasted log.
Precision comes before recall: what is taken for a rule wrongly is told to every later session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from postil.words import clip


class Signal(StrEnum):
    """What a sentence is."""

    RULE = "rule"
    CORRECTION = "correction"
    PRAISE = "praise"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Sensed:
    """A sentence that asks to be kept: what it says, and the reason that it gives."""

    signal: Signal
    what: str
    why: str = ""


# What is not the person's own running text: code, quotations, logs, what stands in quotes.
_FENCE = re.compile(r"(?ms)^\s*(```|~~~).*?(?:^\s*\1|\Z)")
_LINE_ASIDE = re.compile(
    r"(?m)^(?:\s*>.*|(?: {4}|\t).*|\s*(?:Traceback|File \"|at \w|\$ |\+ |- \[|diff --git|@@|error:"
    r"|Error:|warning:|\[?\d{4}-\d\d-\d\d|E\s{2,}|\w+Error:).*|.*(?:\{|;|\)\s*:)\s*)$"
)
_QUOTED = re.compile(r"\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d|(?<!\w)'[^'\n]{12,}'(?!\w)")
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]+)*[.!?]*")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_LONGEST, _MOST, _SHORTEST = 400, 6, 2
# A pasted text is no instruction: who gives one does not write that much.
_MOST_TEXT = 6_000

_LEAD = (
    r"(?:(?:ok|okay|and|also|but|so|then|hey|hm+|right|well|yes|please|note|btw|remember|rule"
    r"|one more thing|important|reminder|again)\b[,:! -]*)*"
)
_STANDING = r"(?:from now on|going forward|in (?:the )?future|from here on(?: out)?|henceforth)"
_EACH = (
    r"(?:always|never|every(?:\s?time| single)?|each|whenever|any ?time|all"
    r"|before (?:you |we |any |every|each|commit|push|merg)|after (?:you |we |any |every|each)"
    r"|when(?:ever)? (?:you|we|adding|writing))"
)
_PAST = (
    r"(?:\w+ed|was|were|had|got|saw|did|went|came|made|found|knew|thought|meant|been|have|has)\b"
)
_PASSING = re.compile(
    r"\b(?:this time|for now|just this|only here|right now|right here|today|this once|in this"
    r" (?:case|file|function|test|pr|branch|commit|line)|on this line)\b"
)
_RULES = tuple(
    re.compile(rf"^{_LEAD}{pattern}")
    for pattern in (
        r"(?:you (?:should|must|have to|need to)|we (?:should|must|have to))?"
        r"\s*(?:always|never)\s+"
        rf"(?!mind\b|again\b|ever\b|fails?\b|works?\b|(?:the|a|an|this|that|had)\b|{_PAST})\w+",
        rf"we (?:always|never)\s+(?!{_PAST})\w+",
        r"(?:i (?:always |never )?(?:want|need|expect) you to (?:always|never)\b)",
        rf"{_STANDING}\b",
        rf".*\b{_STANDING}[.!]*$",
        r"(?:do not|don't|dont) ever\b",
        rf"(?:make sure|be sure|ensure|remember|see to it)\b(?: to| that| you)?\b.*\b{_EACH}\b",
        r"(?:every|each|any|all)\b [\w /`.-]{2,40}\b"
        r"(?:must|has to|have to|needs to|need to|should)\b",
        r"(?:stop|quit) (?:using|adding|writing|doing|putting|creating|making|calling|committing"
        r"|pushing|leaving|touching|changing|renaming|importing|asking|generating)\b",
        r"no more \w+",
        r"(?:i|we) (?:strongly )?prefer\b",
        r"(?:use|prefer|write|name|call|put|keep)\b [^,]{2,80}(?:,? (?:not|never)\b|\binstead of\b"
        r"|\brather than\b|\bover\b)",
        r"(?:do not|don't|dont|never) (?:use|add|write|put|touch|commit|push|edit|modify|import"
        r"|hardcode|mock|log|store|rename|delete|create|install|run|call|rely|depend|force|squash"
        r"|rebase|deploy)\b.*\b(?:anywhere|without|unless|any|to main|directly|by hand|in prod\w*"
        r"|in tests?|in this (?:repo|repository|project|codebase))\b",
        r"(?:in this (?:repo|repository|project|codebase)|around here|here)\b,? we\b",
        r"the (?:rule|convention|policy) is\b",
        r"it(?:'s| is) (?:a|our) (?:rule|convention|policy)\b",
    )
)
_CORRECTIONS = tuple(
    re.compile(rf"^{_LEAD}{pattern}")
    for pattern in (
        r"(?:no|nope|nah)\b[,.:! -]+(?:that|this|it|the|you|we|i|use|don't|dont|do not|not|there"
        r"|they|your|our|please (?:use|don't|do not)|wrong)\b",
        r"(?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|true|what i|how"
        r"|it\b|quite right)|the wrong)",
        r"(?:that|this)(?:'s| is)n't (?:right|correct|true|what i|how|it\b)",
        r"that isn't (?:right|correct|true|what i|how)",
        r"wrong\b(?:[,.:!-]|$"
        r"| (?:file|branch|function|approach|place|test|one|table|port|directory))",
        r"you(?:'ve| have)? (?:misread|misunderstood|forgot|missed|broke|got .{1,40} wrong|mixed up"
        r"|confused|deleted the wrong|changed the wrong|edited the wrong)",
        r"not how we\b",
        r"we (?:don't|do not|dont) (?:use|do|want|have|need|support|ship|call|name|put|write)\b",
        r"(?:you|it|that|this) should(?:n't| not) (?:have|be)\b",
        r"(?:you|it|that|this) should have (?:been|used|returned|called|gone)\b",
        r"i (?:said|asked|meant|wanted|told you)\b.{2,80}\bnot\b",
        r"i (?:didn't|did not|never) (?:ask|say|mean|want|tell)",
        r"actually,? (?:no\b|it(?:'s| is| should| has)|that(?:'s| is)|the .{2,40} (?:is|are|lives"
        r"|belongs|should)|we (?:use|don't|do|call|have|need)|you should)",
        r"incorrect\b",
    )
)
_NO_CORRECTION = re.compile(
    r"^\W*(?:no|nope|nah)\b[,.! -]+(?:that(?:'s| is)|this is|it(?:'s| is))"
    r" (?:ok|okay|fine|good|all|great|perfect)"
    r"|^\W*no\b[,.! -]+(?:you (?:can|may|are|were) |i(?:'m| am| think| don't| do not| have)"
    r"|we(?:'re| are) (?:good|fine|done))"
)
_PRAISE = re.compile(
    rf"^{_LEAD}(?:(?:perfect|excellent|brilliant|awesome|amazing|fantastic|wonderful|lovely|superb"
    r"|exactly(?: right| that| what i (?:wanted|meant|needed))?|spot on|nailed it|well done|bravo)"
    r"(?:[,.! ]+(?:thanks|thank you|that.*|just what.*|great.*|exactly.*|this is.*|works.*"
    r"|love.*))?"
    r"|(?:great|good|nice|excellent|fantastic) (?:work|job|catch|find|call|one|solution|idea)\b.*"
    r"|(?:that|this|it)(?:'s| is| looks| works| was)\s+(?:exactly |just )?(?:right|correct|perfect"
    r"|great|excellent|spot on|exactly (?:it|right|what)|what i (?:wanted|needed|meant)|brilliant"
    r"|perfectly|beautifully|lovely|much better)\b.*"
    r"|yes[,.! ]+(?:exactly|perfect|that's (?:it|right|correct|exactly|perfect)|correct)\b.*"
    r"|i (?:really )?(?:love|like) (?:it|this|that|how|the way)\b.*"
    r"|looks (?:great|perfect|excellent|good to me)\b.*"
    r"|works (?:great|perfectly|like a charm)\b.*)[.!]*$"
)
_NO_PRAISE = re.compile(r"\b(?:but|except|however|although|storm|would be|if you|only)\b")
_BECAUSE = (
    r"(?:because|since|so that|due to|as it|as we|as they|given that|for its|for the sake of)"
)
_DECIDED = re.compile(
    rf"^{_LEAD}(?:(?:we|i|the team)(?:'ve| have|'re| are|'ll| will)?\s+"
    r"(?:now |all |finally |just )?"
    r"(?:chose|choose|chosen|decided|decide|picked|pick|went with|go(?:ing)? with"
    r"|settled (?:on|for)|agreed (?:on|to|that)|switched to|switching to|moved to|moving to"
    r"|dropped|rejected|adopted|standardi[sz]ed on|stick(?:ing)? (?:with|to)"
    r"|stay(?:ing)? (?:with|on)|keep(?:ing)?|use|using)"
    r"|let's (?:go with|use|keep|stick (?:with|to)|stay (?:with|on)|drop|adopt|do)"
    r"|(?:the )?decision(?: is|:| was)|decided:)\b"
)
_NEEDS_NO_REASON = re.compile(
    r"\b(?:decided|decision|settled (?:on|for)|agreed (?:on|to|that)|standardi[sz]ed on|chose)\b"
)
_REASON = re.compile(rf"[\s,;:(-]+(?={_BECAUSE}\b)")
_WHY = re.compile(r"^(?:because|since|so that|due to|given that)\s+")


def sense(text: str) -> list[Sensed]:
    """What a person's turn asks to be kept, in the order of its sentences, few at most."""
    if len(text) > _MOST_TEXT:
        return []
    own = _FENCE.sub("\n", text.replace("\u2019", "'"))
    own = _LINE_ASIDE.sub("", own)
    found: list[Sensed] = []
    for match in _SENTENCE.finditer(own):
        sentence = _BULLET.sub("", match[0]).strip()
        if sentence and not sentence.endswith("?") and _SHORTEST <= len(sentence) <= _LONGEST:
            signal = _signal(_QUOTED.sub("\u2026", sentence).lower())
            if signal is not None:
                found.append(_sensed(signal, sentence))
    return found[:_MOST]


def _signal(plain: str) -> Signal | None:
    """What a sentence is, by its words in lower case."""
    if _DECIDED.match(plain) and (_REASON.search(plain) or _NEEDS_NO_REASON.search(plain[:60])):
        return Signal.DECISION
    if any(rule.match(plain) for rule in _RULES) and not _PASSING.search(plain):
        return Signal.RULE
    if any(one.match(plain) for one in _CORRECTIONS) and not _NO_CORRECTION.match(plain):
        return Signal.CORRECTION
    if len(plain) <= 120 and _PRAISE.match(plain) and not _NO_PRAISE.search(plain):
        return Signal.PRAISE
    return None


def _sensed(signal: Signal, sentence: str) -> Sensed:
    what, why = sentence, ""
    parts = _REASON.split(sentence, maxsplit=1)
    if signal is not Signal.PRAISE and len(parts) == 2 and len(parts[0].split()) > 2:
        what, why = parts[0].rstrip(" ,;:("), _WHY.sub("", parts[1]).rstrip(" .!)")
    return Sensed(signal, clip(what, _LONGEST), clip(why, _LONGEST))
