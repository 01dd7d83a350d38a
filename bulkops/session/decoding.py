"""From one element as it was sent to what is written, beside what is stored; and its errors (contract E1, B1)."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.session.errors import Errors, failures_of
from bulkops.session.items import Item, Operation, clear, operation_at, value_in
from bulkops.session.patches import named_failures
from bulkops.session.writer import Entry
from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.elements import RawElement
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.json.texts import exact_json
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.decoding import RowDecoder, RowValues
from dimensions_site.text.formats import shortened

# Errors that the stored element may excuse: one from before the limit existed may stay as it is (contract C20).
_EXCUSABLE = frozenset({"TOO_LARGE", "INVALID_CHARACTER", "SAME_LANGUAGE"})
# An element that does not exist might have what is missing.
_MISSING = frozenset({"REQUIRED", "BLANK"})


@dataclass(slots=True)
class SentElement:
    """An element at a position, and its failures; `has_errors` if it is known to have others.

    Of a patch it is the changes, and `key` the id beside them, empty if that is wrong. Of an element with failures,
    `unique` has the valid ones of its unique values, by column.
    """

    operation: Operation
    position: int
    item: Item
    has_errors: bool
    key: str | None = None
    failures: list[Failure] = field(default_factory=list)
    unique: Mapping[str, str] = field(default_factory=dict)

    @property
    def pointer(self) -> str:
        return self.operation.pointer(self.position)

    @property
    def id(self) -> Any:
        """The id of the element, which may be anything; None if it cannot be read."""
        if self.key is not None:
            return self.key
        try:
            return _named.decode(self.item.text).id
        except (msgspec.MsgspecError, RecursionError):
            return None


class _Named(msgspec.Struct):
    id: Any = None


_named = msgspec.json.Decoder(_Named)


class EntryDecoder:
    """Makes entries for a writer of `decoder.columns` from the elements of the `operations`; adds the failures to
    `errors`.

    Elements that have errors already are checked, and give entries without values.
    """

    def __init__(
        self, dimension: Dimension, decoder: RowDecoder, operations: Sequence[Operation], errors: Errors
    ) -> None:
        self._model = dimension.model
        self._wire = dimension.wire
        self._decoder = decoder
        self._operations = operations
        self._errors = errors
        self._unique = {column: decoder.columns.index(column) for column in dimension.model.unique_in_repository}

    def complete(self, sent: SentElement, context: ElementContext, *, incomplete: MutableSequence[int]) -> Entry | None:
        """Return the entry of an element with all members; None for one that was added to `incomplete`: it depends on
        what is stored, or has errors.
        """
        values = self._decoder.fast_complete(bytes(sent.item.text), context)
        if values is None:
            incomplete.append(sent.position)
            return None
        return self._entry(sent, context, values)

    def whole(self, sent: SentElement, context: ElementContext, *, doubtful: list[int] | None = None) -> Entry | None:
        """Return the entry of an element that is created, or replaces the existing one of the `context`; None for one
        that cannot be read, and for one that was added to `doubtful`.
        """
        self._settle(sent, None)
        id = sent.id if sent.operation.must_exist else None
        if isinstance(id, str) and context.existing is None:
            message = _("'{id}' does not exist, so it cannot be updated.").format(id=shortened(id))
            sent.failures.append(self._not_found(sent, message, id))
        try:
            values = self._values(sent, sent.item.text, context, lambda raw: self._decoder.whole(raw, context))
        except JsonError as error:
            self.add(sent.position, named_failures(error.failures, sent.id), error.failure_count)
            return None
        if values is None and doubtful is not None and _EXCUSABLE & {failure.code for failure in sent.failures}:
            doubtful.append(sent.position)
            return None
        return self._entry(sent, context, values, must_be_new=sent.operation.name in ("post", "merge"))

    def merged(self, sent: SentElement, context: ElementContext) -> Entry | None:
        """Return the entry of the stored element of the `context` after the changes; a patch needs one."""
        id = sent.id
        if context.existing is None and id:
            message = f"The element '{shortened(id)}' does not exist, so it cannot be patched."
            sent.failures.append(self._not_found(sent, message, id))
        item, beneath = self._settle(sent, context.stored), context.stored or "{}"
        if item.cleared:
            element = msgspec.json.decode(beneath)
            for segments in item.cleared:
                clear(element, segments)
            beneath = msgspec.json.encode(element).decode()
        context = context._replace(id=None if context.existing is None else id)
        values: RowValues | None = None
        try:
            values = self._values(sent, item.text, context, lambda raw: self._decoder.changed(beneath, raw, context))
        except JsonError as error:
            self.add(sent.position, named_failures(error.failures, id), error.failure_count)
        sent.unique = {"element_id": id}
        return self._entry(sent, context, values)

    def _values(
        self,
        sent: SentElement,
        text: msgspec.Raw | bytes,
        context: ElementContext,
        decode: Callable[[RawElement], RowValues],
    ) -> RowValues | None:
        """Return what `decode` makes of the `text`; None if it has errors, which are added to what was `sent`.

        Raises `JsonError`.
        """
        pointer = sent.operation.pointer_of_data(sent.position)
        raw = RawElement(bytes(text), path=pointer, join=json_pointer)
        try:
            return decode(raw)
        except ValidationError as error:
            without = _MISSING if sent.failures and context.existing is None else ()
            failures = failures_of(error, raw.value, self._wire, pointer, sent.id, without)
            sent.failures += failures
            if isinstance(raw.value, dict):
                wrong = {failure.path for failure in failures}
                sent.unique = {
                    column: raw.value[name]
                    for column, name in self._model.unique_in_repository.items()
                    if isinstance(raw.value.get(name), str) and self.place(column, sent.position) not in wrong
                }
            return None

    def _settle(self, sent: SentElement, stored: str | None) -> Item:
        """Return the item without the members that may say what the JSON `stored` says already; add the failures of its
        other doubts.
        """
        item = sent.item
        if not item.doubts:
            return item
        current = None if stored is None else msgspec.json.decode(stored)
        stored_values = [value_in(current, doubt.segments) for doubt in item.doubts]
        settled = [
            doubt
            for doubt, value in zip(item.doubts, stored_values, strict=True)
            if value in doubt.readings or (doubt.gives_way and value is not None)
        ]
        for doubt in item.doubts:
            if doubt.failure is not None and doubt not in settled:
                path = reduce(json_pointer, doubt.segments, sent.pointer)
                sent.failures.append(replace(doubt.failure, path=path, id=shortened(str(sent.id))))
        if not settled:
            return item
        changes = read_json(bytes(item.text))
        for doubt in settled:
            clear(changes, doubt.segments)
        said = [doubt.segments for doubt in settled]
        return Item(exact_json(changes), [segments for segments in item.cleared if segments not in said])

    def _entry(
        self, sent: SentElement, context: ElementContext, values: RowValues | None, *, must_be_new: bool = False
    ) -> Entry:
        """Return the entry for the element that was `sent`."""
        position, own = sent.position, dict[str, Any]()
        unique = sent.unique if values is None else {name: values[at] for name, at in self._unique.items()}
        for column, value in unique.items():
            if not value or (context.existing is not None and column != "element_id"):
                continue  # other unique values stay as stored, and the writer knows what is stored
            first = self._errors.first_position(column, value, position)
            if first is None or first == position:
                own[column] = value
            elif not sent.has_errors:
                name = self._model.unique_in_repository[column]
                place = self.place(column, first)
                message = f"The {name} '{shortened(value)}' is at {place} already; it must appear only once."
                shown_id = shortened(unique.get("element_id") or "") or None
                sent.failures.append(Failure(self.place(column, position), "REPEATED", message, shown_id))
        if sent.failures or sent.has_errors:
            self.add(position, sent.failures)
            values = None
        is_new = must_be_new and (values is not None or sent.operation.name == "post")
        return Entry(position, is_new, own.pop("element_id", ""), values, own)

    def place_of(self, id: str) -> str | None:
        """Return the JSON Pointer of the `id` in what was read so far; None if it is not there."""
        position = self._errors.first_position("element_id", id)
        return None if position is None else self.place("element_id", position)

    def _not_found(self, sent: SentElement, message: str, id: str) -> Failure:
        return Failure(self.place("element_id", sent.position), "ELEMENT_NOT_FOUND", message, shortened(id))

    def place(self, column: str, position: int) -> str:
        operation = operation_at(self._operations, position)
        is_key = column == "element_id" and operation.name == "patch"
        return f"{operation.pointer(position)}/{'key/id' if is_key else self._model.unique_in_repository[column]}"

    def add(self, position: int, failures: Sequence[Failure], count: int | None = None) -> None:
        self._errors.add(position, [self._errors.placed(failure) for failure in failures], count)
