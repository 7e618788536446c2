"""Fails when a file or a function is too long to be held in the head."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FOLDERS = ("server", "lsp", "hooks", "installers", "tests", "benchmarks")
MOST_LINES, MOST_IN_FUNCTION = 500, 60


def too_long(root: Path) -> list[str]:
    """A line for each Python file or function over the limit."""
    found = []
    for path in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        if text.count("\n") > MOST_LINES:
            found.append(f"{name}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MOST_IN_FUNCTION:
                    found.append(f"{name}:{node.lineno} {node.name}: {length} lines")
    return found


if __name__ == "__main__":
    rows = too_long(Path(__file__).parents[2])
    print("\n".join(rows) or "sizes: no file over 500 lines, no function over 60")
    sys.exit(bool(rows))
