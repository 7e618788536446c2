"""Which embedder serves: what the settings name, or the best that works here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from postil.embed.base import Embedder
from postil.embed.models import DEFAULT_MODEL, HostedModel, LocalModel, WithModel
from postil.embed.offline import HashEmbedder, StaticEmbedder, plain_fit, static_files
from postil.errors import EmbedError

HOSTED = ("openai", "ollama", "voyage", "cohere")
# A model that takes longer for a text is too slow to be picked: 10,000 memories would take an hour.
_MOST_MILLISECONDS = 300.0
_SAMPLE = [
    f"Service {number} keeps its sessions in Redis because logins must survive a restart"
    for number in range(8)
]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose: the settings `embedder` and `embedder.*`, and where models are kept."""

    name: str = "auto"
    model: str = ""
    folder: str = ""
    url: str = ""
    key_variable: str = ""
    may_download: bool = False
    cache: Path = Path()


@dataclass(frozen=True, slots=True)
class Measured:
    """What an embedder is worth on this machine: milliseconds for a text, or why it fails."""

    name: str
    milliseconds: float = 0.0
    problem: str = ""


@cache
def open_embedder(choice: Choice | str) -> Embedder | None:
    """The embedder of a choice or a bare name; None for `none`. Nothing slow is loaded yet.

    `auto` is the static one, and `hash` where that is missing; a folder with a model goes before.
    """
    if isinstance(choice, str):
        choice = Choice(choice)
    name = choice.name
    if name == "auto":
        name = "local" if choice.folder else "static"
    if name == "none":
        return None
    if name == "hash":
        return HashEmbedder()
    if name == "static":
        return _static() or HashEmbedder()
    if name == "local":
        model = choice.model or DEFAULT_MODEL
        local = LocalModel(model, choice.folder, choice.cache, choice.may_download)
        return WithModel(local, _static())
    return WithModel(HostedModel(name, choice.model, choice.url, choice.key_variable), _static())


def measure(choice: Choice) -> Iterator[Measured]:
    """How fast each embedder is that could serve here, the one named first, then the better ones.

    Nothing goes out but to a server that was named.
    """
    names = ["static", "hash"]
    if choice.folder or choice.may_download:
        names.insert(0, "local")
    if choice.name not in ("auto", "none"):
        names.insert(0, choice.name)
    for name in dict.fromkeys(names):
        fields = {key: getattr(choice, key) for key in choice.__slots__ if key != "name"}
        embedder = open_embedder(Choice(name, **fields))
        assert embedder is not None
        try:
            embedder.embed(_SAMPLE[:1], plain_fit(embedder))
            start = time.perf_counter()
            embedder.embed(_SAMPLE, plain_fit(embedder))
        except EmbedError as error:
            yield Measured(name, problem=str(error))
            continue
        each = (time.perf_counter() - start) * 1000 / len(_SAMPLE)
        slow = "too slow to be picked" if each > _MOST_MILLISECONDS else ""
        yield Measured(name, each, slow)


@cache
def _static() -> Embedder | None:
    found = static_files()
    return StaticEmbedder(*found) if found is not None else None
