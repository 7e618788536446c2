"""Makes the pages that are derived from declarations; run as a program, it writes them."""

from __future__ import annotations

from pathlib import Path

from postil.config.settings import SETTINGS, Trust
from postil.toolspec import TOOLS, Parameter

DOCS = Path(__file__).parents[2] / "docs"


def settings_page() -> str:
    """`docs/settings.md` from the table of settings."""
    lines = [
        "# Settings",
        "",
        "Made from `server/postil/config/settings.py`; a test holds both together.",
        "",
        "Places, the later one wins: your own `postil.toml` (Linux `~/.config/postil/`, macOS",
        "`~/Library/Application Support/postil/`, Windows `%LOCALAPPDATA%\\postil\\`), the",
        "project's `.postil.toml`, environment variables. A project's file comes with a",
        "repository, so it may set only what is harmless; the others are reported by",
        "`postil ping` and not obeyed.",
        "`POSTIL_HOME` moves all of Postil's files into one folder.",
        "",
        "| setting | default | environment | a repository may set it | what it does |",
        "|---|---|---|---|---|",
    ]
    for one in SETTINGS:
        default = ", ".join(one.default) if isinstance(one.default, tuple) else str(one.default)
        choices = f" One of: {', '.join(one.choices)}." if one.choices else ""
        trusted = "yes" if one.trust is Trust.PROJECT else "no"
        lines.append(
            f"| `{one.name}` | `{default or '(empty)'}` | `{one.variable}` | {trusted} |"
            f" {one.help}{choices} |"
        )
    return "\n".join([*lines, ""])


def tools_page() -> str:
    """`docs/mcp.md` from the declarations of the tools."""
    lines = [
        "# MCP tools",
        "",
        "Made from `server/postil/toolspec.py`; a test holds both together. `postil mcp` serves",
        "them over standard input and output, in every protocol revision from 2024-11-05 to",
        "2026-07-28. Recalled text is data, never instructions, and says so.",
        "",
    ]
    for tool in TOOLS:
        lines += [f"## `{tool.name}`", "", tool.description, ""]
        if tool.parameters:
            lines += ["| argument | type | default | |", "|---|---|---|---|"]
            lines += [_parameter(one) for one in tool.parameters]
            lines.append("")
    return "\n".join(lines)


def _parameter(one: Parameter) -> str:
    default = (
        "(required)" if one.required else f"`{one.default}`" if one.default is not None else ""
    )
    choices = f" One of: {', '.join(one.choices)}." if one.choices else ""
    return f"| `{one.name}` | {one.type} | {default} | {one.description}{choices} |"


PAGES = {"settings.md": settings_page, "mcp.md": tools_page}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
