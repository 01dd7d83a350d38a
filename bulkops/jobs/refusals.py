"""The elements of a deletion that stay because others refer to them (contract L2; design/references.md)."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

from bulkops.models import DataProcessing, DeletionChunk
from dimensions_site.db.shards import is_sharded
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.uses import (
    Uses,
    add_uses,
    number_of,
    ranked_uses,
    reference_sql,
    referring_dimensions,
    uses_sql,
)

# How many elements in use the status lists, and of each how many users.
LISTED_IN_USE = 1_000
LISTED_USERS = 10
_NAMED = "IN (SELECT id FROM named)"


def find_refused(
    processing: DataProcessing, dimension: Dimension, chunk: DeletionChunk | None = None
) -> Mapping[str, Uses]:
    """Return the ids in the list of the deletion, or in one `chunk` of it, that may not be deleted, with what refers to
    them and stays.

    That are those that anything outside the list refers to, and those that one of them refers to, and so on. The list
    is what is left of it: the ids in the chunks. Ids that do not exist are among them if something refers to them.
    """
    found: dict[str, Uses] = defaultdict(Uses)
    if not referring_dimensions(dimension):
        return found
    parameters: dict[str, Any] = {
        "repository": processing.repository_id,
        "processing": processing.pk,
        "first": 0 if chunk is None else chunk.position,
        "last": processing.requested if chunk is None else chunk.position,
        "few": (processing.requested if chunk is None else len(chunk.ids)) // 2,
        "listed": LISTED_USERS,
    }
    if is_sharded():
        lists = dict(DeletionChunk.objects.filter(processing=processing).values_list("position", "ids"))
        parameters["all_ids"] = list(chain.from_iterable(lists.values()))
        parameters["named_ids"] = parameters["all_ids"] if chunk is None else chunk.ids
    with connection.cursor() as cursor:
        if _is_reached(cursor, dimension, parameters):
            cursor.execute(_refusing(dimension), parameters)
            add_uses(found, dimension, cursor.fetchall())
    return found


def _is_reached(cursor: CursorWrapper, dimension: Dimension, parameters: Mapping[str, Any]) -> bool:
    """Return whether anything outside the list refers to one of the ids; mostly nothing does.

    Each id is looked up in the index of each leaf. If few elements stay they are read, which takes less: to read one
    costs as much as to look up two ids.
    """
    table = connection.ops.quote_name(dimension.model._meta.db_table)
    staying = f"FROM {table} WHERE repository_id = %(repository)s AND element_id NOT IN (SELECT id FROM listed)"
    some = f"SELECT 1 {staying} ORDER BY element_id LIMIT %(few)s + 1"  # in the order of an index of the repository
    cursor.execute(f"{_lists()} SELECT count(*) FROM ({some}) AS staying", parameters)
    (count,) = cursor.fetchone()
    looked_up = referring_dimensions(dimension)
    ways = []
    if dimension in looked_up and count <= parameters["few"]:
        looked_up.remove(dimension)
        # Not EXISTS: PostgreSQL would hope for an early one, and read those of other repositories on the way.
        ways.append(f"(SELECT count(*) {staying} AND ({reference_sql(dimension, _NAMED)})) > 0")
    if looked_up:
        ways.append(f"EXISTS (SELECT 1 FROM ({_uses(dimension, looked_up)}) AS uses WHERE {_stays(dimension)})")
    cursor.execute(f"{_lists()} SELECT {' OR '.join(ways)}", parameters)
    (is_reached,) = cursor.fetchone()
    return bool(is_reached)


def _refusing(dimension: Dimension) -> str:
    """Return the query of the uses of all that is refused."""
    own, stays = number_of(dimension), _stays(dimension)
    return (
        f"{_lists()}, uses AS MATERIALIZED ({_uses(dimension)}), refused(id) AS ("
        f"SELECT target FROM uses WHERE {stays} UNION "
        f"SELECT uses.target FROM refused JOIN uses ON uses.user_id = refused.id AND uses.dimension = {own}) "
    ) + ranked_uses(
        "SELECT uses.target, uses.user_id, uses.dimension, uses.leaf FROM uses "
        f"WHERE target IN (SELECT id FROM refused) AND ({stays} OR uses.user_id IN (SELECT id FROM refused))"
    )


def _uses(dimension: Dimension, searched: Collection[Dimension] | None = None) -> str:
    each_of = "named" if connection.vendor == "postgresql" else None
    return uses_sql(dimension, _NAMED, searched, each_of=each_of)


def _stays(dimension: Dimension) -> str:
    """Return the condition that what uses an element is not in the list."""
    return f"(uses.dimension <> {number_of(dimension)} OR uses.user_id NOT IN (SELECT id FROM listed))"


def _lists() -> str:
    """Return the beginning of each query: all ids that are to be deleted, and those that are asked about."""
    if is_sharded():
        # The chunks are on the coordinator, and a recursive query is of one shard.
        listed, named = "SELECT unnest(%(all_ids)s::text[])", "SELECT unnest(%(named_ids)s::text[])"
    else:
        listed, named = _ids(), _ids("AND chunk.position BETWEEN %(first)s AND %(last)s")
    return f"WITH RECURSIVE listed(id) AS ({listed}), named(id) AS MATERIALIZED ({named})"


def _ids(condition: str = "") -> str:
    """Return the query of the ids in the chunks of the parameter `processing`, of which `condition` holds."""
    table = connection.ops.quote_name(DeletionChunk._meta.db_table)
    if connection.vendor == "postgresql":
        ids = f"SELECT jsonb_array_elements_text(chunk.ids) FROM {table} AS chunk"
    else:
        ids = f"SELECT entry.value FROM {table} AS chunk, json_each(chunk.ids) AS entry"
    return f"{ids} WHERE chunk.processing_id = %(processing)s {condition}"
