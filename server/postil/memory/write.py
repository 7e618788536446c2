"""The write gate: what is remembered passes here, whichever face it came by.

Checked and without secrets; then, in one transaction: the same request or the same statement again
is no second memory, what was forgotten stays gone, what is replaced is closed, what is in doubt is
put before a person; words, anchors, vectors, entities and the event belong to it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from postil import times
from postil.embed import Embedder
from postil.errors import ForgottenError, QuotaError, UsageError
from postil.memory import vectors
from postil.memory.dedup.verdict import Judged, judge
from postil.memory.draft import MAX_LIST, check_memory
from postil.memory.keys import entity_key, keys_of
from postil.memory.query import terms_of
from postil.memory.reading import StoreReader
from postil.memory.revise import found, may_change, new_batch, revise
from postil.model import (
    Action,
    Actor,
    Entity,
    Event,
    Kind,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Suggestion,
    Verdict,
    new_id,
)
from postil.storage.store import Filters, Keys, Pending, Shelf, Store

# Rows that words and vectors nominate as possibly the same. A restatement shares most of its words.
_NOMINEES = 8
# Pairs that one write may put before a person.
_SUGGESTIONS = 3
# The importance of what nobody said is important or not.
_USUAL = 0.5


@dataclass(frozen=True, slots=True)
class Policy:
    """What agents may do: whether a person must approve, and how much a session may write."""

    agents_propose: bool = False
    session_memories: int = 1_000
    session_characters: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """How a write is meant. `request` is the caller's own name for it: again, it is no other.

    Without `compares` only the very same text is known again: for many statements at once.
    """

    policy: Policy = field(default_factory=Policy)
    request: str = ""
    supersedes: tuple[str, ...] = ()
    embedder: Embedder | None = None
    compares: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write."""

    memory: Memory
    verdict: Verdict
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def created(self) -> bool:
        """Whether there is a memory more than before."""
        return self.verdict is not Verdict.DUPLICATE


def remember(store: Store, draft: Memory, terms: Terms | None = None) -> Written:
    """Store `draft`; its id, times and status are given here.

    Raises UsageError, SecretRefusedError, ForgottenError, QuotaError.
    """
    terms = terms or Terms()
    memory, findings = check_memory(draft)
    actor = Actor(memory.author or "person", memory.client, memory.session)
    must_own(actor, memory.scope)
    memory = _dated(replace(memory, status=_status(memory, actor, terms.policy)))
    memory = replace(memory, supersedes=terms.supersedes)
    keys = keys_of(memory)
    text = _embedded_text(memory)
    # The model is asked before the transaction: nobody waits for it with the store locked.
    encoded = vectors.encode(store, terms.embedder, text) if terms.embedder is not None else None
    with store.transaction():
        written = _repeated(store, memory, terms.request)
        if written is None:
            written = _enter(store, memory, keys, actor, terms, encoded)
            _note_request(store, terms.request, memory, written.memory)
            for name in memory.about:
                store.put_entity(Entity(name, memory.scope), entity_key(name), ())
        if encoded is not None and written.created:
            row = Pending(Shelf.MEMORY, store.row_of(written.memory.id), text)
            store.put_vectors(encoded.fit, [(row, encoded.chunks)])
    return replace(written, redacted=tuple(findings.secrets), notes=findings.notes)


def must_own(actor: Actor, scope: Scope) -> None:
    """Refuse an agent a scope that is not its own to write."""
    if actor.agent and scope not in actor.scopes:
        own = ", ".join(map(str, actor.scopes))
        raise UsageError(f"{scope} is not yours to write", hint=f"your scopes: {own}")


def close_superseded(store: Store, memory: Memory, actor: Actor, batch: str) -> tuple[str, ...]:
    """Close what an active memory replaces; the ids that were closed. Part of a transaction."""
    closed = []
    for one in memory.supersedes:
        if store.memory(one) is None:
            continue  # it was erased while the successor waited for approval
        old = found(store, one, actor)
        if old.status in (Status.ACTIVE, Status.PROPOSED):
            closing = replace(
                old,
                status=Status.SUPERSEDED,
                superseded_by=memory.id,
                valid_until=old.valid_until or memory.valid_from or memory.created_at,
            )
            revise(store, old, closing, Action.SUPERSEDE, actor, batch)
            closed.append(old.id)
    return tuple(closed)


def _dated(memory: Memory) -> Memory:
    now = time.time()
    return replace(
        memory,
        id=memory.id or new_id("m"),
        created_at=memory.created_at or now,
        updated_at=now,
        offset=memory.offset or times.offset_at(now),
        version=1,
        superseded_by="",
    )


