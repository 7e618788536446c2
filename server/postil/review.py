"""`review`: what memory says about a change, and which rule the change breaks."""

from __future__ import annotations

import re
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from rapidfuzz.distance import Indel

from postil import curate, git
from postil.codemap import rules
from postil.codemap.entries import as_utf8
from postil.codemap.languages import grammar, language_in
from postil.codemap.parse import parse
from postil.codemap.walk import content_skip
from postil.errors import UsageError
from postil.memory.revise import require_person
from postil.model import Actor, Anchor, AnchorState, Memory, ResolvedAnchor, Symbol
from postil.redact import redact
from postil.storage.store import Dismissal
from postil.workspace import Workspace

# A file that is longer is not looked into, only its path is; what is left out is counted.
_LONGEST = 2_000_000
# What belongs to the definition below it.
_ABOVE = re.compile(rb"\s*(?:@|#|//|/?\*|--|///)")


Placed = tuple[Memory, Anchor, ResolvedAnchor]


@dataclass(frozen=True, slots=True)
class Finding:
    """A memory that a change concerns, or a rule that it breaks.

    `line` is 1-based in the file as it is after the change (before it, where only lines went), 0
    for the file as a whole.
    """

    path: str
    line: int
    memory: Memory
    breaks: bool
    anchor: ResolvedAnchor | None = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What was found, in how many files; `left_out` says what could not be looked at, and why."""

    findings: tuple[Finding, ...]
    files: int
    left_out: tuple[str, ...] = ()

    @property
    def broken(self) -> int:
        """How many times a rule is broken."""
        return sum(one.breaks for one in self.findings)


@dataclass(frozen=True, slots=True)
class Side:
    """A file on one side of a change: its text, the lines that changed, what these touch."""

    path: str = ""
    text: bytes = b""
    lines: tuple[int, ...] = ()
    touched: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A changed file, before and after; the side that is not there has no path."""

    old: Side
    new: Side

    @property
    def path(self) -> str:
        """The path that it goes by now."""
        return self.new.path or self.old.path


def review(workspace: Workspace, asked: git.Comparison, actor: Actor) -> Reviewed:
    """What memory says about the difference between two states of the project."""
    workspace.freshen()
    left_out: list[str] = []
    changes = list(_changes(workspace.root, asked, left_out))
    every = [rule for store in workspace.stores for rule in store.with_pattern(actor.scopes)]
    allowed = dismissed(workspace, [rule.id for rule in every])
    findings: list[Finding] = []
    for change in changes:
        findings += _concerned(workspace, change, actor)
        findings += (
            one for one in _broken(every, change, left_out) if not _is_allowed(one, change, allowed)
        )
    findings.sort(key=lambda one: (one.path, not one.breaks, one.line, one.memory.id))
    return Reviewed(tuple(findings), len(changes), tuple(dict.fromkeys(left_out)))


def line_mark(text: str) -> str:
    """What a dismissal knows a line by: its text without the blanks around it."""
    stripped = text.strip()
    return blake2b(stripped.encode(), digest_size=8).hexdigest() if stripped else ""


def dismiss(
    workspace: Workspace, memory_id: str, path: str, line: str, reason: str, actor: Actor
) -> Dismissal:
    """Let a rule be broken by a line of a file (its text; "": by the file). A person's right."""
    require_person(actor, "letting a rule be broken")
    if not reason.strip():
        raise UsageError("a reason is wanted", hint="say why the rule does not hold there")
    rule = curate.get(workspace, memory_id, actor)
    told = redact(reason.strip()).text
    made = Dismissal(
        rule.id, workspace.relative(path), line_mark(line), told, actor.author, time.time()
    )
    curate.store_with(workspace, rule.id).add_dismissal(made)
    return made


def dismissed(workspace: Workspace, memory_ids: Sequence[str]) -> dict[tuple[str, str, str], str]:
    """Why rules may be broken, by rule, path and mark of the line."""
    return {
        (one.memory, one.path, one.line): one.reason
        for store in workspace.stores
        for one in store.dismissals(memory_ids)
    }


def changed_away(workspace: Workspace, actor: Actor) -> list[Finding]:
    """The memories whose code has changed, moved or gone since they were written."""
    workspace.update_map()
    return [
        Finding(now.path or now.anchor.path, now.line, memory, False, now)
        for store in workspace.stores
        for memory in store.with_anchors(actor.scopes)
        for now in workspace.anchors.resolve_all(memory)
        if now.state in _ASTRAY
    ]


_ASTRAY = (AnchorState.DRIFTED, AnchorState.MOVED, AnchorState.GONE)


