"""The command line as a person and a script use it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from postil.cli.main import COMMANDS
from support.mounts import without_privileges
from support.project import POSTIL, clean_environment, make_project, postil

pytestmark = pytest.mark.slow


def ok(*args: str, home: Path, cwd: Path) -> str:
    done = postil(*args, home=home, cwd=cwd)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_first_day(home: Path, tmp_path: Path) -> None:
    files = {
        "CLAUDE.md": "# Rules\n- Always run `make check` before a commit because CI is slow\n",
        "docs/adr/0001-db.md": "# 1. Use PostgreSQL\n\n## Context\nWe need transactions.\n\n"
        "## Decision\nBilling uses PostgreSQL.\n",
        "pay.py": "# DECISION: retries are off, because the gateway is not idempotent\n"
        "def charge():\n    return 1\n",
        "notes.txt": "plain",
    }
    root = make_project(tmp_path / "shop", files)

    first = ok("calibrate", home=home, cwd=root)
    assert "3 things learned" in first
    assert "Always run `make check` before a commit Why: CI is slow" in first
    assert "Next, wire your agents and editors" in first
    again = json.loads(ok("calibrate", "--json", home=home, cwd=root))
    assert (again["learned"], again["known_before"]) == (0, 3)

    ok("remember", "Amounts are in cents", "--why", "floats lose money", "--kind", "rule",
       "--where", "charge", home=home, cwd=root)  # fmt: skip
    assert "Amounts are in cents Why: floats lose money (pay.py:2#charge)" in ok(
        "search", "how are amounts stored", home=home, cwd=root
    )
    assert "pay.py:2  charge (function)" in ok("index", "search", "charge", home=home, cwd=root)
    assert "2-3  def charge()" in ok("index", "outline", "pay.py", home=home, cwd=root)
    assert "no grammar" in ok("index", "status", "--skipped", home=home, cwd=root)
    assert "Rules:" in ok("brief", home=home, cwd=root)
    assert "store" in ok("ping", home=home, cwd=root)
    assert "claude-code    not installed" in ok("status", "--all", home=home, cwd=root)
    from_below = ok("search", "amounts", "--json", home=home, cwd=root / "docs")
    assert json.loads(from_below)["hits"][0]["what"] == "Amounts are in cents"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(home: Path, tmp_path: Path, command: str) -> None:
    told = ok(command, "--help", home=home, cwd=tmp_path)

    assert told.startswith(f"Usage: postil {command}")


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("serch", "x"), 2, "Did you mean search?"),
        (("search",), 2, "Missing argument"),
        (("index", "outline", "no/such.py"), 2, "not in the code map"),
        (("remember", "x", "--where", "no.py#f"), 2, "not in the project"),
        (("search", " "), 2, "the query is empty"),
        (("install", "claude-code"), 2, "add --yes"),
        (("remember", "ghp_" + "a1B2c3D4e5" * 4), 6, "is a secret"),
        (("install", "no-such-client"), 2, "known: claude-code"),
        (("search", "x", "--project", "/no/such"), 2, "does not exist"),
    ],
)
def test_failures_have_their_code_and_say_what_to_do(
    home: Path, project: Path, args: tuple[str, ...], code: int, told: str
) -> None:
    done = postil(*args, home=home, cwd=project)

    assert done.returncode == code, done.stderr
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b"" or args == ("install", "claude-code")


def test_paths_are_meant_from_where_one_stands(home: Path, project: Path) -> None:
    below = project / "lib"
    ok("remember", "Carts expire", "--where", "cart.py#Cart", home=home, cwd=below)

    assert "(lib/cart.py:1#Cart)" in ok("search", "carts expire", home=home, cwd=project)
    assert "Carts expire" in ok("search", "carts", "--path", "cart.py", home=home, cwd=below)
    assert "class Cart" in ok("index", "outline", "cart.py", home=home, cwd=below)
    assert "class Cart" in ok("index", "outline", "lib/cart.py", home=home, cwd=below)


def test_search_and_brief_tell_what_became_of_the_code(home: Path, project: Path) -> None:
    rule = ("remember", "Carts expire", "--kind", "rule")
    ok(*rule, "--where", "Cart.total", home=home, cwd=project)
    (project / "lib/cart.py").write_text("class Cart:\n    def total(self): return 1\n")

    assert "code changed since" in ok("search", "carts expire", home=home, cwd=project)
    assert "code changed since" in ok("brief", home=home, cwd=project)
    (project / "lib/cart.py").unlink()
    assert "gone" in ok("search", "carts expire", home=home, cwd=project)


def test_wrong_settings_are_said_and_have_their_code(home: Path, project: Path) -> None:
    (project / ".postil.toml").write_text("recall.tokens = -1\n")

    done = postil("search", "x", home=home, cwd=project)
    assert (done.returncode, b"recall.tokens" in done.stderr) == (0, True)
    assert postil("ping", home=home, cwd=project).returncode == 3


def test_a_hooks_broken_payload_is_said_plainly(home: Path, project: Path) -> None:
    done = postil("hook", "claude-code", "SessionStart", home=home, cwd=project, stdin=b"garbage")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no JSON object" in done.stderr and b"Traceback" not in done.stderr


def test_errors_as_json(home: Path, project: Path) -> None:
    done = postil("index", "outline", "no.py", "--json", home=home, cwd=project)

    assert json.loads(done.stdout)["error"]["code"] == "invalid_request"


def test_dry_run_writes_nothing(home: Path, project: Path) -> None:
    shown = ok("install", "claude-code", "--dry-run", home=home, cwd=project)

    assert '+    "SessionStart": [' in shown
    assert "nothing was written" in shown
    assert not (home / ".claude").exists()
    assert not (home / ".claude.json").exists()


def test_without_permission_a_line_says_so(home: Path, project: Path) -> None:
    ok("remember", "Amounts are in cents", home=home, cwd=project)
    (store,) = (home / ".local/share/postil/projects").glob("shop-*")
    store.chmod(0)
    command = [*without_privileges(), POSTIL, "search", "amounts"]
    try:
        done = subprocess.run(
            command, cwd=project, env=clean_environment(home), capture_output=True, check=False
        )
    finally:
        store.chmod(0o700)
    told = done.stderr.decode()
    assert done.returncode == 4
    assert "project.json cannot be read: Permission denied" in told
    assert "Traceback" not in told
    assert "Amounts are in cents" in ok("search", "amounts", home=home, cwd=project)