def _status(memory: Memory, actor: Actor, policy: Policy) -> Status:
    """Team knowledge is a person's to decide; where asked for, so is all that agents write."""
    is_agent = bool(actor.agent)
    needs_person = memory.scope.kind is ScopeKind.TEAM or policy.agents_propose
    return Status.PROPOSED if needs_person and is_agent else Status.ACTIVE


def _repeated(store: Store, memory: Memory, request: str) -> Written | None:
    """The answer that this request already had."""
    if not request:
        return None
    known = store.request(_request_key(memory, request))
    if known is None:
        return None
    digest, target = known
    if digest != _asked(memory):
        raise UsageError(
            f"the request {request!r:.80} was used for another text", hint="use a new name for it"
        )
    earlier = store.memory(target)
    return Written(earlier, Verdict.DUPLICATE) if earlier is not None else None


def _note_request(store: Store, request: str, draft: Memory, memory: Memory) -> None:
    key = _request_key(draft, request)
    if request and store.request(key) is None:
        store.add_request(key, _asked(draft), memory.id, time.time())


def _asked(draft: Memory) -> str:
    """What a request was used for, whatever id it was given."""
    return keys_of(replace(draft, id="")).content


def _request_key(memory: Memory, request: str) -> str:
    mark = "\0".join((str(memory.scope), request)).encode("utf-8", "replace")
    return blake2b(mark, digest_size=16).hexdigest()


def _enter(
    store: Store,
    memory: Memory,
    keys: Keys,
    actor: Actor,
    terms: Terms,
    encoded: vectors.Encoded | None,
) -> Written:
    refuse_forgotten(store, keys.text)
    within_quota(store, memory.session, actor, terms.policy)
    batch = new_batch()
    for one in terms.supersedes:
        old = found(store, one, actor)
        if memory.scope != old.scope and memory.scope.kind in (ScopeKind.SESSION, ScopeKind.DIARY):
            raise UsageError(
                f"{old.id} holds for {old.scope} and cannot be replaced from {memory.scope}",
                hint="write with the scope of the memory that you replace",
            )
        if memory.status is Status.ACTIVE:  # a proposal closes nothing before a person says so
            may_change(actor, old)
        memory = _heir(memory, old)
    # A diary is written down as it comes: the same line on two days is two lines.
    is_diary = memory.scope.kind is ScopeKind.DIARY
    pairs = [] if is_diary else _nominated(store, memory, keys, encoded, terms.compares)
    pairs = [(judged, old) for judged, old in pairs if old.id not in terms.supersedes]
    pairs = [_unless_told_otherwise(memory, judged, old) for judged, old in pairs]
    same = next((old for judged, old in pairs if judged.verdict is Verdict.DUPLICATE), None)
    if same is not None:
        merged = _merge(store, same, memory, actor, batch)
        heir = replace(merged, supersedes=terms.supersedes)
        ended = close_superseded(store, heir, actor, batch) if _holds(merged) else ()
        return Written(merged, Verdict.DUPLICATE, closed=ended)
    exact = store.with_content(keys.content)
    if exact is not None and exact.id in terms.supersedes:
        raise UsageError(f"{exact.id} already says that", hint="there is nothing to replace")
    replaced = [old for judged, old in pairs if judged.verdict is Verdict.UPDATE][:1]
    for old in replaced:
        memory = _heir(memory, old)
    memory = replace(memory, supersedes=(*memory.supersedes, *(old.id for old in replaced)))
    stored = store.insert_memory(memory, keys)
    store.add_event(Event(stored.id, Action.WRITE, actor, stored.updated_at, batch))
    closed: tuple[str, ...] = ()
    if stored.status is Status.ACTIVE:
        closed = close_superseded(store, stored, actor, batch)
    verdict, suggestions = _suggested(store, stored, pairs)
    return Written(
        stored, Verdict.UPDATE if closed else verdict, closed=closed, suggestions=suggestions
    )


def _heir(memory: Memory, old: Memory) -> Memory:
    """What replaces a statement is about the same things, unless it names its own, and as dear."""
    return replace(
        memory,
        anchors=memory.anchors or old.anchors,
        about=memory.about or old.about,
        tags=memory.tags or old.tags,
        pinned=memory.pinned or old.pinned,
        importance=old.importance if memory.importance == _USUAL else memory.importance,
    )


