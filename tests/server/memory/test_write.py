"""The write gate refuses what must not be stored and keeps secrets out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from postil.errors import SecretRefusedError, UsageError
from postil.memory.write import remember
from postil.model import Actor, Memory
from postil.storage.sqlite import SqliteStore

SECRETS = {
    "github": "ghp_" + "a1B2c3D4e5" * 4,
    "anthropic": "sk-ant-api03-" + "abCD1234" * 4,
    "aws": "AKIA" + "ABCDEFGH12345678",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
    "password": "postgres://app:hunter22@db.internal/shop",
    "password ": "DB_PASSWORD=correct-horse-battery",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "header": "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "password  ": "mysql --password Xk29dkk3",
    "header ": "Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345",
}
HARMLESS = [
    "Fixed in 3f786850e387550fdab836ed7e6dc881de23001b",
    "The id is 550e8400-e29b-41d4-a716-446655440000",
    "integrity sha512-9n3Kz1o0zj1ZDdJzU5kBq0Jv1lqN0d0X7u5VtG0Y6yT2w==",
    "The password must have eight characters",
    "Read api_key from the environment; the token expires hourly",
    "password: <your-password>",
    "see https://example.org/path?x=1#secret-handling",
    "class SecretStore(Base): key = None",
    "def login(token: str, password: Optional[str]) -> None",
    "token = os.environ['TOKEN']",
    "max_tokens = 8000",
    "csrf_token = request.META",
    "The secret: patience",
]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "memory.db")


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items(), ids=SECRETS.keys())
def test_a_secret_is_taken_out_and_the_rest_stays(
    store: SqliteStore, tmp_path: Path, kind: str, secret: str
) -> None:
    written = remember(store, Memory(id="", what=f"The deployment wombat uses {secret} today"))

    kind = kind.strip()
    assert written.redacted == (kind,)
    assert written.memory.what.startswith("The deployment wombat uses")
    assert written.memory.what.endswith("today")
    assert f"[secret:{kind}#1]" in written.memory.what
    core = re.split(r"[= :@]", secret.rstrip("=").removesuffix("@db.internal/shop"))[-1]
    assert core.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_kept_whole(store: SqliteStore, text: str) -> None:
    written = remember(store, Memory(id="", what=text))

    assert written.memory.what == text
    assert written.redacted == ()


def test_a_text_that_is_only_a_secret_is_refused(store: SqliteStore) -> None:
    with pytest.raises(SecretRefusedError):
        remember(store, Memory(id="", what=SECRETS["github"]))

    assert store.counts(Actor().scopes) == {"episode": 0}


@pytest.mark.parametrize(
    "draft",
    [
        Memory(id="", what="  \n"),
        Memory(id="", what="x" * 2_000_001),
        Memory(id="", what="fine", importance=1.5),
        Memory(id="", what="fine", tags=tuple(map(str, range(31)))),
    ],
)
def test_a_malformed_memory_is_refused(store: SqliteStore, draft: Memory) -> None:
    with pytest.raises(UsageError):
        remember(store, draft)


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "a\x00b", "東京タワー", "e\u0301te\u0301", "🎉 ok"]
)
def test_any_text_goes_in_and_is_found_again(store: SqliteStore, text: str) -> None:
    written = remember(store, Memory(id="", what=text)).memory

    assert store.memory(written.id) == written


@pytest.mark.parametrize(
    "text",
    [
        "NPM_TOKEN=abcd1234efgh",
        "client_token: qwe123rty",
        "DB_PASS=s3cr3tpw",
        '"password": "my long phrase"',
    ],
)
def test_assigned_secrets_of_many_names(store: SqliteStore, text: str) -> None:
    written = remember(store, Memory(id="", what=f"Set {text} on the host"))

    assert written.redacted in (("token",), ("password",))


def test_tags_hold_no_secret_either(store: SqliteStore) -> None:
    written = remember(store, Memory(id="", what="A word", tags=("password=hunter2hunter2", "db")))

    assert written.memory.tags == ("password=[secret:password#1]", "db")


def test_another_reason_is_not_dropped(store: SqliteStore) -> None:
    first = remember(store, Memory(id="", what="Use cents", why="floats lose money"))
    second = remember(store, Memory(id="", what="Use cents", why="the bank sends cents"))

    assert second.created and second.memory.id != first.memory.id
