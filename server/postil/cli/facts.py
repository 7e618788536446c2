"""Commands on facts and on the names of things."""

from __future__ import annotations

import time
from pathlib import Path

import click

from postil.cli.output import caller, json_option, opened, project_option, show


@click.group("facts")
def facts_command() -> None:
    """Assert facts, and ask what held when."""


@facts_command.command("assert")
@click.argument("subject")
@click.argument("predicate")
@click.argument("obj", metavar="OBJECT")
@click.option("--since", default="", help="When it began; now by default.")
@click.option("--also", is_flag=True, help="It holds beside others, and ends none.")
@click.option("--scope", default="project", show_default=True)
@project_option
@json_option
def facts_assert(
    subject: str,
    predicate: str,
    obj: str,
    since: str,
    also: bool,
    scope: str,
    project: Path,
    as_json: bool,
) -> None:
    """State that SUBJECT has OBJECT for PREDICATE; what it had before ends there."""
    from postil import curate, present, times
    from postil.model import Fact, Scope
    from postil.tools.rows import fact_row

    now = time.time()
    actor = caller()
    draft = Fact(
        "",
        subject,
        predicate,
        obj,
        Scope.parse(scope),
        valid_from=times.parse_when(since, now, times.offset_at(now)),
        author=actor.author,
        client=actor.client,
        session=actor.session,
    )
    with opened(project) as workspace:
        done = curate.assert_fact(workspace, draft, also)
    lines = [("Already known: " if done.known else "") + present.fact_line(done.fact)]
    lines += [f"Ended: {present.fact_line(fact)}" for fact in done.closed]
    data = {
        "fact": fact_row(done.fact),
        "closed": [fact_row(one) for one in done.closed],
        "known": done.known,
    }
    show(as_json, "\n".join(lines), data)


@facts_command.command("about")
@click.argument("subject")
@click.option("--at", default="", help="What held then: a date; now by default.")
@click.option("--all", "everything", is_flag=True, help="The whole timeline.")
@project_option
@json_option
def facts_about(subject: str, at: str, everything: bool, project: Path, as_json: bool) -> None:
    """Show what holds of SUBJECT, or held at a time."""
    from postil import curate, present, times
    from postil.memory.facts import held
    from postil.tools.rows import fact_row

    now = time.time()
    instant = times.parse_when(at, now, times.offset_at(now)) or now
    with opened(project) as workspace:
        facts = curate.facts_about(workspace, subject, caller().scopes)
    chosen = [fact for fact in facts if everything or held(fact, instant)]
    text = "\n".join(present.fact_line(fact) for fact in chosen) or present.NOTHING
    show(as_json, text, {"facts": [fact_row(fact) for fact in chosen]})


@facts_command.command("invalidate")
@click.argument("fact_id", metavar="ID")
@click.option("--ended", default="", help="It held until then; without it, it never did.")
@project_option
@json_option
def facts_invalidate(fact_id: str, ended: str, project: Path, as_json: bool) -> None:
    """Say that a fact no longer holds, or never did."""
    from postil import curate, present, times
    from postil.tools.rows import fact_row

    now = time.time()
    until = times.parse_when(ended, now, times.offset_at(now))
    with opened(project) as workspace:
        fact = curate.invalidate(workspace, fact_id, caller(), until)
    verb = "Ended" if until else "Never held"
    show(as_json, f"{verb}: {present.fact_line(fact)}", fact_row(fact))


@facts_command.command("alias")
@click.argument("name")
@click.argument("aliases", nargs=-1, required=True)
@project_option
@json_option
def facts_alias(name: str, aliases: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Let the thing NAME be found under other names too."""
    from postil.memory.facts import add_aliases
    from postil.model import Entity

    with opened(project) as workspace:
        entity = add_aliases(workspace.store, Entity(name, aliases=aliases), caller())
    text = f"{entity.name} is also {', '.join(entity.aliases)}"
    show(as_json, text, {"name": entity.name, "aliases": list(entity.aliases)})