def _holds(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE


def _unless_told_otherwise(memory: Memory, judged: Judged, old: Memory) -> tuple[Judged, Memory]:
    """The same statement with another way or end is not the same: nothing of it is dropped."""
    if judged.verdict not in (Verdict.DUPLICATE, Verdict.UPDATE):
        return judged, old
    for name in ("how", "valid_until"):
        ours, theirs = getattr(memory, name), getattr(old, name)
        if ours and theirs and ours != theirs:
            return Judged(Verdict.UNSURE, f"the same statement with another `{name}`"), old
    return judged, old


def refuse_forgotten(store: Store, key: str) -> None:
    """ForgottenError when what has this key was forgotten or erased."""
    gone = store.tombstone(key)
    if gone is not None:
        target, at = gone
        hint = f"a person can bring it back: `postil restore {target}`"
        raise ForgottenError(
            f"this was forgotten on {times.local_day(at)} and is not stored again",
            hint=hint if store.memory(target) is not None else "it was erased for good",
        )


def within_quota(store: Store, session: str, actor: Actor, policy: Policy) -> None:
    """Refuse what a session writes beyond its limit: a looping agent cannot fill the store.

    What comes without a session counts together. A person may write as much as they like.
    """
    if not actor.agent:
        return
    count, characters = store.session_totals(session, actor.author)
    if count >= policy.session_memories or characters >= policy.session_characters:
        raise QuotaError(
            f"this session has written {count:,} rows ({characters:,} characters), its limit",
            hint="write only what will matter later; the settings `write.*` hold the limits",
        )


def _nominated(
    store: Store, memory: Memory, keys: Keys, encoded: vectors.Encoded | None, compares: bool
) -> list[tuple[Judged, Memory]]:
    """What the same scope may already say, with what the rules say of each."""
    exact = store.with_content(keys.content)
    if exact is not None:
        return [(Judged(Verdict.DUPLICATE), exact)]
    if not compares or memory.kind is Kind.SNIPPET:  # code says what it says to the letter
        return []
    kinds = () if memory.kind is Kind.NOTE else (memory.kind, Kind.NOTE)
    filters = Filters((memory.scope,), kinds, statuses=(Status.ACTIVE, Status.PROPOSED))
    reader = StoreReader(store)
    terms = reader.weigh(Shelf.MEMORY, terms_of(memory.what, store.stems))
    rows = reader.words(Shelf.MEMORY, terms, filters, _NOMINEES).rows.tolist()
    if encoded is not None:
        rows += reader.nearest(Shelf.MEMORY, encoded, filters, _NOMINEES)
    near = store.memories(sorted(set(rows))).values()
    return [(judge(memory, old), old) for old in near]


def _merge(store: Store, known: Memory, again: Memory, actor: Actor, batch: str) -> Memory:
    """What a second write of the same statement brings: places, tags, sources, what was missing."""
    if again.status is Status.PROPOSED and known.status is Status.ACTIVE:
        return known  # an agent may not change what a person would have to approve
    merged = replace(
        known,
        tags=union(known.tags, again.tags),
        about=union(known.about, again.about),
        sources=union(known.sources, again.sources),
        anchors=tuple(dict.fromkeys((*known.anchors, *again.anchors))),
        importance=max(known.importance, again.importance),
        why=known.why or again.why,
        how=known.how or again.how,
        who=known.who or again.who,
        when=known.when or again.when,
        valid_until=known.valid_until or again.valid_until,
        status=again.status if known.status is Status.PROPOSED else known.status,
    )
    if merged == known:
        return known
    merged = revise(store, known, merged, Action.MERGE, actor, batch)
    if known.status is Status.PROPOSED and merged.status is Status.ACTIVE:
        close_superseded(store, merged, actor, batch)  # a person said the same: it holds
    return merged


def union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Both lists, each text once; of what is said again and again the newest remain."""
    return tuple(dict.fromkeys((*one, *other)))[-MAX_LIST:]


def _suggested(
    store: Store, memory: Memory, pairs: list[tuple[Judged, Memory]]
) -> tuple[Verdict, tuple[Suggestion, ...]]:
    doubtful = [
        (judged, old)
        for judged, old in pairs
        if judged.verdict in (Verdict.CONTRADICT, Verdict.UNSURE)
    ]
    doubtful.sort(key=lambda pair: pair[0].verdict is not Verdict.CONTRADICT)
    suggestions = tuple(
        Suggestion(new_id("s"), memory.id, old.id, judged.verdict, judged.reason, memory.updated_at)
        for judged, old in doubtful[:_SUGGESTIONS]
    )
    for one in suggestions:
        store.add_suggestion(one)
    return (suggestions[0].verdict if suggestions else Verdict.ADD), suggestions


def _embedded_text(memory: Memory) -> str:
    return " ".join((memory.what, memory.why, *memory.tags)).strip()
