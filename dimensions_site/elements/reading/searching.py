"""The search index: finds the elements with a text in their id or a description (design/reading.md).

Only PostgreSQL has it. It serves conditions as `rsql.conditions.narrowed` writes them.
"""

from typing import Any, Final

from django.core.management.base import CommandError
from django.db import ProgrammingError, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython

from dimensions_site.rsql.expressions import POSTGRESQL_FOLD

# The JSON column whose texts are searched, besides the id.
SEARCHED: Final = "descriptions"
SEARCHED_ID: Final = "element_id"


def search_index(table: str) -> RunPython:
    """Return the step of a migration that creates the index for the elements in `table`.

    Raises `CommandError` if PostgreSQL lacks the extension pg_trgm and its user may not add it.
    """

    def make(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        try:
            with transaction.atomic(editor.connection.alias):
                editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except ProgrammingError as error:
            raise CommandError(
                f"PostgreSQL's extension pg_trgm is missing, and this user may not add it ({str(error).strip()}). "
                "Have an administrator of the database run CREATE EXTENSION pg_trgm; in it, then migrate again."
            ) from None
        columns = (f"({POSTGRESQL_FOLD.format(text)}) gin_trgm_ops" for text in (SEARCHED_ID, f"{SEARCHED}::text"))
        editor.execute(f"CREATE INDEX {table}_search ON {table} USING gin ({', '.join(columns)})")

    def drop(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP INDEX {table}_search")

    return RunPython(make, drop, elidable=False)
