"""Finding many elements of a repository by their ids."""

from collections.abc import Collection
from typing import Any

from django.db import connection
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


def with_ids(model: type[Element], repository: Repository, ids: Collection[str]) -> QuerySet[Any]:
    """The elements of one `repository` that have one of `ids`, among which there is no NUL; in no order.

    PostgreSQL plans by statistics that may know nothing of a repository: it was loaded in the last minute, or is small
    among the others. It would read all its elements for each thousand ids, or look all the ids up for each of its
    elements. Here it has no choice but to look up each id, once: what an array is made of is no part of the plan.
    """
    if connection.vendor != "postgresql":
        return model._base_manager.filter(repository=repository, element_id__in=ids)
    table = connection.ops.quote_name(model._meta.db_table)
    looked_up = (
        f"{table}.id = ANY(ARRAY(SELECT found.id FROM unnest(%s::text[]) AS named (id) CROSS JOIN LATERAL ("
        f"SELECT id FROM {table} WHERE repository_id = %s AND element_id = named.id OFFSET 0) AS found))"
    )
    condition = RawSQL(looked_up, [list(ids), repository.pk], output_field=BooleanField())
    return model._base_manager.filter(condition)
