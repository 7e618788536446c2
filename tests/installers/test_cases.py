"""Faults that installers of other systems had in the field, each with what is right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from postil.errors import ClientFileError
from postil_hooks import spec
from postil_installers.apply import install, uninstall
from postil_installers.inspect import examine
from postil_installers.machine import Machine
from postil_installers.parts import Part
from postil_installers.plan import Target, plan
from postil_installers.receipt import Entry, Receipt, recall, save
from support.project import clean_environment, postil, run_git

ALL = [name for name in spec.names() if spec.load(name)["edits"]]


@pytest.fixture
def machine() -> Machine:
    return Machine(os.environ)


def wire(client: str, machine: Machine, project: Path | None = None) -> Target:
    target = Target(client, project)
    install(target, plan(target, machine, recall(client, project)), machine)
    return target


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_comment_in_a_strict_file_stops_the_installation(home: Path) -> None:
    """INS-01: Claude ignores all of a file with a comment, so nothing is put into it."""
    text = (
        '{\n  // keep opus for reviews\n  "model": "opus",\n'
        '  "permissions": {"allow": ["Bash(ls)"]}\n}'
    )
    settings = write(home / ".claude/settings.json", text)

    done = postil("install", "claude-code", "--yes", home=home, cwd=home)

    assert done.returncode == 5
    assert b"line 2, column 3" in done.stderr
    assert settings.read_text() == text
    assert not (home / ".claude.json").exists()


def test_trailing_commas_are_kept(home: Path, machine: Machine) -> None:
    """INS-02: VS Code reads them; ours is added once, in the same manner."""
    path = write(home / ".config/Code/User/mcp.json", '{"servers": {"a": {"command": "a"},},}')

    wire("vscode", machine)
    wire("vscode", machine)

    text = path.read_text()
    assert text.startswith('{"servers": {"a": {"command": "a"}, "postil": {')
    assert text.endswith("},},}")
    assert text.count("postil") >= 1 and text.count('"postil":') == 1


def test_a_comment_that_is_not_closed_is_told_with_its_place(home: Path, machine: Machine) -> None:
    """INS-04: forty comments, and one that never ends."""
    text = "/* a /* b */\n" * 40 + '{ "servers": {} /* '
    path = write(home / ".config/Code/User/mcp.json", text)

    with pytest.raises(ClientFileError, match="line 41, column 17: a comment is not closed"):
        plan(Target("vscode"), machine)

    assert path.read_text() == text


def test_hooks_of_others_stay_first(home: Path, machine: Machine) -> None:
    """INS-05: ours comes behind them, as a group of its own."""
    banner = {"matcher": "startup", "hooks": [{"type": "command", "command": "./banner.sh"}]}
    path = write(home / ".claude/settings.json", json.dumps({"hooks": {"SessionStart": [banner]}}))

    wire("claude-code", machine)

    groups = json.loads(path.read_text())["hooks"]["SessionStart"]
    assert groups[0] == banner and len(groups) == 2


def test_odd_but_valid_text_stays_as_it_is_written(home: Path, machine: Machine) -> None:
    """INS-07: keys twice, a number beyond any float, a zero character."""
    text = '{\n  "a": 1,\n  "a": 1152921504606846976,\n  "b": "x\\u0000y",\n  "c": 1.0E+2\n}\n'
    path = write(home / ".claude/settings.json", text)

    wire("claude-code", machine)

    assert path.read_text().startswith(text.rstrip("\n}"))


@pytest.mark.parametrize(
    ("version", "missing"), [("1.0.80", {"SessionEnd", "PostToolUseFailure"}), ("2.1.332", set())]
)
def test_an_old_client_gets_only_what_it_knows(
    home: Path, tmp_path: Path, version: str, missing: set[str]
) -> None:
    """INS-08: an event that it does not know would make it reject the whole file."""
    program = write(tmp_path / "bin/claude", f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    machine = Machine({"HOME": str(home), "PATH": str(program.parent)})

    wire("claude-code", machine)

    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert set(spec.load("claude-code")["events"]) - set(hooks) == missing
    handler = hooks["Stop"][0]["hooks"][0]
    assert ("args" in handler) is (version != "1.0.80"), "the form without a shell is newer"


def test_a_chain_of_links_is_written_through(home: Path, machine: Machine) -> None:
    """INS-10: two links, and one to nothing."""
    real = write(home / "dotfiles/claude.json", "{}")
    real.chmod(0o600)
    (home / "between.json").symlink_to(real)
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.symlink_to(home / "between.json")

    target = wire("claude-code", machine)

    assert settings.readlink() == home / "between.json"
    assert (home / "between.json").readlink() == real
    assert real.stat().st_mode & 0o777 == 0o600
    assert "postil-hook" in real.read_text()
    uninstall(target, machine)
    assert real.read_text() == "{}" and settings.is_symlink()
    real.unlink()
    with pytest.raises(ClientFileError, match="link to nothing"):
        plan(target, machine)
    assert settings.is_symlink()


def test_a_byte_order_mark_stays_and_never_comes(home: Path, machine: Machine) -> None:
    """INS-11: kept where the client reads it, refused where it does not."""
    path = write(home / ".claude/settings.json", b"\xef\xbb\xbf{}\r\n")
    write(home / ".gemini/settings.json", b"\xef\xbb\xbf{}\r\n")

    wire("claude-code", machine)

    assert path.read_bytes().startswith(b"\xef\xbb\xbf{\r\n")
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
    with pytest.raises(ClientFileError, match="byte order mark"):
        plan(Target("gemini"), machine)
    assert not (home / ".claude.json").read_bytes().startswith(b"\xef\xbb\xbf")


def test_only_our_tables_change(home: Path, machine: Machine) -> None:
    """INS-13: neighbours of ours in Codex's file stay, to the comment."""
    other = '\n# about the other one\n[mcp_servers.other]\ncommand = "o"\n'
    rest = other + '\n[[hooks.Stop]]\nmatcher = ""\n'
    ours = '[mcp_servers.postil]\ncommand = "/old/postil" # mine\nargs = ["mcp"]\n'
    env = '\n[mcp_servers.postil.env]\nA = "b"\n'
    path = write(home / ".codex/config.toml", f'model = "x"\n\n{ours}{env}{rest}')

    target = wire("codex", machine)

    text = path.read_text()
    assert text.startswith('model = "x"\n\n[mcp_servers.postil]\ncommand = "')
    assert text.endswith(env + rest)
    table = tomllib.loads(text)["mcp_servers"]["postil"]
    assert table["command"] == machine.launcher[0] and table["env"] == {"A": "b"}
    uninstall(target, machine)
    assert path.read_text() == f'model = "x"\n\n{ours}{env}{rest}'


