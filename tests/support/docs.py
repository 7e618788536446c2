"""Makes the pages that are derived from declarations; run as a program, it writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import client_capabilities

from postil import __version__
from postil.config.settings import SETTINGS, Trust
from postil.toolspec import TOOLS, Parameter
from postil_hooks import spec

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


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
        "Made from `server/postil/toolspec/`; a test holds both together. `postil mcp` serves",
        "them over standard input and output, in every protocol revision from 2024-11-05 to",
        "2026-07-28. Recalled text is data, never instructions, and says so.",
        "",
        "`--profile core` (the default) has the tools of every day, `full` all of them,",
        "`read-only` those that change nothing; a tool that a profile leaves out is refused.",
        "Arguments in *italics* are taken in each profile and shown to a model in `full` and",
        "`read-only` only: it reads each of them at each turn.",
        "",
        "Prompts: `session_start` (`task`) and `review_changes` (`revisions`). Resources:",
        "`postil://brief`, `postil://memory/{id}`, `postil://episode/{id}`, `postil://map/{path}`;",
        "ids and paths are completed while they are typed.",
        "",
        "| tool | profile | changes | |",
        "|---|---|---|---|",
    ]
    for tool in TOOLS:
        changes = "takes away" if tool.destructive else "nothing" if tool.read_only else "adds"
        lines.append(
            f"| [`{tool.name}`](#{tool.name}) | {tool.profile} | {changes} | {tool.title} |"
        )
    lines.append("")
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
    if one.rows:
        inner = ", ".join(f"`{part.name}`" for part in one.rows)
        choices += f" Objects with {inner}."
    name = f"`{one.name}`" if one.daily else f"*`{one.name}`*"
    return f"| {name} | {one.type} | {default} | {one.description}{choices} |"


def clients_page() -> str:
    """`docs/clients.md` from the descriptions of the clients."""
    lines = [
        "# Clients",
        "",
        "Made from `hooks/postil_hooks/clients/*.json`; a test holds both together.",
        "`postil install` shows each change before it is written; `postil uninstall` gives every",
        "byte back.",
        "*Documented, not proven*: the format is taken from the client's documentation; the client",
        "itself could not be run where Postil is tested.",
        "",
    ]
    for name in spec.names():
        lines += _client(name, spec.load(name))
    return "\n".join(lines)


def _client(name: str, told: Mapping[str, Any]) -> list[str]:
    checked = ", ".join(told["checked"])
    proof = f"Checked with version {checked}." if checked else "Documented, not proven."
    lines = [f"## {told['title']} (`{name}`)", "", proof, ""]
    if told["edits"]:
        lines += ["| what | for you | in a project |", "|---|---|---|"]
        lines += [_edit(told, edit) for edit in told["edits"] if edit["kind"] != "default"]
        lines.append("")
    if "snippet" in told:
        shown = [one.replace("{listed}", '"postil" "lsp"') for one in told["snippet"]["text"]]
        lines += [f"Paste into {told['snippet']['file']}:", "", "```", *shown, "```", ""]
    lines += [f"{note}" for note in told["after_install"]]
    return [*lines, ""] if told["after_install"] else lines


def _edit(told: Mapping[str, Any], edit: Mapping[str, Any]) -> str:
    folder = told.get("home", {}).get("folder", "~")
    home = _shown(edit["file"].get("user", ""), folder)
    what = {"mcp": "MCP server", "hooks": "hooks", "rules": "text for agents"}
    part = what.get(edit["part"], "language server")
    return f"| {part} | {home} | {_shown(edit['file'].get('project', ''), folder)} |"


def _shown(place: object, folder: str) -> str:
    if isinstance(place, list):
        return " or ".join(_shown(one, folder) for one in place)
    if isinstance(place, dict):
        return "<br>".join(f"{system}: {_shown(one, folder)}" for system, one in place.items())
    text = str(place).replace("{folder}", folder).replace("{config}", "<settings>")
    return f"`{text}`" if text else ""


def _plugin_hooks() -> str:
    """The hooks of Claude Code's plugin, from the description that the installer reads too."""
    told = spec.load("claude-code")
    (edit,) = (one for one in told["edits"] if one["part"] == "hooks")
    hooks = {}
    for event, seconds in edit["timeouts"].items():
        handler = {"type": "command", "command": "postil-hook", "args": [told["name"], event]}
        matcher = edit["matchers"].get(event)
        group: dict[str, Any] = {"matcher": matcher} if matcher else {}
        hooks[event] = [{**group, "hooks": [{**handler, "timeout": seconds}]}]
    about = "What is remembered, when it matters: a brief, a prompt's memories, a file's notes."
    return _json({"description": about, "hooks": hooks})


def _plugin(name: str, about: str) -> str:
    return _json(
        {
            "name": name,
            "version": __version__,
            "description": about,
            "author": {"name": "The authors of Postil"},
            "license": "Apache-2.0",
            "keywords": ["memory", "mcp", "code-search"],
        }
    )


_MEMORY = "Private, local long-term memory: decisions, rules and lessons, tied to the code."
_MARGIN = "The same memory in the margin: hovers for Claude's language server tool."
_LANGUAGES = {".py": "python", ".js": "javascript", ".ts": "typescript", ".go": "go", ".rs": "rust"}


def _marketplace() -> str:
    plugins = [
        {"name": "postil", "source": "./plugins/postil", "description": _MEMORY},
        {"name": "postil-lsp", "source": "./plugins/postil-lsp", "description": _MARGIN},
    ]
    about = {"description": "Postil for Claude Code"}
    owner = {"name": "The authors of Postil"}
    return _json({"name": "postil", "owner": owner, "metadata": about, "plugins": plugins})


def _server() -> str:
    return _json({"mcpServers": {"postil": {"command": "postil", "args": ["mcp"]}}})


def _language_server() -> str:
    entry = {"command": "postil", "args": ["lsp"], "extensionToLanguage": _LANGUAGES}
    return _json({"postil": entry})


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _capabilities() -> str:
    """What the language server can, as pygls works it out for a client that can everything."""
    from lsprotocol.converters import get_converter
    from pygls.capabilities import ServerCapabilitiesBuilder

    from postil_lsp.server import build_server

    server = build_server()
    manager = server.protocol.fm
    built = ServerCapabilitiesBuilder(
        client_capabilities("visual_studio_code"),
        {*manager.features, *manager.builtin_features},
        manager.feature_options,
        list(manager.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
    ).build()  # type: ignore[no-untyped-call]
    told = get_converter().unstructure(built)
    told.pop("positionEncoding", None)
    return _json(told)


# Files of the repository, from its root.
PAGES = {
    "lsp/postil_lsp/capabilities.json": _capabilities,
    "docs/settings.md": settings_page,
    "docs/mcp.md": tools_page,
    "docs/clients.md": clients_page,
    ".claude-plugin/marketplace.json": _marketplace,
    "plugins/postil/.claude-plugin/plugin.json": lambda: _plugin("postil", _MEMORY),
    "plugins/postil/hooks/hooks.json": _plugin_hooks,
    "plugins/postil/.mcp.json": _server,
    "plugins/postil-lsp/.claude-plugin/plugin.json": lambda: _plugin("postil-lsp", _MARGIN),
    "plugins/postil-lsp/.lsp.json": _language_server,
}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(make(), encoding="utf-8")
