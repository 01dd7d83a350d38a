"""The indexes of elements: in one the uses of an element are found (contract L; design/references.md), in the other,
which only PostgreSQL has, the elements with a text in their id or a description (design/reading.md).

The latter serves conditions as `rsql.conditions.narrow` writes them.
"""

from hashlib import sha256
from typing import Any, Final

from django.core.management.base import CommandError
from django.db import ProgrammingError, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.models import F, Index, Q
from django.db.models.lookups import IsNull

from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.rsql.expressions import POSTGRESQL_FOLD, JsonLeaf
from dimensions_site.rsql.fields import ValueKind


def reference_indexes(dimension: str, wire: Wire) -> list[Index]:
    """Return an index for each leaf of the `wire` that refers to an element, for the model of the `dimension`."""
    return [_index(dimension, place.column, place.inside) for place in wire.references]


def _index(dimension: str, column: str, inside: Any) -> Index:
    """Return the index of a leaf.

    It has only the elements that set the leaf: the others cost nothing but the check for it, and no other query can use
    it by mistake.
    """
    leaf = JsonLeaf(column, tuple(inside), ValueKind.TEXT) if inside else F(column)
    return Index(F("repository"), leaf, condition=Q(IsNull(leaf, False)), name=_name(dimension, column, inside))


def _name(dimension: str, column: str, inside: Any) -> str:
    # From the path, so that a new leaf leaves the names of the others as they are; Django allows 30 characters.
    digest = sha256(".".join((column, *inside)).encode()).hexdigest()[:8]
    return f"{dimension[:16]}_uses_{digest}"


def reference_statistics(app: str, *leaves: tuple[str, ...]) -> RunPython:
    """Return the step of a migration that has PostgreSQL count the values of leaves in JSON that refer to an element.

    It does not use what it knows of an index with a condition, and would expect each id in one of 200 elements. The
    `app` is named as its dimension; each of the `leaves` is a JSON column and the path of the leaf in it.
    """
    table = f"{app}_{app}"

    def make(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            for column, *inside in leaves:
                leaf = f"({column} #>> '{{{','.join(inside)}}}')"
                editor.execute(f"CREATE STATISTICS {_name(app, column, inside)} ON {leaf} FROM {table}")
            editor.execute(f"ANALYZE {table}")

    def drop(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            for column, *inside in leaves:
                editor.execute(f"DROP STATISTICS {_name(app, column, inside)}")

    return RunPython(make, drop, elidable=False)


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
