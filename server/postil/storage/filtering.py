"""What an asker may see, as SQL. Every query on memories goes through one of these."""

from __future__ import annotations

from collections.abc import Sequence

from postil.model import Scope
from postil.storage.store import Filters


def in_scopes(scopes: Sequence[Scope]) -> tuple[str, tuple[str, ...]]:
    """The condition that a row lies in one of the scopes; with none of them, no row does."""
    return f"scope in ({_places(scopes)})", tuple(str(scope) for scope in scopes)


def condition(filters: Filters) -> tuple[str, tuple[str, ...]]:
    """A condition on the table `memory` (or its alias) and its values."""
    scoped, scopes = in_scopes(filters.scopes)
    clauses = [scoped, f"status in ({_places(filters.statuses)})"]
    values: list[str] = [*scopes, *(status.value for status in filters.statuses)]
    if filters.kinds:
        clauses.append(f"kind in ({_places(filters.kinds)})")
        values += [kind.value for kind in filters.kinds]
    for tag in filters.tags:
        clauses.append("exists (select 1 from json_each(tags) where value = ?)")
        values.append(tag)
    if filters.path:
        clauses.append(
            "id in (select m.id from memory m join anchor a on a.memory = m.rowid"
            " where a.path = ? or a.path like ? escape '\\')"
        )
        escaped = filters.path.rstrip("/").replace("\\", "\\\\")
        escaped = escaped.replace("%", "\\%").replace("_", "\\_")
        values += [filters.path, escaped + "/%"]
    if filters.valid_at:
        # A number written by us, not a text from anywhere.
        clauses.append(f"(valid_until = 0 or valid_until > {filters.valid_at:f})")
    return " and ".join(clauses), tuple(values)


def _places(items: Sequence[object]) -> str:
    return ", ".join("?" for _ in items)
