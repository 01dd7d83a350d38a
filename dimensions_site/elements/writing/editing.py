"""Creating, replacing and modifying single elements, without races (contract C13 to C15)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError
from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.api.errors import Failure, Problem, bad_request, flatten
from dimensions_site.api.json.elements import RawElement, as_raw
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.declaration.members import join_details
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import ElementRenderer, Stored, full_renderer
from dimensions_site.elements.writing.decoding import RowDecoder, RowValues, decoder_of
from dimensions_site.elements.writing.locking import writing_one_in_turn
from dimensions_site.elements.writing.saving import already_there, change, insert
from dimensions_site.repositories.models import Repository

# How often a replacement is tried while other clients insert and delete the same id.
_ATTEMPTS = 3


@dataclass(frozen=True)
class Saved:
    """An element after a write: its id, its JSON text, and whether it was inserted."""

    id: str
    text: str
    is_new: bool


@dataclass(frozen=True)
class Editor:
    """Edits the elements of one dimension in one repository, on behalf of `actor`.

    `allow` is called with the JSON of the element, or None without one, while the element is locked and before anything
    is written; an exception from it stops the write. Inside a transaction, a write is part of that transaction.

    The methods take wire JSON, as `RawElement` or as Python values. What the fast decoder leaves, including all errors,
    goes to the serializer (design/writing.md).
    """

    dimension: Dimension
    repository: Repository
    actor: Actor
    allow: Callable[[str | None], None]

    def create(self, data: Any) -> Saved:
        """Create an element.

        Raises `ValidationError` for an invalid one, and `Problem` 400 ALREADY_EXISTS if another element has its id or
        another unique value (contract C13); the former has both (B1).
        """
        row = self._new(as_raw(data), self._context())
        try:
            with writing_one_in_turn(self.repository):
                return self._inserted(row)
        except IntegrityError:
            raise self._taken(row) from None

    def replace(self, id: str, data: Any) -> Saved:
        """Replace the element `id`, or insert it (contract C14). Raises as `create` does."""
        sent = as_raw(data)
        for _attempt in range(_ATTEMPTS):
            try:
                with writing_one_in_turn(self.repository):
                    return self._replaced(id, sent)
            except IntegrityError:
                continue  # another client has just inserted it, so now it can be replaced
        raise self._taken(self._decoder.whole(sent, self._context(None, id)))

    def modify(self, id: str, data: Any) -> Saved | None:
        """Change the members of the element `id` that `data` has (contract C15); return None if there is no element.

        Raises `ValidationError` if the result would be invalid as a whole, and for an unknown element if `data` is
        invalid for any element (contract A6).
        """
        sent = as_raw(data)
        with writing_one_in_turn(self.repository):
            stored = self._renderer.lock(self.repository, id)
            context = self._context(stored, id)
            if stored is None:
                self._decoder.declaration.check_patch(sent.value, context, removes=sent.removes)
                return None
            return self._changed(stored, self._decoder.changed(stored.text, sent, context))

    @property
    def _decoder(self) -> RowDecoder:
        return decoder_of(self.dimension.wire)

    @property
    def _renderer(self) -> ElementRenderer:
        return full_renderer(self.dimension, self.repository.default_language)

    def _context(self, stored: Stored | None = None, id: str | None = None) -> ElementContext:
        existing, text = (None, None) if stored is None else (stored.element, stored.text)
        return ElementContext(self.repository.default_language, existing, id, text)

    def _replaced(self, id: str, sent: RawElement) -> Saved:
        stored = self._renderer.lock(self.repository, id)
        if stored is not None:
            return self._changed(stored, self._decoder.whole(sent, self._context(stored, id)))
        row = self._new(sent, self._context(None, id))
        self.allow(None)
        return self._inserted(row)

    def _new(self, sent: RawElement, context: ElementContext) -> RowValues:
        """Return the row of an element that is not stored. Raises `ValidationError`, also with which of its unique
        values another element has.
        """
        try:
            return self._decoder.whole(sent, context)
        except ValidationError as error:
            wrong = {failure.path for failure in flatten(error.detail)}  # "" is the body as a whole
            model = self.dimension.model
            values = {
                column: sent.value.get(name)
                for column, name in model.unique_in_repository.items()
                if not wrong & {"", name} and (context.id is None or column != "element_id")
            }
            taken = already_there(model, self.repository, values)
            details = {failure.path: [ErrorDetail(failure.message, failure.code)] for failure in taken}
            raise ValidationError(join_details(details, error.detail)) from None

    def _values(self, row: RowValues) -> dict[str, Any]:
        return dict(zip(self._decoder.columns, row, strict=True))

    def _inserted(self, row: RowValues) -> Saved:
        values = self._values(row)
        text = insert(self._renderer, self.repository, values, self.actor)
        return Saved(values["element_id"], text, is_new=True)

    def _changed(self, stored: Stored, row: RowValues) -> Saved:
        self.allow(stored.text)
        element, text = stored.element, stored.text
        before = self._decoder.fast_stored(text, self._context(stored))
        if before is None:
            before = self._decoder.row_of(self.dimension.model.of(self.repository).get(pk=element.pk))
        changes = self._decoder.changes(before, row)
        if changes:
            text = change(element, changes, self.actor, self._renderer)
        return Saved(element.element_id, text, is_new=False)

    def _taken(self, row: RowValues) -> Problem:
        """Return the error for unique values that another element has, or had a moment ago (contract C13)."""
        changing = Failure("id", "CONFLICT", _("Other clients are creating and deleting this element; try again."))
        return bad_request(already_there(self.dimension.model, self.repository, self._values(row)) or [changing])
