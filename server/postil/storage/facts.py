"""Facts, and the things that they and the memories are about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from postil.model import Entity, Fact, Scope
from postil.storage.connect import Tables
from postil.storage.filtering import in_scopes
from postil.storage.rows import FACT_COLUMNS, Row, fact_values, to_fact

_BATCH = 500


class FactTables(Tables):
    """See `Facts`."""

    def put_fact(self, fact: Fact, subject_key: str, object_key: str) -> None:
        """See `Facts.put_fact`."""
        values = fact_values(fact, subject_key, object_key)
        columns = ", ".join(values)
        places = ", ".join(f":{name}" for name in values)
        pairs = ", ".join(f"{name} = excluded.{name}" for name in values)
        with self._db.write() as db:
            db.execute(
                f"insert into fact ({columns}) values ({places}) on conflict (id) do update"
                f" set {pairs}",
                values,
            )

    def fact(self, fact_id: str) -> Fact | None:
        """See `Facts.fact`."""
        with self._db.read() as db:
            row = db.execute(f"select {FACT_COLUMNS} from fact where id = ?", (fact_id,)).get
        return to_fact(row) if row else None

    def facts(
        self, scopes: Sequence[Scope], subject_key: str = "", predicate: str = ""
    ) -> list[Fact]:
        """See `Facts.facts`."""
        where, values = in_scopes(scopes)
        with self._db.read() as db:
            rows: list[Row] = db.execute(
                f"select {FACT_COLUMNS} from fact where {where}"
                " and (? = '' or subject_key = ?) and (? = '' or predicate = ?)"
                " order by valid_from, recorded_at, rowid",
                (*values, subject_key, subject_key, predicate, predicate),
            ).fetchall()
        return [to_fact(row) for row in rows]

    def every_fact(self) -> Iterator[Fact]:
        """See `Facts.every_fact`."""
        last = 0
        while True:
            with self._db.read() as db:
                rows: list[Row] = db.execute(
                    f"select {FACT_COLUMNS} from fact where rowid > ? order by rowid limit ?",
                    (last, _BATCH),
                ).fetchall()
            yield from map(to_fact, rows)
            if len(rows) < _BATCH:
                return
            last = rows[-1][0]

    def put_entity(self, entity: Entity, key: str, alias_keys: Sequence[tuple[str, str]]) -> bool:
        """See `Facts.put_entity`."""
        scope = str(entity.scope)
        with self._db.write() as db:
            db.execute(
                "insert or ignore into entity (scope, name, key) values (?, ?, ?)",
                (scope, entity.name, key),
            )
            is_new = db.changes() > 0
            rowid = db.execute(
                "select rowid from entity where scope = ? and key = ?", (scope, key)
            ).get
            for alias_key, alias in alias_keys:
                db.execute(
                    "insert or ignore into entity_alias (entity, scope, alias, key)"
                    " values (?, ?, ?, ?)",
                    (rowid, scope, alias, alias_key),
                )
                is_new = is_new or db.changes() > 0
                for column in ("subject_key", "object_key"):
                    db.execute(
                        f"update fact set {column} = ? where scope = ? and {column} = ?",
                        (key, scope, alias_key),
                    )
        return is_new

    def entities(self, scopes: Sequence[Scope]) -> list[Entity]:
        """See `Facts.entities`."""
        where, values = in_scopes(scopes)
        return sorted(self._entities(where, values), key=lambda one: one.name)

    def every_entity(self) -> Iterator[Entity]:
        """See `Facts.every_entity`."""
        yield from self._entities("1", ())

    def _entities(self, where: str, values: tuple[str, ...]) -> list[Entity]:
        found: dict[int, Entity] = {}
        aliases: dict[int, list[str]] = {}
        with self._db.read() as db:
            for rowid, name, scope in db.execute(
                f"select rowid, name, scope from entity where {where} order by rowid", values
            ):
                found[rowid] = Entity(name, Scope.parse(scope))
            for rowid, alias in db.execute(
                f"select entity, alias from entity_alias where {where} order by rowid", values
            ):
                aliases.setdefault(rowid, []).append(alias)
        return [
            Entity(one.name, one.scope, tuple(aliases.get(rowid, ())))
            for rowid, one in found.items()
        ]

    def names_of(self, keys: Sequence[str], scopes: Sequence[Scope]) -> dict[str, tuple[str, ...]]:
        """See `Facts.names_of`."""
        where, values = in_scopes(scopes)
        with self._db.read() as db:
            if not db.execute("select exists (select 1 from entity)").get:
                return {}
            rows: list[Row] = db.execute(
                "with known (asked, entity) as ("
                " select key, rowid from entity where key in (select value from json_each(?1))"
                " union select key, entity from entity_alias"
                " where key in (select value from json_each(?1)))"
                f" select asked, name from known join entity on entity.rowid = known.entity"
                f" where {where}"
                " union select asked, alias from known join entity_alias alias"
                f" on alias.entity = known.entity where {where} order by 1, 2",
                (json.dumps(list(keys)), *values, *values),
            ).fetchall()
        names: dict[str, list[str]] = {}
        for asked, name in rows:
            names.setdefault(asked, []).append(name)
        return {asked: tuple(found) for asked, found in names.items()}

    def main_key(self, scope: Scope, key: str) -> str:
        """See `Facts.main_key`."""
        with self._db.read() as db:
            found: str | None = db.execute(
                "select entity.key from entity_alias alias join entity on entity.rowid ="
                " alias.entity where alias.scope = ? and alias.key = ?",
                (str(scope), key),
            ).get
        return found or key