def test_each_client_gets_its_own_key(home: Path, tmp_path: Path, machine: Machine) -> None:
    """INS-14: `servers` for VS Code, `mcpServers` for Cursor; in a project by the plain name."""
    run_git(tmp_path, "init", "-q", "shop")
    project = tmp_path / "shop"
    for client in ("vscode", "cursor"):
        done = postil("install", client, "--scope", "workspace", "--yes", home=home, cwd=project)
        assert done.returncode == 0, done.stderr

    code = json.loads((project / ".vscode/mcp.json").read_text())
    cursor = json.loads((project / ".cursor/mcp.json").read_text())
    entry = {"type": "stdio", "command": "postil", "args": ["mcp"]}
    assert code == {"servers": {"postil": entry}}
    assert cursor == {"mcpServers": {"postil": entry}}
    assert "alwaysApply: true" in (project / ".cursor/rules/postil.mdc").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("client", ALL)
def test_every_command_that_is_registered_runs(client: str, home: Path, machine: Machine) -> None:
    """INS-16: each with a sample of its event: exit 0, and JSON or nothing."""
    wire(client, machine)
    payload = json.dumps({"session_id": "s", "cwd": str(home), "prompt": "hi", "tool_name": "x"})

    for event in spec.load(client)["events"]:
        command = machine.hook_command(client, event)
        done = subprocess.run(
            command,
            input=payload.encode(),
            env=clean_environment(home),
            cwd=home,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), command
        assert not done.stdout or json.loads(done.stdout)


