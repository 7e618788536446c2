"""Phrases of time in a query: the spans that they mean to the one who asks. Pure.

Only what can hardly be anything else is read as a time: `in May 2023` and `last friday` are, `may`,
`march`, `second`, `sun` and `in memory` alone are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
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
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4}
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
_MONTH += r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(_DAYS)})"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_SIDES = ("since", "after", "before", "until", "till")
_OPENS = re.compile(r"\b(?:between|from)\s*$", re.IGNORECASE)
_JOINS = re.compile(r"\s*(?:and|to|until|till|through|-|\u2013)\s*", re.IGNORECASE)
_EVENT = re.compile(
    r"\b(?P<side>before|after|since) (?:the|our|we|it was|they) (?P<event>[\w -]{3,60})",
    re.IGNORECASE,
)
# A question is short; what is pasted after it says no time of asking.
_READ = 2_000
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in seconds since the epoch: [start, end)."""

    start: float
    end: float

    def holds(self, at: float) -> bool:
        """Whether an instant lies in it."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Phrase:
    """Where in a text a time is said, [place, stop) in characters, and which."""

    place: int
    stop: int
    span: Span


Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class _Said:
    """A phrase at a place of the text, and the days that it means."""

    place: int
    stop: int
    start: datetime
    end: datetime


def phrases_in(text: str, now: float, offset: int) -> tuple[Phrase, ...]:
    """The times that `text` says, as meant at `now`, `offset` minutes east of UTC."""
    here = datetime.fromtimestamp(now, timezone(timedelta(minutes=offset)))
    said: list[_Said] = []
    text = text[:_READ]
    rest = text
    for pattern, meaning in _PHRASES:
        for match in pattern.finditer(rest):
            try:
                start, end = meaning(match, here)
            except (ValueError, OverflowError, KeyError):
                continue  # the 31st of February is no day
            said.append(_Said(match.start(), match.end(), start, end))
        # What a longer phrase said is not read again by a shorter one; places stay the same.
        rest = pattern.sub(lambda match: "\0" * len(match.group(0)), rest)
    said.sort(key=lambda one: one.place)
    return tuple(
        Phrase(one.place, one.stop, _bounded(text, one, here)) for one in _ranges(text, said)
    )


def event_of(text: str) -> tuple[str, str]:
    """(`before`, `after` or `since`; the event) in `what held before the migration`; else ""s."""
    match = _EVENT.search(text)
    return (match["side"].lower(), match["event"].strip()) if match else ("", "")


def _ranges(text: str, said: list[_Said]) -> list[_Said]:
    """`from A to B` and `between A and B` as one."""
    done: list[_Said] = []
    for one in said:
        last = done[-1] if done else None
        if (
            last is not None
            and _JOINS.fullmatch(text[last.stop : one.place])
            and _OPENS.search(text[: last.place])
        ):
            done[-1] = _Said(last.place, one.stop, last.start, one.end)
        else:
            done.append(one)
    return done


def _bounded(text: str, said: _Said, here: datetime) -> Span:
    """A span with what stands before it taken in: since, before, after, until."""
    ahead = text[max(said.place - 40, 0) : said.place].lower().split()[-1:]
    first = text[said.place : said.stop].lower().split()[0]
    word = first if first in _SIDES else (ahead[0] if ahead else "")
    start, end = said.start.timestamp(), said.end.timestamp()
    if word == "since":
        return Span(start, here.timestamp() + 1)
    if word == "after":
        return Span(end, here.timestamp() + 1)
    if word in ("before", "until", "till"):
        return Span(0.0, start)
    return Span(start, end)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month_of(match: Match) -> int:
    return next(
        number
        for number, name in enumerate(_MONTHS, 1)
        if name.startswith(match["month"].lower()[:3])
    )


def _months_on(first: datetime, months: int) -> datetime:
    month = first.month - 1 + months
    return first.replace(year=first.year + month // 12, month=month % 12 + 1, day=1)


def _whole_month(first: datetime) -> tuple[datetime, datetime]:
    return first, _months_on(first, 1)


def _whole_day(first: datetime) -> tuple[datetime, datetime]:
    return first, first + timedelta(days=1)


def _iso_day(match: Match, here: datetime) -> tuple[datetime, datetime]:
    year, month, day = (int(part) for part in match.group(0).split("-"))
    return _whole_day(_midnight(here).replace(year=year, month=month, day=day))


def _iso_month(match: Match, here: datetime) -> tuple[datetime, datetime]:
    year, month = (int(part) for part in match.group(0).split("-"))
    return _whole_month(_midnight(here).replace(year=year, month=month, day=1))


def _date(match: Match, here: datetime) -> tuple[datetime, datetime]:
    """A day of a month; without a year, the last one that has begun."""
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else here.year
    day = _midnight(here).replace(year=year, month=_month_of(match), day=int(match["day"]))
    if not groups.get("year") and day > here:
        day = day.replace(year=year - 1)
    return _whole_day(day)


def _month(match: Match, here: datetime) -> tuple[datetime, datetime]:
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else here.year
    first = _midnight(here).replace(year=year, month=_month_of(match), day=1)
    last = (groups.get("which") or "").lower() == "last"
    if not groups.get("year") and (first > here or (last and first.month == here.month)):
        first = first.replace(year=year - 1)
    return _whole_month(first)


def _quarter(match: Match, here: datetime) -> tuple[datetime, datetime]:
    year = int(match["year"]) if match["year"] else here.year
    first = _midnight(here).replace(year=year, month=3 * int(match["quarter"]) - 2, day=1)
    if not match["year"] and first > here:
        first = first.replace(year=year - 1)
    return first, _months_on(first, 3)


def _year(match: Match, here: datetime) -> tuple[datetime, datetime]:
    first = _midnight(here).replace(year=int(match["year"]), month=1, day=1)
    return first, first.replace(year=first.year + 1)


def _named_day(match: Match, here: datetime) -> tuple[datetime, datetime]:
    back = {"today": 0, "tonight": 0, "this morning": 0, "yesterday": 1, "last night": 1}
    back["the day before yesterday"] = 2
    return _whole_day(
        _midnight(here) - timedelta(days=back[" ".join(match.group(0).lower().split())])
    )


def _weekday(match: Match, here: datetime) -> tuple[datetime, datetime]:
    """The last day of this name that is over; with `this`, the one of this week."""
    wanted = _DAYS.index(match["weekday"].lower())
    back = (here.weekday() - wanted) % 7
    if match["which"] and match["which"].lower() == "this":
        return _whole_day(_midnight(here) - timedelta(days=here.weekday() - wanted))
    return _whole_day(_midnight(here) - timedelta(days=back or 7))


def _relative(match: Match, here: datetime) -> tuple[datetime, datetime]:
    """`last week`, `this month`, `previous quarter`: the whole of it."""
    back = 0 if match["which"].lower() in ("this", "current") else 1
    today = _midnight(here)
    match match["unit"].lower():
        case "week":
            first = today - timedelta(days=today.weekday() + 7 * back)
            return first, first + timedelta(days=7)
        case "month":
            return _whole_month(_months_on(today.replace(day=1), -back))
        case "quarter":
            first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
            return _months_on(first, -3 * back), _months_on(first, 3 - 3 * back)
        case "year":
            first = today.replace(month=1, day=1, year=today.year - back)
            return first, first.replace(year=first.year + 1)
        case _:  # weekend
            saturday = today - timedelta(days=(today.weekday() - 5) % 7)
            saturday -= timedelta(days=7 * (back if here.weekday() >= 5 else 0))
            return saturday, saturday + timedelta(days=2)


def _count(match: Match) -> int:
    text = " ".join(match["count"].lower().split())
    return int(text) if text.isdigit() else _NUMBERS[text]


def _past(match: Match, here: datetime) -> tuple[datetime, datetime]:
    """`the last 3 weeks`: up to now."""
    return _ago(_count(match), match["unit"].lower(), here), here + timedelta(seconds=1)


def _back(match: Match, here: datetime) -> tuple[datetime, datetime]:
    """`3 weeks ago`: that day, week, month or year, taken as widely as it was said."""
    unit = match["unit"].lower()
    middle = _ago(_count(match), unit, here)
    margin = {"day": 0, "week": 3, "month": 15, "quarter": 45, "year": 183}[unit]
    start = _midnight(middle) - timedelta(days=margin)
    return start, _midnight(middle) + timedelta(days=margin + 1)


def _ago(count: int, unit: str, here: datetime) -> datetime:
    if unit in ("day", "week"):
        return here - timedelta(days=count * (7 if unit == "week" else 1))
    first = _months_on(here.replace(day=1), -count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return first + timedelta(days=min(here.day, 28) - 1)


def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-])(?:{pattern})(?![\w/-]|\.\d)", re.IGNORECASE | re.ASCII)


Meaning = Callable[[Match, datetime], tuple[datetime, datetime]]
# The longest first.
_PHRASES: tuple[tuple[re.Pattern[str], Meaning], ...] = (
    (_phrase(r"(?:19|20)\d\d-\d\d-\d\d"), _iso_day),
    (_phrase(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])"), _iso_month),
    (_phrase(rf"{_DAY}\s+(?:of\s+)?{_MONTH}\.?,?\s+{_YEAR}"), _date),
    (_phrase(rf"{_MONTH}\.?\s+{_DAY},?\s+{_YEAR}"), _date),
    (_phrase(rf"(?<=\bon )(?:the )?{_DAY}\s+(?:of\s+)?{_MONTH}"), _date),
    (_phrase(rf"(?<=\bon ){_MONTH}\s+{_DAY}"), _date),
    (_phrase(rf"{_MONTH}\.?,?\s+(?:of\s+)?{_YEAR}"), _month),
    (_phrase(rf"(?:in\s+)?(?P<which>last|this)\s+{_MONTH}"), _month),
    (
        _phrase(rf"(?<=\bin ){_MONTH}(?=\s*(?:[?.!,;]|$|\band\b|\bor\b|\bwe\b|\bdid\b|\babout\b))"),
        _month,
    ),
    (_phrase(rf"(?<=\bsince ){_MONTH}(?=\s*(?:[?.!,;]|$))"), _month),
    (_phrase(rf"Q(?P<quarter>[1-4])(?:\s*(?:of\s+)?{_YEAR})?"), _quarter),
    (
        _phrase(
            r"the day before yesterday"
            r"|(?<!the )(?<!a )(?:yesterday|last night|this morning|tonight|today)"
        ),
        _named_day,
    ),
    (_phrase(rf"(?:the\s+)?(?:last|past|previous)\s+{_COUNT}\s+{_UNIT}"), _past),
    (_phrase(rf"{_COUNT}\s+{_UNIT}\s+ago"), _back),
    (_phrase(rf"(?:(?P<which>last|this|on|since|before|after|until)\s+){_WEEKDAY}"), _weekday),
    (
        _phrase(
            r"(?P<which>last|this|previous|current)\s+(?P<unit>week|weekend|month|quarter|year)"
        ),
        _relative,
    ),
    (
        _phrase(
            rf"(?:(?<=\bin )|(?<=\bsince )|(?<=\bbefore )|(?<=\bafter )|(?<=\bduring )){_YEAR}"
        ),
        _year,
    ),
)
