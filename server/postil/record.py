"""Records as plain data and back, for history, export and import. Defaults are left out."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from postil.errors import UsageError
from postil.model import Action, Fact, FactStatus, Kind, Memory, Scope, Status, Tier, Verdict

if TYPE_CHECKING:
    from cattrs import Converter

Plain = dict[str, Any]
Record = TypeVar("Record")


def to_plain(record: object) -> Plain:
    """A record of the model as a dict that JSON can hold."""
    plain: Plain = _converter().unstructure(record)
    return plain


def from_plain(plain: object, shape: type[Record]) -> Record:
    """The record of this shape; UsageError says which field is wrong."""
    from cattrs import BaseValidationError, transform_error

    try:
        return _converter().structure(plain, shape)
    except (BaseValidationError, AttributeError, KeyError, TypeError, ValueError) as error:
        told = "; ".join(transform_error(error))[:300]
        raise UsageError(f"this is no {shape.__name__.lower()}: {told}") from None


def snapshot(plain: Plain) -> Memory | Fact:
    """The memory or fact that an event keeps as it was."""
    return from_plain(plain, Fact) if "predicate" in plain else from_plain(plain, Memory)


@cache
def _converter() -> Converter:
    from cattrs.preconf.json import make_converter

    converter = make_converter(omit_if_default=True, forbid_extra_keys=True)
    converter.register_unstructure_hook(Scope, str)
    converter.register_structure_hook(Scope, lambda text, _: Scope.parse(_text(text, str)))
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(int, _whole)
    converter.register_structure_hook(bool, _truth)  # a `bool` is an `int` too
    # A StrEnum is a `str` too, and must stay one of its choices.
    for choices in (Action, FactStatus, Kind, Status, Tier, Verdict):
        converter.register_structure_hook(choices, lambda text, choice: choice(text))
    return converter


def _text(value: object, _: type) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is wanted")
    return value


def _whole(value: object, _: type) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not abs(value) < 1 << 53:
        raise ValueError("a whole number is wanted")
    return value


def _truth(value: object, _: type) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is wanted")
    return value


def _number(value: object, _: type) -> float:
    number = float(value) if isinstance(value, int | float) else float("nan")
    if not abs(number) < 1e14:  # also not a number at all
        raise ValueError("a number is wanted")
    return number