@pytest.mark.parametrize("client", ALL)
def test_every_event_that_is_handled_is_installed(client: str) -> None:
    """INS-17: one source; what one client calls in two ways is installed in one."""
    told = spec.load(client)
    for edit in told["edits"]:
        if "timeouts" not in edit or edit.get("of", client) != client:
            continue
        assert set(edit["timeouts"]) <= set(told["events"])
        handled = {told["events"][event] for event in edit["timeouts"]}
        assert handled == set(told["events"].values())
        assert all(0 < seconds <= 60 for seconds in edit["timeouts"].values())


def test_a_key_of_an_older_version_of_ours_goes(home: Path, machine: Machine) -> None:
    """INS-19: and the person's keys beside it stay."""
    path = home / ".codex/config.toml"
    old = write(path, "[features]\nweb_search = true\n").read_bytes()
    new = write(path, "[features]\nweb_search = true\ncodex_hooks = true\n").read_bytes()
    part = Part("table", "toml", ("features",), {"codex_hooks": True})
    save(Receipt("codex", "", (Entry(str(path), old, new, (part,)),), at=1.0))

    target = wire("codex", machine)

    text = path.read_text()
    assert tomllib.loads(text)["features"] == {"web_search": True}
    assert "mcp_servers.postil" in text
    uninstall(target, machine)
    assert path.read_bytes() == old


def test_the_trust_of_a_client_is_never_written(home: Path, machine: Machine) -> None:
    """INS-20: three installations, the hooks approved in between."""
    path = write(home / ".codex/config.toml", 'model = "x"\n')
    wire("codex", machine)
    hooks = home / ".codex/hooks.json"
    row = f'\n[hooks.state."{hooks}:session_start:0:0"]\ntrusted_hash = "sha256:aa"\n'
    path.write_text(path.read_text() + row)

    wire("codex", machine)
    target = wire("codex", machine)

    text = path.read_text()
    assert text.count("trusted_hash") == 1 and text.endswith(row)
    told = [one.told for one in examine(target, machine).findings if one.what == "untrusted"]
    assert "SessionStart" not in told[0] and "UserPromptSubmit" in told[0]
    uninstall(target, machine)
    assert path.read_text() == 'model = "x"\n' + row


def test_places_of_others_behind_ours_are_kept(home: Path, machine: Machine) -> None:
    """Codex trusts a hook by its place: one that was added behind ours keeps it."""
    target = wire("codex", machine)
    path = home / ".codex/hooks.json"
    told = json.loads(path.read_text())
    mine = {"hooks": [{"type": "command", "command": "./mine.sh"}]}
    told["hooks"]["Stop"].append(mine)
    path.write_text(json.dumps(told))

    results = uninstall(target, machine)

    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": []}, mine]}}
    assert [one.left for one in results if one.left]


def test_a_moved_program_leaves_no_second_entry(home: Path) -> None:
    """UNI-01: matched by what it calls; one entry for each event."""
    first = Machine({"HOME": str(home)}, data=home / "a")
    second = Machine({"HOME": str(home)}, data=home / "b")
    wire("claude-code", first)
    wire("gemini", first)

    wire("claude-code", second)
    wire("gemini", second)

    for name in (".claude/settings.json", ".gemini/settings.json"):
        text = (home / name).read_text()
        assert str(home / "a") not in text
        assert all(len(groups) == 1 for groups in json.loads(text)["hooks"].values())


