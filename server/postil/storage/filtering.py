"""What an asker may see, as SQL. Every query on memories goes through one of these."""

from __future__ import annotations

from collections.abc import Sequence

from postil.model import Scope
from postil.storage.store import Filters, Shelf


def in_scopes(scopes: Sequence[Scope]) -> tuple[str, tuple[str, ...]]:
    """The condition that a row lies in one of the scopes; with none of them, no row does."""
    return f"scope in ({_places(scopes)})", tuple(str(scope) for scope in scopes)


def condition(filters: Filters) -> tuple[str, tuple[str, ...]]:
    """A condition on the table `memory` (or its alias) and its values."""
    scoped, scopes = in_scopes(filters.scopes)
    clauses = [scoped, f"status in ({_places(filters.statuses)})"]
    values: list[str] = [*scopes, *(status.value for status in filters.statuses)]
    for column, wanted in (("kind", filters.kinds), ("tier", filters.tiers)):
        if wanted:
            clauses.append(f"{column} in ({_places(wanted)})")
            values += [one.value for one in wanted]
    if filters.authors:
        clause, authors = _by(filters.authors)
        clauses.append(clause)
        values += authors
    for tag in filters.tags:
        clauses.append("exists (select 1 from json_each(tags) where value = ?)")
        values.append(tag)
    if filters.about:
        names = _places(filters.about)
        clauses.append(
            "exists (select 1 from json_each(about)"
            f" where value in ({names}) or lower(value) in ({names}))"
        )
        # SQLite folds the case of Latin letters alone: others must be as they were written.
        values += [*filters.about, *(name.lower() for name in filters.about)]
    if filters.path:
        clauses.append(
            "id in (select m.id from memory m join anchor a on a.memory = m.rowid"
            " where a.path = ? or a.path like ? escape '\\')"
        )
        values += [filters.path, _escaped(filters.path.rstrip("/")) + "/%"]
    if filters.valid_at:
        # A number written by us, not a text from anywhere.
        clauses.append(f"(valid_until = 0 or valid_until > {filters.valid_at:f})")
    clauses += between("created_at", filters.created)
    clauses += between("updated_at", filters.updated)
    since, until = filters.held
    if since:
        clauses.append(f"(valid_until = 0 or valid_until > {since:f})")
    if until:
        clauses.append(f"coalesce(nullif(valid_from, 0), created_at) < {until:f}")
    return " and ".join(clauses), tuple(values)


def _by(authors: Sequence[str]) -> tuple[str, list[str]]:
    """By one of these: `agent` stands for all agents, `person` also for rows that name nobody."""
    clauses = [r"author = ? or author like ? escape '\'" for _ in authors]
    clauses += ["author = ''"] * ("person" in authors)
    values = [text for one in authors for text in (one, _escaped(one) + ":%")]
    return f"({' or '.join(clauses)})", values


def seen(shelf: Shelf, filters: Filters) -> tuple[str, tuple[str, ...]]:
    """The condition on a shelf's rows: episodes are the project's, whatever else is filtered."""
    if shelf is Shelf.MEMORY:
        return condition(filters)
    if filters.of_memories or Scope.PROJECT not in filters.scopes:
        return "0", ()
    return " and ".join(["1", *between("at", filters.created)]), ()


def between(column: str, span: tuple[float, float]) -> list[str]:
    """The conditions that a time lies in [since, until); numbers are ours, not a text's."""
    since, until = span
    return [f"{column} >= {since:f}"] * bool(since) + [f"{column} < {until:f}"] * bool(until)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _places(items: Sequence[object]) -> str:
    return ", ".join("?" for _ in items)
