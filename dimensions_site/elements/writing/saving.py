"""Writes of single elements, and deletions, for REST, bulk, the admin, imports and the worker.

`bulkops.session.writer` inserts and changes many elements, and calls `follow_up`, too. Nothing else writes elements. A
write is one transaction: the rows, who wrote them (contract C12), their history (C18, I1) and what is generated from
them (C17). An element that would stay the same is not written. See design/writing.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import JSONField, QuerySet
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.changes.placing import Actor
from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.db.shards import is_sharded, shard_sql
from dimensions_site.elements.models import Change, Element
from dimensions_site.elements.reading.rendering import ElementRenderer
from dimensions_site.elements.writing import history
from dimensions_site.elements.writing.history import Provenance
from dimensions_site.observability.observation import count_written
from dimensions_site.repositories.models import Repository


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
            writing += f", version AS ({history.copy_sql(model)} FROM {table})"
            parameters = [*parameters, change.value, history.change_set_of(model, repository, provenance.actor)]
        statement = f"{writing} SELECT {values} FROM {table}"
    else:
        statement = f"{writing} RETURNING {values}"
    with repeating_cursor(connection) as cursor:
        cursor.execute(statement, [*parameters, *renderer.parameters])
        key, *row = cast(Sequence[Any], cursor.fetchone())
    if not is_one_statement:
        history.record_one(model, repository, key, change, provenance.actor)
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


def follow_up(rows: QuerySet[Any], repository: Repository, change: Change, actor: Actor) -> None:
    """Do what follows from writing the elements `rows`: their history (C18) and what is generated from them (C17).

    All of them are in the `repository`. Must be called in the transaction of the write.
    """
    history.record(rows, repository.pk, change, actor)
    rows.model.after_save(rows, repository.pk)


@transaction.atomic(savepoint=False)
def delete(rows: QuerySet[Any], repository: Repository, actor: Actor) -> int:
    """Delete the elements `rows` and what was generated from them; return their number. The history keeps them (C18).

    All of them are in the `repository`. `rows` must select the same elements at each evaluation, so the calling code
    must have locked them.
    """
    history.record(rows, repository.pk, Change.DELETED, actor)
    rows.model.before_delete(rows, repository.pk)
    # Django's own deletion would load every element and send signals for each.
    deleted: int = rows.order_by()._raw_delete(rows.db)
    count_written(deleted)
    return deleted


def already_there(model: type[Element], repository: Repository, values: Mapping[str, Any]) -> list[Failure]:
    """Return which unique `values` of a new element another element already has (contract C1, C2, C13)."""
    return [
        Failure(name, "ALREADY_EXISTS", already_there_message(name, values[column]))
        for column, name in model.unique_in_repository.items()
        if model.of(repository).filter(**{column: values[column]}).exists()
    ]


def already_there_message(name: str, value: object) -> str:
    """Return the message that another element already has the `value` of the unique field `name`."""
    return _("There is already an element with the {name} '{value}'.").format(name=name, value=value)
