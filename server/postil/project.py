"""Which project a folder belongs to, so that worktrees, clones and renamed folders share one."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock

from postil import git
from postil.errors import StoreError, UsageError
from postil_hooks.paths import work_tree

_DESCRIPTION = "project.json"
_WINDOWS_DRIVE = re.compile(r"([A-Za-z]):[/\\]")
_WSL_MOUNT = re.compile(r"/mnt/[a-z]/")


@dataclass(frozen=True, slots=True)
class Project:
    """A project: the root of this working tree, and the folder of its memory."""

    name: str
    root: Path
    home: Path

    @property
    def store_path(self) -> Path:
        """The memory store. Precious: backed up, never rebuilt."""
        return self.home / "memory.db"


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells projects apart, strongest first; "" where not known.

    `remote` survives clones, `first_commit` renames; `place` is all that a folder without git has.
    """

    remote: str
    first_commit: str
    place: str

    def same_as(self, other: Identity) -> bool:
        """Whether both describe one project: the strongest mark known to both decides."""
        for mine, theirs in (
            (self.remote, other.remote),
            (self.first_commit, other.first_commit),
        ):
            if mine and theirs:
                return mine == theirs
        return bool(self.place and other.place) and _same_place(self.place, other.place)


@dataclass(frozen=True, slots=True)
class Known:
    """A project that is entered: the folder of its memory, and what it is known by."""

    home: Path
    identity: Identity
    links: tuple[Identity, ...] = ()

    def is_of(self, identity: Identity) -> bool:
        """Whether an identity is this project's, its own or one that a person linked."""
        return any(identity.same_as(one) for one in (self.identity, *self.links))


def find_project(folder: Path, projects: Path, enter: bool = True) -> Project:
    """The project that `folder` belongs to, entered below `projects` when it is new.

    Without `enter` a folder without git that nobody set up is a UsageError: looking makes nothing.
    """
    if not folder.is_dir():
        raise StoreError(f"{folder} is not a folder", hint="name the folder of the project")
    root = Path(work_tree(str(folder)))
    identity = identify(root)
    found = _lookup(identity, projects)
    if found is None and not (root / ".git").exists():
        for above in root.parents:
            known = None if above in (Path.home(), above.parent) else _place(above, projects)
            if known is not None:
                return Project(name=above.name, root=above, home=known)
    if found is None and not enter and not (root / ".git").exists():
        raise UsageError(
            f"{root} is no project yet", hint=f"`postil calibrate --project {root}` sets it up"
        )
    if found is None:
        projects.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(projects / ".lock", timeout=10, mode=0o600):
            found = _lookup(identity, projects) or _enter(identity, root.name, projects)
    return Project(name=root.name or "root", root=root, home=found)


