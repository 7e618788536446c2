"""Tools of the full profile: looking after memory."""

from __future__ import annotations

import time
from collections.abc import Mapping

from postil import curate, git, present, times
from postil.errors import PostilError, UsageError
from postil.memory import bulk
from postil.memory.facts import held
from postil.model import Actor, Fact, Memory, Scope, ScopeKind
from postil.review import review
from postil.tools import memory as memory_tools
from postil.tools.rows import (
    Answer,
    Arguments,
    fact_row,
    memory_row,
    number,
    review_row,
    text,
    texts,
    tokens,
)
from postil.toolspec import BY_NAME, Json
from postil.workspace import Workspace

# What one call may write: more is a file, and `postil import` reads those.
_MOST_ROWS = 100


def get(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_get`."""
    memory = curate.get(workspace, text(given, "id"), actor)
    page = present.fenced(f"Memory {memory.id}", [present.memory_page(memory)])
    return Answer(page, {"memory": memory_row(memory)})


def recent(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_recent`."""
    scopes = memory_tools.scopes_of(texts(given, "scopes"), actor)
    found = curate.recent(workspace, scopes, number(given, "limit"))
    lines = [present.memory_line(one, length=300) for one in found]
    shown = present.fenced("Newest memories", lines) if lines else present.NOTHING
    return Answer(shown, {"memories": [memory_row(one) for one in found]})


def supersede(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_supersede`."""
    old = curate.get(workspace, text(given, "id"), actor)
    return _written(workspace, _heir(old, text(given, "what"), text(given, "why")), actor)


def promote(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_promote`: what an agent writes for the team waits for a person."""
    old = curate.get(workspace, text(given, "id"), actor)
    if old.scope.kind is ScopeKind.TEAM:
        raise UsageError(f"[{old.id}] holds for the team already")
    return _written(workspace, _heir(old, old.what, old.why) | {"scope": "team"}, actor)


def _heir(old: Memory, what: str, why: str) -> dict[str, Json]:
    """What memory_write is given for a memory that takes another's place."""
    return {
        "what": what,
        "why": why,
        "kind": old.kind.value,
        "scope": old.scope.kind.value,
        "tags": list(old.tags),
        "importance": old.importance,
        "supersedes": [old.id],
    }


def write_many(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_write_many`: a result for each row, in their order."""
    rows = given["memories"]
    assert isinstance(rows, list)
    if len(rows) > _MOST_ROWS:
        raise UsageError(
            f"{len(rows)} rows are too many", hint=f"at most {_MOST_ROWS} a call, or postil import"
        )
    results = [_result(workspace, row, actor) for row in rows]
    refused = [one for one in results if "error" in one]
    lines = [str(one.get("text") or f"Refused: {one.get('error')}") for one in results]
    head = f"{len(results) - len(refused)} of {len(results)} remembered."
    data: list[Json] = [
        {name: value for name, value in one.items() if name != "text"} for one in results
    ]
    return Answer("\n".join([head, *lines]), {"results": data, "refused": len(refused)})


def _result(workspace: Workspace, row: Json, actor: Actor) -> dict[str, Json]:
    if not isinstance(row, dict):
        return {"error": "a row must be an object with `what`", "code": UsageError.code, "hint": ""}
    try:
        done = _written(workspace, row, actor)
    except PostilError as wrong:
        return {"error": str(wrong), "code": wrong.code, "hint": wrong.hint}
    return {"text": done.text, "id": done.data["id"], "created": done.data["created"]}


def diary(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_diary`."""
    return _written(workspace, {"what": text(given, "entry"), "scope": "diary"}, actor)


def _written(workspace: Workspace, given: Mapping[str, Json], actor: Actor) -> Answer:
    checked = BY_NAME["memory_write"].arguments(given)
    return memory_tools.write(workspace, checked, actor)


def forget_many(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_forget_many`: what was shown, and not what changed since."""
    ids = sorted({curate.clean_id(one) for one in texts(given, "ids")})
    memories = [curate.get(workspace, one, actor) for one in ids]
    action = bulk.action_on("forget", *ids)
    lines = [present.memory_line(one, length=160) for one in memories]
    token = text(given, "token")
    if not token:
        token = bulk.preview(workspace.store, action, [(one.id, one.version) for one in memories])
        head = f"{present.counted(len(ids), 'memory')} would be forgotten; the token is {token}"
        shown: list[Json] = [memory_row(one) for one in memories]
        return Answer("\n".join([head, *lines]), {"token": token, "would_forget": shown})
    versions = {one.id: one.version for one in memories}
    chosen = bulk.confirmed(workspace.store, action, token, lambda one: versions.get(one, 0))
    gone = curate.forget(workspace, chosen.ids, actor)
    told = f"{present.counted(len(gone), 'memory')} forgotten; a person can bring them back."
    if chosen.changed:
        told += f" Left, since they changed meanwhile: {', '.join(chosen.changed)}"
    return Answer(
        told, {"forgotten": [one.id for one in gone], "changed_since": list(chosen.changed)}
    )


def undo(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_undo`: an agent takes back only what it did itself."""
    if not actor.session:
        raise UsageError("this session has no name", hint="`postil undo --session` takes one")
    done = curate.undo_session(workspace, actor.session, actor)
    told = f"{present.counted(len(done.reverted), 'change')} taken back"
    if done.changed_since:
        told += f". Left, since others changed them later: {', '.join(done.changed_since)}"
    return Answer(
        told, {"reverted": list(done.reverted), "changed_since": list(done.changed_since)}
    )


def review_change(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_review`."""
    staged = given["staged"] is True
    if staged and text(given, "revisions"):
        raise UsageError("revisions and staged exclude each other", hint="give one of them")
    asked = git.comparison(workspace.root, text(given, "revisions"), staged)
    done = review(workspace, asked, actor)
    return Answer(
        present.review_text(done, tokens(workspace, given)),
        {"findings": [review_row(one) for one in done.findings], "files": done.files},
    )


def assert_fact(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_fact_assert`."""
    now = time.time()
    draft = Fact(
        "",
        text(given, "subject"),
        text(given, "predicate"),
        text(given, "object"),
        Scope.PROJECT,
        valid_from=times.parse_when(text(given, "since"), now, times.offset_at(now)),
        author=actor.author,
        client=actor.client,
        session=actor.session,
    )
    done = curate.assert_fact(workspace, draft, given["also"] is True)
    lines = [("Already known: " if done.known else "") + present.fact_line(done.fact)]
    lines += [f"Ended: {present.fact_line(one)}" for one in done.closed]
    return Answer(
        "\n".join(lines),
        {
            "fact": fact_row(done.fact),
            "closed": [fact_row(one) for one in done.closed],
            "known": done.known,
        },
    )


def facts(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`memory_facts`."""
    now = time.time()
    at = times.parse_when(text(given, "at"), now, times.offset_at(now)) or now
    found = curate.facts_about(
        workspace, text(given, "subject"), actor.scopes, text(given, "predicate")
    )
    shown = found if given["all"] is True else [one for one in found if held(one, at)]
    lines = [present.fact_line(one) for one in shown]
    told = (
        present.fenced(f"Facts on {text(given, 'subject')}", lines) if lines else "None is known."
    )
    return Answer(told, {"facts": [fact_row(one) for one in shown]})


def settings(workspace: Workspace, given: Arguments, actor: Actor) -> Answer:
    """`settings_get`: values are no secrets, since keys are named by their variable only."""
    config, wanted = workspace.config, text(given, "name")
    if wanted and wanted not in config.values:
        raise UsageError(f"there is no setting {wanted!r}", hint="without a name all are listed")
    names = [wanted] if wanted else sorted(config.values)
    rows: list[Json] = [
        {"name": name, "value": _plain(config.values[name]), "origin": config.origins[name]}
        for name in names
    ]
    lines = [f"{name} = {_plain(config.values[name])} ({config.origins[name]})" for name in names]
    tail = "Only a person changes settings: postil.toml, or the environment."
    return Answer("\n".join([*lines, tail]), {"settings": rows})


def _plain(value: object) -> Json:
    if isinstance(value, tuple):
        return [str(one) for one in value]
    return value if isinstance(value, str | int | float | bool) else str(value)
