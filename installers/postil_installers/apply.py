"""Writes a plan, whole or not at all, and takes it back."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from postil.config.clients import load_client
from postil.config.paths import data_dir, private
from postil.errors import ClientFileError
from postil_installers.plan import Edit, Machine, plan, read, without
from postil_installers.receipt import Entry, Receipt, forget, recall, save


@dataclass(frozen=True, slots=True)
class Restored:
    """What an uninstallation did with a file: `restored`, `cleaned`, `removed` or `untouched`."""

    path: Path
    what: str
    kept_aside: Path | None = None


def install(client: str, edits: Sequence[Edit]) -> None:
    """Write the edits of a plan; all are put back when one fails (ClientFileError)."""
    with _lock():
        old = {entry.path: entry for entry in recall(client).entries}
        new = {str(edit.path): _entry(number, edit, old) for number, edit in enumerate(edits)}
        # What was installed elsewhere (another folder of the client) stays known.
        save(client, Receipt(tuple({**old, **new}.values())))
        done: list[Edit] = []
        try:
            for edit in edits:
                if edit.changes:
                    _write(edit.path, edit.before, edit.after, edit.mode)
                    done.append(edit)
        except (OSError, ClientFileError) as error:
            left = _put_back(done)
            if left:
                # The receipt of the new state stays: uninstalling takes these out as well.
                names = ", ".join(map(str, left))
                raise ClientFileError(
                    f"{error}; {names} could not be put back", hint="`postil uninstall` cleans up"
                ) from error
            save(client, Receipt(tuple(old.values()))) if old else forget(client)
            if isinstance(error, ClientFileError):
                raise
            raise ClientFileError(
                f"{error.filename or edit.path} cannot be written: {error.strerror}",
                hint="nothing was changed",
            ) from error


def uninstall(client: str, machine: Machine) -> list[Restored]:
    """Take everything out again, wherever the receipt says it was put.

    A file that nobody changed since gets its old bytes back; from any other only our own parts go.
    """
    spec = load_client(client)
    with _lock():
        places: dict[str, tuple[Mapping[str, Any], Entry | None]] = {
            entry.path: (spec["edits"][entry.edit], entry) for entry in recall(client).entries
        }
        for edit in spec["edits"]:
            places.setdefault(str(machine.place(spec, edit["file"])), (edit, None))
        # All are judged before any is written: a file that is refused stops everything.
        removals = [_judge(Path(path), *found) for path, found in places.items()]
        results = [_take_out(removal) for removal in removals]
        forget(client)
    return results


def state(client: str, machine: Machine) -> str:
    """`installed`, `not installed`, or `stale`: parts are missing or of another installation."""
    edits = plan(client, machine)
    if not any(edit.changes for edit in edits):
        return "installed"
    present = any(
        edit.before is not None
        and without(edit.path, edit.before, edit.spec, None)[0] != edit.before
        for edit in edits
    )
    return "stale" if present else "not installed"


def _entry(number: int, edit: Edit, known: Mapping[str, Entry]) -> Entry:
    """What to remember of a file: how it was before us, even if we write it a second time."""
    old = known.get(str(edit.path))
    before = edit.before
    if old is not None and edit.before == old.after:
        before = old.before
    elif before is not None and (old is not None or edit.kind != "json_member"):
        # Marked parts are of an earlier installation. An entry of our name in a file that we have
        # no receipt for is the person's own.
        before = without(edit.path, before, edit.spec, old.before if old else None)[0]
    made_folder = old.made_folder if old is not None else not edit.path.parent.exists()
    return Entry(str(edit.path), number, before, edit.after, made_folder)


@dataclass(frozen=True, slots=True)
class _Removal:
    """A file as it is and as it is to be (None: no file), and a block to keep aside."""

    path: Path
    what: str
    now: bytes | None
    then: bytes | None
    block: bytes = b""
    made_folder: bool = False


def _judge(path: Path, edit: Mapping[str, Any], entry: Entry | None) -> _Removal:
    now = read(path)
    if now is None:
        return _Removal(path, "untouched", None, None)
    created = entry is not None and entry.before is None
    made_folder = entry is not None and entry.made_folder
    if entry is not None and now == entry.after:
        what = "removed" if created else "restored"
        return _Removal(path, what, now, entry.before, made_folder=made_folder)
    rest, block = without(path, now, edit, entry.before if entry else None)
    if rest == now:
        return _Removal(path, "untouched", now, now)
    kept = block if block and entry and block not in entry.after else b""
    if created and rest.strip() in (b"", b"{}"):
        return _Removal(path, "removed", now, None, kept, made_folder)
    return _Removal(path, "cleaned", now, rest, kept)


def _take_out(removal: _Removal) -> Restored:
    path = removal.path
    aside = _keep_aside(path, removal.block) if removal.block else None
    if removal.then is None and removal.now is not None:
        path.unlink()
        if removal.made_folder:
            with contextlib.suppress(OSError):  # something else is in it by now
                path.parent.rmdir()
    elif removal.then is not None and removal.then != removal.now:
        _write(path, removal.now, removal.then, path.stat().st_mode & 0o7777)
    return Restored(path, removal.what, aside)


def _keep_aside(path: Path, block: bytes) -> Path:
    """A block that a person edited is not thrown away."""
    folder = private(data_dir() / "kept")
    target = folder / f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}"
    target.write_bytes(block)
    return target


def _write(path: Path, expected: bytes | None, new: bytes, mode: int) -> None:
    """Replace a file in one step, provided that it still is as it was when the plan was made."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    owner = target.stat() if target.exists() else None
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(mode)
        if owner is not None and hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):  # not ours to give: stays the writer's
                os.chown(part, owner.st_uid, owner.st_gid)
        if read(path) != expected:
            raise ClientFileError(
                f"{path} changed while it was being edited", hint="nothing was changed; try again"
            )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _put_back(edits: Sequence[Edit]) -> list[Path]:
    """Undo what was written, newest first; the files where that failed.

    A file that somebody changed meanwhile is theirs and counts as failed.
    """
    left = []
    for edit in reversed(edits):
        try:
            if edit.before is not None:
                _write(edit.path, edit.after, edit.before, edit.mode)
            elif read(edit.path) == edit.after:
                edit.path.unlink()
            else:
                left.append(edit.path)
        except (OSError, ClientFileError):
            left.append(edit.path)
    return left


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    try:
        with FileLock(private(data_dir()) / "install.lock", timeout=10, mode=0o600):
            yield
    except Timeout:
        raise ClientFileError(
            "another installation is running", hint="wait for it to end, then try again"
        ) from None