def _changes(root: Path, asked: git.Comparison, left_out: list[str]) -> Iterator[Change]:
    for one in git.changes(root, asked):
        sides = []
        for path, blob in ((one.old_path, one.old), (one.new_path, one.new)):
            text = git.text_of(root, path, blob, asked.extra) if path else b""
            if text is None or len(text) > _LONGEST or content_skip(text) == "binary":
                left_out.append(f"{path}: not a text of at most {_LONGEST // 1_000_000} MB")
                text = b""
            sides.append((path, as_utf8(text)))
        (old_path, old), (new_path, new) = sides
        removed, added = _changed_lines(old, new)
        yield Change(_side(old_path, old, removed), _side(new_path, new, added))


def _changed_lines(old: bytes, new: bytes) -> tuple[list[int], list[int]]:
    """The lines (1-based) that only one of two texts has; line ends do not count."""
    before, after = ([line.rstrip(b"\r") for line in text.split(b"\n")] for text in (old, new))
    removed: list[int] = []
    added: list[int] = []
    for step in Indel.opcodes(before, after):
        if step.tag != "equal":
            removed += range(step.src_start + 1, step.src_end + 1)
            added += range(step.dest_start + 1, step.dest_end + 1)
    return (removed if old else []), (added if new else [])


def _side(path: str, text: bytes, lines: Sequence[int]) -> Side:
    return Side(path, text, tuple(lines), _touched(path, text, lines) if path else {})


def _touched(path: str, text: bytes, lines: Sequence[int]) -> dict[str, int]:
    """The definitions (qualified) around changed lines, each with the first such line."""
    language = language_in(path, text)
    if not lines or language is None or grammar(language) is None:
        return {}
    rows = text.split(b"\n")
    touched: dict[str, int] = {}
    for symbol in parse(path, text, language).symbols:
        start = _start(symbol, rows)
        first = next((line for line in lines if start <= line <= symbol.end_line), 0)
        if first:
            touched.setdefault(symbol.qualified, first)
    return touched


def _start(symbol: Symbol, rows: Sequence[bytes]) -> int:
    """The line on which a definition begins, its comments and attributes included."""
    line = symbol.line
    while line > 1 and _ABOVE.match(rows[line - 2]):
        line -= 1
    return line


def _concerned(workspace: Workspace, change: Change, actor: Actor) -> Iterator[Finding]:
    """The memories tied to what a change touches: as they were written, or where they are now."""
    if not change.old.lines and not change.new.lines:
        return
    seen: set[str] = set()
    for memory, anchor, now in _tied(workspace, change, actor):
        line = _line_of(change, anchor.path, anchor.symbol)
        if line is None and now.path:
            line = _line_of(change, now.path, now.symbol)
        if line is not None and memory.id not in seen:
            seen.add(memory.id)
            yield Finding(change.path, line, memory, False, now)


def _tied(workspace: Workspace, change: Change, actor: Actor) -> Iterator[Placed]:
    names = [*change.old.touched, *change.new.touched]
    for path in dict.fromkeys(filter(None, (change.old.path, change.new.path))):
        for store in workspace.stores:
            for memory in store.tied_to(path, names, (), (), actor.scopes):
                for anchor in memory.anchors:
                    yield memory, anchor, workspace.anchors.resolve(anchor)
        for rows in workspace.memories_in(path, actor).values():
            for memory, now in rows:
                yield memory, now.anchor, now


def _line_of(change: Change, path: str, symbol: str) -> int | None:
    """Where a change touches a place; None when it does not."""
    for side in (change.new, change.old):
        if side.path == path and symbol in side.touched:
            return side.touched[symbol]
        if side.path == path and not symbol:
            return (change.new.lines or change.old.lines)[0]
    return None


def _is_allowed(finding: Finding, change: Change, allowed: Container[tuple[str, str, str]]) -> bool:
    """Whether a person said that this line may break the rule."""
    rows = change.new.text.split(b"\n")
    text = rows[finding.line - 1].decode("utf-8", "replace") if finding.line else ""
    return (finding.memory.id, finding.path, line_mark(text)) in allowed


def _broken(every: Iterable[Memory], change: Change, left_out: list[str]) -> Iterator[Finding]:
    for rule in every:
        pattern = rule.pattern
        complaint = rules.flaw(pattern)
        if complaint:
            left_out.append(f"[{rule.id}]: {complaint}")
            continue
        is_path_alone = not (pattern.regex or pattern.query)
        side = change.new if change.new.path or not is_path_alone else change.old
        if not side.path:
            continue
        try:
            lines = rules.breaks(pattern, side.path, side.text, set(side.lines))
        except TimeoutError:
            left_out.append(f"[{rule.id}] in {side.path}: its expression takes too long")
            continue
        for line in lines:
            yield Finding(change.path, line, rule, True)
