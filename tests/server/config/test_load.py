"""Settings come from four places; a repository may set only what is harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.config.load import load
from postil.config.paths import cache_dir, config_dir, data_dir
from postil.config.settings import SETTINGS


def test_the_later_place_wins(home: Path, tmp_path: Path) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "postil.toml").write_text("[recall]\ntokens = 100\n[brief]\ntokens = 100\n")
    (tmp_path / ".postil.toml").write_text('recall.tokens = 200\nindex.ignore = ["*.gen.py"]\n')

    config = load(tmp_path, {"POSTIL_BRIEF_TOKENS": "400", "POSTIL_EMBEDDER": ""})

    assert config.number("recall.tokens") == 200
    assert config.number("brief.tokens") == 400
    assert config.lines("index.ignore") == ("*.gen.py",)
    assert config.text("embedder") == "auto", "an empty variable is no value"
    assert config.origins["recall.tokens"] == str(tmp_path / ".postil.toml")
    assert config.complaints == ()


def test_a_repository_cannot_set_what_sends_or_stores(tmp_path: Path) -> None:
    (tmp_path / ".postil.toml").write_text('embedder = "none"\n[capture]\nepisodes = true\n')

    config = load(tmp_path, {})

    assert config.text("embedder") == "auto"
    assert len(config.complaints) == 2
    assert "not by a repository" in config.complaints[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recall.tokens = -1", "not between"),
        ("recall.tokens = 1000000", "not between"),
        ('recall.tokens = "many"', "invalid literal"),
        ("index.ignore = 3", "list of texts"),
        ("no.such = 1", "no setting 'no.such'"),
        ("broken = = 1", "not read"),
    ],
)
def test_a_wrong_value_is_reported_and_the_default_used(
    tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / ".postil.toml").write_text(text)

    config = load(tmp_path, {})

    assert told in config.complaints[0]
    assert config.values == {setting.name: setting.default for setting in SETTINGS}


def test_the_hook_client_and_everyone_else_agree_on_the_folder(home: Path) -> None:
    import platformdirs

    assert data_dir() == platformdirs.user_data_path("postil", False)


def test_one_variable_moves_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("POSTIL_HOME", str(tmp_path / "x"))

    for folder in (data_dir(), config_dir(), cache_dir()):
        assert folder.is_relative_to(tmp_path / "x")
