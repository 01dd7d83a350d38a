"""The one way in which elements are written, whoever writes them: REST, admin or import.

A write is one transaction: the rows, who wrote them (contract C12), their history (C18) and what is generated
from them (C17). An element that a write would leave as it is, is not written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction

from dimensions_site.api.errors import Failure
from dimensions_site.elements import history
from dimensions_site.elements.models import Element, Origin

E = TypeVar("E", bound=Element)

_ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class Actor:
    """Who writes, and from where; without a user it is the system's own command line."""

    user: User | None
    origin: Origin

    @property
    def user_key(self) -> int | None:
        return None if self.user is None else self.user.pk

    @property
    def name(self) -> str:
        return self.user.get_username() if self.user is not None else "system"


@transaction.atomic(savepoint=False)
def save(created: Sequence[E], changed: Sequence[E], actor: Actor) -> None:
    """Insert the `created` elements and update the `changed` ones, which have a primary key, of one dimension.

    Raises `IntegrityError` when another element has the id (or another unique value) of a created one. A caller
    whose transaction goes on after that has to call inside a savepoint.
    """
    now = datetime.now(UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)  # the wire tells milliseconds
    for element in (*created, *changed):
        element.update_user = actor.name
        element.update_date = now
        element.update_origin = actor.origin
    for elements, kind in ((created, history.CREATED), (changed, history.CHANGED)):
        if not elements:
            continue
        model = type(elements[0])
        if kind == history.CREATED:
            model._base_manager.bulk_create(elements, batch_size=_ROWS_A_STATEMENT)
        else:
            _update(model, elements)
        keys = [element.pk for element in elements]
        history.record(model, keys, kind, user_key=actor.user_key, actor=actor.name, origin=actor.origin, at=now)
        model.after_save(keys)


def _update(model: type[E], elements: Sequence[E]) -> None:
    """Write all columns of existing rows with one upsert: a CASE for each column and row costs far more."""
    columns = [column.name for column in model._meta.concrete_fields if not column.primary_key]
    model._base_manager.bulk_create(
        elements, batch_size=_ROWS_A_STATEMENT, update_conflicts=True, unique_fields=["pk"], update_fields=columns
    )


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
        Failure(name, "ALREADY_EXISTS", f"There is already an element with the {name} '{value}'.")
        for column, name in element.unique_in_repository.items()
        if others.filter(**{column: (value := getattr(element, column))}).exists()
    ]
