"""Settings from files and environment. A wrong value is reported and its default used."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from postil.config.paths import config_dir
from postil.config.settings import BY_NAME, SETTINGS, Setting, Trust, Value

PROJECT_FILE = ".postil.toml"
_MAX_BYTES = 64_000


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, where each came from, and what was wrong with the others."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]
    complaints: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """The value of a text setting."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """The value of a whole-number setting."""
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """The value of a yes-or-no setting."""
        return self.values[name] is True

    def lines(self, name: str) -> tuple[str, ...]:
        """The value of a list setting."""
        value = self.values[name]
        assert isinstance(value, tuple)
        return value


def load(root: Path | None, environment: Mapping[str, str] | None = None) -> Config:
    """Settings for the project in `root`: default < person's file < project's file < environment.

    The project's file is data from a repository: it may set only harmless settings.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Value] = {setting.name: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    complaints: list[str] = []

    def take(name: str, raw: object, origin: str, trusted: bool) -> None:
        setting = BY_NAME.get(name)
        if setting is None:
            complaints.append(f"{origin}: there is no setting {name!r}")
        elif not trusted and setting.trust is Trust.USER:
            complaints.append(f"{origin}: {name} may be set only by you, not by a repository")
        else:
            try:
                values[name] = _convert(setting, raw)
                origins[name] = origin
            except ValueError as wrong:
                complaints.append(f"{origin}: {name}: {wrong}; using {values[name]!r}")

    files = [(config_dir() / "postil.toml", True)]
    if root is not None:
        files.append((root / PROJECT_FILE, False))
    for path, trusted in files:
        for name, raw in _read(path, complaints).items():
            take(name, raw, str(path), trusted)
    for setting in SETTINGS:
        if environment.get(setting.variable):
            take(setting.name, environment[setting.variable], "$" + setting.variable, True)
    return Config(values, origins, tuple(complaints))


def _read(path: Path, complaints: list[str]) -> dict[str, object]:
    try:
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
            # A repository may bring a link to a device, or a pipe that never ends.
            complaints.append(f"{path}: not read: no regular file of at most {_MAX_BYTES:,} bytes")
            return {}
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as wrong:
        complaints.append(f"{path}: not read: {wrong}")
        return {}
    return dict(_flat(table, ""))


def _flat(table: Mapping[str, object], prefix: str) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        rows += _flat(value, name + ".") if isinstance(value, dict) else [(name, value)]
    return rows


def _convert(setting: Setting, raw: object) -> Value:
    match setting.default:
        case bool():
            words = {"true": True, "1": True, "false": False, "0": False}
            if str(raw).lower() not in words:
                raise ValueError(f"{raw!r} is not true or false")
            return words[str(raw).lower()]
        case int():
            number = int(str(raw))
            if not 0 <= number <= setting.maximum:
                raise ValueError(f"{number} is not between 0 and {setting.maximum}")
            return number
        case tuple():
            items = raw.split(os.pathsep) if isinstance(raw, str) else raw
            if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
                raise ValueError("a list of texts is wanted")
            return tuple(items)
        case _:
            text = str(raw)
            if setting.choices and text not in setting.choices:
                raise ValueError(f"{text!r} is not one of {', '.join(setting.choices)}")
            return text
