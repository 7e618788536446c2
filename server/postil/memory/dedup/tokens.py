"""A statement in tokens: words, and values in a form that can be compared. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from postil.memory.dedup.lexicon import pairs_of

VALUES = ("number", "version", "date", "time", "path", "flag", "pair", "name", "url")

_COUNTING = "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_COUNTING.split("|"))} | {
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
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_TOKEN = re.compile(
    rf"""
    (?P<url>\w+://[^\s,;)"'`]+)
    | (?P<path>(?:~|\.{{1,2}})?/?(?:[\w.@{{}}*+-]+/)+[\w.@{{}}*+-]*|(?<!\w)/[\w.-]+
      |[\w-][\w.-]*\.(?:{_ENDINGS})\b)
    | (?P<pair>[^\W\d]\w*=[^\s,;=]+)
    | (?P<flag>(?<![\w-])--?[a-z][\w-]*(?:=\S+)?)
    | (?P<date>\d{{4}}-\d\d(?:-\d\d)?)
    | (?P<day>(?:{_MONTHS})[a-z]*\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}
      |\d{{1,2}}\.?\s(?:{_MONTHS})[a-z]*\.?,?\s\d{{4}})
    | (?P<time>\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]m\b)?|\d{{1,2}}\s?[ap]m\b)
    | (?P<version>v\d+(?:\.\d+)*\b|\d+\.\d+(?:\.\d+)+[\w.-]*|\d+\.\d+[a-z]\w*)
    | (?P<power>\d+(?:\.\d+)?e[+-]?\d+\b)
    | (?P<number>(?:[<>]=?\s+|[<>=~^$€£\#+-]{{0,2}})\d[\d_]*(?:[.,]\d+)*)
      \s?(?P<unit>%|per\scent\b|[^\W\d_]+\b)?
    | (?P<name>[^\W\d]\w*(?:(?:\.|::|->)\w+)+(?:\(\))?|\w*_\w+(?:\(\))?|[^\W\d]\w*\(\))
    | (?P<word>[^\W_]+(?:[-+\#]+[^\W_]+|\+\+|\#)*)
    | (?P<stop>[.,;:!?\u2014\u2013])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of weight. `marks` are the parts it plays: denied, or after a preposition."""

    text: str
    kind: str = field(default="word", compare=False)
    marks: tuple[str, ...] = ()

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a name, a path or the like: what statements differ in."""
        return self.kind in VALUES


def tokens(lower: str, names: set[str]) -> Iterator[Token]:
    """The tokens of a text in lower case; `names` are words of it that were CamelCase."""
    lower = _COUNTED.sub(lambda match: _NUMBER_WORDS[match.group(0)], lower)
    for match in _TOKEN.finditer(lower):
        kind, text = match.lastgroup or "word", match.group(0)
        if kind == "power":
            yield Token(f"{float(text):.12g}", "number")
        elif match["number"]:
            yield from _number(match["number"], match["unit"] or "")
        elif kind == "stop":
            yield Token(text, kind)
        elif kind == "time":
            yield Token(_clock(text), kind)
        elif kind == "day":
            yield Token(_iso(text), "date")
        elif kind == "version":
            yield Token(re.sub(r"^(v\d+)\.0$", r"\1", text), kind)
        elif kind == "path":
            yield Token(text.removeprefix("./").rstrip("/."), kind)
        elif kind == "word":
            plain = text.replace("-", "")
            yield Token(plain, "name" if text in names else kind)
        else:
            yield Token(text.rstrip("/."), kind)


def _number(number: str, unit: str) -> Iterator[Token]:
    units = pairs_of("units")
    value = re.sub(r"(?<=\d)[,_](?=\d{3}\b)|\s|^#", "", number)
    known = units.get(unit, unit)
    if known in _BYTES and value.isdigit():
        yield Token(f"{int(value) * _BYTES[known]} b", "number")
    elif known not in units.values():
        yield Token(value, "number")
        if unit:
            yield Token(unit)
    elif known in _SECONDS and re.fullmatch(r"\d+(?:\.\d+)?", value):
        yield Token(f"{float(value) * _SECONDS[known]:g} s", "number")
    else:
        yield Token(f"{value} {known}", "number")


def _clock(text: str) -> str:
    """A time of day as hours and minutes of 24."""
    hours, _, minutes = text.rstrip(" apm").partition(":")
    late = 12 if "pm" in text and int(hours) < 12 else 0
    return f"{int(hours) + late}:{minutes[:2] or '00'}"


def _iso(text: str) -> str:
    """A day with its month by name as year, month and day."""
    month = _MONTHS.split("|").index(re.search(_MONTHS, text)[0]) + 1  # type: ignore[index]
    day, year = re.findall(r"\d+", text)
    return f"{year}-{month:02}-{int(day):02}"