def identify(root: Path) -> Identity:
    """The identity of the working tree in `root`."""
    common = git.line(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if not common:
        return Identity("", "", str(root))
    first = git.line(root, "rev-list", "--max-parents=0", "--date-order", "HEAD")
    remote = _normal_remote(git.line(root, "remote", "get-url", "origin"))
    # The folder, not its `.git`: running `git init` later must not make another project of it.
    place = Path(common).parent if Path(common).name == ".git" else Path(common)
    return Identity(remote, first, str(place))


def _normal_remote(url: str) -> str:
    """`git@host:a/b.git`, `https://user@host/a/b` and `ssh://host/a/b` are one remote."""
    if not url or re.match(r"^(?:file:|[./~\\]|[A-Za-z]:[/\\])", url.strip()):
        return ""  # none, or a path: it means something else from each folder
    url = re.sub(r"^[a-z+]+://", "", url.strip(), flags=re.IGNORECASE)
    url = re.sub(r"^[^/@]*@", "", url)
    url = re.sub(r"^([^/:]+):(?:\d+/)?", r"\1/", url)
    return re.sub(r"(?:\.git)?/*$", "", url).lower()


def _place(folder: Path, projects: Path) -> Path | None:
    """The project that was made of this very folder."""
    return _lookup(Identity("", "", str(folder)), projects)


def known_projects(projects: Path) -> tuple[list[Known], list[str]]:
    """All projects that are entered, and what is wrong with descriptions that cannot be read."""
    known: list[Known] = []
    damaged: list[str] = []
    for description in _descriptions(projects):
        try:
            row = json.loads(description.read_text(encoding="utf-8"))
            links = tuple(_identity(one) for one in row.get("links", []))
            known.append(Known(description.parent, _identity(row), links))
        except (FileNotFoundError, NotADirectoryError):
            continue  # half made, or linked to another one
        except OSError as wrong:
            damaged.append(f"{description} cannot be read: {wrong.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError) as wrong:
            damaged.append(f"{description} is damaged: {wrong}")
    return known, damaged


def _descriptions(projects: Path) -> list[Path]:
    """Where descriptions may lie: `glob` would leave out a folder that it may not look into."""
    try:
        return [folder / _DESCRIPTION for folder in sorted(projects.iterdir())]
    except FileNotFoundError:
        return []


def moved_from(project: Project, projects: Path) -> list[Known]:
    """Projects that may be this one before its folder was moved: gone, and of the same name.

    Only what has no mark of its own but its place can be meant: git knows the others.
    """
    known, _ = known_projects(projects)
    return [
        one
        for one in known
        if one.home != project.home
        and not (one.identity.remote or one.identity.first_commit)
        and not Path(one.identity.place).exists()
        and _plain(Path(one.identity.place).name) == _plain(project.root.name)
    ]


def link(project: Project, old: Known) -> None:
    """Let the folder of `project` be the project `old` from now on. A person's decision."""
    row = json.loads((old.home / _DESCRIPTION).read_text(encoding="utf-8"))
    row["links"] = [*row.get("links", []), _row(identify(project.root))]
    _write(old.home, row)
    own = project.home / _DESCRIPTION
    if own.exists():
        own.rename(own.with_suffix(".linked"))


def _lookup(identity: Identity, projects: Path) -> Path | None:
    known, damaged = known_projects(projects)
    for one in known:
        if one.is_of(identity):
            return one.home
    if damaged:
        # It may be this very project's: making a new one would hide what it remembers.
        raise StoreError(
            damaged[0],
            hint="mend its mode or restore it from a backup, else move its folder aside",
        )
    return None


def _identity(row: Mapping[str, str]) -> Identity:
    return Identity(row["remote"], row["first_commit"], row["place"])


def _row(identity: Identity) -> dict[str, str]:
    return {
        "remote": identity.remote,
        "first_commit": identity.first_commit,
        "place": identity.place,
    }


def _same_place(one: str, other: str) -> bool:
    """Whether two paths are one folder, however their letters are composed or cased on disk."""
    if _plain(one) == _plain(other):
        return True
    try:
        return unicodedata.normalize("NFC", one).casefold() == unicodedata.normalize(
            "NFC", other
        ).casefold() and Path(one).samefile(other)
    except OSError:
        return False


def _plain(path: str) -> str:
    """A path for comparing: a drive of Windows is one folder with the mount that WSL gives it."""
    plain = unicodedata.normalize("NFC", path)
    drive = _WINDOWS_DRIVE.match(plain)
    if drive is not None:
        plain = f"/mnt/{drive[1].lower()}/" + plain[drive.end() :].replace("\\", "/")
    return plain.casefold() if _WSL_MOUNT.match(plain) else plain


def _enter(identity: Identity, name: str, projects: Path) -> Path:
    mark = "\0".join((identity.remote or identity.first_commit or identity.place,))
    digest = blake2b(mark.encode("utf-8", "surrogateescape"), digest_size=5).hexdigest()
    readable = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "project"
    home = projects / f"{readable[:40]}-{digest}"
    home.mkdir(mode=0o700, exist_ok=True)
    _write(home, dict(_row(identity)))
    return home


def _write(home: Path, row: Mapping[str, object]) -> None:
    part = home / f"{_DESCRIPTION}.part"
    part.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    part.chmod(0o600)
    part.replace(home / _DESCRIPTION)
