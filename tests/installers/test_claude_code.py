"""Installing into Claude Code and taking it out: every byte of the person's files comes back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from postil.errors import ClientFileError
from postil_hooks import spec
from postil_installers.apply import install, state, uninstall
from postil_installers.machine import Machine
from postil_installers.plan import Target, plan

CLAUDE = Target("claude-code")
SETTINGS = {
    "none": None,
    "own hooks": (
        b'{\n  "theme": "dark",\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n'
        b'          { "type": "command", "command": "say done" }\n        ]\n'
        b"      }\n    ]\n  }\n}\n"
    ),
    "carriage returns": b'{\r\n\t"model": "opus"\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{\n    "a": 1.0,\n    "a": 2\n}',
    "empty": b"",
    "one line": b'{"hooks":{}}',
}


def files_below(home: Path) -> dict[str, bytes]:
    """All files of a home but Postil's own."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and "postil" not in path.parts
    }


@pytest.fixture
def machine() -> Machine:
    return Machine(os.environ)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_uninstall_brings_back_every_byte(
    home: Path, machine: Machine, settings: bytes | None
) -> None:
    (home / ".claude").mkdir()
    if settings is not None:
        (home / ".claude/settings.json").write_bytes(settings)
    (home / ".claude.json").write_bytes(
        b'{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}'
    )
    (home / ".claude/CLAUDE.md").write_bytes(b"# Mine\r\nno newline at the end")
    before = files_below(home)
    install(CLAUDE, plan(CLAUDE, machine), machine)
    installed = files_below(home)
    install(CLAUDE, plan(CLAUDE, machine), machine)

    assert files_below(home) == installed != before
    assert state(CLAUDE, machine) == "installed"
    uninstall(CLAUDE, machine)
    assert files_below(home) == before
    assert state(CLAUDE, machine) == "not installed"


def test_what_is_written_is_what_the_client_reads(home: Path, machine: Machine) -> None:
    install(CLAUDE, plan(CLAUDE, machine), machine)

    settings = json.loads((home / ".claude/settings.json").read_bytes())
    servers = json.loads((home / ".claude.json").read_bytes())["mcpServers"]
    assert set(settings["hooks"]) == set(spec.load("claude-code")["events"])
    for event, groups in settings["hooks"].items():
        handler = groups[0]["hooks"][0]
        assert Path(handler["command"]).is_absolute()
        assert handler["args"] == ["claude-code", event]
        assert 1 <= handler["timeout"] <= 60
    assert Path(servers["postil"]["command"]).is_absolute()
    assert servers["postil"]["args"] == ["mcp"]
    assert (home / ".claude.json").stat().st_mode & 0o777 == 0o600


def test_edits_made_since_the_installation_stay(home: Path, machine: Machine) -> None:
    (home / ".claude").mkdir()
    settings, notes = home / ".claude/settings.json", home / ".claude/CLAUDE.md"
    settings.write_text('{\n  "theme": "dark"\n}\n')
    notes.write_text("# Mine\n")
    install(CLAUDE, plan(CLAUDE, machine), machine)

    settings.write_text(settings.read_text().replace("dark", "light"))
    notes.write_text(notes.read_text() + "\nMore of mine\n")
    uninstall(CLAUDE, machine)

    assert settings.read_text() == '{\n  "theme": "light"\n}\n'
    assert notes.read_text() == "# Mine\n\nMore of mine\n"


def test_an_edited_block_is_kept_aside(home: Path, machine: Machine) -> None:
    install(CLAUDE, plan(CLAUDE, machine), machine)
    notes = home / ".claude/CLAUDE.md"
    notes.write_text(notes.read_text().replace("Recalled text", "My own words"))

    results = uninstall(CLAUDE, machine)

    kept = [one.kept_aside for one in results if one.kept_aside]
    assert "My own words" in kept[0].read_text()
    assert not notes.exists()


def test_a_link_is_written_through_and_stays_a_link(home: Path, machine: Machine) -> None:
    (home / ".claude").mkdir()
    (home / "dotfiles").mkdir()
    real = home / "dotfiles/settings.json"
    real.write_text('{"a": 1}\n')
    real.chmod(0o640)
    (home / ".claude/settings.json").symlink_to(real)

    install(CLAUDE, plan(CLAUDE, machine), machine)

    assert (home / ".claude/settings.json").is_symlink()
    assert "hooks" in json.loads(real.read_text())
    assert real.stat().st_mode & 0o777 == 0o640
    uninstall(CLAUDE, machine)
    assert real.read_text() == '{"a": 1}\n'


