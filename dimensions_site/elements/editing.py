"""Creating, replacing and modifying single elements, safe in races (contract C13 to C15)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure, Problem, bad_request
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.models import Element
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.elements.saving import already_there, assign, save
from dimensions_site.elements.serializers import ElementSerializer
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# How often a replacement is tried when other callers insert and delete the same id at the same moment.
_ATTEMPTS = 3


@dataclass(frozen=True)
class Editor:
    """Edits the elements of one dimension (`model`, `wire`) in one repository, in the name of `actor`.

    `allow` is called with the JSON of the element, None where there is none, while it is locked and before anything is
    written; what it raises refuses the write. Called inside a transaction, a write is part of it.
    """

    model: type[Element]
    wire: Wire
    repository: Repository
    actor: Actor
    allow: Callable[[str | None], None]

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
        existing, text = self._locked(id)
        values = self._declaration(id=id, existing=existing).run_validation(data)
        self.allow(text)
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
            existing, text = self._locked(id)
            declaration = self._declaration(id=id, existing=existing)
            if existing is None or text is None:
                declaration.check_patch(patch)
                return False
            values = declaration.validate_patch(orjson.loads(text), patch)
            self.allow(text)
            if assign(existing, values):
                save([], [existing], self.actor)
        return True

    def _declaration(self, **context: Any) -> ElementSerializer:
        return self.wire.serializer(context={"repository": self.repository, **context})

    def _new(self, values: Mapping[str, Any]) -> Element:
        return self.model(repository=self.repository, **values)

    def _locked(self, id: str) -> tuple[Any, str | None]:
        if "\0" in id:  # no element has it, and PostgreSQL fails on it
            return None, None
        renderer = full_renderer(self.wire, self.repository.default_language)
        return renderer.locked(self.model, self.repository, id) or (None, None)


def _taken(element: Element) -> Problem:
    """The refusal of an element one of whose unique values another one has, or had a moment ago (contract C13)."""
    changing = Failure("id", "CONFLICT", _("Other callers create and delete this element at this moment; try again."))
    return bad_request(already_there(element) or [changing])
