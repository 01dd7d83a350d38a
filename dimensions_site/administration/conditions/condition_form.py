"""The form of one condition: an operation that fits the field, and its values by label."""

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from dimensions_site.administration.conditions.filtering import Rest, chips_of
from dimensions_site.administration.conditions.operations import (
    CONDITION_OPERATIONS,
    FilterCondition,
    Takes,
    offered_operations,
)
from dimensions_site.administration.inputs.controls import as_meant
from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.labels import AmbiguousText, labels_in_messages
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.parser import MAX_VALUES, can_select, parse, write
from dimensions_site.text.formats import shortened


class ConditionForm:
    """The form for a condition on `named`; `condition` is what it changes, if anything.

    `errors` are the messages by the name of the control.
    """

    # How many characters one value may have, and several together.
    max_length, max_text = 1_000, 4_096

    def __init__(
        self,
        named: NamedField,
        fields: ElementFields,
        known_keys: Sequence[str],
        *,
        condition: FilterCondition | None = None,
        picker: str | None = None,
    ) -> None:
        self.named = named
        # Of the field itself, or the map that has the entry.
        self.leaf: Any = named.place.leaf
        self.known_keys = known_keys
        self.picker = picker
        self.errors: dict[str, str] = {}
        self._fields = fields
        self.operations = offered_operations(fields.resolve(named.path), is_entry=named.is_entry)
        if self.leaf.refers_to is not None:
            self.operations.sort(key=lambda operation: operation.name != "is")
        if condition is not None and condition.operation not in self.operations:
            self.operations.append(condition.operation)
        self.operation = self.operations[0] if condition is None else condition.operation
        self.values: Sequence[str] = () if condition is None else condition.values
        # What is shown means the same again, even if it could mean something else, too.
        values = self.values if named.kind is ValueKind.DECIMAL else ()
        self._shown = {self.leaf.in_words(self.leaf.from_cell(value)): value for value in values}
        self.values = list(self._shown) or self.values
        self.key = ""

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The values to choose from; none for a field that takes others."""
        return [] if self.leaf.is_open else list(self.leaf.labelled)

    @property
    def input_type(self) -> str:
        """The type of the controls for one value: a browser's control for dates shows them as people write them."""
        return "date" if self.leaf.has_day and all(len(value) in (0, 10) for value in self.values) else "text"

    @property
    def takes_key(self) -> bool:
        """Whether the field is a map, of which one entry may be named."""
        return self.named.place.is_map and not self.named.is_entry

    @cached_property
    def typed(self) -> dict[str, str]:
        first, last = (self.values[0], self.values[-1]) if self.values else ("", "")
        return {"value": first, "low": first, "high": last, "lines": "\n".join(self.values)}

    def read(self, data: QueryDict) -> FilterCondition | None:
        """Return the condition that was chosen and typed; None if anything is wrong, which `errors` says."""
        chosen = CONDITION_OPERATIONS.get(data.get("operation", ""))
        self.operation = chosen if chosen in self.operations and chosen is not None else self.operations[0]
        self.key = data.get("key", "").strip()
        self.values = self._values(data)
        named = self._named()
        if named is None:
            return None
        if any(len(value) > self.max_length for value in self.values):
            self.errors["value"] = _("A value may have %(maximum)d characters.") % {"maximum": self.max_length}
        elif len(self.values) > MAX_VALUES:
            self.errors["value"] = _("A condition may have %(maximum)d values.") % {"maximum": MAX_VALUES}
        elif not all(self.values) or not (self.values or self.operation.takes is Takes.NOTHING):
            self.errors["value"] = _("Enter a value.") if not self.choices else _("Choose a value.")
        values = self._meant()
        return None if self.errors else self._checked(named, values)

    def _meant(self) -> tuple[str, ...]:
        """Return the values as the filter writes them, from what people type in the language of the page."""
        if self.named.is_entry or not self.leaf.is_local:
            return tuple(self.values)
        try:
            meant = [self._shown.get(value) or self.leaf.from_words(value) for value in self.values]
        except AmbiguousText as error:
            self.errors["value"] = str(error)
            return ()
        return tuple(json_text(value) if isinstance(value, bool) else str(value) for value in meant)

    def _named(self) -> NamedField | None:
        if not self.takes_key or not self.key:
            return self.named
        place = self.named.place
        found = self._fields.wire.named(f"{place.path}.{self.key}")
        if found is None or found.place != place:
            expected = getattr(place.leaf, "key_expected", "")
            message = _("'%(key)s' is not %(expected)s.")
            self.errors["key"] = message % {"key": shortened(self.key), "expected": expected}
            return None
        if not can_select(found.path):
            message = _("A filter cannot name '%(key)s', because it has blanks or signs in it.")
            self.errors["key"] = message % {"key": shortened(self.key)}
            return None
        return found

    def _values(self, data: QueryDict) -> tuple[str, ...]:
        match self.operation.takes:
            case Takes.NOTHING:
                return ()
            case Takes.RANGE:
                return (_one(data, "low"), _one(data, "high"))
            case Takes.SEVERAL if self.choices:
                return tuple(data.getlist("values"))
            case Takes.SEVERAL:
                lines = as_meant(data.get("lines", ""))[: self.max_text + 1].split("\n")
                return tuple(dict.fromkeys(filter(None, (line.strip() for line in lines))))
        return (_one(data, "value"),)

    def _checked(self, named: NamedField, values: tuple[str, ...]) -> FilterCondition | None:
        """Return the condition, unless the filter language refuses it."""
        condition = FilterCondition(named, self.operation, values)
        try:
            compile_filter(parse(write(condition.node)), self._fields)
        except ValueError as error:
            self.errors["value"] = self._refusal(error)
            return None
        return condition

    def _refusal(self, error: ValueError) -> str:
        """Return why the values are refused, in the language of the page where the field knows what it expects."""
        if isinstance(error, RsqlError) and error.code != "INVALID_VALUE":
            return error.message
        message = _("%(name)s must be %(expected)s.")
        with labels_in_messages():
            return message % {"name": self.named.short_heading, "expected": self.leaf.expected}


def condition_at(text: str, at: str, fields: ElementFields) -> FilterCondition | None:
    """Return the condition at `at`, such as 2.0 for the first part of the third chip, of the filter `text`."""
    number, _dot, position = at.partition(".")
    try:
        chips = chips_of(parse(text), fields.wire)
        part = chips[int(number)].parts[int(position)]
    except (ValueError, IndexError):
        return None
    return None if isinstance(part, Rest) else part


def _one(data: QueryDict, name: str) -> str:
    return as_meant(data.get(name, "")).strip()
