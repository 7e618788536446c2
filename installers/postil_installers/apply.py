"""Writes a plan, whole or not at all, and takes it back."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from postil.config.paths import data_dir, private
from postil.errors import ClientFileError, UsageError
from postil_installers import launcher
from postil_installers.machine import Machine
from postil_installers.parts import Part, take_out
from postil_installers.plan import Edit, Target, plan, read, wanted
from postil_installers.receipt import Entry, Receipt, forget, recall, recall_all, save

# How a file is called while it is written: what a process that was killed left of it is known by
# that.
UNFINISHED = ".postil-part"


@dataclass(frozen=True, slots=True)
class Restored:
    """What an uninstallation did with a file.

    `restored` (its old bytes), `cleaned` (others changed it too), `removed`, `untouched`, or
    `shared` (another client needs what is in it). `left` says what had to stay.
    """

    path: Path
    what: str
    kept_aside: Path | None = None
    left: str = ""


def install(target: Target, edits: Sequence[Edit], machine: Machine) -> None:
    """Write the edits of a plan; all are put back when one fails (ClientFileError)."""
    with locked():
        old = recall(target.client, target.project)
        new = replace(old, at=old.at or time.time(), doing="install")
        for edit in edits:
            new = new.with_entry(_entry(edit, old))
        # What was installed elsewhere (another folder of the client) stays known.
        save(new)
        launcher.write(machine)
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
            save(old) if old.entries else _forget(new, machine)
            if isinstance(error, ClientFileError):
                raise
            raise ClientFileError(
                f"{error.filename or edit.path} cannot be written: {error.strerror}",
                hint="nothing was changed",
            ) from error
        save(replace(new, doing=""))


def uninstall(target: Target, machine: Machine) -> list[Restored]:
    """Take everything out again, wherever the receipt says it was put.

    A file that nobody changed since gets its old bytes back; from any other only our own parts go.
    """
    with locked():
        receipt = recall(target.client, target.project)
        # All are judged before any is written: a file that is refused stops everything.
        removals = [_judge(entry, receipt) for entry in receipt.entries]
        removals += _unknown(target, receipt, machine)
        if receipt.entries and receipt.doing != "uninstall":
            save(replace(receipt, doing="uninstall"))
        results = [_take_out(removal) for removal in removals]
        _forget(receipt, machine)
    return results


def state(target: Target, machine: Machine) -> str:
    """`installed`, `not installed`, or `stale`: parts are missing or of another installation."""
    edits = plan(target, machine, recall(target.client, target.project))
    if not any(edit.changes for edit in edits) and launcher.are_current(machine):
        return "installed"
    return "stale" if any(map(is_present, edits)) else "not installed"


def is_present(edit: Edit) -> bool:
    """Whether anything of ours is in the file as it is."""
    if edit.before is None:
        return False
    return any(
        take_out(str(edit.path), edit.before, part).data != edit.before
        for part in edit.parts
        if part.kind not in ("file", "default")
    ) or any(part.kind == "file" for part in edit.parts)


def _forget(receipt: Receipt, machine: Machine) -> None:
    forget(receipt)
    if not any(recall_all()):
        launcher.remove(machine)


def _entry(edit: Edit, known: Receipt) -> Entry:
    """What to remember of a file: how it was before us, even if we write it a second time."""
    old = known.entry(edit.path) or _of_others(edit.path, known)
    before = edit.before
    if old is not None and edit.before == old.after:
        before = old.before
    elif before is not None and old is not None:
        for part in reversed(old.parts):
            before = take_out(str(edit.path), before, part, old.before).data
        if old.before is None and before.strip() in (b"", b"{}"):
            before = None
    elif before is not None:
        # Marked parts are of an earlier installation. A member of our name in a file that we have
        # no receipt for is the person's own.
        for part in reversed(edit.parts):
            if part.kind in ("item", "block"):
                before = take_out(str(edit.path), before, part).data
    made = old.made_folders if old is not None else _missing_folders(edit.path)
    return Entry(str(edit.path), before, edit.after, edit.parts, made)


def _missing_folders(path: Path) -> tuple[str, ...]:
    """The folders above a file that are not there, the innermost first."""
    return tuple(str(folder) for folder in path.parents if not folder.exists())


@dataclass(frozen=True, slots=True)
class _Removal:
    """A file as it is and as it is to be (None: no file), and a text to keep aside."""

    path: Path
    what: str
    now: bytes | None
    then: bytes | None
    aside: bytes = b""
    left: str = ""
    made_folders: tuple[str, ...] = ()


def _judge(entry: Entry, receipt: Receipt) -> _Removal:
    path = Path(entry.path)
    now = read(path)
    if now is None:
        return _Removal(path, "untouched", None, None, made_folders=entry.made_folders)
    if _of_others(path, receipt) is not None:
        return _Removal(path, "shared", now, now)
    created = entry.before is None
    if now == entry.after:
        what = "removed" if created else "restored"
        return _Removal(path, what, now, entry.before, made_folders=entry.made_folders)
    rest, aside, left = _without(path, now, entry.parts, entry.before)
    if rest == now:
        return _Removal(path, "untouched", now, now)
    kept = aside if aside and aside not in entry.after else b""
    if created and rest.strip() in (b"", b"{}"):
        return _Removal(path, "removed", now, None, kept, left, entry.made_folders)
    return _Removal(path, "cleaned", now, rest, kept, left)


def _unknown(target: Target, receipt: Receipt, machine: Machine) -> Iterator[_Removal]:
    """What is recognised as ours in the client's usual files though no receipt tells of it."""
    found: dict[Path, list[Part]] = {}
    with contextlib.suppress(UsageError):  # nothing can be written there, so nothing was
        for _, path, part in wanted(target, machine):
            if receipt.entry(path) is None and part.kind in ("member", "item", "table", "block"):
                found.setdefault(path, []).append(part)
    for path, parts in found.items():
        now = read(path)
        if now is not None:
            rest, aside, left = _without(path, now, parts, None)
            what = "untouched" if rest == now else "cleaned"
            yield _Removal(path, what, now, rest, aside if rest != now else b"", left)


