"""The elements of a deletion that stay because others refer to them (contract L2; record 0057)."""

from collections import defaultdict
from collections.abc import Mapping

from django.db import connection

from bulkops.models import DataProcessing, DeletionChunk
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.uses import Uses, add_uses, number_of, ranked, uses_sql

# How many elements in use the status lists, and of each how many users.
LISTED_IN_USE = 1_000
LISTED_USERS = 10


def find_refused(
    processing: DataProcessing, dimension: Dimension, chunk: DeletionChunk | None = None
) -> Mapping[str, Uses]:
    """Return the ids in the list of the deletion, or in one `chunk` of it, that may not be deleted, with what refers to
    them and stays.

    That are those that anything outside the list refers to, and those that one of them refers to, and so on. The list
    is what is left of it: the ids in the chunks. Ids that do not exist are among them if something refers to them.
    """
    found: dict[str, Uses] = defaultdict(Uses)
    own = number_of(dimension)
    each_of = "named" if connection.vendor == "postgresql" else None
    uses = uses_sql(dimension, "IN (SELECT id FROM named)", each_of=each_of)
    if not uses:
        return found
    stays = f"(uses.dimension <> {own} OR uses.user_id NOT IN (SELECT id FROM listed))"
    named = _ids("AND chunk.position BETWEEN %(first)s AND %(last)s")
    lists = f"WITH RECURSIVE listed(id) AS ({_ids()}), named(id) AS MATERIALIZED ({named})"
    reached = f"{lists} SELECT EXISTS (SELECT 1 FROM ({uses}) AS uses WHERE {stays})"
    statement = (
        f"{lists}, uses AS MATERIALIZED ({uses}), refused(id) AS ("
        f"SELECT target FROM uses WHERE {stays} UNION "
        f"SELECT uses.target FROM refused JOIN uses ON uses.user_id = refused.id AND uses.dimension = {own}) "
    )
    refusing = (
        "SELECT uses.target, uses.user_id, uses.dimension, uses.leaf FROM uses "
        f"WHERE target IN (SELECT id FROM refused) AND ({stays} OR uses.user_id IN (SELECT id FROM refused))"
    )
    parameters = {
        "repository": processing.repository_id,
        "processing": processing.pk,
        "first": 0 if chunk is None else chunk.position,
        "last": processing.requested if chunk is None else chunk.position,
        "listed": LISTED_USERS,
    }
    with connection.cursor() as cursor:
        # Mostly nothing outside does: then there is nothing to follow, and no use has to be kept.
        cursor.execute(reached, parameters)
        if not cursor.fetchone()[0]:
            return found
        cursor.execute(statement + ranked(refusing), parameters)
        add_uses(found, dimension, cursor.fetchall())
    return found


def _ids(condition: str = "") -> str:
    """Return the query of the ids in the chunks of the parameter `processing`, of which `condition` holds."""
    table = connection.ops.quote_name(DeletionChunk._meta.db_table)
    if connection.vendor == "postgresql":
        ids = f"SELECT jsonb_array_elements_text(chunk.ids) FROM {table} AS chunk"
    else:
        ids = f"SELECT entry.value FROM {table} AS chunk, json_each(chunk.ids) AS entry"
    return f"{ids} WHERE chunk.processing_id = %(processing)s {condition}"
