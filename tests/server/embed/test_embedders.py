"""Models that a person names: spoken to as they expect, mixed never, missed without harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from postil.embed import Choice, HashEmbedder, open_embedder, plain_fit
from postil.embed.choose import measure
from postil.errors import EmbedError
from postil.memory import vectors
from postil.memory.recall import Query
from postil.memory.write import remember
from postil.model import Episode, Memory
from postil.present import recall_text
from postil.storage.sqlite import SqliteStore
from support.real import transformer
from support.search import found, what


class Stub(ThreadingHTTPServer):
    """A model server on loopback: its vectors are those of hashing, in 64 numbers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, str, dict[str, object]]] = []
        self.status = 200
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers.get("Authorization", ""), body))
        texts = body.get("input") or body["texts"]
        hashed = HashEmbedder()
        rows = hashed.embed(texts, plain_fit(hashed))[:, :64] + 1e-3
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(json.dumps(_ANSWERS[self.path](rows.tolist())).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _openai(rows: list[list[float]]) -> object:
    # In another order than was asked, as the interface allows.
    return {
        "data": [{"index": at, "embedding": row} for at, row in reversed(list(enumerate(rows)))]
    }


_ANSWERS: dict[str, Callable[[list[list[float]]], object]] = {
    "/embeddings": _openai,
    "/api/embed": lambda rows: {"embeddings": rows},
    "/v2/embed": lambda rows: {"embeddings": {"float": rows}},
}


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "memory.db")
    for number in range(40):
        remember(store, Memory("", f"Service {number} listens on port {7_000 + number}"))
    remember(store, Memory("", "Tabs, not spaces"))
    return store


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("openai", "/embeddings"),
        ("voyage", "/embeddings"),
        ("ollama", "/api/embed"),
        ("cohere", "/v2/embed"),
    ],
)
def test_a_named_server_is_asked_as_it_expects(
    stub: Stub, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, kind: str, path: str
) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret-value")
    choice = Choice(kind, model="m-1", url=stub.url, key_variable="MY_KEY")

    answer = found([store], open_embedder(choice), Query("port of service 7"))

    assert answer.vectors and not answer.problem
    assert what(answer.hits[0]) == "Service 7 listens on port 7007"
    assert {one[0] for one in stub.requests} == {path}
    assert {one[1] for one in stub.requests} == {"Bearer s3cret-value"}
    assert {one[2]["model"] for one in stub.requests} == {"m-1"}
    fit = store.current_fit()
    assert fit is not None and fit.name == f"{kind}:m-1+static-wordllama-256"
    assert fit.dimension == 64 + 256
    kinds = [one[2].get("input_type") for one in stub.requests]
    if kind in ("voyage", "cohere"):
        assert "query" in str(kinds[-1]) and "document" in str(kinds[0])


@pytest.mark.parametrize("status", [401, 500])
def test_words_answer_while_a_server_refuses(stub: Stub, store: SqliteStore, status: int) -> None:
    """SRC-10, OP-4: at once, with one hint, and not asked again right away."""
    stub.status = status
    embedder = open_embedder(Choice("openai", model=f"m-{status}", url=stub.url))

    answer = found([store], embedder, Query("port of service 7"))
    asked = len(stub.requests)
    found([store], embedder, Query("port of service 8"))

    assert what(answer.hits[0]) == "Service 7 listens on port 7007"
    assert f"refused ({status})" in recall_text(answer, 800)
    assert len(stub.requests) == asked == 1
    assert remember(store, Memory("", "Written all the same")).created


def test_a_server_that_is_not_there_costs_one_hint(store: SqliteStore) -> None:
    embedder = open_embedder(Choice("ollama", model="m", url="http://127.0.0.1:9"))

    answer = found([store], embedder, Query("port of service 7"))

    assert answer.hits and "did not answer" in answer.problem


def test_a_local_model_that_is_not_there_costs_one_hint(store: SqliteStore, tmp_path: Path) -> None:
    """SRC-10: no network, no model."""
    answer = found(
        [store], open_embedder(Choice("local", folder=str(tmp_path))), Query("port 7007")
    )

    assert what(answer.hits[0]) == "Service 7 listens on port 7007"
    assert answer.problem


def test_no_server_is_asked_unless_it_is_named(stub: Stub, store: SqliteStore) -> None:
    found([store], open_embedder(Choice(url=stub.url, model="m")), Query("port"))

    assert stub.requests == []
    assert [one.name for one in measure(Choice(url=stub.url, model="m"))] == ["static", "hash"]
    assert stub.requests == []


def test_measuring_tells_what_works(stub: Stub) -> None:
    results = {one.name: one for one in measure(Choice("openai", model="m-2", url=stub.url))}

    assert list(results) == ["openai", "static", "hash"]
    assert all(one.milliseconds > 0 and not one.problem for one in results.values())


