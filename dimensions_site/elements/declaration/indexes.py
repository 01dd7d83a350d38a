"""The indexes in which the elements that refer to an element are found (contract L; design/references.md)."""

from hashlib import sha256
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.models import F, Index, Q
from django.db.models.lookups import IsNull

from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.rsql.expressions import JsonLeaf
from dimensions_site.rsql.fields import Kind


def reference_indexes(dimension: str, wire: Wire) -> list[Index]:
    """Return an index for each leaf of the `wire` that refers to an element, for the model of the `dimension`."""
    return [_index(dimension, place.column, place.inside) for place in wire.references]


def _index(dimension: str, column: str, inside: Any) -> Index:
    """Return the index of a leaf.

    It has only the elements that set the leaf: the others cost nothing but the check for it, and no other query can use
    it by mistake.
    """
    leaf = JsonLeaf(column, tuple(inside), Kind.TEXT) if inside else F(column)
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
