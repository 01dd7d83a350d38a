"""Writes of single elements, and deletions, for REST, bulk, the admin, imports and the worker; and what every write
records, however it was made.

`bulkops.session.writer` inserts and changes many elements, and calls `follow_up`, too. Nothing else writes elements. A
write is one transaction: the rows, on them who wrote them and when (contract C12), one version of each in the history
(C18, I1) and what is generated from them (C17). An element that would stay the same is not written. See
design/writing.md and design/history.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, cast
from uuid import UUID

from django.db import connection, transaction
from django.db.models import JSONField, QuerySet
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, change_set
from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.db.shards import is_sharded, shard_sql
from dimensions_site.elements.dimension import dimension_of
from dimensions_site.elements.models import Change, Element, Origin
from dimensions_site.elements.reading.rendering import ElementRenderer
from dimensions_site.observability.observation import count_written
from dimensions_site.repositories.models import Repository


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)  # the wire has milliseconds


@dataclass(frozen=True)
class Provenance:
    """What one write stores on every element: the actor and the time."""

    actor: Actor
    at: datetime = field(default_factory=_now)

    @property
    def columns(self) -> Mapping[str, object]:
        """Return the values of the element's columns behind `updateInfo`."""
        origin = Origin.IMPORT if self.actor.channel is Channel.IMPORT else Origin.INPUT_WEB
        return {"update_user": self.actor.name, "update_date": self.at, "update_origin": origin.value}


@transaction.atomic(savepoint=False)
def insert(renderer: ElementRenderer, repository: Repository, values: Mapping[str, Any], actor: Actor) -> str:
    """Insert a new element with `values` in the writable columns, as in rows; return its JSON text from `renderer`.

    Raises `IntegrityError` if another element has its id or another unique value. Code that continues its
    transaction after that must call this inside a savepoint.
    """
    model, provenance = renderer.model, Provenance(actor)
    columns = {**values, **provenance.columns}
    writing = _insertion(model, tuple(columns))
    parameters = [repository.pk, *_prepared(model, columns)]
    key, text = _written(renderer, repository.pk, writing, parameters, Change.CREATED, provenance)
    if any(values[column] for column in model.generating):
        model.after_save(model.of(repository).filter(pk=key), repository.pk)
    return text


@transaction.atomic(savepoint=False)
def change(element: Element, changes: Mapping[str, Any], actor: Actor, renderer: ElementRenderer) -> str:
    """Set columns of a stored `element`, at least one, to other values; return its new JSON text.

    JSON columns take JSON text. Only the primary key and the repository of the `element` need to be loaded.
    """
    model, provenance = type(element), Provenance(actor)
    values = {**changes, **provenance.columns}
    writing = _update(model, tuple(values)) + shard_sql(
        element.repository_id, connection.ops.quote_name(model._meta.db_table)
    )
    parameters = [*_prepared(model, values), element.pk]
    _, text = _written(renderer, element.repository_id, writing, parameters, Change.CHANGED, provenance)
    if not model.generating.isdisjoint(changes):
        model.after_save(model.of(element.repository_id).filter(pk=element.pk), element.repository_id)
    return text


def _prepared(model: type[Element], values: Mapping[str, Any]) -> Iterator[Any]:
    """Return the `values` by column as the database takes them; JSON text is passed as it is."""
    for column, value in values.items():
        field: Any = model._meta.get_field(column)
        yield value if isinstance(field, JSONField) else field.get_db_prep_save(value, connection)


def _written(
    renderer: ElementRenderer,
    repository: int,
    writing: str,
    parameters: Sequence[Any],
    change: Change,
    provenance: Provenance,
) -> tuple[int, str]:
    """Write an element and its version in the history; return its primary key and its JSON text.

    `writing` is the statement that inserts or changes it, with its `parameters`.
    """
    model, values = renderer.model, f"id, {renderer.sql}"
    # Citus would send the row to all workers and back.
    is_one_statement = connection.vendor == "postgresql" and not is_sharded()
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(model._meta.db_table)
        writing = f"WITH {table} AS ({writing} RETURNING *)"
        if is_one_statement:
            writing += f", version AS ({copy_sql(model)} FROM {table})"
            parameters = [*parameters, change.value, change_set_of(model, repository, provenance.actor)]
        statement = f"{writing} SELECT {values} FROM {table}"
    else:
        statement = f"{writing} RETURNING {values}"
    with repeating_cursor(connection) as cursor:
        cursor.execute(statement, [*parameters, *renderer.parameters])
        key, *row = cast(Sequence[Any], cursor.fetchone())
    if not is_one_statement:
        record_one(model, repository, key, change, provenance.actor)
    count_written(1)
    return key, renderer.text(row)