def test_a_switch_mixes_nothing_and_changes_no_memory(store: SqliteStore) -> None:
    """OP-4."""
    hashed, static = open_embedder("hash"), open_embedder("static")
    assert hashed is not None and static is not None
    vectors.refresh(store, hashed, 1 << 40)
    before = list(store.every_memory())

    assert vectors.encode(store, static, "tabs") is None, "words answer meanwhile"
    vectors.refresh(store, static, 1 << 40)

    assert vectors.encode(store, hashed, "tabs") is None
    assert vectors.encode(store, static, "tabs") is not None
    assert list(store.every_memory()) == before
    assert store.without_vector(1) == []


def test_embedding_anew_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    """OP-4: with progress."""
    store = SqliteStore(tmp_path / "memory.db")
    store.add_episodes([Episode(f"e-{n}", "s", "user", f"turn {n}") for n in range(1_000)], None)
    embedder = HashEmbedder()
    seen: list[int] = []

    def stop_at_half(count: int) -> None:
        seen.append(count)
        if sum(seen) >= 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors.refresh(store, embedder, 1 << 40, progress=stop_at_half)
    rest: list[int] = []
    vectors.refresh(store, embedder, 1 << 40, progress=rest.append)

    assert sum(seen) + sum(rest) == 1_000
    assert store.without_vector(1) == []


@pytest.mark.slow
def test_a_transformer_in_a_folder_understands_other_words(home: Path) -> None:
    """With the real fastembed and a real model, and no network."""
    site, model = transformer()
    code = f"""
from pathlib import Path
from postil.embed import Choice, open_embedder, plain_fit
embedder = open_embedder(Choice("local", folder={str(model)!r}))
texts = ["The cat sat", "A kitten was sitting", "Quarterly revenue"]
rows = embedder.embed(texts, plain_fit(embedder))
print(embedder.dimension, float(rows[0] @ rows[1]) > 0.5, float(rows[0] @ rows[2]) < 0.2)
"""
    path = os.pathsep.join([str(site), *sys.path])
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": path}
    environment |= {"HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["640", "True", "True"], done.stderr[-2_000:]


def test_a_failure_tells_no_key(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret-value")
    stub.status = 403
    embedder = open_embedder(Choice("openai", model="m-3", url=stub.url, key_variable="MY_KEY"))
    assert embedder is not None

    with pytest.raises(EmbedError) as told:
        embedder.embed(["x"], plain_fit(HashEmbedder()))

    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize("text", ["naïve", "登录", "Привет", "مرحبا", "שלום", "🎉", "한국어"])
def test_hashing_knows_every_script(text: str) -> None:
    """OP-5."""
    embedder = HashEmbedder()
    rows = embedder.embed([text, f"{text} {text}", "something else"], plain_fit(embedder))

    assert float(rows[0] @ rows[1]) > 0.9
    assert abs(float(rows[0] @ rows[2])) < 0.3
    assert np.isclose(np.linalg.norm(rows[0]), 1.0)


def test_what_is_stored_is_no_question(stub: Stub, store: SqliteStore) -> None:
    embedder = open_embedder(Choice("voyage", model="m-4", url=stub.url))
    found([store], embedder, Query("port"))
    stub.requests.clear()
    remember(store, Memory("", "One more"))
    assert embedder is not None

    vectors.embed_pending(store, embedder, 10)
    vectors.encode(store, embedder, "a question")

    assert [one[2]["input_type"] for one in stub.requests] == ["document", "query"]


@pytest.mark.parametrize(
    "rows", [[[float("nan")] * 3], [[1.0], [1.0, 2.0]], [], [["x"]], [[]], None]
)
def test_odd_vectors_are_refused(
    stub: Stub, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, rows: object
) -> None:
    monkeypatch.setitem(_ANSWERS, "/api/embed", lambda _: {"embeddings": rows})
    embedder = open_embedder(Choice("ollama", model=f"m-{rows}", url=stub.url))

    answer = found([store], embedder, Query("port of service 7"))

    assert answer.hits and "gave no vectors" in answer.problem


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/\x01", "nowhere", "http://[broken"])
def test_an_odd_address_costs_one_hint(store: SqliteStore, url: str) -> None:
    answer = found([store], open_embedder(Choice("ollama", model="m", url=url)), Query("port 7007"))

    assert answer.hits and answer.problem


def test_another_model_under_the_same_name_harms_nobody(
    stub: Stub, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = open_embedder(Choice("ollama", model="m-5", url=stub.url))
    found([store], embedder, Query("port"))
    monkeypatch.setitem(
        _ANSWERS, "/api/embed", lambda rows: {"embeddings": [row[:32] for row in rows]}
    )

    answer = found([store], embedder, Query("port of service 7"))

    assert what(answer.hits[0]) == "Service 7 listens on port 7007"
    assert not answer.vectors
