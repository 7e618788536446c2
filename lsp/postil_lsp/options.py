"""What is shown: the settings, and what a client says at its start or later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from postil.config.load import Config

# What only a client can know of itself.
_CLIENTS_OWN = ("command_links", "notify")


@dataclass(frozen=True, slots=True)
class Options:
    """Which surfaces are on. `links`: citations; `command_links`: links to our commands in hovers,
    for a client that runs them; `notify`: tell by `postil/changed` that something was written."""

    hover: bool = True
    lens: bool = False
    inlay: bool = True
    diagnostics: bool = True
    links: bool = True
    actions: bool = True
    symbols: bool = True
    navigation: bool = False
    completion: bool = True
    command_links: bool = False
    notify: bool = False

    @classmethod
    def of(cls, config: Config) -> Options:
        """As the settings say."""
        names = [one.name for one in fields(cls) if one.name not in _CLIENTS_OWN]
        return cls(**{name: config.flag(f"editor.{name}") for name in names})

    def told(self, more: object) -> Options:
        """With what a client says, as `{"postil": {...}}` or `{...}`; the rest is not ours."""
        if isinstance(more, Mapping) and isinstance(more.get("postil"), Mapping):
            more = more["postil"]
        if not isinstance(more, Mapping):
            return self
        known = {one.name for one in fields(self)}
        told = {
            _plain(name): on
            for name, on in more.items()
            if isinstance(name, str) and isinstance(on, bool) and _plain(name) in known
        }
        return replace(self, **told)


def _plain(name: str) -> str:
    return "command_links" if name == "commandLinks" else name