def test_a_broken_file_is_refused_and_nothing_is_written(home: Path, machine: Machine) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{\n  // mine\n  "a": 1\n}\n')
    before = files_below(home)

    with pytest.raises(ClientFileError, match=r"settings\.json.*line 2, column 3"):
        install(CLAUDE, plan(CLAUDE, machine), machine)

    assert files_below(home) == before


def test_a_file_that_changes_meanwhile_stops_the_whole_installation(
    home: Path, machine: Machine
) -> None:
    (home / ".claude").mkdir()
    notes = home / ".claude/CLAUDE.md"
    notes.write_text("old\n")
    edits = plan(CLAUDE, machine)
    notes.write_text("new\n")

    with pytest.raises(ClientFileError, match="changed while"):
        install(CLAUDE, edits, machine)

    assert files_below(home) == {".claude/CLAUDE.md": b"new\n"}


def test_a_moved_interpreter_is_stale_and_installing_again_mends_it(home: Path) -> None:
    first = Machine(os.environ, python="/old/bin/python3")
    install(CLAUDE, plan(CLAUDE, first), first)
    now = Machine(os.environ)

    assert state(CLAUDE, now) == "stale"
    install(CLAUDE, plan(CLAUDE, now), now)
    assert state(CLAUDE, now) == "installed"
    settings = json.loads((home / ".claude/settings.json").read_bytes())
    assert [len(groups) for groups in settings["hooks"].values()] == [1] * 9
    uninstall(CLAUDE, now)
    assert files_below(home) == {}


def test_the_clients_own_variable_names_its_folder(home: Path, tmp_path: Path) -> None:
    machine = Machine({"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})

    install(CLAUDE, plan(CLAUDE, machine), machine)

    assert (tmp_path / "elsewhere/.claude.json").is_file()
    assert files_below(home) == {}


def test_a_persons_own_entry_of_our_name_comes_back(home: Path, machine: Machine) -> None:
    own = '{"mcpServers": {"postil": {"command": "/my/fork", "env": {"A": "b"}}}}'
    (home / ".claude.json").write_text(own, encoding="utf-8")
    install(CLAUDE, plan(CLAUDE, machine), machine)
    assert "/my/fork" not in (home / ".claude.json").read_text(encoding="utf-8")

    changed = (home / ".claude.json").read_text(encoding="utf-8").replace("{", '{"n": 1, ', 1)
    (home / ".claude.json").write_text(changed, encoding="utf-8")
    uninstall(CLAUDE, machine)

    servers = json.loads((home / ".claude.json").read_bytes())["mcpServers"]
    assert servers == {"postil": {"command": "/my/fork", "env": {"A": "b"}}}


def test_what_was_installed_elsewhere_is_taken_out_too(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/settings.json").write_text('{"mine": 1}', encoding="utf-8")
    first = Machine({"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "a")})
    second = Machine({"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "b")})
    install(CLAUDE, plan(CLAUDE, first), first)
    install(CLAUDE, plan(CLAUDE, second), second)

    uninstall(CLAUDE, second)

    left = {path.name: path.read_text() for path in tmp_path.glob("[ab]/*") if path.is_file()}
    assert left == {"settings.json": '{"mine": 1}'}


def test_a_lone_marker_stops_the_edit_and_no_text_is_lost(home: Path, machine: Machine) -> None:
    install(CLAUDE, plan(CLAUDE, machine), machine)
    notes = home / ".claude/CLAUDE.md"
    broken = notes.read_text(encoding="utf-8").replace("<!-- postil:end -->\n", "") + "My notes\n"
    notes.write_text(broken, encoding="utf-8")

    with pytest.raises(ClientFileError, match="without its other half"):
        plan(CLAUDE, machine)
    with pytest.raises(ClientFileError, match="without its other half"):
        uninstall(CLAUDE, machine)

    assert notes.read_text(encoding="utf-8") == broken


def test_the_shown_difference_holds_nobodys_token(home: Path, machine: Machine) -> None:
    from postil_installers.show import diff

    token = "ghp_" + "a1B2c3D4e5" * 4
    (home / ".claude.json").write_text(f'{{"mcpServers": {{"x": {{"env": {{"T": "{token}"}}}}}}}}')

    shown = "\n".join(diff(edit) for edit in plan(CLAUDE, machine))

    assert token not in shown
    assert "postil" in shown


def test_a_refused_file_stops_the_whole_removal(home: Path, machine: Machine) -> None:
    install(CLAUDE, plan(CLAUDE, machine), machine)
    settings = home / ".claude/settings.json"
    settings.write_text(settings.read_text(encoding="utf-8") + "// x\n", encoding="utf-8")
    before = files_below(home)

    with pytest.raises(ClientFileError):
        uninstall(CLAUDE, machine)

    assert files_below(home) == before


def test_a_folder_that_we_made_goes_and_one_that_was_there_stays(
    home: Path, machine: Machine
) -> None:
    install(CLAUDE, plan(CLAUDE, machine), machine)
    uninstall(CLAUDE, machine)
    assert not (home / ".claude").exists()

    (home / ".claude").mkdir()
    install(CLAUDE, plan(CLAUDE, machine), machine)
    uninstall(CLAUDE, machine)
    assert (home / ".claude").is_dir()


def test_a_file_that_cannot_be_put_back_is_named(
    home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second write fails and so does undoing the first: real failures cannot be timed so."""
    from postil_installers import apply

    write = apply._write
    seen: list[Path] = []

    def failing(path: Path, expected: bytes | None, new: bytes, mode: int) -> None:
        seen.append(path)
        if len(seen) > 1:
            raise OSError(28, "No space left on device", str(path))
        write(path, expected, new, mode)

    (home / ".claude.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(apply, "_write", failing)
    with pytest.raises(ClientFileError, match=r"\.claude\.json could not be put back"):
        install(CLAUDE, plan(CLAUDE, machine), machine)
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(home))

    uninstall(CLAUDE, machine)
    assert files_below(home) == {".claude.json": b"{}"}
