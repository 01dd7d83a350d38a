"""The one way in which elements are written and deleted, whoever does it: REST, bulk, admin, import or worker.

A write is one transaction: the rows, who wrote them (contract C12), their history (C18) and what is generated
from them (C17). An element that a write would leave as it is, is not written.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import Field, JSONField, QuerySet
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.compiled import repeating_cursor
from dimensions_site.elements import history
from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.answers import Answer
from dimensions_site.elements.models import Element
from dimensions_site.repositories.write_counts import count_write, has_replica
from dimensions_site.telemetry.observation import count_written


@transaction.atomic(savepoint=False)
def insert(element: Element, actor: Actor, answer: Answer) -> str:
    """Insert the new `element`, which gets a primary key; return its JSON text as it is then.

    Raises `IntegrityError` when another element has its id or another unique value. A caller whose transaction goes on
    after that has to call inside a savepoint.
    """
    model, stamp = type(element), Stamp(actor)
    for column, value in stamp.columns.items():
        setattr(element, column, value)
    fields: Sequence[Field[Any, Any]] = [field for field in model._meta.concrete_fields if not field.primary_key]
    parameters = [field.get_db_prep_save(getattr(element, field.attname), connection) for field in fields]
    element.pk, text = _written(element, _insertion(model), parameters, history.CREATED, stamp, answer)
    if any(getattr(element, column) for column in model.generating):
        model.after_save(_same(element))
    return text


@transaction.atomic(savepoint=False)
def change(element: Element, changes: Mapping[str, Any], actor: Actor, answer: Answer) -> str:
    """Give columns of a stored `element` other values, at least one; return its JSON text as it is then.

    JSON columns take JSON text. Nothing need be read of the `element` but its primary key and its repository.
    """
    model, stamp = type(element), Stamp(actor)
    values = {**changes, **stamp.columns}
    parameters = [_prepared(model._meta.get_field(column), value) for column, value in values.items()]
    parameters.append(element.pk)
    _pk, text = _written(element, _update(model, tuple(values)), parameters, history.CHANGED, stamp, answer)
    if not model.generating.isdisjoint(changes):
        model.after_save(_same(element))
    return text


def _prepared(field: Any, value: Any) -> Any:
    """A value of a row as the database takes it: JSON text is as it should be."""
    return value if isinstance(field, JSONField) else field.get_db_prep_save(value, connection)


def _written(
    element: Element, writing: str, parameters: Sequence[Any], kind: str, stamp: Stamp, answer: Answer
) -> tuple[int, str]:
    """Write the `element` and its version in the history; its primary key and its JSON text.

    `writing` is the statement that inserts or changes it, with its `parameters`.
    """
    with repeating_cursor(connection) as cursor:
        cursor.execute(f"{writing} RETURNING id, {answer.sql}", [*parameters, *answer.parameters])
        key, *row = cast(Sequence[Any], cursor.fetchone())
    history.record_one(type(element), key, kind, stamp)
    count_write(element.repository_id)
    count_written(1)
    return key, answer.text(row)


# --- Statements, composed once -----------------------------------------------------------------


@cache
def _insertion(model: type[Element]) -> str:
    quote = connection.ops.quote_name
    columns = [quote(field.attname) for field in model._meta.concrete_fields if not field.primary_key]
    marks = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) VALUES ({marks})"


@lru_cache(1_000)
def _update(model: type[Element], columns: Sequence[str]) -> str:
    """Only what changes is written: PostgreSQL copies the rest, and looks at no index of it."""
    quote = connection.ops.quote_name
    sets = ", ".join(f"{quote(column)} = %s" for column in columns)
    return f"UPDATE {quote(model._meta.db_table)} SET {sets} WHERE id = %s"


def _same(element: Element) -> QuerySet[Any]:
    model: type[Any] = type(element)
    stored: QuerySet[Any] = model._base_manager.filter(pk=element.pk)
    return stored


def follow_up(rows: QuerySet[Any], kind: str, stamp: Stamp) -> None:
    """Do what follows from writing the elements `rows`: their history (C18) and what is generated from them (C17).

    `kind` is `history.CREATED` or `history.CHANGED`; called in the transaction of the write.
    """
    history.record(rows, kind, stamp)
    rows.model.after_save(rows)


@transaction.atomic(savepoint=False)
def delete(rows: QuerySet[Any], stamp: Stamp) -> int:
    """Delete the elements `rows` and what was generated from them; return their number. The history keeps them (C18).

    `rows` has to select the same elements each time that it is asked, so the caller has locked them.
    """
    history.record(rows, history.DELETED, stamp)
    for repository in rows.order_by().values_list("repository", flat=True).distinct() if has_replica() else ():
        count_write(repository)
    rows.model.before_delete(rows)
    # Django's own way would load every element, and send signals for each.
    deleted: int = rows.order_by()._raw_delete(rows.db)
    count_written(deleted)
    return deleted


def already_there(element: Element) -> list[Failure]:
    """Which unique values of the unsaved `element` another element of its repository has (contract C1, C2, C13)."""
    others = type(element)._base_manager.filter(repository=element.repository).exclude(pk=element.pk)
    return [
        Failure(name, "ALREADY_EXISTS", already_there_message(name, value))
        for column, name in element.unique_in_repository.items()
        if others.filter(**{column: (value := getattr(element, column))}).exists()
    ]


def already_there_message(name: str, value: object) -> str:
    """The sentence about an element whose unique field `name` has a `value` that another one has already."""
    return _("There is already an element with the {name} '{value}'.").format(name=name, value=value)
