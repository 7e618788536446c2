"""First knowledge: what a repository already says about itself, as drafts of memories. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from postil.model import Episode, Kind
from postil.words import clip

_WHAT = 400
_WHY = 800

_KIND_OF_MARK = {
    "DECISION": Kind.DECISION,
    "DECIDED": Kind.DECISION,
    "ARCH": Kind.DECISION,
    "ARCHITECTURE": Kind.DECISION,
    "DESIGN": Kind.DECISION,
    "ADR": Kind.DECISION,
    "RULE": Kind.RULE,
    "INVARIANT": Kind.RULE,
    "LESSON": Kind.LESSON,
    "GOTCHA": Kind.LESSON,
    "RATIONALE": Kind.FACT,
}
_MARK = re.compile(
    r"^\s*(?:#+|//+!?|/\*+|\*+|--+|;+|%+|<!--|\"\"\")\s*(?P<mark>"
    + "|".join(_KIND_OF_MARK)
    + r")\s*(?:\([^)]*\))?:\s*(?P<text>\S.*)$"
)
_COMMENT_LINE = re.compile(r"^\s*(?:#+|//+!?|\*+(?!/)|--+|;+|%+)\s?(?P<text>.*)$")
_BECAUSE = re.compile(r"\s*[,;:(—-]*\s+(?:because|since|so that|as otherwise)\s+", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"(?i)\b(?:always|never|must|mustn't|don't|do not|should|prefer|avoid|required?|only|make sure"
    r"|ensure|forbidden)\b|^(?:use|run|keep|write|add|put|call|name|follow|check)\b"
)
# A bullet with its continuation lines, or a paragraph's line that gives an order.
_ITEM = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+(?P<item>\S.*(?:\n[ \t]{2,}(?![-*+] |\d+[.)] )\S.*)*)"
    r"|(?P<order>[A-Z].*\b(?:[Aa]lways|[Nn]ever|[Mm]ust|[Dd]on't|[Dd]o not)\b.*))$",
    re.MULTILINE,
)
_ARCHITECTURAL = re.compile(
    r"(?i)\b(?:decid|architect|redesign|rewrit|rework|migrat(?:e|ed|ion)\b"
    r"|switch(?:ed)? (?:to|from)"
    r"|\bch(?:ose|oose|osen)\b|\bpick(?:ed)?\b|\bprefer(?:red)?\b|\bbecause\b"
    r"|replace[ds]? .+ (?:with|by)\b|instead of|in favou?r of|adopt|deprecat|drop(?:ped)? support"
    r"|introduc|breaking change|move[ds]? .+ (?:to|into)\b)"
)


# `Status: superseded by 9`, `- **Status**: Deprecated`, or a section `## Status` that says so.
_NOT_IN_FORCE = re.compile(
    r"(?im)^[\s>*_#-]*status[\s:*_|]*"
    r"(?:rejected|superseded|deprecated|proposed|draft|replaced|withdrawn)"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement found in a repository. `line` is 1-based, 0 where there is none."""

    kind: Kind
    what: str
    why: str
    source: str
    path: str = ""
    line: int = 0
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as `git log` tells it."""

    sha: str
    at: float
    subject: str
    body: str


def from_comments(path: str, text: str) -> Iterator[Draft]:
    """Statements in comments: `DECISION: ...`, `ARCH: ...`, `RULE: ...` and their like.

    A statement goes on over the comment lines below it, up to an empty one.
    """
    lines = text.split("\n")
    for place, line in enumerate(lines):
        match = _MARK.match(line)
        if match is None:
            continue
        parts = [match["text"]]
        for following in lines[place + 1 : place + 8]:
            more = _COMMENT_LINE.match(following)
            if more is None or not more["text"].strip() or _MARK.match(following):
                break
            parts.append(more["text"].strip())
        statement = re.sub(r"\s*(?:\*/|-->|\"\"\")\s*$", "", " ".join(parts)).strip()
        what, why = split_reason(statement)
        yield Draft(
            _KIND_OF_MARK[match["mark"]], what, why, f"comment:{path}", path=path, line=place + 1
        )


def from_commits(commits: list[Commit], limit: int = 40) -> Iterator[Draft]:
    """The commits that tell of a choice and give a reason, newest first."""
    chosen = 0
    for commit in commits:
        body = _without_trailers(commit.body)
        if len(body) < 40 or not _ARCHITECTURAL.search(f"{commit.subject}\n{body}"):
            continue
        if re.match(r"(?i)(?:merge|revert|bump|release|version)\b", commit.subject):
            continue
        yield Draft(
            Kind.DECISION,
            clip(commit.subject, _WHAT),
            clip(body, _WHY),
            f"commit:{commit.sha[:12]}",
            at=commit.at,
        )
        chosen += 1
        if chosen == limit:
            return


def commit_episode(sha: str, at: float, subject: str, body: str) -> Episode | None:
    """A commit that gives reasons as what somebody said; None when it gives none."""
    reasons = _without_trailers(body)
    if len(reasons) < _REASONS or re.match(r"(?i)(?:merge|bump|release)\b", subject):
        return None
    text = f"{subject}\n\n{reasons[:_LONGEST_REASONS]}"
    short = sha[:12]
    return Episode(f"commit-{short}", f"commit:{short}", "commit", text, at=at, client="git")


# Characters of a commit's text from which on it gives reasons, and how many are kept.
_REASONS, _LONGEST_REASONS = 80, 4_000


def from_notes(path: str, text: str) -> Iterator[Draft]:
    """The bullets of agents' instruction files: orders become rules, the rest facts."""
    text = re.sub(r"<!--.*?-->", "", _without_own_block(text), flags=re.DOTALL)
    text = re.sub(r"```.*?(?:```|\Z)", "", text, flags=re.DOTALL)
    for item in _ITEM.finditer(text):
        statement = " ".join((item["item"] or item["order"]).split())
        if not 12 <= len(statement) <= 600 or statement.endswith(":"):
            continue
        what, why = split_reason(statement)
        kind = Kind.RULE if _IMPERATIVE.search(what) else Kind.FACT
        line = text.count("\n", 0, item.start()) + 1
        yield Draft(kind, what, why, f"note:{path}", path=path, line=line)


