"""The few questions Postil asks git, with hooks and configuration of the repository kept out."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from postil.errors import StoreError, UsageError

# A repository's own configuration can name programs to run (fsmonitor, gpg, hooks).
_SAFE = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
)


# The tree without files, which every repository knows.
_NOTHING = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def run(
    root: Path,
    *args: str,
    timeout: float = 30.0,
    given: bytes = b"",
    extra: Mapping[str, str] | None = None,
) -> bytes | None:
    """Standard output of `git ARGS` in `root`, or None when git is absent or says no.

    `given` is its standard input, `extra` are more variables of its environment.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # A repository with missing objects must not make git fetch them, by its own program.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        # Attributes of the tree can name filters, which are programs.
        "GIT_ATTR_SOURCE": _NOTHING,
        "LC_ALL": "C.UTF-8",
    } | dict(extra or {})
    try:
        done = subprocess.run(
            ["git", *_SAFE, *args],
            cwd=root,
            capture_output=True,
            timeout=timeout,
            env=environment,
            input=given,
            check=False,
        )
    except FileNotFoundError:
        return None
    except subprocess.TimeoutExpired as late:
        raise StoreError(
            f"git {args[0]} took more than {timeout:.0f} s in {root}",
            hint="is the repository on a slow or network disk?",
        ) from late
    return done.stdout if done.returncode == 0 else None


def line(root: Path, *args: str) -> str:
    """The first line of `git ARGS`, or "" when git is absent or says no."""
    out = run(root, *args)
    return out.decode("utf-8", "replace").split("\n", 1)[0].strip() if out else ""


def head(root: Path) -> str:
    """The commit checked out in `root`, or "" outside git and before the first commit."""
    return line(root, "rev-parse", "--verify", "--quiet", "HEAD")


def dirty(root: Path) -> int | str:
    """How many files differ from HEAD, new ones not counted; "" outside git."""
    out = run(root, "diff", "--name-only", "-z", "--ignore-submodules", "HEAD", "--")
    return "" if out is None else out.count(b"\0")


def listed_files(root: Path) -> list[str] | None:
    """Tracked and untracked files below `root`, ignored ones left out; None outside git.

    Paths are relative to `root`, with `/`. Those of submodules that are checked out belong to it.
    """
    out = run(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout=120)
    if out is None:
        return None
    names = {name for name in out.decode("utf-8", "surrogateescape").split("\0") if name}
    if (root / ".gitmodules").is_file():
        for name in [one for one in names if (root / one / ".git").exists()]:
            inner = listed_files(root / name)
            names |= {f"{name}/{one}" for one in inner or ()}
            names.discard(name)
    return sorted(names)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two states of a project: a commit, and another one, the index, or (None) the working tree."""

    old: str
    new: str | None = None
    staged: bool = False
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs: its paths and blobs; no path where it was not there.

    A blob of "" is read from the disk.
    """

    old_path: str
    new_path: str
    old: str = ""
    new: str = ""


def comparison(root: Path, revisions: str = "", staged: bool = False) -> Comparison:
    """What `A..B`, `A...B` (since they parted) or `A` (until now) compare; else since HEAD."""
    if not revisions:
        return Comparison(head(root) or _NOTHING, staged=staged)
    first, dots, second = revisions.partition("..")
    if not dots:
        return Comparison(_commit(root, first))
    new = _commit(root, second.removeprefix(".") or "HEAD")
    old = _commit(root, first or "HEAD")
    if second.startswith("."):
        old = line(root, "merge-base", old, new) or _NOTHING
    return Comparison(old, new)


@contextmanager
def patched(root: Path, diff: bytes) -> Iterator[Comparison]:
    """HEAD, and HEAD with a diff applied: beside the repository, of which nothing changes."""
    objects = line(root, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    with tempfile.TemporaryDirectory(prefix="postil-review-") as folder:
        (Path(folder) / "objects").mkdir()
        extra = {
            "GIT_INDEX_FILE": f"{folder}/index",
            "GIT_OBJECT_DIRECTORY": f"{folder}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }
        old = head(root)
        applied = (
            old
            and run(root, "read-tree", old, extra=extra) is not None
            and run(
                root, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-",
                given=diff, extra=extra,
            ) is not None
        )  # fmt: skip
        if not applied:
            raise UsageError(
                "the diff does not apply to HEAD", hint="name what to compare instead, as `A..B`"
            )
        yield Comparison(old, staged=True, extra=extra)


def changes(root: Path, asked: Comparison) -> list[ChangedFile]:
    """The files that differ, renames followed; also those that git does not know yet."""
    where = ["--cached", asked.old] if asked.staged else [asked.old, *filter(None, [asked.new])]
    out = run(
        root, "diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules", *where, "--", timeout=120, extra=asked.extra,
    )  # fmt: skip
    if out is None:
        raise UsageError(f"{root} is no git repository", hint="`review` compares states in git")
    found = list(_raw_changes(out.decode("utf-8", "surrogateescape").split("\0")))
    if asked.staged or asked.new is not None:
        return found
    listed = run(root, "ls-files", "-z", "--others", "--exclude-standard", timeout=120) or b""
    new = [one for one in listed.decode("utf-8", "surrogateescape").split("\0") if one]
    return _with_renames(root, found, new)


def text_of(
    root: Path, path: str, blob: str, extra: Mapping[str, str] | None = None
) -> bytes | None:
    """The text of a blob, or of the file as it lies there; None when it cannot be read."""
    if blob:
        return run(root, "cat-file", "blob", blob, extra=extra)
    place = root / path
    try:
        return None if place.is_symlink() or not place.is_file() else place.read_bytes()
    except OSError:
        return None


def _commit(root: Path, revision: str) -> str:
    found = line(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if not found:
        raise UsageError(f"{revision!r:.80} is no commit", hint="name a branch, a tag or a commit")
    return found


def _raw_changes(parts: list[str]) -> Iterator[ChangedFile]:
    """The records of `git diff --raw -z`."""
    at = 0
    while at + 1 < len(parts):
        old_mode, new_mode, old, new, status = parts[at].lstrip(":").split(" ")
        paths = parts[at + 1 : at + (3 if status[0] in "RC" else 2)]
        at += 1 + len(paths)
        if not {old_mode, new_mode} <= {"100644", "100755", "000000"}:
            continue  # links and submodules have no text
        old_path = "" if status[0] in "AC" else paths[0]
        new_path = "" if status[0] == "D" else paths[-1]
        yield ChangedFile(old_path, new_path, old.strip("0") and old, new.strip("0") and new)


def _with_renames(root: Path, found: list[ChangedFile], new: list[str]) -> list[ChangedFile]:
    """New files that git does not know yet: one that is a deleted one's text is that, renamed."""
    for path in new:
        text = text_of(root, path, "")
        gone = [one for one in found if not one.new_path]
        alike = [(_overlap(text_of(root, "", one.old), text), one) for one in gone[:_COMPARED]]
        best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
        if best[1] is not None and best[0] >= _RENAMED:
            found[found.index(best[1])] = replace(best[1], new_path=path)
        else:
            found.append(ChangedFile("", path))
    return found


def _overlap(old: bytes | None, new: bytes | None) -> float:
    """The share of lines that two texts have in common, 0..1."""
    first, second = set((old or b"").split(b"\n")), set((new or b"").split(b"\n"))
    return len(first & second) / max(len(first | second), 1)


# git takes a file for renamed from half of its text on.
_RENAMED = 0.5
_COMPARED = 40
