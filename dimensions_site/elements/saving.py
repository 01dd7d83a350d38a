"""The one way in which elements are written and deleted, whoever does it: REST, bulk, admin, import or worker.

A write is one transaction: the rows, who wrote them (contract C12), their history (C18) and what is generated
from them (C17). An element that a write would leave as it is, is not written.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.elements import history
from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.models import Element
from dimensions_site.repositories.write_counts import count_write, has_replica
from dimensions_site.telemetry.observation import count_written

E = TypeVar("E", bound=Element)

_ROWS_A_STATEMENT = 500


@transaction.atomic(savepoint=False)
def save(created: Sequence[E], changed: Sequence[E], actor: Actor) -> None:
    """Insert the `created` elements and update the `changed` ones, which have a primary key, of one dimension.

    Raises `IntegrityError` when another element has the id (or another unique value) of a created one. A caller
    whose transaction goes on after that has to call inside a savepoint.
    """
    stamp = Stamp(actor)
    for element in (*created, *changed):
        for column, value in stamp.columns.items():
            setattr(element, column, value)
    for part in _parts(created):
        type(part[0])._base_manager.bulk_create(part)
        follow_up(_stored(part), history.CREATED, stamp)
    for part in _parts(changed):
        _update(part)
        follow_up(_stored(part), history.CHANGED, stamp)
    for repository in {element.repository_id for element in (*created, *changed)}:
        count_write(repository)
    count_written(len(created) + len(changed))


def follow_up(rows: QuerySet[Any], kind: str, stamp: Stamp) -> None:
    """Do what follows from writing the elements `rows`: their history (C18) and what is generated from them (C17).

    `kind` is `history.CREATED` or `history.CHANGED`; called in the transaction of the write.
    """
    history.record(rows, kind, stamp)
    rows.model.after_save(rows)


@transaction.atomic(savepoint=False)
def delete(rows: QuerySet[Any], stamp: Stamp) -> int:
    """Delete the elements `rows` and what was generated from them; return their number. The history keeps them (C18).

    `rows` has to select the same elements each time that it is asked, so the caller has locked them.
    """
    history.record(rows, history.DELETED, stamp)
    for repository in rows.order_by().values_list("repository", flat=True).distinct() if has_replica() else ():
        count_write(repository)
    rows.model.before_delete(rows)
    # Django's own way would load every element, and send signals for each.
    deleted: int = rows.order_by()._raw_delete(rows.db)
    count_written(deleted)
    return deleted


def _parts(elements: Sequence[E]) -> Iterator[Sequence[E]]:
    for start in range(0, len(elements), _ROWS_A_STATEMENT):
        yield elements[start : start + _ROWS_A_STATEMENT]


def _stored(elements: Sequence[Element]) -> QuerySet[Any]:
    model: type[Any] = type(elements[0])
    stored: QuerySet[Any] = model._base_manager.filter(pk__in=[element.pk for element in elements])
    return stored


def _update(elements: Sequence[Element]) -> None:
    """Write all columns of existing rows with one upsert: a CASE for each column and row costs far more."""
    model: type[Any] = type(elements[0])
    columns = [column.name for column in model._meta.concrete_fields if not column.primary_key]
    model._base_manager.bulk_create(elements, update_conflicts=True, unique_fields=["pk"], update_fields=columns)


def assign(element: Element, values: Mapping[str, Any]) -> bool:
    """Set the columns in `values`; tell whether that changes anything."""
    different = {column: value for column, value in values.items() if getattr(element, column) != value}
    for column, value in different.items():
        setattr(element, column, value)
    return bool(different)


def already_there(element: Element) -> list[Failure]:
    """Which unique values of the unsaved `element` another element of its repository has (contract C1, C2, C13)."""
    others = type(element)._base_manager.filter(repository=element.repository).exclude(pk=element.pk)
    return [
        Failure(name, "ALREADY_EXISTS", already_there_message(name, value))
        for column, name in element.unique_in_repository.items()
        if others.filter(**{column: (value := getattr(element, column))}).exists()
    ]


def already_there_message(name: str, value: object) -> str:
    """The sentence about an element whose unique field `name` has a `value` that another one has already."""
    return _("There is already an element with the {name} '{value}'.").format(name=name, value=value)
