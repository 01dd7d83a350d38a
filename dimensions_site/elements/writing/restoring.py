"""Earlier versions of elements: restoring them (contract C18), and copying a state into a new repository."""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import Lead

from dimensions_site.changes.placing import Actor
from dimensions_site.changes.states import State, current_state
from dimensions_site.changes.versions import versions_at
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change, Element
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.differences import Difference, differences, field_differences
from dimensions_site.elements.writing.merging import put_field
from dimensions_site.elements.writing.saving import Provenance, follow_up
from dimensions_site.observability.observation import count_written
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class ShownVersion:
    """A row of the history, and what it changed in the version before; all its values if it changed none.

    `is_change` says whether it has one: the first version and one after a deletion have none, and of one that
    `is_cut_off` it was purged.
    """

    row: Any
    differences: Sequence[Difference]
    is_change: bool
    is_cut_off: bool


def deleted_elements(model: type[Element], repositories: Collection[int]) -> QuerySet[Any]:
    """Return the last deletion of each element that no longer exists, the latest first."""
    deletions = model.versions_within(repositories).filter(change=Change.DELETED)
    alive = model.of(OuterRef("repository")).filter(element_id=OuterRef("element_id"))
    # Not as a join: PostgreSQL could read all deletions for each where it takes the table for empty.
    later = Window(Lead("number"), partition_by=["repository", "element_id"], order_by="number")
    last: QuerySet[Any] = deletions.filter(~Exists(alive)).annotate(later=later).filter(later=None)
    return last


def compare_versions(
    dimension: Dimension, versions: QuerySet[Any], repositories: Mapping[int, Repository], count: int
) -> list[ShownVersion]:
    """Return the first `count` of the `versions` in their order, each compared with the one before it.

    They are of the `repositories`, which are by primary key. One query, and another for those before that are not
    among the `versions`.
    """
    wire, stored = dimension.wire, dimension.model.versions_within(repositories)
    of_the_element = {"repository": OuterRef("repository"), "element_id": OuterRef("element_id")}
    earlier = stored.filter(**of_the_element, number__lt=OuterRef("number")).order_by("-number")
    rows = list(versions.annotate(previous=Subquery(earlier.values("number")[:1])))
    known = {row.number: row for row in rows}
    needed = {row.previous for row in rows[:count] if row.change == Change.CHANGED and row.previous}
    known |= stored.in_bulk(needed - known.keys())
    languages = {key: repository.default_language for key, repository in repositories.items()}
    elements = {number: wire.json_of(row, languages[row.repository_id]) for number, row in known.items()}
    shown = []
    for row in rows[:count]:
        before = elements.get(row.previous) if row.change == Change.CHANGED else None
        is_cut_off = row.change == Change.CHANGED and before is None
        shown.append(ShownVersion(row, differences(wire, before, elements[row.number]), before is not None, is_cut_off))
    return shown


def restored_json(
    wire: Wire, stored: Mapping[str, Any], wanted: dict[str, Any], only: Container[str] | None
) -> dict[str, Any] | None:
    """Return the JSON of the `stored` element with the values that it had when it was `wanted`, or with `only` those at
    these paths; None if it has them already.
    """
    changed = list(field_differences(wire, stored, wanted))
    if only is not None:
        changed = [field for field in changed if str(field.spot) in only]
    if not changed:
        return None
    if only is None:
        return wanted
    restored = deepcopy(dict(stored))
    for field in changed:
        put_field(restored, field.spot, field.after)
    return restored


# How many elements one statement copies.
_BATCH = 1_000


def copy_elements(
    dimension: Dimension, source: Repository, target: Repository, actor: Actor, progress: Callable[[int, int], None]
) -> tuple[State, int]:
    """Copy the elements of `source` into the empty repository `target`, in the current transaction.

    Returns the state of `source` that was copied, and the number of elements. It is exactly that state, although others
    may write meanwhile, because versions are copied. `progress` receives the number of copied elements, and of all.
    """
    model = dimension.model
    state, _ = current_state(source.pk, dimension.name)
    versions = versions_at(model.versions_of(source), state)
    found = list(versions.order_by("element_id").values_list("number", "element_id"))
    provenance = Provenance(actor)
    for start in range(0, len(found), _BATCH):
        progress(start, len(found))
        part = found[start : start + _BATCH]
        chosen = model.versions_of(source).filter(number__in=[number for number, _ in part])
        _insert_copies(dimension, chosen, target, provenance)
        rows = with_ids(model, target, [id for _, id in part])
        follow_up(rows, target, Change.CREATED, actor)
    count_written(len(found))
    return state, len(found)


def _insert_copies(dimension: Dimension, versions: QuerySet[Any], target: Repository, provenance: Provenance) -> None:
    quote = connection.ops.quote_name
    fields = {field.attname: field for field in dimension.model._meta.concrete_fields}
    stamped = {name: fields[name].get_db_prep_save(value, connection) for name, value in provenance.columns.items()}
    copied = [name for name in fields if name not in {"id", "repository_id", *stamped}]
    chosen, parameters = versions.order_by("element_id").values(*copied).query.sql_with_params()
    names = ", ".join(map(quote, copied))
    marks = ", ".join(["%s"] * len(stamped))
    values: Sequence[Any] = [target.pk, *stamped.values(), *parameters]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(dimension.model._meta.db_table)} "
            f"(repository_id, {', '.join(map(quote, stamped))}, {names}) "
            f"SELECT %s, {marks}, {names} FROM ({chosen}) AS chosen",
            values,
        )
