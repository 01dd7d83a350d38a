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


@cache
def copy_sql(model: type[Element]) -> str:
    """Return the statement that copies elements to the history, without its FROM; its parameters are the change
    and the change set.
    """
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
