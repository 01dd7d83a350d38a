"""What every write records, however it was made: on the elements who wrote them and when, and one version of each.

Contract C12, C18, I1; design/history.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, change_set
from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.db.shards import is_sharded, shard_sql
from dimensions_site.elements.dimension import dimension_of
from dimensions_site.elements.models import Change, Element, Origin


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
