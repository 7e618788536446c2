"""Models beyond the shipped one: a transformer on this machine, or a server that a person names.

Their vectors stand beside the static ones in one vector: the static part knows how rare each word
is in this store, the model what sentences mean. The cosine of two such vectors is the weighted mean
of both cosines; with a small transformer that found more than either (LoCoMo, conversations 1-5).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from postil.embed.base import FIT_FROM, Embedder, Vectors, fit_of, unit
from postil.errors import EmbedError
from postil.storage.store import Fit

# The share of the static part.
_STATIC = 0.4
# A mean settles long before this, and a model is slow.
_SAMPLE = 500
# Seconds in which a model that failed is not asked again.
_REST = 60.0
_SECONDS = 30.0
_BATCH = 64
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


class Model(Protocol):
    """Something that gives one vector for each text, of whatever length."""

    name: str

    def vectors(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """The vectors, in order. Raises EmbedError."""
        ...


class WithModel:
    """The static embedder's vectors and a model's, as one."""

    def __init__(self, model: Model, static: Embedder | None) -> None:
        self._model = model
        self._static = static
        self._size = 0
        self._failed_at = float("-inf")
        self.problem = ""
        self.name = f"{model.name}+{static.name}" if static is not None else model.name

    @property
    def dimension(self) -> int:
        """See `Embedder.dimension`."""
        if not self._size:
            self._asked(["dimension"], False)
        return self._size + (self._static.dimension if self._static is not None else 0)

    def fit(self, texts: Sequence[str]) -> Fit:
        """The static embedder's fit, and the mean of the model's vectors."""
        static = self._static.fit(texts) if self._static is not None else None
        few = list(texts[:_SAMPLE])
        if len(few) < FIT_FROM:
            return fit_of(self, len(texts), b"", b"")
        mean = self._asked(few, False).mean(axis=0).astype(np.float32).tobytes()
        if static is None:
            return fit_of(self, len(texts), b"", mean)
        return fit_of(self, len(texts), static.counts, static.mean + mean)

    def embed(self, texts: Sequence[str], fit: Fit, is_query: bool = False) -> Vectors:
        """See `Embedder.embed`."""
        found = self._asked(texts, is_query)
        if fit.mean:
            mean = np.frombuffer(fit.mean, np.float32)
            found = unit(found - mean[len(mean) - found.shape[1] :])
        if self._static is None:
            return found
        size = self._static.dimension
        plain = Fit(0, self._static.name, size, fit.fitted_rows, fit.counts, fit.mean[: 4 * size])
        static = self._static.embed(texts, plain)
        parts = [np.sqrt(_STATIC) * static, np.sqrt(1 - _STATIC) * found]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def _asked(self, texts: Sequence[str], is_query: bool) -> Vectors:
        if time.monotonic() - self._failed_at < _REST:
            raise EmbedError(self.problem)
        try:
            found = unit(np.asarray(self._model.vectors(texts, is_query), np.float32))
        except EmbedError as error:
            self._failed_at = time.monotonic()
            self.problem = str(error)
            raise
        self.problem = ""
        self._size = found.shape[1]
        return found


class LocalModel:
    """A transformer through fastembed: from a folder, or its own download where that is allowed."""

    def __init__(self, model: str, folder: str, cache: Path, may_download: bool) -> None:
        self.name = f"local:{Path(folder).name if folder else model}"
        self._model = model
        self._folder = folder
        self._cache = cache
        self._may_download = may_download
        self._loaded: Any = None

    def vectors(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """See `Model.vectors`."""
        if self._loaded is None:
            self._loaded = self._load()
        try:
            return np.array(list(self._loaded.embed(list(texts), batch_size=_BATCH)), np.float32)
        except Exception as error:  # noqa: BLE001 - whatever a foreign model does, words answer
            raise EmbedError(f"{self.name} failed ({type(error).__name__})") from None

    def _load(self) -> Any:
        try:
            from fastembed import TextEmbedding
        except ImportError:
            raise EmbedError(
                "the local transformer needs fastembed: pip install 'postil[transformer]'"
            ) from None
        try:
            if self._folder:
                return _from_folder(TextEmbedding, Path(self._folder))
            return TextEmbedding(
                self._model, cache_dir=str(self._cache), local_files_only=not self._may_download
            )
        except EmbedError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign model does, words answer
            hint = "" if self._may_download or self._folder else "; embedder.download allows it"
            told = (str(error).splitlines() or [type(error).__name__])[0][:120]
            raise EmbedError(f"{self.name} cannot be loaded ({told}){hint}") from None


def _from_folder(kind: Any, folder: Path) -> Any:
    """A model that lies in a folder: `model.onnx`, `tokenizer.json` and its configuration."""
    from fastembed.common.model_description import ModelSource, PoolingType

    for name in ("model.onnx", "tokenizer.json"):
        if not (folder / name).is_file():
            raise EmbedError(f"there is no {name} in {folder}")
    name = f"postil/{folder.name}"
    if name.lower() not in {one["model"].lower() for one in kind.list_supported_models()}:
        kind.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=0,
            model_file="model.onnx",
        )
    return kind(name, specific_model_path=str(folder), local_files_only=True)


class HostedModel:
    """A model behind an HTTP interface: that of OpenAI and many others, Ollama, Voyage, Cohere."""

    def __init__(self, kind: str, model: str, url: str, key_variable: str) -> None:
        self.name = f"{kind}:{model}"
        self._kind = kind
        self._model = model
        path, default, self._body, self._read = _HOSTED[kind]
        self._url = f"{(url or default).rstrip('/')}{path}"
        self._key_variable = key_variable

    def vectors(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """See `Model.vectors`."""
        import httpx2 as httpx

        if not self._model:
            raise EmbedError(f"{self._kind} needs a model: set embedder.model")
        key = os.environ.get(self._key_variable, "") if self._key_variable else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        transport = httpx.HTTPTransport(retries=2)
        try:
            with httpx.Client(timeout=_SECONDS, headers=headers, transport=transport) as client:
                parts = [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]
                return np.concatenate([self._part(client, part, is_query) for part in parts])
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            raise EmbedError(f"{self.name} refused ({status}); check its key and model") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedError(f"{self.name} did not answer ({type(error).__name__})") from None
        except UnicodeError:
            raise EmbedError(f"{self.name}: its key or URL has odd characters") from None
        except (KeyError, TypeError, ValueError):
            raise EmbedError(f"{self.name} gave no vectors") from None

    def _part(self, client: Any, texts: Sequence[str], is_query: bool) -> Vectors:
        """The vectors of as many texts as go into one request. ValueError when they are none."""
        body = self._body(self._model, [text or " " for text in texts], is_query)
        answer = client.post(self._url, json=body)
        answer.raise_for_status()
        found = np.array(self._read(answer.json()), np.float32)
        if found.ndim != 2 or len(found) != len(texts) or not found.size:
            raise ValueError
        if not np.isfinite(found).all():
            raise ValueError
        return found


Body = Callable[[str, list[str], bool], dict[str, object]]
Read = Callable[[Any], list[list[float]]]


def _in_order(answer: Any) -> list[list[float]]:
    return [row["embedding"] for row in sorted(answer["data"], key=lambda row: row["index"])]


# The path below the base URL, the base URL, the request and the answer of each.
_HOSTED: dict[str, tuple[str, str, Body, Read]] = {
    "openai": (
        "/embeddings",
        "https://api.openai.com/v1",
        lambda model, texts, _: {"model": model, "input": texts, "encoding_format": "float"},
        _in_order,
    ),
    "ollama": (
        "/api/embed",
        "http://127.0.0.1:11434",
        lambda model, texts, _: {"model": model, "input": texts},
        lambda answer: answer["embeddings"],
    ),
    "voyage": (
        "/embeddings",
        "https://api.voyageai.com/v1",
        lambda model, texts, is_query: {
            "model": model,
            "input": texts,
            "input_type": "query" if is_query else "document",
        },
        _in_order,
    ),
    "cohere": (
        "/v2/embed",
        "https://api.cohere.com",
        lambda model, texts, is_query: {
            "model": model,
            "texts": texts,
            "input_type": "search_query" if is_query else "search_document",
            "embedding_types": ["float"],
        },
        lambda answer: answer["embeddings"]["float"],
    ),
}
