"""Find many elements by their ids in a repository, or by primary keys that a query of it finds (design/bulk.md).

And the SQL that reads what was found in its order.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.fields.tuple_lookups import Tuple

from dimensions_site.db.among import Among
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.db.shards import in_shard, is_sharded
from dimensions_site.elements.declaration.texts import CODE_LENGTH
from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


def can_be_id(id: object) -> bool:
    """Return whether a stored element can have this `id`. Others never get into a query: they may be of any length."""
    return isinstance(id, str) and len(id) <= CODE_LENGTH and "\0" not in id


def with_ids(model: type[Element], repository: Repository, ids: Iterable[object]) -> QuerySet[Any]:
    """Return the elements of one `repository` with one of `ids`; in no particular order."""
    possible = list(filter(can_be_id, ids))
    if connection.vendor != "postgresql":
        return model.of(repository).filter(element_id__in=possible)
    table = connection.ops.quote_name(model._meta.db_table)
    looked_up = (
        "SELECT found.id FROM unnest(%s::text[]) AS named (id) CROSS JOIN LATERAL ("
        f"SELECT id FROM {table} WHERE repository_id = %s AND element_id = named.id OFFSET 0) AS found"
    )
    return with_keys(model, repository, looked_up, [possible, repository.pk])


def with_primary_keys(model: type[Element], repository: Repository, keys: Collection[int]) -> QuerySet[Any]:
    """Return the elements of one `repository` with these primary keys; in no particular order.

    Without keys there is no query.
    """
    if connection.vendor != "postgresql" or not keys:
        return model._base_manager.filter(pk__in=keys)
    # One array for all: Django would process each key of each statement.
    return with_keys(model, repository, "SELECT unnest(%s::bigint[])", [list(keys)])


def with_keys(model: type[Element], repository: Repository, keys: str, parameters: Sequence[Any]) -> QuerySet[Any]:
    """Return the elements of one `repository` whose primary keys the query `keys` selects, with its `parameters`.

    They are in no particular order. PostgreSQL's statistics may not know a repository that was loaded in the last
    minute or is small.
    """
    return in_shard(model._base_manager.filter(Among("pk", RawSQL(keys, parameters))), repository)


def _paged_by_ids(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Return the same page of elements, found by their ids first.

    Otherwise the database computes all values of the elements before the page, too, and then skips them.
    """
    query = queryset.query
    if not query.low_mark or query.high_mark is None or query.is_empty():
        return queryset
    # Only columns of the index, so that the rows before the page are not read.
    keys = ("repository_id", "element_id") if issubclass(queryset.model, Element) else ("pk",)
    among = Func(
        Tuple(*map(F, keys)),
        Subquery(queryset.values(*keys)),
        arg_joiner=" IN ",
        template="(%(expressions)s)",
        output_field=BooleanField(),
    )
    whole = queryset.model._base_manager.using(queryset.db)
    if is_sharded():  # with the condition on the repository
        whole = queryset.all()
        whole.query.clear_limits()
    page: QuerySet[Any] = whole.filter(among)
    page.query.order_by = query.order_by
    return page


def rows_statement(
    queryset: QuerySet[Any], columns: CompiledColumns, connection: BaseDatabaseWrapper
) -> tuple[str, Sequence[Any]]:
    """Return the SQL for the values of the `columns` of each element or version, in order, and its bind parameters.

    Raises `EmptyResultSet` if Django knows that there are none.
    """
    if connection.vendor != "postgresql" or issubclass(queryset.model, Element) or is_sharded():
        query = _paged_by_ids(queryset).values_list(columns.selected).query
        sql, parameters = query.get_compiler(connection=connection).as_sql()
        return sql, parameters
    # No index has the versions of a state in their order. Only their keys are sorted: with the rows PostgreSQL would
    # sort on disk, and the client would wait for the first row until it has read the last one.
    keys, parameters = queryset.values_list("pk").query.get_compiler(connection=connection).as_sql()
    options = queryset.model._meta
    table, pk = map(connection.ops.quote_name, (options.db_table, options.pk.column))
    sql = (
        f"SELECT {columns.sql} FROM UNNEST(ARRAY({keys})) WITH ORDINALITY AS found (key, place) "
        f"JOIN {table} ON {table}.{pk} = found.key ORDER BY found.place"
    )
    return sql, [*columns.parameters, *parameters]