def _without(
    path: Path, now: bytes, parts: Sequence[Part], before: bytes | None
) -> tuple[bytes, bytes, str]:
    """A file without these parts, what a person may have written into them, and what stays."""
    aside, left = b"", ""
    for part in reversed(parts):
        removed = take_out(str(path), now, part, before)
        now, aside, left = removed.data, aside or removed.aside, left or removed.left
    return now, aside, left


def _of_others(path: Path, receipt: Receipt) -> Entry | None:
    """What another installation knows of the same file; None when no other uses it."""
    for other in recall_all():
        if (other.client, other.project) != (receipt.client, receipt.project):
            entry = other.entry(path)
            if entry is not None:
                return entry
    return None


def _take_out(removal: _Removal) -> Restored:
    path = removal.path
    aside = _keep_aside(path, removal.aside) if removal.aside else None
    if removal.then is None:
        path.unlink(missing_ok=True)
        for folder in removal.made_folders:
            with contextlib.suppress(OSError):  # something else is in it by now
                Path(folder).rmdir()
    elif removal.then != removal.now:
        _write(path, removal.now, removal.then, path.stat().st_mode & 0o7777)
    return Restored(path, removal.what, aside, removal.left)


def _keep_aside(path: Path, block: bytes) -> Path:
    """What a person edited is not thrown away."""
    folder = private(data_dir() / "kept")
    target = folder / f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}"
    target.write_bytes(block)
    return target


def _write(path: Path, expected: bytes | None, new: bytes, mode: int) -> None:
    """Replace a file in one step, provided that it still is as it was when the plan was made."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    owner = target.stat() if target.exists() else None
    descriptor, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name}.", suffix=UNFINISHED
    )
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
def locked() -> Iterator[None]:
    """One installation at a time on this machine."""
    try:
        with FileLock(private(data_dir()) / "install.lock", timeout=10, mode=0o600):
            yield
    except Timeout:
        raise ClientFileError(
            "another installation is running", hint="wait for it to end, then try again"
        ) from None
