"""A statement in canonical form: two that have the same form say the same. Pure.

Words are replaced by their head word, weightless ones dropped, the rest stemmed. Numbers carry
their unit, denial is bound to the words it denies, passive voice is turned round, and phrases may
stand in any order; but inside a phrase order counts: `a calls b` is not `b calls a`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from postil.memory.dedup.lexicon import (
    ENGLISH,
    Tongue,
    pairs_of,
    phrase_pattern,
    spoken,
    verb_stems,
)
from postil.memory.dedup.lexicon import tongue as named

# A longer text is a document, not a statement: it is known again only by its whole content.
LONGEST = 2_000

_CONTRACTIONS = (
    (re.compile(r"’"), "'"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\b(do|does) not (.{3,60}?) any ?more\b"), r"nolonger \2"),
    (re.compile(r"\b(\w+)n't\b"), r"\1 not"),
    (re.compile(r"\b(we|you|they)'(?:re|ve|ll|d)\b"), r"\1"),
    (re.compile(r"\b(i|he|she|it|that|there|what|let)'(?:m|s|ll|d|ve)\b"), r"\1 is"),
    (re.compile(r"(?<=\w)'s?(?=\s|$)"), ""),
    (re.compile(r"\bin (\w+) order\b"), r"\1"),
    (re.compile(r"\b(?:over|above) (?=\d)"), "> "),
    (re.compile(r"\b(?:under|below) (?=\d)"), "< "),
)
_COUNTING = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_COUNTING)} | {
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "sixty": "60",
    "hundred": "100",
    "half": "50 %",
}
_COUNTED = re.compile(rf"(?<![\w./-])(?:{'|'.join(_NUMBER_WORDS)})(?![\w/-])")
_BYTES = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_ENDINGS = (
    "py|js|ts|tsx|jsx|go|rs|java|c|h|cpp|rb|php|sql|sh|md|json|ya?ml|toml|ini|cfg|txt|html|css"
    "|lock|env|xml|proto|csv"
)
_TOKEN = re.compile(
    rf"""
    (?P<url>\w+://[^\s,;)"'`]+)
    | (?P<path>(?:~|\.{{1,2}})?/?(?:[\w.@{{}}*+-]+/)+[\w.@{{}}*+-]*|(?<!\w)/[\w.-]+
      |[\w-][\w.-]*\.(?:{_ENDINGS})\b)
    | (?P<flag>(?<![\w-])--?[a-z][\w-]*(?:=\S+)?)
    | (?P<date>\d{{4}}-\d\d(?:-\d\d)?)
    | (?P<time>\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]m\b)?)
    | (?P<version>v\d+(?:\.\d+)*\b|\d+\.\d+(?:\.\d+)+[\w.-]*|\d+\.\d+[a-z]\w*)
    | (?P<number>(?:[<>]=?\s+|[<>=~^$€£#+-]{{0,2}})\d[\d_]*(?:[.,]\d+)*)\s?(?P<unit>%|per\scent\b|[^\W\d_]+\b)?
    | (?P<name>[^\W\d]\w*(?:(?:\.|::|->)\w+)+(?:\(\))?|\w*_\w+(?:\(\))?|[^\W\d]\w*\(\))
    | (?P<word>[^\W_]+(?:[-+\#]+[^\W_]+|\+\+|\#)*)
    | (?P<stop>[.,;:!?—–])
    """,
    re.VERBOSE,
)
_CAMEL = re.compile(r"(?<![\w./-])(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)(?![\w/-])")
# Prepositions and conjunctions that give the words after them another part to play.
_STRONG = frozenset(
    [
        "from",
        "into",
        "onto",
        "before",
        "after",
        "until",
        "since",
        "than",
        "over",
        "under",
        "above",
        "below",
        "behind",
        "against",
        "between",
        "without",
        "except",
        "onlyif",
        "onlyfor",
        "if",
        "when",
        "while",
        "within",
        "insteadof",
        "during",
        "because",
        "like",
    ]
)
_BE = frozenset(["is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"])
_AUXILIARY = _BE | frozenset(
    ["do", "does", "did", "must", "should", "may", "will", "would", "has", "have", "am", "to"]
)
_ALL = frozenset(("all", "every", "each", "any"))
_PERIODS = frozenset(
    [
        "second",
        "minute",
        "hour",
        "day",
        "night",
        "week",
        "month",
        "quarter",
        "year",
        "morning",
        "evening",
        "sprint",
        "release",
        "time",
        "minutes",
        "hours",
        "days",
        "weeks",
        "months",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "weekday",
    ]
)
_IRREGULAR = frozenset(
    [
        "built",
        "run",
        "set",
        "kept",
        "written",
        "sent",
        "made",
        "held",
        "put",
        "read",
        "done",
        "stored",
        "known",
        "found",
        "hidden",
        "given",
        "taken",
        "split",
        "chosen",
        "bound",
        "owned",
        "used",
        "shown",
        "cut",
    ]
)
_REASON = re.compile(
    r"\s*(?:[,;:(—–-]\s*)?\b(?:because|since|so that|so we|so the|as it|as they|as we|due to"
    r"|owing to|given that|in order to|to avoid|to prevent|the reason being|otherwise|weil|denn"
    r"|porque|parce que|perché|omdat|потому что)\b\s*(?P<reason>.+)$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of weight. `marks` are the parts it plays: denied, or after a preposition."""

    text: str
    kind: str = field(default="word", compare=False)
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A canonical statement: its phrases in any order, each the sequence of its words."""

    phrases: tuple[tuple[Token, ...], ...]
    reason: str = ""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All words."""
        return tuple(token for phrase in self.phrases for token in phrase)


def canonical(text: str) -> Form:
    """The canonical form of a statement; a reason that it gives itself is set apart."""
    text = unicodedata.normalize("NFKC", text)
    match = _REASON.search(text)
    reason = ""
    if match is not None and match.start() >= 8:
        text, reason = text[: match.start()], match["reason"].strip(" .)")
    tongue = spoken(text)
    phrases = list(_phrases_of(text, tongue))
    if tongue.name == ENGLISH:
        phrases = _voiced([phrase for phrase in phrases if phrase])
    arranged = [_arranged(phrase, tongue) for phrase in phrases]
    kept = sorted(_joined([phrase for phrase in arranged if phrase]), key=str)
    return Form(tuple(kept), reason)


def _phrases_of(text: str, tongue: Tongue) -> Iterator[list[Token]]:
    names = {name.casefold() for name in _CAMEL.findall(text)}
    lower = text.casefold()
    if tongue.name == ENGLISH:
        for pattern, plain in _CONTRACTIONS:
            lower = pattern.sub(plain, lower)
    pattern, heads = phrase_pattern()
    lower = pattern.sub(lambda match: f" {heads[match.group(0)]} ", lower)
    sentence: list[Token] = []
    for token in (*_tokens(lower, names), Token(".", "stop")):
        if token.kind != "stop":
            sentence.append(token)
            continue
        yield from _phrases(sentence, tongue)
        sentence = []


def _tokens(lower: str, names: set[str]) -> Iterator[Token]:
    lower = _COUNTED.sub(lambda match: _NUMBER_WORDS[match.group(0)], lower)
    for match in _TOKEN.finditer(lower):
        kind, text = match.lastgroup or "word", match.group(0)
        if match["number"]:
            yield from _number(match["number"], match["unit"] or "")
        elif kind == "stop":
            yield Token(text, kind)
        elif kind == "time":
            yield Token(_clock(text), kind)
        elif kind == "word":
            plain = text.replace("-", "")
            yield Token(plain, "name" if text in names else kind)
        else:
            yield Token(text.rstrip("/."), kind)


def _number(number: str, unit: str) -> Iterator[Token]:
    units = pairs_of("units")
    value = re.sub(r"(?<=\d)[,_](?=\d{3}\b)|\s", "", number)
    known = units.get(unit, unit)
    if known in _BYTES and re.fullmatch(r"\d+", value):
        yield Token(f"{int(value) * _BYTES[known]} b", "number")
    elif known not in units.values():
        yield Token(value, "number")
        if unit:
            yield Token(unit)
    elif known in _SECONDS and re.fullmatch(r"\d+(?:\.\d+)?", value):
        yield Token(f"{float(value) * _SECONDS[known]:g} s", "number")
    else:
        yield Token(f"{value} {known}", "number")


def _phrases(sentence: list[Token], tongue: Tongue) -> Iterator[list[Token]]:
    """The phrases of a sentence: an opener begins one; denial marks what it denies."""
    denied = _denies_all(sentence, tongue)
    if denied and any(token.text in ("onlyif", "without") for token in sentence):
        # `never without x` is `only with x`.
        denied = False
        sentence = [
            replace(token, text="onlyif") if token.text == "without" else token
            for token in sentence
            if token.text not in tongue.denials or token.text == "without"
        ]
    core: tuple[str, ...] = ("not",) if denied else ()
    ahead: tuple[str, ...] = ()  # what a denial of the following words only adds
    phrase: list[Token] = []
    marks = core
    directed = any(token.text == "from" for token in sentence)
    for place, token in enumerate(sentence):
        text = token.text if token.kind == "word" else ""
        if text in tongue.denials and text != "without":
            if not denied:
                yield phrase
                phrase, marks, ahead = [], ("not",), ("not",)
            if text == "nolonger":
                phrase.append(Token(text))
        elif text in _STRONG or (directed and text == "to"):
            yield phrase
            phrase, marks = [], (*ahead, _SAME_OPENER.get(text, text))
        elif text in tongue.weak and place and text != "to":
            yield phrase
            phrase, marks = [], ahead
        elif text in _ALL and place and _counts(sentence, place, denied):
            yield phrase
            phrase, marks = [replace(token, text="every", marks=ahead)], ahead
        elif text == "to" and phrase and not _is_verb(sentence, place + 1, tongue):
            yield phrase
            phrase, marks = [], ahead
        elif denied and text == "may":
            continue
        elif phrase and marks == core and _is_predicate(sentence, place, tongue):
            yield phrase
            phrase = [replace(token, marks=marks)]
        elif text not in _ALL or _counts(sentence, place, denied):
            phrase.append(replace(token, marks=marks))
    yield phrase


_SAME_OPENER = {"when": "if", "onlyfor": "only"}


def _counts(sentence: list[Token], place: int, denied: bool) -> bool:
    """Whether `all` or `every` says something here: `not all`, `every 5 minutes`."""
    following = sentence[place + 1] if place + 1 < len(sentence) else Token("")
    return denied or following.kind == "number" or following.text in _PERIODS


def _is_predicate(sentence: list[Token], place: int, tongue: Tongue) -> bool:
    """Whether a word is the verb of its sentence, by its agreement with the word before it."""
    token, before = sentence[place], sentence[place - 1]
    if token.kind != "word":
        return False
    first = sentence[0]
    if first.kind == "word" and not first.text.endswith("s") and _is_verb(sentence, 0, tongue):
        return token.text in _BE  # a command: what follows is its object
    if tongue.name != ENGLISH:
        return tongue.root(token.text) in _use_roots()
    if token.text in _BE or token.text in ("has", "have"):
        return True
    if not _is_verb(sentence, place, tongue):
        return False
    if before.kind != "word" or before.text in ("to", "may", "will", "would", "do", "does"):
        return True
    singular = token.text.endswith("s") and not token.text.endswith("ss")
    plural_before = before.text.endswith("s") and not before.text.endswith(("ss", "us", "is"))
    return singular != plural_before or before.text in ("we", "you", "they", "i")


def _is_verb(sentence: list[Token], place: int, tongue: Tongue) -> bool:
    return place < len(sentence) and tongue.stem(sentence[place].text) in verb_stems()


@cache
def _use_roots() -> frozenset[str]:
    words = (
        ("german", "verwenden"),
        ("french", "utiliser"),
        ("spanish", "usar"),
        ("italian", "usare"),
        ("portuguese", "usar"),
        ("dutch", "gebruiken"),
        ("russian", "использовать"),
    )
    return frozenset(named(name).root(word) for name, word in words)


def _denies_all(sentence: list[Token], tongue: Tongue) -> bool:
    """Whether a denial concerns the whole sentence and not only the words after it."""
    for place, token in enumerate(sentence):
        if token.kind != "word" or token.text not in tongue.denials or token.text == "without":
            continue
        before = sentence[place - 1].text if place else ""
        if tongue.name != ENGLISH or token.text in ("never", "nolonger") or before in _AUXILIARY:
            return True
        if not place and token.text in ("not", "no", "none"):
            return True
    return False


def _clock(text: str) -> str:
    """A time of day as hours and minutes of 24."""
    hours, minutes = text.split(":")[:2]
    late = 12 if "pm" in text and int(hours) < 12 else 0
    return f"{int(hours) + late}:{minutes[:2]}"


def _arranged(phrase: list[Token], tongue: Tongue) -> tuple[Token, ...]:
    """The words of a phrase that carry weight, in the order of the active voice."""
    kept: list[Token] = []
    for place, token in enumerate(phrase):
        beside = [
            one.kind for one in (*phrase[max(place - 1, 0) : place], *phrase[place + 1 :][:1])
        ]
        if token.text in _CLASSES and any(kind in ("flag", "name", "path") for kind in beside):
            continue  # `the -v flag`
        weighed = _weighed(token, tongue)
        if weighed is not None and weighed not in kept[-1:]:
            kept.append(weighed)
    # Where a verb stands between two words their order says who does what to whom.
    if len(kept) <= 2 or not any(one.text in verb_stems() for one in kept[1:]):
        kept.sort(key=lambda token: (token.text, token.marks))
    return tuple(kept)


_CLASSES = frozenset(
    [
        "flag",
        "option",
        "variable",
        "env",
        "environment",
        "file",
        "function",
        "method",
        "class",
        "field",
    ]
)


def _voiced(phrases: list[list[Token]]) -> list[list[Token]]:
    """Phrases in which `secrets` + `are rotated` became `rotated secrets`.

    A form of `be` with anything else only ties two phrases together; its past is kept.
    """
    done: list[list[Token]] = []
    for phrase in phrases:
        if not phrase or phrase[0].kind != "word" or phrase[0].text not in _BE:
            done.append(phrase)
            continue
        verb = phrase[1] if len(phrase) > 1 else Token("")
        participle = verb.text.endswith("ed") or verb.text in _IRREGULAR
        if participle and verb.kind == "word" and done:
            done[-1] = [verb, *done[-1], *phrase[2:]]
        else:
            past = [replace(phrase[0], text="past")] if phrase[0].text in ("was", "were") else []
            done.append([*past, *phrase[1:]])
    return done


def _joined(phrases: list[tuple[Token, ...]]) -> list[tuple[Token, ...]]:
    """`tests` + `run` as `run tests`: a verb without an object says it of its subject."""
    done: list[tuple[Token, ...]] = []
    for phrase in phrases:
        alone = len(phrase) == 1 and phrase[0].text in verb_stems() and phrase[0].kind == "word"
        if alone and done and done[-1] and done[-1][0].marks == phrase[0].marks:
            done[-1] = tuple(sorted((*done[-1], *phrase), key=lambda one: (one.text, one.marks)))
        else:
            done.append(phrase)
    return done


def _weighed(token: Token, tongue: Tongue) -> Token | None:
    if token.kind not in ("word", "name"):
        return token
    if _UNSPACED.search(token.text):
        return _unspaced(token)
    if token.kind == "name":
        return replace(token, text=tongue.heads.get(token.text, token.text))
    root = tongue.root(token.text)
    return replace(token, text=root) if root else None


_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_PARTICLES = re.compile(
    r"から|まで|です|ます|してください|して下さい|する|します|こと|必ず|常に|いつも|を|に|で|の|と|も|へ|は|が"
    r"|必须|应该|应当|一直|总是|务必|一定|我们|的|了|请|把|在|是|都|会|要|须|被|对"
    r"|에서|으로|합니다|한다|하세요|해야|항상|반드시|은$|는$|이$|가$|을$|를$|에$|의$|와$|과$|도$"
)
_UNSPACED_SAME = (
    ("采用", "使用"),
    ("運用", "使用"),
    ("利用", "使用"),
    ("使い", "使用"),
    ("사용", "使用"),
)
_UNSPACED_DENIAL = re.compile(r"不|没|禁止|勿|别|ない|ません|않|마세요|금지")


def _unspaced(token: Token) -> Token | None:
    text = token.text
    marks = (*token.marks, "not") if _UNSPACED_DENIAL.search(text) else token.marks
    for other, head in _UNSPACED_SAME:
        text = text.replace(other, head)
    rest = _PARTICLES.sub("", _UNSPACED_DENIAL.sub("", text))
    return Token(rest, "word", marks) if rest or marks else None
