"""Earlier versions of elements, and restoring them (contract C18)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure, Problem, flatten
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.differences import Difference, differences
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.elements.writing.history import CHANGED, DELETED
from dimensions_site.repositories.models import Repository


class NotRestored(Exception):
    """The old values can no longer be saved; `failures` say why."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__(" ".join(failure.message for failure in failures))
        self.failures = failures


@dataclass(frozen=True)
class Version:
    """A row of the history, and its differences from the version before; all its values if there is none.

    `is_change` says whether there is one: the first version and one after a deletion have none, and
    `clean_old_history` deletes old ones.
    """

    row: Any
    differences: Sequence[Difference]
    is_change: bool

    @property
    def is_cut_off(self) -> bool:
        """Return whether the version that it changed was purged."""
        return self.row.history_type == CHANGED and not self.is_change


def wire_json(wire: Wire, version: Any, repository: Repository) -> dict[str, Any]:
    """Return the wire JSON of a row of the history, whose columns are those of the element."""
    shown: dict[str, Any] = wire.serializer(context={"repository": repository}).to_representation(version)
    return shown


def versions_of(model: type[Element], repository: Repository, element_id: str, key: int | None) -> QuerySet[Any]:
    """Return the versions of the row with the primary `key` and of deleted ones with its id, the latest first.

    Restoring a deleted element makes a new row; to people it is the same element.
    """
    history: QuerySet[Any] = model.history.all()
    earlier = deletions(model).filter(repository=repository, element_id=element_id).order_by()
    return history.filter(id__in={key, *earlier.values_list("id", flat=True)} - {None}).order_by("-history_id")


def deletions(model: type[Element]) -> QuerySet[Any]:
    """Return the rows of the history that record a deletion."""
    deleted: QuerySet[Any] = model.history.filter(history_type=DELETED)
    return deleted


def deleted_elements(model: type[Element], repositories: Collection[int]) -> QuerySet[Any]:
    """Return the last deletion of each element that no longer exists, the latest first."""
    of_the_element = {"repository": OuterRef("repository"), "element_id": OuterRef("element_id")}
    alive = model.of(OuterRef("repository")).filter(element_id=OuterRef("element_id"))
    later = deletions(model).filter(**of_the_element, history_id__gt=OuterRef("history_id"))
    last = deletions(model).filter(~Exists(alive), ~Exists(later), repository__in=repositories)
    return last.order_by("-history_id")


def compared(wire: Wire, rows: Sequence[Any], repository: Repository, count: int) -> Iterator[Version]:
    """Return the first `count` of the `rows`, which are consecutive versions of one element, the latest first.

    One more row, if there is one, shows what the last of them changed.
    """
    texts = [wire_json(wire, row, repository) for row in rows]
    for row, after, before in zip(rows[:count], texts, [*texts[1:], None], strict=False):
        earlier = before if row.history_type == CHANGED else None
        yield Version(row, differences(wire, earlier, after), earlier is not None)


def restore(editor: Editor, version: Any, *, is_deleted: bool) -> bool:
    """Save the values of the old `version` as a new version; return False if the element already has them.

    If it `is_deleted`, the element is created again. Raises `NotRestored` if the values are rejected, as when another
    element has taken the id.
    """
    model, wire = editor.dimension.model, editor.dimension.wire
    wanted = wire_json(wire, version, editor.repository)
    try:
        if is_deleted:
            editor.create(wanted)
            return True
        current = model.of(editor.repository).filter(element_id=version.element_id).first()
        if current is not None and not differences(wire, wire_json(wire, current, editor.repository), wanted):
            return False
        editor.replace(version.element_id, wanted)
    except ValidationError as error:
        raise NotRestored(flatten(error.detail)) from error
    except Problem as problem:
        raise NotRestored(problem.failures or [Failure("", problem.code, str(problem.detail))]) from problem
    return True
