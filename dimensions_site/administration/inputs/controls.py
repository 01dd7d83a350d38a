"""The controls of the form: how they show a leaf's value, and how they read what was typed.

A control that comes back unchanged keeps the stored value exactly, even what HTML cannot express: the difference
between null and an empty text, or the kind of line breaks (contract C19).
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import QueryDict
from django.utils.formats import get_format
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.labels import AmbiguousText, labels_in_messages
from dimensions_site.elements.declaration.texts import CODE_LENGTH
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import dimension_named


def as_submitted(text: str) -> str:
    """Return `text` as a browser sends it from an unchanged control: lines end with CR LF."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


def as_meant(sent: str) -> str:
    """Return the text that was typed, from what a browser sent."""
    return sent.replace("\r\n", "\n")


class Control:
    """One field of the form, named by its wire path; `stored` is its JSON value, `typed` its current text."""

    # The whole field, with its label and its help.
    field_template = "admin/elements/field.html"
    template: ClassVar[str]
    fixed_template: ClassVar[str] = "admin/elements/fixed.html"
    # It consists of several controls.
    is_group: ClassVar[bool] = False
    # It is shown, and cannot be changed.
    is_fixed = False
    # The control whose value suggests this one, and what it suggests, as JSON.
    suggested: Mapping[str, str] | None = None
    # What to do with the field of many elements, in the form that changes them.
    choice: Any = None

    def __init__(self, place: Place, stored: Any) -> None:
        self.place = place
        self.name = place.path
        # What people call the field within its group; an id stands for what it names.
        self.label = place.label
        self.leaf: Any = place.leaf
        self.stored = stored
        self.typed = self.text_of(stored)
        self.errors: list[str] = []

    @property
    def is_required(self) -> bool:
        return bool(self.leaf.required) or self.choice is not None

    @cached_property
    def help(self) -> str:
        """What the field means."""
        return str(self.leaf.help_text or "")

    @property
    def is_filled(self) -> bool:
        """Whether the field says something that an empty one does not."""
        return self.typed not in ("", "" if self.leaf.required else self.text_of(self.leaf.default))

    @property
    def error_count(self) -> int:
        return len(self.errors)

    def anchor(self, key: str | None = None) -> str:
        """Return the id on the page of the control, or of the row for the entry `key` of a map."""
        return f"id_{self.name}"

    @property
    def linked_errors(self) -> list[tuple[str, str, str]]:
        """Return for each error the id on the page where it is corrected, the name of that field, and the error."""
        return [(self.anchor(), self.place.heading, error) for error in self.errors]

    def text_of(self, value: Any) -> str:
        """Return the text that shows the JSON `value`; an empty one for null."""
        if value is None:
            return ""
        return value if isinstance(value, str) else json_text(value)

    @property
    def shown(self) -> str:
        """The stored value for people who cannot change it."""
        return self.text_of(self.stored)

    def read(self, data: QueryDict) -> Any:
        """Return the JSON value that `data` means, None for nothing; a field that was not sent keeps its value."""
        sent = data.get(self.name)
        if sent is None:
            return self.stored
        unchanged = sent == as_submitted(self.text_of(self.stored))
        self.typed = as_meant(sent)
        return self.stored if unchanged else self.value_of(self.typed)

    def show(self, value: Any) -> None:
        """Show the JSON `value` as if it had been typed."""
        self.typed = self.text_of(value)

    def value_of(self, text: str) -> Any:
        """Return the JSON value that the typed `text` means; the serializer decides whether it is valid."""
        return self.leaf.from_cell(text) if text else None


class TextControl(Control):
    """A line of text, or several lines for long texts and texts with line breaks; some values may be suggested."""

    template = "admin/elements/text.html"

    @property
    def is_long(self) -> bool:
        is_short = self.leaf.is_link or getattr(self.leaf, "max_length", 0) <= CODE_LENGTH
        return not is_short or re.search(r"[\r\n]", self.typed) is not None

    @property
    def link(self) -> str:
        """Where the stored value leads to; empty unless it is the address of a page."""
        is_address = self.leaf.is_link and re.match("https?://", str(self.stored), re.IGNORECASE)
        return str(self.stored) if is_address else ""

    @property
    def holds_empty_text(self) -> bool:
        """Whether the stored value is an empty text, which a box beside the field distinguishes from null."""
        return bool(self.leaf.allow_null) and self.stored == ""

    def read(self, data: QueryDict) -> Any:
        if self.holds_empty_text and data.get(self.name) == "" and f"{self.name}:empty" not in data:
            self.typed = ""
            return None
        return super().read(data)


class LocalControl(TextControl):
    """A value that is written and read as in the language of the page."""

    @cached_property
    def help(self) -> str:
        """What the field means, and what may be typed, which is not obvious."""
        with labels_in_messages():
            return f"{super().help} {capfirst(self.leaf.expected)}.".lstrip()

    def text_of(self, value: Any) -> str:
        return "" if value is None else str(self.leaf.in_words(value))

    def value_of(self, text: str) -> Any:
        try:
            return self.leaf.from_words(text) if text else None
        except AmbiguousText as error:
            if self.stored not in error.readings:
                self.errors.append(str(error))
            return self.stored


class TimestampControl(LocalControl):
    """A timestamp, shown as shortly as it can be read again; without an offset it is UTC (contract C11)."""

    template = "admin/elements/date.html"

    @property
    def date_format(self) -> str:
        """The format of a day, as in `%d.%m.%Y`."""
        return str(get_format("DATE_INPUT_FORMATS")[0])


class ChoiceControl(Control):
    """One of some values, or none of them."""

    template = "admin/elements/choice.html"

    @property
    def options(self) -> list[tuple[str, str]]:
        """Return pairs of the value to send and the text to show."""
        nothing = _("Please choose") if self.is_required else _("not set")
        return [("", nothing), *self.leaf.labelled]

    @property
    def shown(self) -> str:
        labels: dict[str, str] = dict(self.leaf.labelled)
        return labels.get(self.text_of(self.stored), "")


class PickerControl(TextControl):
    """The id of an element, searched for while the user types; an unknown id is accepted, too (contract E2, LOOSE)."""

    template = "admin/elements/picker.html"
    fixed_template = "admin/elements/fixed_picker.html"
    # No element has the id.
    is_unknown = False
    # The description that is stored with the id, if this control shows it.
    words: Control | None = None
    # The element with the id as the picker finds it.
    found: Mapping[str, str] | None = None

    def __init__(self, place: Place, stored: Any, address: str | None) -> None:
        super().__init__(place, stored)
        # The URL that finds elements; None for a user who may not see them.
        self.address = address

    @property
    def description(self) -> str:
        """What is stored beside the id, or else what the element is called."""
        return (self.words.typed if self.words else "") or (self.found or {}).get("description", "")

    @property
    def dimension(self) -> str:
        """The name of the dimension that is referred to, for people."""
        return str(dimension_named(str(self.leaf.refers_to)).verbose_name)


def control_of(place: Place, stored: Any) -> Control:
    """Return the control for a leaf that is neither a map nor a reference."""
    leaf = place.leaf
    if leaf.offered and not leaf.is_open:
        return ChoiceControl(place, stored)
    if leaf.has_day:
        return TimestampControl(place, stored)
    return (LocalControl if leaf.is_local else TextControl)(place, stored)
