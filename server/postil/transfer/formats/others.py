"""Readers for the memories of other tools: each yields drafts, or UsageError for what is none.

Their formats as their public documentation shows them: the MCP reference memory server (a graph as
JSON lines), Claude Code (Markdown files with an optional front matter), basic-memory (Markdown
notes with `- [category] text #tag` lines), mem0 (a JSON list or an object with `results`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from postil.errors import UsageError
from postil.model import Fact, Kind, Memory
from postil.times import parse_instant

_MAX_FILE = 20_000_000
_FRONT = re.compile(r"\A---\r?\n(.*?)\r?\n---[ \t]*\r?\n?", re.DOTALL)
_OBSERVATION = re.compile(r"^\s*[-*] \[(?P<category>[^\]]{1,60})\]\s+(?P<text>.+)$")
_RELATION = re.compile(r"^\s*[-*] (?P<kind>[\w -]{1,60}?)\s+\[\[(?P<target>[^\]]{1,200})\]\]")
_ITEM = re.compile(r"^\s*[-*+] +(?P<text>\S.*)$")
_TAG = re.compile(r"(?<!\w)#([\w-]+)")
_KINDS = {
    "decision": Kind.DECISION,
    "rule": Kind.RULE,
    "preference": Kind.PREFERENCE,
    "user": Kind.PREFERENCE,
    "feedback": Kind.RULE,
    "fact": Kind.FACT,
    "plan": Kind.PLAN,
    "todo": Kind.PLAN,
    "lesson": Kind.LESSON,
    "insight": Kind.LESSON,
}


@dataclass(slots=True)
class Read:
    """What a file held."""

    memories: list[Memory] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    passed_over: int = 0


def mcp_graph(path: Path) -> Read:
    """The MCP reference server's graph: entities with observations, relations."""
    read = Read()
    for line in _text(path).splitlines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            read.passed_over += 1
            continue
        kind = row.get("type") if isinstance(row, dict) else None
        if kind == "entity" and isinstance(row.get("name"), str):
            told = row.get("observations") or []
            if not isinstance(told, list):
                told = [told]
            for text in told:
                read.memories.append(
                    _draft(
                        f"{row['name']}: {text}",
                        about=(row["name"],),
                        tags=(str(row.get("entityType") or ""),),
                        kind=Kind.FACT,
                    )
                )
        elif kind == "relation" and all(
            isinstance(row.get(name), str) for name in ("from", "relationType", "to")
        ):
            read.facts.append(Fact("", row["from"], row["relationType"], row["to"]))
        else:
            read.passed_over += 1
    return read


def claude_notes(path: Path) -> Read:
    """Claude Code's own memory: Markdown files; a file with a front matter is one memory."""
    read = Read()
    for file in _markdown_files(path):
        front, body = _front_matter(_text(file))
        kind = _kind(str(front.get("type") or _nested(front, "metadata", "type") or ""))
        if front.get("name") or front.get("description"):
            title = str(front.get("description") or front["name"])
            text = body.strip()
            what = text if text.startswith(title) or not title else f"{title}\n{text}".strip()
            read.memories.append(_draft(what, kind=kind, source=f"claude:{file.name}"))
            continue
        for text in _items(body):
            read.memories.append(_draft(text, kind=kind, source=f"claude:{file.name}"))
    return read


def basic_memory(path: Path) -> Read:
    """basic-memory's notes: observations become memories, relations become facts."""
    read = Read()
    for file in _markdown_files(path):
        front, body = _front_matter(_text(file))
        title = str(front.get("title") or file.stem)
        tags = front.get("tags")
        shared = tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()
        for line in body.splitlines():
            seen, relation = _OBSERVATION.match(line), _RELATION.match(line)
            if seen is not None and seen["category"].strip().lower() not in ("x", ""):
                text = _TAG.sub("", seen["text"]).strip()
                category = seen["category"].strip().lower()
                read.memories.append(
                    _draft(
                        f"{title}: {text}",
                        kind=_kind(category),
                        about=(title,),
                        tags=(*shared, category, *_TAG.findall(seen["text"])),
                        source=f"basic-memory:{file.name}",
                    )
                )
            elif relation is not None:
                read.facts.append(Fact("", title, relation["kind"], relation["target"]))
            elif line.strip() and not line.startswith("#"):
                read.passed_over += 1
    return read


def mem0(path: Path) -> Read:
    """mem0's export: objects with `memory` (or `text`), times and metadata."""
    read = Read()
    try:
        told = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON that can be read: {error}") from None
    if isinstance(told, dict):
        told = told.get("results") or told.get("memories") or []
    for row in told if isinstance(told, list) else []:
        text = row.get("memory") or row.get("text") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            read.passed_over += 1
            continue
        categories = row.get("categories")
        read.memories.append(
            _draft(
                text,
                at=_instant(row.get("created_at")),
                tags=tuple(str(one) for one in categories) if isinstance(categories, list) else (),
                source=f"mem0:{row.get('id') or ''}",
            )
        )
    return read


READERS: dict[str, Callable[[Path], Read]] = {
    "mcp": mcp_graph,
    "claude": claude_notes,
    "basic-memory": basic_memory,
    "mem0": mem0,
}


def recognise(path: Path) -> str:
    """The format of a file or folder by what is in it; UsageError when it is none of them."""
    if path.is_dir() or path.suffix == ".md":
        sample = "\n".join(_text(file) for file in list(_markdown_files(path))[:20])
        lines = sample.splitlines()
        is_basic = any(_OBSERVATION.match(line) or _RELATION.match(line) for line in lines)
        return "basic-memory" if is_basic else "claude"
    head = _text(path)[:20_000].lstrip()
    if re.match(r'\{\s*"type"\s*:\s*"(?:entity|relation)"', head):
        return "mcp"
    if head.startswith(("[", "{")) and re.search(r'"(?:memory|text)"\s*:', head):
        return "mem0"
    raise UsageError(
        f"{path} is of no known format", hint=f"name one: --from {' | '.join(['jsonl', *READERS])}"
    )


def _draft(
    what: str,
    kind: Kind = Kind.NOTE,
    about: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    source: str = "",
    at: float = 0.0,
) -> Memory:
    kept = tuple(tag for tag in tags if tag)
    return Memory(
        "", what, kind, about=about, tags=kept, source=source, author="import", created_at=at
    )


def _kind(name: str) -> Kind:
    return _KINDS.get(name.lower(), Kind.NOTE)


def _text(path: Path) -> str:
    if not path.is_file() or path.stat().st_size > _MAX_FILE:
        raise UsageError(f"{path} is no regular file of at most {_MAX_FILE // 1_000_000} MB")
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _markdown_files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.md") if not file.is_symlink())
        yield from files
    else:
        yield path


def _front_matter(text: str) -> tuple[dict[str, object], str]:
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    try:
        front = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        front = None  # `date: 2024-02-30` is no date; the text below it counts all the same
    return (front if isinstance(front, dict) else {}), text[match.end() :]


def _nested(front: dict[str, object], *names: str) -> object:
    value: object = front
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _items(body: str) -> Iterator[str]:
    """The list items of a text, or its paragraphs where it has none."""
    items = [match["text"] for line in body.splitlines() if (match := _ITEM.match(line))]
    if items:
        yield from items
        return
    for paragraph in re.split(r"\n\s*\n", body):
        if paragraph.strip() and not paragraph.lstrip().startswith("#"):
            yield paragraph.strip()


def _instant(stamp: object) -> float:
    try:
        return parse_instant(str(stamp))[0]
    except ValueError:
        return 0.0
