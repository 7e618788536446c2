"""VS Code as people see it: code-server in a headless Chromium, driven by a scenario."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.project import clean_environment
from support.real import code_server

_HERE = Path(__file__).parent
# Where the pictures of all scenarios are kept, if anywhere. Read now: tests change the environment.
_KEPT = os.environ.get("POSTIL_SHOTS", "")
# The editor's agent without an account, with whatever model an extension brings.
AGENT = {
    "chat.disableAIFeatures": False,
    "chat.allowAnonymousAccess": True,
    "chat.agentHost.allowSignedOutWhenUsable": True,
}


def scripted_model(box: Path) -> Path:
    """The extension that brings a scripted model, packed: a .vsix may be a plain archive."""
    packed = box / "scripted-model.vsix"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("package.json", "main.js"):
            archive.write(_HERE / "model" / name, f"extension/{name}")
    return packed


def run_in_extension_host(
    tests: Path,
    box: Path,
    home: Path,
    project: Path,
    packed: Path,
    machine_settings: Mapping[str, object],
) -> str:
    """What tests with the editor's own API printed; they export `run()`, and throw when one fails.

    `packed` is unpacked and run from its folder, so it is what people get.
    """
    unpacked = box / "unpacked"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(unpacked)
    developed = unpacked / "extension"
    target = shutil.copy(tests, developed / "tests.js")
    return run_scenario(
        None, box, home, project, machine_settings=machine_settings,
        DEVELOPED=str(developed), TESTS=str(target),
    )  # fmt: skip


def run_scenario(
    scenario: Path | None,
    box: Path,
    home: Path,
    project: Path,
    extensions: Sequence[Path] = (),
    settings: Mapping[str, object] | None = None,
    machine_settings: Mapping[str, object] | None = None,
    before: Sequence[str] = (),
    **environment: str,
) -> str:
    """What the scenario printed. Fails the test, with its words, when it does.

    Pictures lie in `box/shots`. `before` is put before the command, as `support.mounts` makes it.
    """
    found = code_server()
    done = subprocess.run(
        [*before, found["NODE"], str(_HERE / "driver.mjs"), *([str(scenario)] if scenario else [])],
        env=clean_environment(
            home,
            **found,
            BOX=str(box),
            PROJECT=str(project),
            EXTENSIONS="\n".join(map(str, extensions)),
            SETTINGS=json.dumps(settings or {}),
            MACHINE_SETTINGS=json.dumps(machine_settings or {}),
            **environment,
        ),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if _KEPT and scenario is not None:
        shutil.copytree(box / "shots", Path(_KEPT) / scenario.stem, dirs_exist_ok=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
