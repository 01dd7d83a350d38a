"""Copying the elements of a repository into a new one, as they were at one moment."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from dimensions_site.changes.placing import Actor
from dimensions_site.changes.states import State, current
from dimensions_site.changes.versions import versions_at
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.history import Provenance
from dimensions_site.elements.writing.saving import follow_up
from dimensions_site.observability.observation import count_written
from dimensions_site.repositories.models import Repository

# How many elements one statement copies.
_TOGETHER = 1_000


def copy_elements(
    dimension: Dimension, source: Repository, target: Repository, actor: Actor, progress: Callable[[int, int], None]
) -> tuple[State, int]:
    """Copy the elements of `source` into the empty repository `target`, in the current transaction.

    Returns the state of `source` that was copied, and the number of elements. It is exactly that state, although others
    may write meanwhile, because versions are copied. `progress` receives the number of copied elements, and of all.
    """
    model = dimension.model
    state, _ = current(source.pk, dimension.name)
    versions = versions_at(model.versions_of(source), state)
    found = list(versions.order_by("element_id").values_list("number", "element_id"))
    provenance = Provenance(actor)
    for start in range(0, len(found), _TOGETHER):
        progress(start, len(found))
        part = found[start : start + _TOGETHER]
        chosen = model.versions_of(source).filter(number__in=[number for number, _ in part])
        _insert(dimension, chosen, target, provenance)
        rows = with_ids(model, target, [id for _, id in part])
        follow_up(rows, target, Change.CREATED, actor)
    count_written(len(found))
    return state, len(found)


def _insert(dimension: Dimension, versions: QuerySet[Any], target: Repository, provenance: Provenance) -> None:
    quote = connection.ops.quote_name
    fields = {field.attname: field for field in dimension.model._meta.concrete_fields}
    stamped = {name: fields[name].get_db_prep_save(value, connection) for name, value in provenance.columns.items()}
    copied = [name for name in fields if name not in {"id", "repository_id", *stamped}]
    chosen, parameters = versions.order_by("element_id").values(*copied).query.sql_with_params()
    names = ", ".join(map(quote, copied))
    marks = ", ".join(["%s"] * len(stamped))
    values: Sequence[Any] = [target.pk, *stamped.values(), *parameters]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(dimension.model._meta.db_table)} "
            f"(repository_id, {', '.join(map(quote, stamped))}, {names}) "
            f"SELECT %s, {marks}, {names} FROM ({chosen}) AS chosen",
            values,
        )
