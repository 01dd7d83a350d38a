"""The history of elements: one version for every write, however it was made (contract C18, I1; design/history.md)."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from dimensions_site.changes.placing import change_set
from dimensions_site.elements.dimension import dimension_of
from dimensions_site.elements.models import Change, Element
from dimensions_site.elements.writing.actors import Actor


def record(rows: QuerySet[Any], repository: int, change: Change, actor: Actor) -> None:
    """Copy the current values of the elements `rows` to the history, in one statement of the current transaction.

    All of them are in the `repository` (a primary key).
    """
    model: type[Element] = rows.model
    chosen, parameters = rows.order_by().values(*_columns(model)).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_copy(model)} FROM ({chosen}) AS chosen", [*_metadata(model, repository, change, actor), *parameters]
        )


def copy_one(model: type[Element], repository: int, change: Change, actor: Actor) -> tuple[str, Sequence[Any]]:
    """Return the statement that copies an element to the history, without its FROM, and its parameters."""
    return _copy(model), _metadata(model, repository, change, actor)


@cache
def _copy(model: type[Element]) -> str:
    """Return the statement without its source of values; its parameters are those of `_metadata`."""
    quote = connection.ops.quote_name
    columns = [quote(column) for column in _columns(model)]
    versions = quote(model.version_model._meta.db_table)
    return f"INSERT INTO {versions} ({', '.join(columns)}, change, change_set_id) SELECT {', '.join(columns)}, %s, %s"


def _columns(model: type[Element]) -> list[str]:
    return [column.attname for column in model._meta.concrete_fields]


def change_set_of(model: type[Element], repository: int, actor: Actor) -> UUID | str:
    """Return the id of the change set with what the current transaction writes to the `model`, for a query."""
    versions = model.version_model._meta.db_table
    return change_set(versions, repository, dimension_of(model).name, actor)


def _metadata(model: type[Element], repository: int, change: Change, actor: Actor) -> Sequence[Any]:
    """Return what a version has besides the element's values."""
    return change.value, change_set_of(model, repository, actor)
