"""Creating, replacing and modifying single elements, safe in races (contract C13 to C15)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure, Problem, bad_request
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.answers import Answer, Stored, answer_of
from dimensions_site.elements.decoding import Row, RowDecoder, decoder_for
from dimensions_site.elements.models import Element
from dimensions_site.elements.saving import already_there, change, insert
from dimensions_site.elements.sent import Sent, as_sent
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# How often a replacement is tried when other callers insert and delete the same id at the same moment.
_ATTEMPTS = 3


@dataclass(frozen=True)
class Saved:
    """An element after a write: its id, its JSON text, and whether it was inserted."""

    id: str
    text: str
    is_new: bool


@dataclass(frozen=True)
class Editor:
    """Edits the elements of one dimension (`model`, `wire`) in one repository, in the name of `actor`.

    `allow` is called with the JSON of the element, None where there is none, while it is locked and before anything is
    written; what it raises refuses the write. Called inside a transaction, a write is part of it.

    The data that the methods take is the wire's JSON, `Sent` or as Python has it. What the fast decoder does not take,
    all that is wrong included, is for the serializer (record 0011).
    """

    model: type[Element]
    wire: Wire
    repository: Repository
    actor: Actor
    allow: Callable[[str | None], None]

    def create(self, data: Any) -> Saved:
        """Create an element.

        Raises `ValidationError` for a fault in it, and `Problem` 400 ALREADY_EXISTS when an element has the id
        or another unique value already (contract C13).
        """
        element = self._new(self._whole(as_sent(data)))
        try:
            with transaction.atomic():
                return self._inserted(element)
        except IntegrityError:
            raise _taken(element) from None

    def replace(self, id: str, data: Any) -> Saved:
        """Replace the element `id`, or insert it (contract C14). Raises as `create` does."""
        sent = as_sent(data)
        for _attempt in range(_ATTEMPTS):
            try:
                with transaction.atomic():
                    return self._replaced(id, sent)
            except IntegrityError:
                continue  # inserted by somebody else in between: then it is there to be replaced
        raise _taken(self._new(self._whole(sent, None, id)))

    def modify(self, id: str, data: Any) -> Saved | None:
        """Change the members of the element `id` that `data` has; None when there is no such element (contract C15).

        Raises `ValidationError` when the result would not be valid as a whole, and for an unknown element when
        `data` could not be valid for any (contract A6).
        """
        sent = as_sent(data)
        with transaction.atomic():
            stored = self._locked(id)
            if stored is None:
                self._decoder.check_patch(sent.value, id)
                return None
            row = self._decoder.fast_patch(stored.text, sent.text, stored.element)
            if row is None:
                row = self._decoder.exact_patch(msgspec.json.decode(stored.text), sent.value, stored.element)
            return self._changed(stored, row)

    @property
    def _decoder(self) -> RowDecoder:
        return decoder_for(self.wire, self.repository)

    @property
    def _answer(self) -> Answer:
        return answer_of(self.model, self.wire, self.repository.default_language)

    def _locked(self, id: str) -> Stored | None:
        if "\0" in id:  # no element has it, and PostgreSQL fails on it
            return None
        return self._answer.lock(self.repository, id)

    def _whole(self, sent: Sent, existing: Element | None = None, id: str | None = None) -> Row:
        row = self._decoder.fast(sent.text, existing, id)
        return self._decoder.exact(sent.value, existing, id) if row is None else row

    def _replaced(self, id: str, sent: Sent) -> Saved:
        stored = self._locked(id)
        row = self._whole(sent, None if stored is None else stored.element, id)
        if stored is not None:
            return self._changed(stored, row)
        self.allow(None)
        return self._inserted(self._new(row))

    def _new(self, row: Row) -> Element:
        return self.model(repository=self.repository, **self._decoder.values(row))

    def _inserted(self, element: Element) -> Saved:
        return Saved(element.element_id, insert(element, self.actor, self._answer), is_new=True)

    def _changed(self, stored: Stored, row: Row) -> Saved:
        self.allow(stored.text)
        element, text = stored.element, stored.text
        before = self._decoder.fast(text.encode(), element)
        if before is None:
            before = self._decoder.row_of(self.model._base_manager.get(pk=element.pk))
        changes = self._decoder.changes(before, row)
        if changes:
            text = change(element, changes, self.actor, self._answer)
        return Saved(element.element_id, text, is_new=False)


def _taken(element: Element) -> Problem:
    """The refusal of an element one of whose unique values another one has, or had a moment ago (contract C13)."""
    changing = Failure("id", "CONFLICT", _("Other callers create and delete this element at this moment; try again."))
    return bad_request(already_there(element) or [changing])
