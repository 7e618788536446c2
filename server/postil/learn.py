"""What conversations teach: sensed statements become memories, old sessions are brought in."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from postil import curate
from postil.capture.find import Transcript, transcripts
from postil.capture.ingest import Ingested, ingest
from postil.capture.sense import Signal, sense
from postil.config.clients import load_client
from postil.errors import PostilError
from postil.memory.distil import distil
from postil.model import Episode, Kind, Memory
from postil.redact import redact
from postil.words import clip
from postil.workspace import Workspace
from postil_hooks import spec

_KINDS = {Signal.RULE: Kind.RULE, Signal.CORRECTION: Kind.LESSON, Signal.DECISION: Kind.DECISION}
_PINNED = 0.8
# Characters that a person types at once.
_TYPED = 600
# Turns that one question to a language model holds.
_AT_ONCE = 40
# A failure in so many sessions is worth a lesson; what is shorter tells nothing; what is no part of
# its identity: numbers, addresses, places.
_SESSIONS = 2
_TELLING = 3
_TOLD = 240
_VARYING = re.compile(r"0x[0-9a-f]+|[\d.:]+|/\S+")

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Learnt:
    """What a reading brought: memories that hold, proposals, and statements that were refused."""

    rules: int = 0
    proposed: int = 0
    refused: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import of old sessions brought."""

    sessions: int
    turns: int
    passed_over: int
    learnt: Learnt
    unread: tuple[str, ...] = ()


def read_transcript(
    workspace: Workspace, client: str, format_name: str, path: Path, session: str, is_live: bool
) -> tuple[Ingested, Learnt]:
    """Store what was added to a transcript, and learn from what a person said in it.

    Raises OSError when it cannot be read.
    """
    learnt = Learnt()

    def heard(turn: Episode) -> None:
        _learn_from(workspace, turn, is_live, learnt)

    done = ingest(workspace.store, client, format_name, path, session, heard)
    return done, learnt


def learn_from_all(workspace: Workspace, turns: Iterable[Episode], is_live: bool) -> Learnt:
    """Learn from what a person said in these turns."""
    learnt = Learnt()
    for turn in turns:
        _learn_from(workspace, turn, is_live, learnt)
    return learnt


def _learn_from(workspace: Workspace, turn: Episode, is_live: bool, learnt: Learnt) -> None:
    """Remember what a turn asks to be kept; once, however often the turn is read.

    A standing rule of a running session holds at once, since a person just typed it; everything
    else waits for a person, pasted rules too. Praise is no memory.
    """
    if turn.role != "user" or not workspace.config.flag("capture.sense"):
        return
    for number, one in enumerate(sense(turn.text)):
        if one.signal is Signal.PRAISE:
            continue
        holds = is_live and one.signal is Signal.RULE and _is_own_words(turn.text)
        draft = Memory(
            id="",
            what=one.what,
            why=one.why,
            kind=_KINDS[one.signal],
            pinned=one.signal is Signal.RULE,
            importance=_PINNED if one.signal is Signal.RULE else 0.5,
            source=f"said:{one.signal}",
            author="person" if holds else f"agent:{turn.client or 'import'}",
            client=turn.client,
            session=turn.session,
            sources=(turn.id,),
            when=turn.at,
        )
        request = f"sensed:{turn.id}:{number}"
        try:
            written = curate.write(workspace, draft, request=request, is_proposed=not holds)
        except PostilError:  # a secret, too long, forgotten before: counted, never insisted on
            learnt.refused += 1
            continue
        learnt.rules += written.created and holds
        learnt.proposed += written.created and not holds


def _is_own_words(text: str) -> bool:
    """Whether a turn is typed rather than pasted: what was pasted may be anybody's order."""
    return len(text) <= _TYPED and "://" not in text


def learn_from_failure(
    workspace: Workspace, session: str, client: str, tool: str, error: str
) -> None:
    """Propose a lesson when a tool fails in a second session as it did in another one."""
    lines = [one.strip() for one in error.split("\n") if one.strip()]
    told = clip(redact(lines[-1]).text, _TOLD) if lines else ""
    if len(told.split()) < _TELLING:
        return
    alike = f"{tool}\0{_VARYING.sub('', told.lower())}".encode("utf-8", "replace")
    mark = f"failure:{blake2b(alike, digest_size=8).hexdigest()}"
    workspace.store.note_injected(mark, [session], time.time())
    if len(workspace.store.injected(mark)) != _SESSIONS:
        return
    draft = Memory(
        id="",
        what=f"{tool} fails here: {told}",
        why="it failed so in more than one session",
        kind=Kind.LESSON,
        source="failed:tool",
        author=f"agent:{client}",
        client=client,
        session=session,
    )
    try:
        curate.write(workspace, draft, request=mark, is_proposed=True)
    except PostilError:  # forgotten before, or a secret: not insisted on
        return


def found_transcripts(workspace: Workspace) -> list[Transcript]:
    """The old sessions of this project, of every client on this machine."""
    specs = {name: load_client(name) for name in spec.names()}
    return list(transcripts(specs, workspace.root, os.environ))


def bring_transcripts(
    workspace: Workspace, found: Sequence[Transcript], progress: Progress
) -> Brought:
    """Store old sessions, redacted; what was read before is not read again.

    What is stored stays when a client deletes its own file.
    """
    turns = passed_over = 0
    learnt = Learnt()
    unread = []
    distiller = _Distiller(workspace, learnt) if workspace.config.flag("capture.distil") else None
    for one in found:

        def heard(turn: Episode) -> None:
            _learn_from(workspace, turn, False, learnt)
            if distiller is not None:
                distiller.take(turn)

        try:
            done = ingest(workspace.store, one.client, one.format, one.path, one.path.stem, heard)
        except OSError as error:
            unread.append(f"{one.path}: {error.strerror}")
            continue
        finally:
            progress("reading sessions", 1, len(found))
        if distiller is not None:
            distiller.flush()
        turns += done.added
        passed_over += done.malformed + done.oversized
    return Brought(len(found) - len(unread), turns, passed_over, learnt, tuple(unread))


class _Distiller:
    """Asks a language model about turns, some at a time; not again once it did not answer."""

    def __init__(self, workspace: Workspace, learnt: Learnt) -> None:
        self._workspace = workspace
        self._learnt = learnt
        self._endpoint = curate.model_endpoint(workspace)
        self._turns: list[Episode] = []

    def take(self, turn: Episode) -> None:
        self._turns.append(turn)
        if len(self._turns) == _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        turns, self._turns = self._turns, []
        if self._learnt.problem or not any(one.role == "user" for one in turns):
            return
        try:
            found, dropped = distil(self._endpoint, turns)
        except PostilError as error:
            self._learnt.problem = str(error)
            return
        self._learnt.refused += dropped
        for number, one in enumerate(found):
            draft = Memory(
                id="",
                what=one.what,
                why=one.why,
                kind=one.kind,
                source="distilled:turns",
                author=f"agent:{one.turn.client or 'import'}",
                client=one.turn.client,
                session=one.turn.session,
                sources=(one.turn.id,),
                when=one.turn.at,
            )
            request = f"distilled:{one.turn.id}:{number}"
            try:
                written = curate.write(self._workspace, draft, request=request, is_proposed=True)
            except PostilError:  # a secret, or forgotten before: counted, never insisted on
                self._learnt.refused += 1
                continue
            self._learnt.proposed += written.created
