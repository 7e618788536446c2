"""Text to vectors: offline by default, by a model of the person's choice when they name one."""

from postil.embed.base import Embedder, Vectors, unit
from postil.embed.choose import Choice, open_embedder
from postil.embed.offline import HashEmbedder, StaticEmbedder, plain_fit

__all__ = [
    "Choice",
    "Embedder",
    "HashEmbedder",
    "StaticEmbedder",
    "Vectors",
    "open_embedder",
    "plain_fit",
    "unit",
]
