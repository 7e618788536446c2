"""Instants and days: what people write, and the day that every face shows. Pure but for the zone.

An instant is seconds since the epoch, UTC. A zone is minutes east of UTC.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from postil.errors import UsageError

# Beyond this, a number is milliseconds: as seconds it would lie after the year 5000.
_MILLISECONDS = 1e11
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "now": 0}
_AGO = re.compile(r"(\d{1,4}) (day|week|hour)s? ago|in (\d{1,4}) (day|week|hour)s?")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_UNITS = {"hour": 3_600, "day": 86_400, "week": 604_800}


def offset_at(at: float) -> int:
    """This machine's minutes east of UTC at an instant."""
    away = datetime.fromtimestamp(at).astimezone().utcoffset() or timedelta()
    return round(away.total_seconds() / 60)


def parse_instant(text: str) -> tuple[float, int]:
    """The instant and zone of an ISO 8601 time or of epoch seconds or milliseconds.

    Without a zone of its own (`Z` only says that it is UTC) it is of this machine's zone.
    ValueError when it is none.
    """
    text = text.strip()
    if re.fullmatch(r"-?\d{6,16}(?:\.\d+)?", text):
        number = float(text)
        at = number / 1000 if abs(number) > _MILLISECONDS else number
        return at, offset_at(at)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        at = moment.timestamp()
        return at, offset_at(at)
    at = moment.timestamp()
    away = moment.utcoffset() or timedelta()
    return at, round(away.total_seconds() / 60) if away else offset_at(at)


def parse_when(text: str, now: float, offset: int) -> float:
    """The instant that `text` means to somebody at `now` in the zone `offset`.

    An ISO date or time, epoch seconds, `today`, `yesterday`, `tomorrow`, `3 days ago`,
    `in 2 weeks`. A day means its noon there, so that it is the same day for all its neighbours.
    """
    words = " ".join(text.lower().split())
    if not words:
        return 0.0
    zone = timezone(timedelta(minutes=offset))
    here = datetime.fromtimestamp(now, zone)
    if words == "now":
        return now
    if words in _DAYS:
        day = here + timedelta(days=_DAYS[words])
        return day.replace(hour=12, minute=0, second=0, microsecond=0).timestamp()
    if match := _AGO.fullmatch(words):
        back, unit, ahead, ahead_unit = match.groups()
        return now + (int(ahead) * _UNITS[ahead_unit] if ahead else -int(back) * _UNITS[unit])
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", words):
            return datetime.fromisoformat(words).replace(hour=12, tzinfo=zone).timestamp()
        moment = datetime.fromisoformat(text.strip()) if not words.isdigit() else None
        if moment is not None and moment.tzinfo is None:
            return moment.replace(tzinfo=zone).timestamp()
        return parse_instant(text)[0]
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text!r:.60} is no time", hint="write 2026-05-31, 2026-05-31T14:00, or `yesterday`"
        ) from None


def local_day(at: float) -> str:
    """The day of an instant where this machine is, `2026-05-31`; "" when it is not known."""
    if not at:
        return ""
    try:
        return datetime.fromtimestamp(at).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def day_words(at: float, offset: int) -> str:
    """The day of an instant in the zone `offset` as words, `31 May 2026`; "" when not known."""
    if not at:
        return ""
    try:
        moment = datetime.fromtimestamp(at, timezone(timedelta(minutes=offset)))
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def local_minute(at: float) -> str:
    """The day and minute of an instant where this machine is."""
    return f"{local_day(at)} {datetime.fromtimestamp(at):%H:%M}" if local_day(at) else ""
