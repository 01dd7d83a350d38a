"""Whether the database lets the running service rewrite what auditors rely on."""

from django.db import connection
from django.db.models import Model

from dimensions_site.changes.models import ChangeSet
from dimensions_site.elements.dimension import dimensions
from dimensions_site.repositories.models import AccessChange


def rewritable_tables() -> list[str]:
    """Return the tables of the history and of the access changes that the service's role may rewrite, by name.

    Always empty on SQLite, which has no roles. On PostgreSQL docs/deploy/roles.sql takes these rights away.
    """
    if connection.vendor != "postgresql":
        return []
    models: list[type[Model]] = [
        *(dimension.model.version_model for dimension in dimensions()),
        ChangeSet,
        AccessChange,
    ]
    query = "SELECT has_table_privilege(%s, 'UPDATE') OR has_table_privilege(%s, 'DELETE')"
    found = []
    with connection.cursor() as cursor:
        for table in sorted(model._meta.db_table for model in models):
            cursor.execute(query, [table, table])
            if cursor.fetchone()[0]:
                found.append(table)
    return found