def from_record(path: str, text: str) -> Iterator[Draft]:
    """The decision of an architecture decision record: its title and decision, and its context."""
    title = re.search(r"^#\s+(.+)$", text, re.MULTILINE)
    if title is None or _NOT_IN_FORCE.search(text):
        return
    name = re.sub(r"^(?:ADR[- ]?)?\d+[.:) -]*\s*", "", title[1]).strip()
    decision = _section(text, r"decision(?: outcome)?")
    context = _section(text, r"context(?: and problem statement)?|rationale|why")
    what = f"{name}: {decision}" if decision else name
    yield Draft(
        Kind.DECISION, clip(what, _WHAT), clip(context, _WHY), f"adr:{path}", path=path, line=1
    )


def is_note(path: str) -> bool:
    """Whether a file holds instructions for agents."""
    name = PurePosixPath(path).name
    return (
        name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
        or path
        in (
            ".github/copilot-instructions.md",
            ".claude/CLAUDE.md",
        )
        or (path.startswith(".cursor/rules/") and name.endswith(".mdc"))
    )


def is_record(path: str) -> bool:
    """Whether a file is an architecture decision record."""
    return bool(
        re.search(r"(?i)(?:^|/)(?:adrs?|decisions|architecture-decisions)/[^/]+\.md$", path)
        and not re.search(r"(?i)/(?:readme|index|template)[^/]*$", path)
    )


def split_reason(statement: str) -> tuple[str, str]:
    """A statement and its reason, where it gives one with "because" or the like."""
    match = _BECAUSE.search(statement)
    if match is None or match.start() < 6:
        return clip(statement, _WHAT), ""
    return (
        clip(statement[: match.start()].rstrip(" ,;:("), _WHAT),
        clip(statement[match.end() :].rstrip(" )"), _WHY),
    )


def _section(text: str, title: str) -> str:
    match = re.search(rf"(?ims)^#+\s*(?:{title})\s*$\n(.*?)(?=^#|\Z)", text)
    if match is None:
        return ""
    return next((part.strip() for part in match[1].split("\n\n") if part.strip()), "")


def _without_trailers(body: str) -> str:
    kept = [line for line in body.split("\n") if not re.match(r"^[A-Z][\w-]+: \S", line)]
    return "\n".join(kept).strip()


def _without_own_block(text: str) -> str:
    return re.sub(r"<!-- postil:begin.*?postil:end -->", "", text, flags=re.DOTALL)
