"""What a repository says about itself becomes drafts with kind, reason and place."""

from __future__ import annotations

import pytest

from postil.capture.knowledge import (
    Commit,
    from_comments,
    from_commits,
    from_notes,
    from_record,
    is_note,
    is_record,
    split_reason,
)
from postil.model import Kind


@pytest.mark.parametrize(
    ("text", "kind", "what", "why"),
    [
        (
            "# DECISION: use cents, because floats lose money",
            "decision",
            "use cents",
            "floats lose money",
        ),
        ("  // ARCH: one queue for all\n  // mails\n", "decision", "one queue for all mails", ""),
        (" * RULE: never log cards */", "rule", "never log cards", ""),
        ("-- LESSON(jon): retries double charges", "lesson", "retries double charges", ""),
        ("<!-- DESIGN: flat layout -->", "decision", "flat layout", ""),
        ("; INVARIANT: ids are sorted", "rule", "ids are sorted", ""),
    ],
)
def test_marked_comments(text: str, kind: str, what: str, why: str) -> None:
    drafts = list(from_comments("a.py", text))

    assert [(d.kind, d.what, d.why, d.line) for d in drafts] == [(kind, what, why, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "decision: lower case",
        "x = 'DECISION: in a string'",
        "# TODO: later",
        "# DECISION:",
        "DECISION: bare",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert list(from_comments("a.py", text)) == []


def test_notes_give_rules_and_facts_and_leave_code_and_our_block_out() -> None:
    text = """# Project
- Always run the linter,
  since CI is slow
- The API lives in `src/api`
- short
* Use tabs:
```
- not a bullet but code that must not be read
```
<!-- postil:begin x -->
- Call memory_search before you decide anything
<!-- postil:end -->
1. Never push to main

You must never force-push.
"""
    drafts = list(from_notes("CLAUDE.md", text))

    assert [(d.kind, d.what, d.why) for d in drafts] == [
        (Kind.RULE, "Always run the linter", "CI is slow"),
        (Kind.FACT, "The API lives in `src/api`", ""),
        (Kind.RULE, "Never push to main", ""),
        (Kind.RULE, "You must never force-push.", ""),
    ]


def test_a_decision_record_gives_its_decision_and_context() -> None:
    text = (
        "# ADR 7: Use a queue\n\nStatus: accepted\n\n## Context\nMails block.\n\n"
        "## Decision\nMails go by a queue.\n"
    )

    drafts = list(from_record("docs/adr/7.md", text))

    assert [(d.what, d.why) for d in drafts] == [
        ("Use a queue: Mails go by a queue.", "Mails block.")
    ]
    for status in ("superseded by 9", "Deprecated", "proposed"):
        assert list(from_record("docs/adr/8.md", text.replace("accepted", status))) == []
    section = text.replace("Status: accepted", "## Status\n\nDeprecated")
    bullet = text.replace("Status: accepted", "- **Status**: superseded by [0006]")
    assert list(from_record("8.md", section)) == list(from_record("8.md", bullet)) == []


def test_commits_that_tell_of_a_choice() -> None:
    body = "Locks made deploys wait for minutes.\nThe new one does not.\n\nSigned-off-by: A B <a@b>"
    commits = [
        Commit("a" * 40, 5.0, "Replace file locks with advisory locks", body),
        Commit("b" * 40, 4.0, "Fix typo", body),
        Commit("c" * 40, 3.0, "Switch to uv", "short"),
        Commit("d" * 40, 2.0, "Revert the switch to uv", body),
    ]

    drafts = list(from_commits(commits))

    assert [(d.what, d.at, d.source) for d in drafts] == [
        ("Replace file locks with advisory locks", 5.0, "commit:" + "a" * 12)
    ]
    assert drafts[0].why == "Locks made deploys wait for minutes. The new one does not."


def test_reasons_are_split_off() -> None:
    assert split_reason("Use X (because of Y)") == ("Use X (because of Y)", "")
    assert split_reason("We use PostgreSQL because it locks rows") == (
        "We use PostgreSQL",
        "it locks rows",
    )


def test_which_files_are_notes_and_records() -> None:
    assert all(map(is_note, ("CLAUDE.md", "sub/AGENTS.md", ".cursor/rules/a.mdc")))
    assert not any(map(is_note, ("README.md", "claude.md.bak")))
    assert all(map(is_record, ("docs/adr/0001-x.md", "doc/decisions/2.md", "adr/3.md")))
    assert not any(map(is_record, ("docs/adr/README.md", "docs/adr/template.md", "adr.md")))
