"""What is put before an agent at an event of its client, and what an event has stored."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from postil import learn, present
from postil.capture.formats import FORMATS
from postil.capture.ingest import store_turns
from postil.capture.transcript import Turn
from postil.config.clients import load_client
from postil.errors import UsageError
from postil.leader.told import Told
from postil.memory.recall import Query
from postil.model import Actor, AnchorState, Hit, Kind, Memory, ResolvedAnchor, Status
from postil.redact import redact
from postil.storage.store import Filters
from postil.words import query_terms
from postil.workspace import Brief, Workspace
from postil_hooks import event as wire
from postil_hooks.spoken import spoken

# After these a session has nothing before it any more of what it was told.
_FORGETTING = ("clear", "compact")
# What is worth saying when a file is opened or changed.
_OF_A_FILE = (Kind.RULE, Kind.PREFERENCE, Kind.DECISION, Kind.LESSON)
# How clients call the start of a session that was not there before.
_NEW = ("startup", "new", "")
# Seconds for which a brief is good, whatever git does meanwhile.
_FRESH = 30.0
# A prompt of fewer words asks for nothing that can be found.
_LEAST_TERMS = 2
_MOST_HITS = 5
_MOST_FILES = 5
# More than is told, since what was said already is left out.
_LOOKED_AT = 10
# Seconds within which the same prompt from another client is the same prompt.
_SAME = 4.0
_CITED = re.compile(r"\[(m-[0-9a-z]+)\]")
_ERROR = 2_000
_KEPT_IDS = 20


# Takes client, event, folder and payload of a session that may have gone on without us.
CatchUp = Callable[[str, str, str, bytes], object]


class Hooks:
    """Answers the events of clients for one workspace. Safe to use from several threads.

    `catch_up` is told of each start of a session, so that what was missed of it can be read.
    """

    def __init__(self, workspace: Workspace, catch_up: CatchUp | None = None) -> None:
        self._workspace = workspace
        self._catch_up = catch_up
        self._heard: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()
        self._told = Told(workspace)
        self._brief: tuple[tuple[tuple[int, int], ...], Actor, float, Brief] | None = None

    def answer(self, client: str, native: str, payload: bytes) -> bytes:
        """What to print for an event; empty for nothing. Raises ValueError on a bad payload."""
        origin = f"{client} {native}"
        spec, native = wire.host(load_client(client), native, payload)
        event = wire.normalise(spec, native, payload)
        if event.name == "tool_after" and event.tool in spec["writes"]:
            for path in self._relative(event.paths):
                self._workspace.remap(path)
        if event.name == "session_start" and event.transcript and self._catch_up is not None:
            self._catch_up(client, native, str(self._workspace.root), payload)
        if not wire.carries(spec, event) or self._is_repeated(event, origin):
            return b""
        find = _FINDERS.get(event.name)
        text = find(self, event) if find is not None else ""
        return wire.render(spec, event, text)

    def _start(self, event: wire.Event) -> str:
        """The brief; after a compaction also what the session was told before."""
        workspace = self._workspace
        told = self._told.of(event.session)
        is_new = not told and event.detail in _NEW
        brief = self._briefed(_actor(event)) if is_new else workspace.brief(_actor(event))
        hits = list(brief.memories)
        if event.detail in _FORGETTING:
            self._told.forget(event.session)
            if event.detail == "compact":
                hits += self._once_told(told, {hit.id for hit in hits})
            told = {}
        hits = [hit for hit in hits if hit.id not in told]
        if told and not hits:
            return ""  # resumed: all of it still stands there
        text = present.brief_text(
            replace(brief, memories=tuple(hits)), workspace.config.number("brief.tokens")
        )
        return self._noted(event, text)

    def _briefed(self, actor: Actor) -> Brief:
        """What there is to say to a new session; worked out again once something was written."""
        workspace = self._workspace
        changes = [store.changes() for store in workspace.stores]
        state = (*((one.epoch, one.number) for one in changes), workspace.index.version)
        # A session that goes on sees its own memories too: a new one has none.
        plain = Actor(actor.author, actor.client)
        now = time.monotonic()
        known = self._brief
        if known is None or known[:2] != (state, plain) or now - known[2] > _FRESH:
            known = self._brief = (state, plain, now, workspace.brief(plain))
        return known[3]

    def _prompt(self, event: wire.Event) -> str:
        """What is remembered of what a person asks for, as far as the session does not know it."""
        workspace = self._workspace
        budget = workspace.config.number("prompt.tokens")
        prompt = spoken(event.prompt)
        if not budget or prompt.startswith("/") or len(query_terms(prompt)) < _LEAST_TERMS:
            return ""
        told = self._told.of(event.session)
        now = time.time()
        query = Query(
            text=prompt[: present.SHOWN * 4],
            tokens=budget * _LOOKED_AT,
            limit=_LOOKED_AT,
            filters=Filters(_actor(event).scopes, valid_at=now),
            episodes=False,
            now=now,
            quick=True,
        )
        # By words alone: there is no model on the way of a prompt.
        found = workspace.recall_by_words(query, present.recall_cost)
        hits = [
            hit
            for hit in found.hits
            if hit.memory is not None and not hit.memory.is_foreign and hit.id not in told
        ]
        return self._noted(event, present.notes_text("", hits[:_MOST_HITS], budget))

    def _tool(self, event: wire.Event) -> str:
        """What is remembered of the file that a tool is about, and what its edit made doubtful."""
        budget = self._workspace.config.number("prompt.tokens")
        told = self._told.of(event.session)
        paths = self._relative(event.paths)
        hits: dict[str, Hit] = {}
        doubts: list[str] = []
        for path in paths:
            for rows in self._workspace.memories_in(path, _actor(event)).values():
                for memory, now in rows:
                    is_new_doubt = _is_doubtful(now) and _doubt(memory) not in told
                    if is_new_doubt:
                        doubts.append(_doubt(memory))
                    if _is_told_of_a_file(memory, now, memory.id in told, is_new_doubt):
                        hits[memory.id] = Hit(memory.importance, memory, anchors=(now,))
        if not budget or not hits:
            return ""
        best = sorted(hits.values(), key=_worth, reverse=True)
        return self._noted(event, present.notes_text(", ".join(paths), best, budget), doubts)

    def _compact(self, event: wire.Event) -> str:
        """Which ids the summary of the conversation must keep."""
        told = [one for one in self._told.of(event.session) if one[:2] == "m-"]
        if not told:
            return ""
        ids = " ".join(f"[{one}]" for one in told[-_KEPT_IDS:])
        return f"Keep the ids of recalled notes that mattered, in brackets: {ids}"

    def _noted(self, event: wire.Event, text: str, marks: Iterable[str] = ()) -> str:
        ids = dict.fromkeys(_CITED.findall(text))
        if text and (ids or marks):
            self._told.note(event.session, [*ids, *marks])
        return text

    def _once_told(self, told: Iterable[str], known: set[str]) -> list[Hit]:
        stores = self._workspace.stores
        found = [store.memory(one) for one in told if one not in known for store in stores]
        return [
            Hit(one.importance, one, anchors=self._workspace.anchors.resolve_all(one))
            for one in found
            if one is not None and one.status is Status.ACTIVE and not one.is_foreign
        ]

    def _relative(self, paths: Sequence[str]) -> list[str]:
        found = []
        for path in paths[:_MOST_FILES]:
            try:
                found.append(self._workspace.relative(path))
            except UsageError:  # outside of the project: nothing is known of it
                continue
        return found

    def _is_repeated(self, event: wire.Event, origin: str) -> bool:
        """Whether another hook reported the same a moment ago: clients run each other's hooks."""
        about = event.prompt if event.name == "prompt" else f"{event.session} {event.paths}"
        key = f"{event.name} {event.detail} {about}"
        now = time.monotonic()
        with self._lock:
            self._heard = {one: row for one, row in self._heard.items() if now - row[1] < _SAME}
            known = self._heard.setdefault(key, (origin, now))
        # A client that has us twice, as a plugin and by its settings, says the same twice as well.
        is_twin = known[1] != now and event.name in ("session_start", "prompt")
        return known[0] != origin or is_twin