def test_two_entries_of_ours_become_one(home: Path, machine: Machine) -> None:
    """UNI-01: as older versions may have left them behind."""
    old = {"hooks": [{"type": "command", "command": "/opt/a/postil-hook claude-code Stop"}]}
    mine = {"hooks": [{"type": "command", "command": "say done"}]}
    path = write(
        home / ".claude/settings.json", json.dumps({"hooks": {"Stop": [old, mine, old]}}, indent=1)
    )
    save(Receipt("claude-code", "", (), at=1.0))
    found = [one.what for one in examine(Target("claude-code"), machine).findings]
    assert "duplicate" in found

    wire("claude-code", machine)

    groups = json.loads(path.read_text())["hooks"]["Stop"]
    assert len(groups) == 2 and groups[1] == mine


def test_nothing_of_ours_stays(home: Path, tmp_path: Path, machine: Machine) -> None:
    """UNI-04: every client for the person and in a project; afterwards no word of us."""
    project = tmp_path / "shop"
    run_git(tmp_path, "init", "-q", "shop")
    write(home / ".config/zed/settings.json", '{"context_servers": {}}')
    for client in ALL:
        wire(client, machine)
        if any("project" in edit["file"] for edit in spec.load(client)["edits"]):
            wire(client, machine, project)

    done = postil("uninstall", "--all", home=home, cwd=project)

    assert done.returncode == 0, done.stderr
    left = {
        path
        for root in (home, project)
        for path in root.rglob("*")
        if path.is_file()
        and ".git" not in path.parts
        and path.parts[-2:]
        and "share" not in path.parts
        and ".cache" not in path.parts
    }
    assert left == {home / ".config/zed/settings.json"}
    assert (home / ".config/zed/settings.json").read_text() == '{"context_servers": {}}'
    assert not machine.hook_program.exists()
    assert not list((home / ".local/share/postil/installed").iterdir())


def test_memories_go_only_when_that_is_asked_for(home: Path) -> None:
    """UNI-04: `--purge`, and never without a yes."""
    store = home / ".local/share/postil"
    postil("remember", "Amounts are in cents", home=home, cwd=home)

    refused = postil("uninstall", "--all", "--purge", home=home, cwd=home)
    assert (refused.returncode, store.exists()) == (2, True)
    done = postil("uninstall", "--all", "--purge", "--yes", home=home, cwd=home)
    assert (done.returncode, store.exists()) == (0, False)


def test_a_hook_is_silent_when_the_package_is_gone(home: Path, machine: Machine) -> None:
    """UNI-05: exit 0 and no word, so that no session is disturbed."""
    wire("claude-code", machine)
    text = machine.hook_program.read_text()
    gone = re.sub(r"sys\.path\.insert\(0, .*\)", "sys.path.insert(0, '/gone')", text)
    machine.hook_program.write_text(gone)

    done = subprocess.run(
        machine.hook_command("claude-code", "UserPromptSubmit"),
        input=b'{"prompt": "x"}',
        env=clean_environment(home),
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_hooks_of_git_are_not_touched(home: Path, tmp_path: Path, machine: Machine) -> None:
    """UNI-07."""
    run_git(tmp_path, "init", "-q", "shop")
    linter = write(tmp_path / "shop/.git/hooks/pre-commit", "#!/bin/sh\nlint\n")
    config = (tmp_path / "shop/.git/config").read_bytes()

    for client in ("claude-code", "vscode", "codex"):
        wire(client, machine, tmp_path / "shop")

    assert linter.read_text() == "#!/bin/sh\nlint\n"
    assert (tmp_path / "shop/.git/config").read_bytes() == config


def test_what_never_fired_is_told(home: Path, machine: Machine) -> None:
    """UNI-08: until the first event comes."""
    target = wire("claude-code", machine)
    never = examine(target, machine)
    assert [one.what for one in never.findings] == ["never fired"]
    assert "restart" in never.findings[0].fix

    command = machine.hook_command("claude-code", "SessionStart")
    subprocess.run(command, input=b"{}", env=clean_environment(home), cwd=home, check=True)

    after = examine(target, machine)
    assert after.findings == ()
    assert after.fired["SessionStart"] == after.last_fired > 0
    assert b"last event just now" in postil("status", "claude-code", home=home, cwd=home).stdout
