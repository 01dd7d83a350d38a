"""Creating, replacing and modifying single elements, safe in races (contract C13 to C15)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure, Problem, bad_request
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.models import Element
from dimensions_site.elements.saving import already_there, assign, save
from dimensions_site.elements.serializers import ElementSerializer
from dimensions_site.repositories.models import Repository

# How often a replacement is tried when other callers insert and delete the same id at the same moment.
_ATTEMPTS = 3


@dataclass(frozen=True)
class Editor:
    """Edits the elements of one dimension (`model`, `serializer`) in one repository, in the name of `actor`.

    `allow` is called with the id while the element is locked and before anything is written; what it raises
    refuses the write. Called inside a transaction, a write is part of it.
    """

    model: type[Element]
    serializer: type[ElementSerializer]
    repository: Repository
    actor: Actor
    allow: Callable[[str], None]

    def create(self, data: Any) -> str:
        """Create an element from its wire JSON and return its id.

        Raises `ValidationError` for a fault in it, and `Problem` 400 ALREADY_EXISTS when an element has the id
        or another unique value already (contract C13).
        """
        element = self._new(self._declaration().run_validation(data))
        try:
            with transaction.atomic():
                save([element], [], self.actor)
        except IntegrityError:
            raise _taken(element) from None
        return element.element_id

    def replace(self, id: str, data: Any) -> bool:
        """Replace the element `id` by the wire JSON, or insert it; tells whether it was inserted (contract C14).

        Raises as `create` does.
        """
        for _attempt in range(_ATTEMPTS):
            try:
                with transaction.atomic():
                    return self._replace(id, data)
            except IntegrityError:
                continue  # inserted by somebody else in between: then it is there to be replaced
        raise _taken(self._new(self._declaration(id=id).run_validation(data)))

    def _replace(self, id: str, data: Any) -> bool:
        existing = self._locked(id)
        values = self._declaration(id=id, existing=existing).run_validation(data)
        self.allow(id)
        if existing is None:
            save([self._new(values)], [], self.actor)
        elif assign(existing, values):
            save([], [existing], self.actor)
        return existing is None

    def modify(self, id: str, patch: Any) -> bool:
        """Change the members of the element `id` that `patch` has; False when there is no such element (contract C15).

        Raises `ValidationError` when the result would not be valid as a whole, and for an unknown element when
        the patch could not be valid for any (contract A6).
        """
        with transaction.atomic(savepoint=False):
            existing = self._locked(id)
            declaration = self._declaration(id=id, existing=existing)
            if existing is None:
                declaration.check_patch(patch)
                return False
            values = declaration.validate_patch(declaration.to_representation(existing), patch)
            self.allow(id)
            if assign(existing, values):
                save([], [existing], self.actor)
        return True

    def _declaration(self, **context: Any) -> ElementSerializer:
        return self.serializer(context={"repository": self.repository, **context})

    def _new(self, values: Mapping[str, Any]) -> Element:
        return self.model(repository=self.repository, **values)

    def _locked(self, id: str) -> Any:
        if "\0" in id:  # no element has it, and PostgreSQL fails on it
            return None
        elements = self.model._base_manager.filter(repository=self.repository, element_id=id)
        return elements.select_for_update().first()


def _taken(element: Element) -> Problem:
    """The refusal of an element one of whose unique values another one has, or had a moment ago (contract C13)."""
    changing = Failure("id", "CONFLICT", _("Other callers create and delete this element at this moment; try again."))
    return bad_request(already_there(element) or [changing])
