"""Takes Postil out of all clients when Postil itself is gone: `python3 uninstall.py`.

Needs nothing but Python. A file that nobody changed since gets its old bytes back; of any other
only the lines that were put there go, and only where the file can still be read afterwards.
What cannot be taken out safely is named, and left. Memories stay.
"""

import base64
import difflib
import json
import os
import pathlib
import re
import sys


def main() -> int:
    """Take out everything that the receipts beside this file tell of; 1 when something is left."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, "installed")
    left = 0
    for name in sorted(os.listdir(folder)) if pathlib.Path(folder).is_dir() else []:
        if name.endswith(".json"):
            left += uninstall(os.path.join(folder, name))
    if not left:
        for path in ("bin/postil-hook", "bin/postil-hook.py", "uninstall.py"):
            if pathlib.Path(os.path.join(here, path)).exists():
                pathlib.Path(os.path.join(here, path)).unlink()
    print("left as they are: %d files" % left if left else "Postil is out of all clients.")
    print("Memories are kept in " + here)
    return 1 if left else 0


def uninstall(receipt: str) -> int:
    """Take out one client; how many files had to be left."""
    with pathlib.Path(receipt).open(encoding="utf-8") as file:
        told = json.load(file)
    left = 0
    for row in told["files"]:
        result = _restore(row["path"], _decoded(row["before"]), _decoded(row["after"]) or b"")
        print("%-9s %s" % (result, row["path"]))
        left += result == "left"
        if result == "removed":
            for folder in row["made_folders"]:
                if pathlib.Path(folder).is_dir() and not os.listdir(folder):
                    pathlib.Path(folder).rmdir()
    if not left:
        pathlib.Path(receipt).unlink()
    return left


def _restore(path: str, before: "bytes | None", after: bytes) -> str:
    if not pathlib.Path(path).exists():
        return "gone"
    with pathlib.Path(path).open("rb") as file:
        now = file.read()
    if now == after:
        then = before
    elif now == before:
        return "untouched"
    else:
        then = _undone(before or b"", after, now)
        if then is None or not _is_readable(path, then, now):
            return "left"
        if before is None and then.strip() in (b"", b"{}"):
            then = None
    if then is None:
        pathlib.Path(path).unlink()
        return "removed"
    _write(os.path.realpath(path), then)
    return "restored" if now == after else "cleaned"


def _undone(before: bytes, after: bytes, now: bytes) -> "bytes | None":
    """What somebody made of `after`, without what made `after` of `before`; None if unclear."""
    old, new, have = (text.splitlines(True) for text in (before, after, now))
    matcher = difflib.SequenceMatcher(None, new, have, autojunk=False)
    # Where each line of `after` stands now.
    place: "dict[int, int]" = {}
    for i, j, size in matcher.get_matching_blocks():
        for step in range(size):
            place[i + step] = j + step
    changes: "list[tuple[int, int, list[bytes]]]" = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            continue
        lines = range(j1, j2)
        at = [place[one] for one in lines if one in place]
        if not lines or at != list(range(at[0] if at else 0, (at[0] if at else 0) + len(lines))):
            return None  # somebody changed what was put there
        changes.append((at[0], at[-1] + 1, old[i1:i2]))
    for start, end, instead in reversed(changes):
        have[start:end] = instead
    return b"".join(have)


def _is_readable(path: str, then: bytes, now: bytes) -> bool:
    """Whether a file that a program reads can still be read."""
    text = then.decode("utf-8-sig", "replace")
    if path.endswith(".json") and then.strip() and not _is_json(text):
        # With comments it never was plain JSON: then at least no comma may dangle.
        is_strict = _is_json(now.decode("utf-8-sig", "replace"))
        return not is_strict and not re.search(r"[\[{]\s*,|,\s*,", text)
    if path.endswith(".toml"):
        try:
            import tomllib
        except ImportError:
            return True
        try:
            tomllib.loads(text)
        except ValueError:
            return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _write(path: str, text: bytes) -> None:
    part = path + ".postil-part"
    mode = os.stat(path).st_mode & 0o7777
    with pathlib.Path(part).open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    pathlib.Path(part).chmod(mode)
    pathlib.Path(part).replace(path)


def _decoded(text: "str | None") -> "bytes | None":
    return None if text is None else base64.b64decode(text)


if __name__ == "__main__":
    sys.exit(main())
