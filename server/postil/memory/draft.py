"""Checks what is to be stored: complete, within limits, clean text, without secrets.

Nothing enters a store but through here: memories, facts, entities, turns and imported records.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace

from postil.errors import SecretRefusedError, UsageError
from postil.model import Actor, Anchor, Episode, Fact, Kind, Memory, Pattern
from postil.redact import Redacted, redact
from postil.words import clean

MAX_TEXT = 2_000_000
MAX_NAME = 300
MAX_PATTERN = 2_000
MAX_LIST = 30
# Digests, words and hashes, as `codemap.fingerprint` writes them.
_FINGERPRINT = re.compile(r"1:[A-Za-z0-9+/=]{0,600}:[^\W\d_]*(?:,[^\W\d_]+)*:[0-9a-f,]{0,2000}")
_ID = re.compile(r"[A-Za-z0-9][\w.:@+-]{0,199}", re.ASCII)


@dataclass(slots=True)
class Findings:
    """What was changed in the texts of one record."""

    secrets: list[str] = field(default_factory=list)
    replaced: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """The changes that a writer should hear of, as sentences."""
        if not self.replaced:
            return ()
        return (f"{self.replaced} characters that no text can hold were replaced by \ufffd",)

    def text(self, raw: str, limit: int = MAX_TEXT, name: str = "a memory") -> str:
        """`raw` as it may be stored."""
        whole = clean(raw).strip()
        self.replaced += max(0, whole.count("\ufffd") - raw.count("\ufffd"))
        if len(whole) > limit:
            raise UsageError(f"{name} holds at most {limit:,} characters", hint="split the text")
        safe = redact(whole)
        self.secrets += safe.found
        return safe.text

    def name(self, raw: str, what: str) -> str:
        """A short text on one line."""
        return " ".join(self.text(raw, MAX_NAME, what).split())

    def names(self, raw: Iterable[str], what: str) -> tuple[str, ...]:
        """Distinct short texts, at most 30."""
        kept = tuple(dict.fromkeys(name for one in raw if (name := self.name(one, what))))
        if len(kept) > MAX_LIST:
            raise UsageError(f"at most {MAX_LIST} of: {what}")
        return kept


def check_memory(draft: Memory) -> tuple[Memory, Findings]:
    """`draft` as it may be stored; SecretRefusedError when it is but a secret, UsageError."""
    if not clean(draft.what).strip():
        raise UsageError("there is nothing to remember: `what` is empty")
    if not 0 <= draft.importance <= 1:
        raise UsageError("importance goes from 0 to 1", hint="0.5 is usual, 1 is vital")
    if len(draft.what) + len(draft.why) + len(draft.how) > MAX_TEXT:
        raise UsageError(f"a memory holds at most {MAX_TEXT:,} characters", hint="split the text")
    check_times(draft.when, draft.valid_from, draft.valid_until)
    found = Findings()
    what = found.text(draft.what)
    if Redacted(what, tuple(found.secrets)).only_secret:
        raise SecretRefusedError(
            "the text is a secret and was not stored", hint="keep secrets out of memories"
        )
    checked = replace(
        draft,
        what=what,
        why=found.text(draft.why),
        how=found.text(draft.how),
        who=found.name(draft.who, "`who`"),
        tags=tuple(tag.lower() for tag in found.names(draft.tags, "tags")),
        about=found.names(draft.about, "`about`"),
        sources=found.names(draft.sources, "sources"),
        supersedes=found.names(draft.supersedes, "`supersedes`"),
        superseded_by=found.name(draft.superseded_by, "`superseded_by`"),
        source=found.name(draft.source, "`source`"),
        author=found.name(draft.author, "the author"),
        client=found.name(draft.client, "the client"),
        session=found.name(draft.session, "the session"),
        commit=found.name(draft.commit, "the commit"),
        anchors=tuple(_place(one) for one in draft.anchors),
        pattern=_pattern(draft, found),
    )
    return checked, found


def _pattern(draft: Memory, found: Findings) -> Pattern:
    if draft.pattern and draft.kind is not Kind.RULE:
        raise UsageError("only a rule can be broken", hint="write it with the kind `rule`")
    kept = astuple(draft.pattern)
    return Pattern(*(found.text(one, MAX_PATTERN, "a pattern") for one in kept))


def check_id(text: str) -> None:
    """Refuse an id that no store gives: it is cited in lines of text and typed."""
    if not _ID.fullmatch(text):
        raise UsageError(f"{text!r:.60} is no id")


def check_actor(actor: Actor) -> Actor:
    """Who did something, as it may be stored."""
    found = Findings()
    return Actor(
        found.name(actor.author, "the author"),
        found.name(actor.client, "the client"),
        found.name(actor.session, "the session"),
    )


def check_episode(draft: Episode) -> tuple[Episode, Findings]:
    """A turn as it may be stored, without secrets in what it says or where it is from."""
    check_id(draft.id)
    check_times(draft.at, 0.0)
    found = Findings()
    checked = replace(
        draft,
        text=found.text(draft.text, name="a turn"),
        session=found.name(draft.session, "the session"),
        role=found.name(draft.role, "the role"),
        client=found.name(draft.client, "the client"),
        transcript=found.text(draft.transcript, name="the path of a transcript"),
    )
    return checked, found


def check_fact(draft: Fact) -> tuple[Fact, Findings]:
    """A fact as it may be stored."""
    check_times(draft.valid_from, draft.valid_until)
    found = Findings()
    checked = replace(
        draft,
        subject=found.name(draft.subject, "the subject"),
        predicate=found.name(draft.predicate, "the predicate").lower(),
        object=found.name(draft.object, "the object"),
        author=found.name(draft.author, "the author"),
        sources=found.names(draft.sources, "sources"),
    )
    for part in ("subject", "predicate", "object"):
        if not getattr(checked, part):
            raise UsageError(f"a fact needs a {part}", hint="for instance: api database postgres")
    return checked, found


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names of a thing as they may be stored; SecretRefusedError when one is a secret."""
    found = Findings()
    kept = tuple(found.name(name, "a name") for name in names)
    if found.secrets:
        raise SecretRefusedError("a name holds a secret", hint="keep secrets out of names")
    if not all(kept):
        raise UsageError("a name is empty")
    return kept


def check_times(*times: float) -> None:
    """Refuse what is no instant, and a time that ends before it begins (the last two)."""
    if not all(math.isfinite(at) and abs(at) < 1e11 for at in times):
        raise UsageError("a time is wanted as seconds since the epoch")
    start, end = times[-2:]
    if start and end and end <= start:
        raise UsageError("it ends before it begins", hint="valid_until comes after valid_from")


def _place(anchor: Anchor) -> Anchor:
    if redact(f"{anchor.path} {anchor.symbol}").found:
        raise SecretRefusedError(
            "the place holds a secret and was not stored", hint="name a path of the project"
        )
    fields = (anchor.path, anchor.symbol, anchor.symbol_kind, anchor.content_hash, anchor.commit)
    known = anchor.fingerprint if _FINGERPRINT.fullmatch(anchor.fingerprint) else ""
    path, symbol, kind, content_hash, commit = (clean(field)[:4_000] for field in fields)
    return Anchor(path, symbol, kind, content_hash, commit, known)