_FINDERS: dict[str, Callable[[Hooks, wire.Event], str]] = {
    "session_start": Hooks._start,
    "prompt": Hooks._prompt,
    "tool_before": Hooks._tool,
    "tool_after": Hooks._tool,
    "compact_before": Hooks._compact,
}


def _actor(event: wire.Event) -> Actor:
    return Actor(f"agent:{event.client}", event.client, event.session)


def _is_doubtful(now: ResolvedAnchor) -> bool:
    return now.state is AnchorState.DRIFTED


def _doubt(memory: Memory) -> str:
    return f"drifted:{memory.id}"


def _is_told_of_a_file(
    memory: Memory, now: ResolvedAnchor, is_told: bool, is_new_doubt: bool
) -> bool:
    if memory.is_foreign:
        return False
    return is_new_doubt or (not is_told and (memory.kind in _OF_A_FILE or _is_doubtful(now)))


def _worth(hit: Hit) -> tuple[bool, bool, float]:
    assert hit.memory is not None
    is_rule = hit.memory.kind in (Kind.RULE, Kind.PREFERENCE)
    return is_rule, any(map(_is_doubtful, hit.anchors)), hit.memory.importance


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an event; `is_behind` when the transcript does not tell of it yet."""

    told: str
    is_behind: bool = False


def take_event(
    workspace: Workspace, client: str, native: str, payload: bytes, is_late: bool = False
) -> Taken:
    """Store what an event tells of: the conversation so far, or itself.

    Clients write their transcript as they go: it can lag the event, which is then taken again.
    Once it `is_late`, what the event says itself is stored instead.
    """
    spec, native = wire.host(load_client(client), native, payload)
    client = spec["name"]
    event = wire.normalise(spec, native, payload)
    if not workspace.config.flag("capture.episodes"):
        return Taken("capture is off")
    store = workspace.store
    if event.name in _TELLING:
        turns = _TELLING[event.name](event, payload)
        _, added = store_turns(store, turns, client)
        if event.name == "tool_failed" and added:
            learn.learn_from_failure(workspace, event.session, client, event.tool, event.error)
        return Taken(f"{added} turns stored")
    if event.name not in _STORING:
        return Taken("nothing to store")
    parse = FORMATS.get(spec["transcript"])
    transcript = Path(event.transcript) if event.transcript else None
    if parse is None or transcript is None:
        return Taken(f"{_store_itself(workspace, client, event, payload)} turns stored")
    if not transcript.is_file():
        if is_late:
            _store_itself(workspace, client, event, payload)
        return Taken("there is no transcript yet", is_behind=event.name != "session_start")
    done, _ = learn.read_transcript(
        workspace, client, spec["transcript"], transcript, event.session, is_live=True
    )
    told = f"{done.added} turns stored, {done.malformed + done.oversized} lines passed over"
    expected = redact(spoken(event.answer)).text.strip()
    last = store.last_turn(event.session, "assistant")
    stored = last.text if last is not None else ""
    is_behind = event.name == "turn_end" and expected not in stored
    if is_behind and is_late:
        _store_itself(workspace, client, event, payload)
    return Taken(told, is_behind)


# Events at which the transcript is read; a session's start makes up for what was missed.
_STORING = ("session_start", "compact_before", "turn_end", "session_end")


def _store_itself(workspace: Workspace, client: str, event: wire.Event, payload: bytes) -> int:
    """Store the prompt and the answer that an event brings along; how many were new."""
    if event.name != "turn_end":
        return 0
    mark = _digest(payload)
    said = (("user", spoken(event.prompt)), ("assistant", spoken(event.answer)))
    turns = [
        Turn(f"{mark}:{role}", role, text, event.session, time.time())
        for role, text in said
        if text
    ]
    episodes, added = store_turns(workspace.store, turns, client)
    learn.learn_from_all(workspace, episodes, is_live=True)
    return added


def _failure(event: wire.Event, payload: bytes) -> list[Turn]:
    """A tool that failed: found again when it fails the same way."""
    error = event.error.strip()[:_ERROR]
    if not error:
        return []
    told = f": {event.told.strip()[:_ERROR]}" if event.told else ""
    text = f"[{event.tool or 'a tool'} failed{told}]\n{error}"
    return [Turn(_digest(payload), "tool", text, event.session, time.time())]


def _agent_end(event: wire.Event, payload: bytes) -> list[Turn]:
    """What another agent reported; a compaction runs one as well, which has no type."""
    answer = spoken(event.answer)
    if not answer or not event.agent_type:
        return []
    text = f"[{event.agent_type}] {answer}"
    return [Turn(_digest(payload), "assistant", text, event.session, time.time())]


_TELLING: dict[str, Callable[[wire.Event, bytes], list[Turn]]] = {
    "tool_failed": _failure,
    "agent_end": _agent_end,
}


def _digest(payload: bytes) -> str:
    return blake2b(payload, digest_size=10).hexdigest()
