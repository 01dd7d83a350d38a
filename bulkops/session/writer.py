"""Write many elements: stage rows in temporary tables, then write them with a few statements (design/bulk.md).

    with writer.staging():
        writer.stage(entries)               as often as there are entries; nothing is locked yet
        with writing_many(repository):
            writer.plan()                   what each entry means for what is stored
            writer.write(provenance)

An entry is the position of an element in the request, whether it has to be new, its id, and the values of its
columns; of an element with an error only its unique values are staged, so that all errors are reported.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import JSONField, QuerySet
from django.db.models.expressions import RawSQL

from bulkops.session.databases import (
    create_table,
    differ_sql,
    execute,
    fetch,
    insert_rows,
    lacks_sql,
    lock_rows,
    new_key_sql,
    temporary_tables,
)
from dimensions_site.changes.placing import Actor
from dimensions_site.db.shards import is_sharded, shard_sql
from dimensions_site.elements.models import Change, Element
from dimensions_site.elements.reading.lookup import with_keys, with_primary_keys
from dimensions_site.elements.writing.saving import Provenance, delete, follow_up
from dimensions_site.observability.observation import count_written
from dimensions_site.repositories.models import Repository

# Temporary tables, which only this connection sees and which it drops at the end. `bulk_rows` has the elements of the
# request with their columns, `bulk_invalid` the unique values of those with an error; `bulk_plan` says what is
# already stored under each id.
_TABLES = ("bulk_rows", "bulk_invalid", "bulk_plan")
_ENTRY = ("position", "must_be_new")
_PLANNED = "FROM bulk_rows AS staged JOIN bulk_plan AS plan ON plan.position = staged.position"
# How many positions one statement names.
_DISCARDED_TOGETHER = 1_000
# How many elements one statement deletes.
_DELETED_TOGETHER = 500


class Entry(NamedTuple):
    """An element to be written; `values` are those of the writer's columns, or None if it has an error.

    Then `element_id` is empty if it has no valid id of its own, and `unique` has its other unique values.
    """

    position: int
    must_be_new: bool
    element_id: str
    values: Sequence[Any] | None
    unique: Mapping[str, str]


@dataclass(frozen=True)
class Clash:
    """An element to be written whose unique `column` another element already has."""

    position: int
    element_id: str
    column: str
    value: str


class Counts(NamedTuple):
    created: int
    changed: int
    unchanged: int


class Writer:
    """Writes elements of one dimension (`model`) into one repository.

    `columns` are those of the values, `element_id` among them; JSON columns take JSON text.
    """

    def __init__(self, model: type[Element], columns: Sequence[str], repository: Repository) -> None:
        self._model = model
        self._columns = columns
        # What the last `write` did.
        self.saved = Counts(0, 0, 0)
        self._repository = repository
        self._same_id = f"stored.repository_id = {repository.pk} AND stored.element_id = staged.element_id"
        self._in_shard = shard_sql(repository.pk, "stored")
        self._table = connection.ops.quote_name(model._meta.db_table)
        self._both = f"FROM bulk_rows AS staged JOIN {self._table} AS stored ON {self._same_id}"
        self._named = [connection.ops.quote_name(column) for column in columns]
        # Besides the id, by name as they stand in SQL.
        self._unique = {
            column: connection.ops.quote_name(column) for column in model.unique_in_repository if column != "element_id"
        }
        self._fields = {field.attname: field for field in model._meta.concrete_fields}
        self._json_columns = {column for column in columns if isinstance(self._fields[column], JSONField)}

    @contextmanager
    def staging(self) -> Iterator[None]:
        """Keep the temporary tables while the block runs."""
        with temporary_tables(_TABLES):
            unique = ["element_id", *self._unique.values()]
            for table, columns in (("bulk_rows", self._named), ("bulk_invalid", unique)):
                named = ", ".join(columns)
                create_table(
                    table, f"SELECT 0 AS position, true AS must_be_new, {named} FROM {self._table} WHERE 1 = 0"
                )
            yield

    def stage(self, entries: Iterable[Entry]) -> None:
        """Add `entries`, which may be an iterator: it must not query the database while they are written."""
        invalid: list[Sequence[Any]] = []
        insert_rows("bulk_rows", (*_ENTRY, *self._columns), self._valid(entries, invalid))
        if invalid:
            insert_rows("bulk_invalid", (*_ENTRY, "element_id", *self._unique), iter(invalid))

    def _valid(self, entries: Iterable[Entry], invalid: list[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """Yield the rows of the `entries` without an error; those of the others are added to `invalid`."""
        for entry in entries:
            if entry.values is None:
                unique = map(entry.unique.get, self._unique)
                invalid.append((entry.position, entry.must_be_new, entry.element_id, *unique))
            else:
                yield (entry.position, entry.must_be_new, *entry.values)

    def plan(self) -> None:
        """Lock the stored elements of the entries, and find which entries are new and which would change something.

        Call it in the transaction that writes; it can be called again.
        """
        execute("DROP TABLE IF EXISTS bulk_plan")
        lock_rows(f"SELECT 1 {self._both} ORDER BY stored.element_id")
        differ = " OR ".join(
            differ_sql(f"stored.{name}", f"staged.{name}", is_json=column in self._json_columns)
            for column, name in zip(self._columns, self._named, strict=True)
        )
        # What is stored is found and compared first, where it is; of new elements only the positions are known.
        known = f"SELECT staged.position, stored.id, {differ} AS differs {self._both}"
        create_table(
            "bulk_plan",
            f"WITH known AS MATERIALIZED ({known}) "
            "SELECT staged.position, staged.must_be_new, staged.element_id, "
            f"CASE WHEN known.id IS NULL THEN {new_key_sql(self._model)} ELSE known.id END AS target, "
            "known.id IS NULL AS is_new, known.id IS NOT NULL AND known.differs AS is_changed "
            "FROM bulk_rows AS staged LEFT JOIN known ON known.position = staged.position",
        )
        execute("CREATE INDEX bulk_plan_position ON bulk_plan (position)")
        execute("CREATE INDEX bulk_plan_target ON bulk_plan (target)")
        if connection.vendor == "postgresql":
            execute("ANALYZE bulk_plan")

    def outdated(self) -> list[int]:
        """Return the positions of entries that were read before their elements got their present unique values.

        A stored element never changes its unique values (contract C1, C2). Call it after `plan`.
        """
        if not self._unique:
            return []
        differ = " OR ".join(f"stored.{name} <> staged.{name}" for name in self._unique.values())
        rows = fetch(f"SELECT staged.position {self._both} WHERE NOT staged.must_be_new AND ({differ}) ORDER BY 1")
        return [position for (position,) in rows]

    def discard(self, positions: Sequence[int]) -> None:
        """Remove the entries at `positions`; `plan` has to be called again."""
        for start in range(0, len(positions), _DISCARDED_TOGETHER):
            part = positions[start : start + _DISCARDED_TOGETHER]
            execute(f"DELETE FROM bulk_rows WHERE position IN ({', '.join(['%s'] * len(part))})", part)

    def unmerged(self, first: int, end: int, maps: Sequence[str]) -> list[int]:
        """Return the positions from `first` to before `end` of entries that do not contain what is stored: those that
        must be new but are not, and those that lack entries of stored `maps`. Call it after `plan`.
        """
        query = "SELECT position FROM bulk_plan WHERE must_be_new AND NOT is_new AND position >= %s AND position < %s"
        parameters = [first, end]
        if maps:
            names = map(connection.ops.quote_name, maps)
            lacks = " OR ".join(lacks_sql(f"stored.{name}", f"staged.{name}") for name in names)
            query += (
                f" UNION SELECT plan.position {_PLANNED} JOIN {self._table} AS stored ON stored.id = plan.target "
                f"{self._in_shard} WHERE plan.is_changed AND plan.position >= %s AND plan.position < %s AND ({lacks})"
            )
            parameters *= 2
        return [position for (position,) in fetch(f"{query} ORDER BY 1", parameters)]

    def absent(self) -> QuerySet[Any]:
        """Return the stored elements that no entry names, entries with errors included."""
        left = (
            f"SELECT element_id FROM {self._table} WHERE repository_id = %s "
            "EXCEPT SELECT element_id FROM bulk_rows EXCEPT SELECT element_id FROM bulk_invalid"
        )
        return self._model.of(self._repository).filter(element_id__in=RawSQL(left, [self._repository.pk]))

    def with_errors(self) -> QuerySet[Any]:
        """Return the stored elements that entries with errors name."""
        named = RawSQL("SELECT element_id FROM bulk_invalid", [])
        return self._model.of(self._repository).filter(element_id__in=named)

    def delete(self, rows: QuerySet[Any], actor: Actor) -> list[str]:
        """Delete the elements `rows` of the repository; return their ids, in order.

        Locks them in the order of their ids, as all writers of many elements do.
        """
        found = list(rows.order_by("element_id").select_for_update().values_list("pk", "element_id"))
        for start in range(0, len(found), _DELETED_TOGETHER):
            keys = [key for key, _ in found[start : start + _DELETED_TOGETHER]]
            delete(with_primary_keys(self._model, self._repository, keys), self._repository, actor)
        return [id for _, id in found]

    def counts(self) -> Counts:
        """Return what the entries do. Call it after `plan`."""
        [(created, changed, total)] = fetch(
            "SELECT count(CASE WHEN is_new THEN 1 END), count(CASE WHEN is_changed THEN 1 END), count(*) FROM bulk_plan"
        )
        return Counts(created, changed, total - created - changed)

    def first(self, limit: int) -> list[tuple[int, str]]:
        """Return the positions and the ids of the first entries that are new or would change something. Call it after
        `plan`.
        """
        query = "SELECT position, element_id FROM bulk_plan WHERE is_new OR is_changed ORDER BY position LIMIT %s"
        return fetch(query, [limit])

    def clashes(self, limit: int) -> tuple[list[Clash], int]:
        """Return the first `limit` entries that clash with stored elements, in order, and the number of all."""
        queries = [
            "SELECT position, element_id, 'element_id', element_id FROM bulk_plan WHERE must_be_new AND NOT is_new",
            (
                "SELECT staged.position, staged.element_id, 'element_id', staged.element_id "
                f"FROM bulk_invalid AS staged JOIN {self._table} AS stored ON {self._same_id} WHERE staged.must_be_new"
            ),
        ]
        queries += (
            f"SELECT staged.position, staged.element_id, '{column}', staged.{name} FROM {table} AS staged "
            f"JOIN {self._table} AS stored ON stored.repository_id = {self._repository.pk} "
            f"AND stored.{name} = staged.{name} AND (staged.must_be_new OR stored.element_id <> staged.element_id)"
            for column, name in self._unique.items()
            for table in ("bulk_rows", "bulk_invalid")
        )
        clashes = " UNION ALL ".join(queries)
        found = [Clash(*row) for row in fetch(f"{clashes} ORDER BY 1, 3 LIMIT {limit}")]
        if len(found) < limit:
            return found, len(found)
        [(count,)] = fetch(f"SELECT count(*) FROM ({clashes}) AS clashes")
        return found, count

    def write(self, provenance: Provenance) -> None:
        """Write the new and changed elements, with their history and all that is generated from them.

        Raises `IntegrityError` if another writer has created one of the new elements since `plan`.
        """
        stamped = {
            connection.ops.quote_name(column): self._fields[column].get_db_prep_save(value, connection)
            for column, value in provenance.columns.items()
        }
        self.saved = self.counts()
        created, changed, _unchanged = self.saved
        if changed:
            self._change(stamped)
            follow_up(self._rows("is_changed"), self._repository, Change.CHANGED, provenance.actor)
        if created:
            self._insert(stamped)
            if connection.vendor == "sqlite":  # elsewhere the plan has assigned the keys
                execute(
                    f"UPDATE bulk_plan SET target = stored.id FROM {self._table} AS stored "
                    "WHERE is_new AND stored.repository_id = %s AND stored.element_id = bulk_plan.element_id",
                    [self._repository.pk],
                )
            follow_up(self._rows("is_new"), self._repository, Change.CREATED, provenance.actor)
        count_written(created + changed)

    def written(self, start: int, end: int, render: Callable[[QuerySet[Any]], Iterable[str]]) -> Iterator[str]:
        """Yield the texts that `render` makes of the elements of the entries from `start` to before `end`, one each.

        They show the elements as they are stored now, in the order of the entries.
        """
        targets = "SELECT target FROM bulk_plan WHERE position >= %s AND position < %s"
        keys = [key for (key,) in fetch(f"{targets} ORDER BY position", [start, end])]
        # In the order of an index: otherwise the database would collect them all before it returns the first.
        stored = with_keys(self._model, self._repository, targets, [start, end]).order_by("pk")
        texts = dict(zip(sorted(keys), render(stored), strict=True))
        return map(texts.__getitem__, keys)

    def _change(self, stamped: Mapping[str, Any]) -> None:
        sets = [f"{name} = staged.{name}" for name in self._named] + [f"{name} = %s" for name in stamped]
        execute(
            f"UPDATE {self._table} AS stored SET {', '.join(sets)} {_PLANNED} "
            f"WHERE stored.id = plan.target AND plan.is_changed{self._in_shard}",
            stamped.values(),
        )

    def _insert(self, stamped: Mapping[str, Any]) -> None:
        staged = [f"staged.{name}" for name in self._named]
        # Without it Citus copies the rows to the shard, and reports what fails there without the code of the error.
        returned = " RETURNING id" if is_sharded() else ""
        execute(
            f"INSERT INTO {self._table} (id, repository_id, {', '.join([*self._named, *stamped])}) "
            f"SELECT plan.target, {', '.join(['%s', *staged, *['%s'] * len(stamped)])} {_PLANNED} WHERE plan.is_new"
            f"{returned}",
            [self._repository.pk, *stamped.values()],
        )

    def _rows(self, condition: str) -> QuerySet[Any]:
        return with_keys(self._model, self._repository, f"SELECT target FROM bulk_plan WHERE {condition}", [])
