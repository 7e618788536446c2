"""Download the source package of a project as it is, without preparing a build of it.

usage: sdist.py NAME VERSION FOLDER; the index is pip's.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import Request, urlopen


def main(name: str, version: str, folder: str) -> None:
    index = os.environ.get("PIP_INDEX_URL") or _configured() or "https://pypi.org/simple"
    page = f"{index.rstrip('/')}/{name}/"
    listed = Request(page, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urlopen(listed, timeout=60) as answer:
        files = {one["filename"]: one for one in json.load(answer)["files"]}
    wanted = f"{name}-{version}.tar.gz"
    with urlopen(urljoin(page, files[wanted]["url"]), timeout=300) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != files[wanted]["hashes"]["sha256"]:
        sys.exit(f"{wanted} did not arrive whole")
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / wanted).write_bytes(data)


def _configured() -> str:
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
