"""Finding many elements of a repository by their ids."""

from collections.abc import Collection
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


def with_ids(model: type[Element], repository: Repository, ids: Collection[str]) -> QuerySet[Any]:
    """The elements of one `repository` that have one of `ids`, among which there is no NUL; in no order.

    PostgreSQL plans by statistics that do not know the rows of the last minute. For a repository that has just been
    loaded it would read all its elements for each thousand ids; here it has no choice but to look up each id.
    """
    elements = model._base_manager.filter(repository=repository)
    if connection.vendor != "postgresql":
        return elements.filter(element_id__in=ids)
    table = connection.ops.quote_name(model._meta.db_table)
    looked_up = (
        "SELECT found.id FROM unnest(%s::text[]) AS named (id) CROSS JOIN LATERAL ("
        f"SELECT id FROM {table} WHERE repository_id = %s AND element_id = named.id OFFSET 0) AS found"
    )
    return elements.filter(pk__in=RawSQL(looked_up, [list(ids), repository.pk]))
