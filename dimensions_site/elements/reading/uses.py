"""The elements that refer to an element, by any declared reference of any dimension (contract L; design/references.md).

A reference may name an element that does not exist. An element that refers to itself is not used by that.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import or_
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.db.compiled import CompiledColumns, repeating_cursor
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import Dimension, dimension_named, dimensions
from dimensions_site.repositories.models import Repository

# How many users of an element are listed (contract L1).
LISTED = 1_000


@dataclass
class Uses:
    """The first uses of an element as in responses, ordered by dimension, id and path; and the number of all.

    The element `id` of the `dimension` has the used element's id in the leaf at `path`.
    """

    first: list[dict[str, str]] = field(default_factory=list)
    count: int = 0


def referring_dimensions(dimension: Dimension) -> list[Dimension]:
    """Return the dimensions with a leaf that refers to elements of `dimension`, in the order of installation."""
    return [other for other in dimensions() if _referring(other, dimension)]


def find_uses(
    dimension: Dimension,
    repository: Repository,
    ids: Iterable[str],
    within: Iterable[Dimension],
    *,
    listed: int = LISTED,
    using: str = DEFAULT_DB_ALIAS,
) -> Mapping[str, Uses]:
    """Return what refers to elements of `dimension` with one of `ids`, which contain no NUL; one query.

    Only elements of the `repository` are searched, and of them those of the dimensions `within`. At most the first
    `listed` uses of each id are returned.
    """
    connection = connections[using]
    found: dict[str, Uses] = defaultdict(Uses)
    searched = tuple(referring for referring in referring_dimensions(dimension) if referring in set(within))
    if not searched:
        return found
    statement = ranked_uses(_named_uses(dimension, searched, connection.vendor))
    parameters = {"repository": repository.pk, "ids": _array(ids, connection), "listed": listed}
    with repeating_cursor(connection) as cursor:
        cursor.execute(statement, parameters)
        add_uses(found, dimension, cursor.fetchall())
    return found


def add_uses(found: dict[str, Uses], dimension: Dimension, rows: Iterable[Sequence[Any]]) -> None:
    """Add the rows of a `ranked_uses` query of what refers to elements of `dimension`."""
    leaves = _leaves(dimension)
    for target, user, leaf, count in rows:
        other, place = leaves[leaf]
        found[target].first.append({"dimension": other.name, "id": user, "path": place.path})
        found[target].count = count


class _WithoutAffinity(Func):
    """The same text, for the index of a leaf in JSON: SQLite would turn the leaf into a text before comparing it."""

    template = "+%(expressions)s"
    output_field = TextField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        return self.as_sql(compiler, connection, template="%(expressions)s")


def without_uses(elements: QuerySet[Any], dimension: Dimension, repository: Repository | Combinable) -> QuerySet[Any]:
    """Return those of the `elements` of the `repository` and the `dimension` that nothing refers to.

    Whoever asks, every dimension counts: an element that something refers to is in use.
    """
    for use in _each_use(dimension, repository):
        elements = elements.filter(~use)
    return elements


def with_uses(elements: QuerySet[Any], dimension: Dimension, repository: Repository | Combinable) -> QuerySet[Any]:
    """Return those of the `elements` to which something refers."""
    uses = [Q(use) for use in _each_use(dimension, repository)]
    return elements.filter(reduce(or_, uses)) if uses else elements.none()


def _each_use(dimension: Dimension, repository: Repository | Combinable) -> Iterator[Exists]:
    """Yield, for each leaf that refers to elements of the dimension, whether it refers to the element of the query."""
    id = _WithoutAffinity(OuterRef("element_id"))
    for other, place in _leaves(dimension):
        referring = other.model.of(repository).alias(target=place.expression).filter(target=id)
        yield Exists(referring.exclude(element_id=F("target")) if other is dimension else referring)


def with_absent_references(
    elements: QuerySet[Any], dimension: Dimension, repository: Repository | Combinable
) -> QuerySet[Any]:
    """Return those of the `elements` of the `repository` that refer to an element that does not exist."""
    absent = Q(pk__in=())
    for number, place in enumerate(dimension.wire.references):
        name = f"target_{number}"
        elements = elements.alias(**{name: place.expression})
        targets = dimension_named(str(place.leaf.refers_to)).model.of(repository)
        named = Q(**{f"{name}__isnull": False}) & ~Q(**{name: ""})
        absent |= named & Q(~Exists(targets.filter(element_id=OuterRef(name))))
    return elements.filter(absent)


def number_of(dimension: Dimension) -> int:
    """Return the number by which `uses_sql` names the dimension."""
    return dimensions().index(dimension)


# --- SQL -----------------------------------------------------------------------------------------


def uses_sql(
    dimension: Dimension, among: str, searched: Collection[Dimension] | None = None, *, each_of: str | None = None
) -> str:
    """Return the query of what refers to elements of `dimension`: target, id and dimension of the user, and leaf.

    A user's dimension is its number among the installed ones, and a leaf its number among those that refer to the
    `dimension`. `among` selects the targets: the right side of a comparison of their ids. The parameter `repository` is
    the primary key of the repository. `searched` are the dimensions that are searched, by default all.

    `each_of` is a table with the column `id`: each of its ids is looked up, in place of `among`. Otherwise PostgreSQL
    reads all references of a repository that it believes to be small, and compares each with every id.
    """
    return " UNION ALL ".join(
        _uses_by_leaf(other, place, number, among, each_of, is_own=other is dimension)
        for number, (other, place) in enumerate(_leaves(dimension))
        if searched is None or other in searched
    )


def reference_sql(dimension: Dimension, among: str) -> str:
    """Return the condition that any leaf of an element of `dimension` refers to an element of the same dimension that
    `among` selects, as in `uses_sql`.
    """
    leaves = (place.expression for other, place in _leaves(dimension) if other is dimension)
    return " OR ".join(f"{CompiledColumns(dimension.model, [leaf]).sql} {among}" for leaf in leaves)


def ranked_uses(uses: str) -> str:
    """Return the query of the first `listed` of the `uses` for each target: target, id, leaf, and number of all."""
    return (
        "SELECT target, user_id, leaf, number FROM (SELECT uses.*, count(*) OVER (PARTITION BY target) AS number, "
        "row_number() OVER (PARTITION BY target ORDER BY dimension, user_id, leaf) AS place "
        f"FROM ({uses}) AS uses) AS ranked WHERE place <= %(listed)s ORDER BY target, place"
    )


def _uses_by_leaf(other: Dimension, place: Place, number: int, among: str, each_of: str | None, *, is_own: bool) -> str:
    connection = connections[DEFAULT_DB_ALIAS]
    leaf = CompiledColumns(other.model, [place.expression]).sql
    table = connection.ops.quote_name(other.model._meta.db_table)
    # Not the leaf if it is known what it has: to read it, JSON has to be parsed.
    target = leaf if each_of is None else "wanted.id"
    condition = f"{table}.repository_id = %(repository)s AND {leaf} {among if each_of is None else f'= {target}'}"
    if is_own:
        condition += f" AND {target} <> {table}.element_id"
    uses = (
        f"SELECT {target} AS target, {table}.element_id AS user_id, {number_of(other)} AS dimension, {number} AS leaf "
        f"FROM {table} WHERE {condition}"
    )
    if each_of is None:
        return uses
    return f"SELECT found.* FROM {each_of} AS wanted CROSS JOIN LATERAL ({uses} OFFSET 0) AS found"


@cache
def _named_uses(dimension: Dimension, searched: tuple[Dimension, ...], vendor: str) -> str:
    among = "= ANY(%(ids)s::text[])" if vendor == "postgresql" else "IN (SELECT value FROM json_each(%(ids)s))"
    return uses_sql(dimension, among, searched)


def _array(ids: Iterable[str], connection: BaseDatabaseWrapper) -> Any:
    return [*ids] if connection.vendor == "postgresql" else json.dumps([*ids])


@cache
def _leaves(dimension: Dimension) -> list[tuple[Dimension, Place]]:
    """Return the leaves that refer to elements of `dimension`; a leaf's number is its position here."""
    return [(other, place) for other in dimensions() for place in _referring(other, dimension)]


def _referring(other: Dimension, dimension: Dimension) -> list[Place]:
    return [place for place in other.wire.references if place.leaf.refers_to == dimension.name]