@cache
def _insertion(model: type[Element], columns: Sequence[str]) -> str:
    quote = connection.ops.quote_name
    named = ["repository_id", *map(quote, columns)]
    marks = ", ".join(["%s"] * len(named))
    return f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(named)}) VALUES ({marks})"


@lru_cache(1_000)
def _update(model: type[Element], columns: Sequence[str]) -> str:
    """Return the statement that sets only the changed columns, so that PostgreSQL need not update the other indexes."""
    quote = connection.ops.quote_name
    sets = ", ".join(f"{quote(column)} = %s" for column in columns)
    return f"UPDATE {quote(model._meta.db_table)} SET {sets} WHERE id = %s"


def record(rows: QuerySet[Any], repository: int, change: Change, actor: Actor) -> None:
    """Copy the current values of the elements `rows` to the history, in one statement of the current transaction.

    All of them are in the `repository` (a primary key).
    """
    model: type[Element] = rows.model
    chosen, parameters = rows.order_by().values(*_columns(model)).query.sql_with_params()
    with connection.cursor() as cursor:
        own = [change.value, change_set_of(model, repository, actor)]
        cursor.execute(f"{copy_sql(model)} FROM ({chosen}) AS chosen", [*own, *parameters])


def record_one(model: type[Element], repository: int, key: int, change: Change, actor: Actor) -> None:
    """Record the change of the element with the primary key `key`."""
    own = [change.value, change_set_of(model, repository, actor)]
    table = connection.ops.quote_name(model._meta.db_table)
    with repeating_cursor(connection) as cursor:
        if is_sharded():  # with its number the row is copied on its worker
            cursor.execute(_next_number(model))
            own += cursor.fetchone()
        copy = copy_sql(model, is_numbered=is_sharded())
        cursor.execute(f"{copy} FROM {table} WHERE id = %s{shard_sql(repository, table)}", [*own, key])


@cache
def copy_sql(model: type[Element], *, is_numbered: bool = False) -> str:
    """Return the statement that copies elements to the history, without its FROM; its parameters are the change, the
    change set, and the number of the version if it `is_numbered`.
    """
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column) for column in _columns(model))
    versions = quote(model.version_model._meta.db_table)
    name, mark = (", number", ", %s") if is_numbered else ("", "")
    return f"INSERT INTO {versions} ({columns}, change, change_set_id{name}) SELECT {columns}, %s, %s{mark}"


@cache
def _next_number(model: type[Element]) -> str:
    versions = model.version_model._meta
    return f"SELECT nextval(pg_get_serial_sequence('{versions.db_table}', '{versions.pk.column}')::regclass)"


def _columns(model: type[Element]) -> list[str]:
    return [column.attname for column in model._meta.concrete_fields]


def change_set_of(model: type[Element], repository: int, actor: Actor) -> UUID | str:
    """Return the id of the change set with what the current transaction writes to the `model`, for a query."""
    versions = model.version_model._meta.db_table
    return change_set(versions, repository, dimension_of(model).name, actor)


def follow_up(rows: QuerySet[Any], repository: Repository, change: Change, actor: Actor) -> None:
    """Do what follows from writing the elements `rows`: their history (C18) and what is generated from them (C17).

    All of them are in the `repository`. Must be called in the transaction of the write.
    """
    record(rows, repository.pk, change, actor)
    rows.model.after_save(rows, repository.pk)


@transaction.atomic(savepoint=False)
def delete(rows: QuerySet[Any], repository: Repository, actor: Actor) -> int:
    """Delete the elements `rows` and what was generated from them; return their number. The history keeps them (C18).

    All of them are in the `repository`. `rows` must select the same elements at each evaluation, so the calling code
    must have locked them.
    """
    record(rows, repository.pk, Change.DELETED, actor)
    rows.model.before_delete(rows, repository.pk)
    # Django's own deletion would load every element and send signals for each.
    deleted: int = rows.order_by()._raw_delete(rows.db)
    count_written(deleted)
    return deleted


def already_there(model: type[Element], repository: Repository, values: Mapping[str, Any]) -> list[Failure]:
    """Return which unique `values` by column, as far as they are known, an element has (contract C1, C2, C13)."""
    return [
        Failure(name, "ALREADY_EXISTS", already_there_message(name, values[column]))
        for column, name in model.unique_in_repository.items()
        if column in values and model.of(repository).filter(**{column: values[column]}).exists()
    ]


def already_there_message(name: str, value: object) -> str:
    """Return the message that another element already has the `value` of the unique field `name`."""
    return _("There is already an element with the {name} '{value}'.").format(name=name, value=value)
