"""What people and agents do to the memories of a workspace. One way for every face.

Each function takes who does it; what only a person may do is refused to an agent.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from postil import git
from postil.config.load import Config
from postil.errors import StoreError, UsageError
from postil.memory import bulk, change, erase, facts, judge, undo
from postil.memory.endpoint import Endpoint
from postil.memory.revise import found, require_person
from postil.memory.write import Policy, Terms, Written, remember
from postil.model import (
    Action,
    Actor,
    Anchor,
    Event,
    Fact,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Suggestion,
    Verdict,
)
from postil.storage.connect import create_private
from postil.storage.deletions import DeletionLog, forget_in_logs
from postil.storage.sqlite import SqliteStore
from postil.storage.store import Filters, Sizes, Store
from postil.transfer import copies, jsonl, markdown
from postil.transfer.bring import bring
from postil.transfer.formats.others import recognise
from postil.workspace import Workspace

Counted = Callable[[int], None]
Paged = Callable[[int, int], None]

_LISTED = 500


def policy(config: Config) -> Policy:
    """What the settings let agents do."""
    return Policy(
        agents_propose=config.flag("write.agents_propose"),
        session_memories=config.number("write.session_memories"),
        session_characters=config.number("write.session_kilobytes") * 1_000,
    )


def write(
    workspace: Workspace,
    draft: Memory,
    where: Iterable[str] = (),
    request: str = "",
    supersedes: Sequence[str] = (),
    is_proposed: bool = False,
) -> Written:
    """Store a memory tied to the places in `where` (`path`, `path#symbol` or a symbol).

    A project's memory that is given none is tied to the files and symbols that its text names.
    What `is_proposed` by an agent waits for a person, whatever the settings say.
    It knows the commit it was written at and, where its session's turns are stored, the last one.
    """
    places = list(where)
    anchors: tuple[Anchor, ...] = tuple(workspace.attach(places)) if places else ()
    if not places and not draft.anchors and draft.scope.kind is not ScopeKind.USER:
        anchors = workspace.mentioned("\n".join((draft.what, draft.why, draft.how)))
    last = workspace.store.last_turn(draft.session, "user") if draft.session else None
    draft = replace(
        draft,
        anchors=(*draft.anchors, *anchors),
        commit=draft.commit or git.head(workspace.root),
        sources=(*draft.sources, last.id) if last is not None else draft.sources,
    )
    store = workspace.store_of(draft.scope)
    # A store without a fit has no vectors to compare with: then no model is loaded for nothing.
    rules = policy(workspace.config)
    terms = Terms(
        replace(rules, agents_propose=rules.agents_propose or is_proposed),
        request,
        tuple(clean_id(one) for one in supersedes),
        workspace.embedder if store.current_fit() is not None else None,
    )
    for one in terms.supersedes:
        if store.memory(one) is None and _holding(workspace, one) is not None:
            raise UsageError(
                f"{one} is of another scope and cannot be replaced from {draft.scope}",
                hint="write with the scope of the memory that you replace",
            )
    return remember(store, draft, terms)


def get(workspace: Workspace, memory_id: str, actor: Actor) -> Memory:
    """The memory with this id; UsageError when there is none that the actor may see."""
    return found(store_with(workspace, memory_id), clean_id(memory_id), actor)


def update(
    workspace: Workspace, memory_id: str, edit: Callable[[Memory], Memory], actor: Actor
) -> Memory:
    """Change fields of a memory; the version before is kept."""
    store = store_with(workspace, memory_id)
    return change.update(store, clean_id(memory_id), edit, actor, policy(workspace.config))


def forget(workspace: Workspace, ids: Sequence[str], actor: Actor) -> list[Memory]:
    """Take memories out of every answer; a person can restore them."""
    gone: list[Memory] = []
    for store, mine in _by_store(workspace, ids):
        gone += change.forget(store, mine, actor, _logged(store, actor), policy(workspace.config))
    return gone


def restore(workspace: Workspace, memory_id: str, actor: Actor, version: int = 0) -> Memory:
    """Bring back a closed memory, or an earlier version of one."""
    store = store_with(workspace, memory_id)
    return change.restore(store, clean_id(memory_id), actor, version, policy(workspace.config))


def keep(workspace: Workspace, memory_id: str, actor: Actor, pinned: bool = True) -> Memory:
    """Pin a memory, or let it go again."""
    store = store_with(workspace, memory_id)
    return change.keep(store, clean_id(memory_id), actor, pinned, policy(workspace.config))


def history(workspace: Workspace, memory_id: str, actor: Actor) -> tuple[Memory, list[Event]]:
    """A memory and what was done to it, oldest first."""
    return change.history(store_with(workspace, memory_id), clean_id(memory_id), actor)


def undo_session(workspace: Workspace, session: str, actor: Actor) -> undo.Undone:
    """Take back everything that a session changed, in the project and in one's own."""
    done = [undo.undo_session(store, session, actor) for store in workspace.stores]
    return undo.Undone(
        tuple(one for part in done for one in part.reverted),
        tuple(one for part in done for one in part.changed_since),
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """A suggestion with both of its memories."""

    suggestion: Suggestion
    new: Memory
    old: Memory


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a person: proposed memories, and pairs to be judged."""

    proposed: tuple[Memory, ...]
    pairs: tuple[Pair, ...]


def waiting(workspace: Workspace, actor: Actor) -> Waiting:
    """What waits for a person in the scopes that the actor sees."""
    proposed: list[Memory] = []
    pairs: list[Pair] = []
    for store in workspace.stores:
        # Whatever scope an agent proposed it for, a person has to say.
        scopes = tuple(store.scopes()) if actor.is_person else actor.scopes
        filters = Filters(scopes, statuses=(Status.PROPOSED,))
        proposed += store.list_memories(filters, _LISTED)
        for one in store.suggestions():
            new, old = store.memory(one.new), store.memory(one.old)
            if new is not None and old is not None and new.scope in scopes:
                pairs.append(Pair(one, new, old))
    return Waiting(tuple(proposed), tuple(pairs))


def approve(workspace: Workspace, memory_id: str, actor: Actor) -> Memory:
    """Let a proposed memory hold."""
    return change.approve(store_with(workspace, memory_id), clean_id(memory_id), actor)


def reject(workspace: Workspace, memory_id: str, actor: Actor) -> Memory:
    """Put a proposed memory away."""
    return change.reject(store_with(workspace, memory_id), clean_id(memory_id), actor)


def settle(workspace: Workspace, suggestion_id: str, verdict: Verdict, actor: Actor) -> Suggestion:
    """Do what a person says of a pair."""
    for store in workspace.stores:
        for one in store.suggestions():
            if one.id == clean_id(suggestion_id):
                change.settle(store, one, verdict, actor)
                return one
    raise UsageError(
        f"no pair {suggestion_id!r} waits", hint="`postil proposals list` shows what waits"
    )


def doomed(
    workspace: Workspace, text: str, memory_id: str, actor: Actor
) -> list[tuple[Store, erase.Doomed]]:
    """What erasing by a text or a memory would remove, by store: shown to a person only."""
    require_person(actor, "erasing")
    if memory_id:
        store = store_with(workspace, memory_id)
        memory = found(store, clean_id(memory_id), actor)
        return [(store, erase.of(store, memory))]
    return [(store, erase.about(store, text)) for store in workspace.stores]


def offer_erasure(workspace: Workspace, selected: list[tuple[Store, erase.Doomed]]) -> str:
    """The token that confirms exactly this erasure."""
    rows = [row for _, one in selected for row in one.rows]
    texts = _telling(selected)
    return bulk.preview(workspace.store, bulk.action_on("erase", *texts), rows)


def erase_selected(
    workspace: Workspace, selected: list[tuple[Store, erase.Doomed]], token: str, actor: Actor
) -> erase.Erased:
    """Erase what a token was given for; what came or changed since is left."""
    texts = _telling(selected)
    require_person(actor, "erasing")
    versions = {memory.id: memory.version for _, one in selected for memory in one.memories}
    chosen = bulk.confirmed(
        workspace.store,
        bulk.action_on("erase", *texts),
        token,
        lambda target: versions.get(target, 0),
    )
    kept = set(chosen.ids)
    rows, is_clean = 0, True
    # The logs first: were this cut short, the rows would still be there to try again.
    forget_in_logs([text for _, one in selected for text in one.texts])
    uncleaned: list[str] = []
    for store, one in selected:
        exact = replace(
            one,
            memories=tuple(memory for memory in one.memories if memory.id in kept),
            episodes=tuple(turn for turn in one.episodes if turn.id in kept),
            facts=tuple(fact for fact in one.facts if fact.id in kept),
        )
        done = erase.erase(store, exact, actor, _logged(store, actor), open_copy)
        rows += done.rows
        uncleaned += done.uncleaned
        is_clean = is_clean and done.is_clean
    return erase.Erased(rows, tuple(uncleaned), is_clean, chosen.changed)


def _telling(selected: list[tuple[Store, erase.Doomed]]) -> list[str]:
    return [text for _, one in selected for text in (*one.texts, "", *one.wholes)]


def assert_fact(workspace: Workspace, draft: Fact, also: bool = False) -> facts.Asserted:
    """Store a fact; it ends the one that held."""
    store = workspace.store_of(draft.scope)
    return facts.assert_fact(store, draft, policy(workspace.config), also)


def facts_about(
    workspace: Workspace, subject: str, scopes: Sequence[Scope], predicate: str = ""
) -> list[Fact]:
    """All facts on a subject by the time they began."""
    return [
        fact
        for store in workspace.stores
        for fact in facts.timeline(store, scopes, subject, predicate)
    ]


def invalidate(workspace: Workspace, fact_id: str, actor: Actor, ended: float = 0.0) -> Fact:
    """Say that a fact never held, or no longer holds."""
    target = clean_id(fact_id)
    for store in workspace.stores:
        if store.fact(target) is not None:
            return facts.invalidate(store, target, actor, ended)
    raise UsageError(f"there is no fact {fact_id!r}", hint="`postil facts about` lists ids")


def clean_id(text: str) -> str:
    """An id as a citation writes it: `[m-01k3h9x2v7qa]`."""
    return text.strip().strip("[]")


def store_with(workspace: Workspace, memory_id: str) -> Store:
    """The store that holds a memory; UsageError when none does."""
    store = _holding(workspace, clean_id(memory_id))
    if store is None:
        raise UsageError(f"there is no memory {memory_id!r}", hint="`postil search` lists ids")
    return store


def deletion_log(store: Store) -> DeletionLog:
    """The log beside a store."""
    return DeletionLog(store.path.parent / "deletions.log")


def open_copy(path: Path) -> Store:
    """A copy of a store, to be cleaned or read."""
    return SqliteStore(path, is_copy=True)


def _holding(workspace: Workspace, memory_id: str) -> Store | None:
    return next((one for one in workspace.stores if one.memory(memory_id) is not None), None)


def _by_store(workspace: Workspace, ids: Sequence[str]) -> list[tuple[Store, list[str]]]:
    found: dict[int, tuple[Store, list[str]]] = {}
    for one in ids:
        store = store_with(workspace, one)
        found.setdefault(id(store), (store, []))[1].append(clean_id(one))
    return list(found.values())


def _logged(store: Store, actor: Actor) -> change.Logged:
    log = deletion_log(store)

    def write_down(action: Action, marks: Sequence[tuple[str, str]]) -> None:
        log.append(action.value, marks, actor.author)

    return write_down


def recent(workspace: Workspace, scopes: Sequence[Scope], limit: int) -> list[Memory]:
    """The newest memories of some scopes."""
    found = [
        memory
        for store in workspace.stores
        for memory in store.newest_memories(Filters(tuple(scopes)), limit)
    ]
    horizon = time.time() + 86_400
    return sorted(found, key=lambda one: (one.created_at > horizon, -one.created_at, one.id))[
        :limit
    ]


def export(
    workspace: Workspace,
    name: str,
    mine: bool,
    sink: IO[str],
    actor: Actor,
    progress: Counted | None = None,
) -> int:
    """Write a store as `jsonl` or `markdown`; how many records.

    A person's right: it holds all sessions and diaries.
    """
    require_person(actor, "exporting")
    store = workspace.store_of(Scope.USER) if mine else workspace.store
    if name == "jsonl":
        return jsonl.export(store, sink, progress, mine)
    title = "What I remember" if mine else f"What is remembered of {workspace.project.name}"
    scopes = (Scope.USER,) if mine else (Scope.TEAM, Scope.PROJECT)
    return markdown.export(store, title, scopes, sink)


def export_to(
    workspace: Workspace, name: str, mine: bool, target: Path, actor: Actor, progress: Counted
) -> int:
    """Write a store to a new private file, in one step: half an export is no export."""
    require_person(actor, "exporting")
    part = target.with_name(f"{target.name}.part")
    try:
        create_private(part)
        with part.open("w", encoding="utf-8", newline="\n") as sink:
            count = export(workspace, name, mine, sink, actor, progress)
            sink.flush()
            os.fsync(sink.fileno())
        part.replace(target)
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written: {error.strerror}", hint="check the disk and the folder"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return count


def import_from(
    workspace: Workspace, source: Path, name: str, scope: Scope, actor: Actor, progress: Counted
) -> jsonl.Imported:
    """Take in an export or the memories of another tool; `name` "" recognises which.

    A person's right: what comes in so waits for nobody's approval. An export of one's own memories
    comes back as one's own.
    """
    require_person(actor, "importing")
    if not name:
        name = "jsonl" if source.is_file() and _begins_as_export(source) else recognise(source)
    if name == "jsonl":
        mine = source.is_file() and jsonl.is_mine(source)
        store = workspace.store_of(Scope.USER) if mine else workspace.store
        return jsonl.load(store, source, progress)
    return bring(workspace.store_of(scope), source, name, scope)


def backup(workspace: Workspace, target: Path | None, progress: Paged) -> copies.Copy:
    """Copy the project's store and check the copy."""
    place = target.absolute() if target is not None else None
    return copies.backup(workspace.store, place, open_copy, progress)


def restore_backup(
    workspace: Workspace, source: Path, actor: Actor, progress: Paged
) -> tuple[copies.Copy, copies.Copy]:
    """Take over a copy; the copy of what was there, and the one taken over. A person's right."""
    require_person(actor, "restoring a copy")
    log = deletion_log(workspace.store)
    return copies.restore(workspace.store, source.absolute(), log, open_copy, progress)


@dataclass(frozen=True, slots=True)
class Maintained:
    """What upkeep did, and how the project's file is."""

    integrity: str
    merged: int
    is_clean: bool
    sizes: Sizes


def maintain(workspace: Workspace) -> Maintained:
    """Finish erasures, merge twins, give back space, check the file."""
    merged, is_clean = 0, True
    for store in workspace.stores:
        merged += change.merge_twins(store, Actor())
        is_clean = erase.finish(store) and is_clean
        store.compact()
    return Maintained(workspace.store.integrity(), merged, is_clean, workspace.store.sizes())


def judge_pairs(workspace: Workspace) -> int:
    """Ask the endpoint of the settings about the pairs in doubt; how many were judged."""
    endpoint = model_endpoint(workspace)
    return sum(judge.judge_open(store, endpoint) for store in workspace.stores)


def model_endpoint(workspace: Workspace) -> Endpoint:
    """The language model that the settings name; UsageError when they name none."""
    config = workspace.config
    url = config.text("judge.url")
    if not url:
        raise UsageError("no judge is set", hint="set judge.url and judge.model (docs/settings.md)")
    key = os.environ.get(config.text("judge.key_variable") or "POSTIL_JUDGE_KEY", "")
    return Endpoint(url, config.text("judge.model"), key)


def transcripts_of(selected: list[tuple[Store, erase.Doomed]]) -> list[str]:
    """What a person should know: a client's own transcript is not ours to change."""
    paths = {turn.transcript for _, one in selected for turn in one.episodes if turn.transcript}
    return [f"The client's own transcript still holds it: {path}" for path in sorted(paths)]


def _begins_as_export(source: Path) -> bool:
    with source.open(encoding="utf-8", errors="replace") as file:
        return jsonl.is_export(file.readline(1_000))
