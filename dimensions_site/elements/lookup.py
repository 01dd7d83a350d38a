"""Finding many elements: by their ids in a repository, or by primary keys that another query selects."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet
from django.db.models.expressions import RawSQL

from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


def with_ids(model: type[Element], repository: Repository, ids: Collection[str]) -> QuerySet[Any]:
    """The elements of one `repository` that have one of `ids`, among which there is no NUL; in no order."""
    if connection.vendor != "postgresql":
        return model._base_manager.filter(repository=repository, element_id__in=ids)
    table = connection.ops.quote_name(model._meta.db_table)
    looked_up = (
        "SELECT found.id FROM unnest(%s::text[]) AS named (id) CROSS JOIN LATERAL ("
        f"SELECT id FROM {table} WHERE repository_id = %s AND element_id = named.id OFFSET 0) AS found"
    )
    return with_keys(model, looked_up, [list(ids), repository.pk])


def with_primary_keys(model: type[Element], keys: Collection[int]) -> QuerySet[Any]:
    """The elements with these primary keys; in no order. Without keys the database is not asked."""
    if connection.vendor != "postgresql" or not keys:
        return model._base_manager.filter(pk__in=keys)
    # One value for all: Django would look at each key of each statement by itself.
    return with_keys(model, "SELECT unnest(%s::bigint[])", [list(keys)])


def with_keys(model: type[Element], keys: str, parameters: Sequence[Any]) -> QuerySet[Any]:
    """The elements whose primary keys the query `keys` selects, with its `parameters`; in no order.

    PostgreSQL plans by statistics that may know nothing of a repository: it was loaded in the last minute, or is small
    among the others. It would read all its elements for each thousand keys, or look all the keys up for each of its
    elements. Here it has no choice but to look up each key, once: what an array is made of is no part of the plan.
    """
    if connection.vendor != "postgresql":
        return model._base_manager.filter(pk__in=RawSQL(keys, parameters))
    looked_up = Func(
        F("pk"),
        RawSQL(f"ARRAY({keys})", parameters),
        template="%(expressions)s",
        arg_joiner=" = ANY",
        output_field=BooleanField(),
    )
    return model._base_manager.filter(looked_up)
