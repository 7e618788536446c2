"""How a tool is declared: its arguments, its schema, and the check of what it is given."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from postil.errors import UsageError
from postil.words import storable

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class Profile(StrEnum):
    """Which tools a server offers: the few of every day, all, or all that change nothing."""

    CORE = "core"
    FULL = "full"
    READ_ONLY = "read-only"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool. `type` is a JSON Schema type; an `array` holds texts, or `rows`.

    One that is not `daily` is taken in every profile, and shown in all but the core: a model
    reads each of them at each turn.
    """

    name: str
    type: str
    description: str
    default: Json = None
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    daily: bool = True
    rows: tuple[Parameter, ...] = ()

    def schema(self) -> dict[str, Json]:
        """The argument as JSON Schema."""
        schema: dict[str, Json] = {"type": self.type, "description": self.description}
        if self.rows:
            schema["items"] = _object(self.rows)
        elif self.type == "array":
            schema["items"] = {"type": "string"}
        if self.choices:
            target = schema["items"] if self.type == "array" else schema
            assert isinstance(target, dict)
            target["enum"] = list(self.choices)
        if self.default is not None:
            schema["default"] = self.default
        if self.minimum is not None:
            schema["minimum"] = self.minimum
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        return schema


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. The description says when to call it, since that is what a model goes by.

    `destructive`: it takes something away, though a person can bring it back.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    profile: Profile = Profile.CORE

    def is_in(self, profile: Profile) -> bool:
        """Whether a profile offers it."""
        if profile is Profile.READ_ONLY:
            return self.read_only
        return profile is Profile.FULL or self.profile is Profile.CORE

    def input_schema(self, profile: Profile = Profile.FULL) -> dict[str, Json]:
        """The arguments as a JSON Schema object that strict clients accept."""
        is_short = profile is Profile.CORE
        return _object([one for one in self.parameters if one.daily or not is_short])

    def declaration(self, profile: Profile = Profile.FULL) -> dict[str, Json]:
        """The tool as an entry of `tools/list`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema(profile),
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": False,
            },
        }

    def arguments(self, given: Mapping[str, object]) -> dict[str, Json]:
        """Checked arguments with defaults. Numbers and lists given as text are converted."""
        known = {one.name for one in self.parameters}
        for name in given:
            if name not in known:
                raise UsageError(
                    f"{self.name} has no argument {name!r}",
                    hint=f"it takes: {', '.join(sorted(known)) or 'nothing'}",
                )
        checked: dict[str, Json] = {}
        for one in self.parameters:
            value = given.get(one.name)
            if value is None or (value == "" and not one.required):
                if one.required:
                    raise UsageError(f"{self.name} needs {one.name!r}", hint=one.description)
                checked[one.name] = one.default
            else:
                checked[one.name] = _converted(self.name, one, value)
        return checked


def _object(parameters: Sequence[Parameter]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": {one.name: one.schema() for one in parameters},
        "required": [one.name for one in parameters if one.required],
        "additionalProperties": False,
    }


def _converted(tool: str, one: Parameter, value: object) -> Json:
    try:
        converted = _rows(value) if one.rows else _CONVERT[one.type](value)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{tool}: {one.name} must be of type {one.type}, not {value!r:.80}"
        ) from None
    for item in converted if isinstance(converted, list) else [converted]:
        if one.choices and item not in one.choices:
            raise UsageError(
                f"{tool}: {one.name} cannot be {item!r:.80}",
                hint=f"one of: {', '.join(one.choices)}",
            )
    if isinstance(converted, int | float) and not isinstance(converted, bool):
        low, high = one.minimum, one.maximum
        if (low is not None and converted < low) or (high is not None and converted > high):
            raise UsageError(f"{tool}: {one.name} goes from {low} to {high}, not {converted}")
    return converted


def _text(value: object) -> Json:
    if isinstance(value, str):
        return storable(value)
    raise ValueError


def _whole(value: object) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError
    number = _finite(value)
    if number != int(number):
        raise ValueError
    return int(number)


def _number(value: object) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError
    return _finite(value)


def _finite(value: float | str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _truth(value: object) -> Json:
    known = {"true": True, "false": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in known:
        return known[value.lower()]
    raise ValueError


def _rows(value: object) -> Json:
    """Objects, each checked by the tool: one that is wrong does not stop the others."""
    if isinstance(value, str):
        value = json.loads(value)
    if isinstance(value, list):
        return list(value)
    raise ValueError


def _texts(value: object) -> Json:
    if isinstance(value, str):
        value = [part.strip() for part in value.strip("[]").split(",")]
        value = [part.strip("'\"") for part in value if part]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [storable(item) for item in value]
    raise ValueError


_CONVERT = {
    "string": _text,
    "integer": _whole,
    "number": _number,
    "boolean": _truth,
    "array": _texts,
}
