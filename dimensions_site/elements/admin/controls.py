"""The controls of the form: how the value of a leaf is shown, and what was meant by what came back.

A control that comes back as it was shown keeps the stored value exactly, whatever HTML cannot carry: the difference
between null and an empty text, or which line breaks a text has (contract C19).
"""

import re
from typing import Any, ClassVar

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dimensions_site.elements.fields import (
    CODE_LENGTH,
    BooleanField,
    EnumField,
    Leaf,
    TextField,
)
from dimensions_site.elements.json_texts import json_text
from dimensions_site.elements.timestamps import TimestampField, as_people_write
from dimensions_site.elements.wire import Place


def as_sent(text: str) -> str:
    """`text` as a browser sends it back from a control that nobody touched: lines end with CR LF."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


def as_meant(sent: str) -> str:
    """The text that was typed, from what a browser sent."""
    return sent.replace("\r\n", "\n")


class Control:
    """One field of the form, named by its wire path; `stored` is its JSON value, `typed` what stands in it now."""

    template: ClassVar[str]
    fixed_template: ClassVar[str] = "admin/elements/fixed.html"
    # It consists of several controls.
    is_group: ClassVar[bool] = False
    # It is shown, and cannot be changed.
    is_fixed = False

    def __init__(self, place: Place, stored: Any) -> None:
        self.place = place
        self.leaf: Any = place.leaf
        self.stored = stored
        self.typed = self.text_of(stored)
        self.faults: list[str] = []

    @property
    def name(self) -> str:
        return self.place.path

    @property
    def label(self) -> str:
        """The wire's word for the field."""
        return self.place.path.rpartition(".")[2]

    @property
    def is_required(self) -> bool:
        return bool(self.leaf.required)

    @cached_property
    def help(self) -> str:
        """What would be right here."""
        return f"{capfirst(self.leaf.expected)}."

    @property
    def fault_count(self) -> int:
        return len(self.faults)

    def text_of(self, value: Any) -> str:
        """The text that shows the JSON `value`; nothing for null."""
        if value is None:
            return ""
        return value if isinstance(value, str) else json_text(value)

    @property
    def shown(self) -> str:
        """The stored value for people who cannot change it."""
        return self.text_of(self.stored)

    def read(self, data: QueryDict) -> Any:
        """The JSON value that `data` means, None for nothing; what was not sent keeps its stored value."""
        sent = data.get(self.name)
        if sent is None:
            return self.stored
        unchanged = sent == as_sent(self.text_of(self.stored))
        self.typed = as_meant(sent)
        return self.stored if unchanged else self.value_of(self.typed)

    def value_of(self, text: str) -> Any:
        """The JSON value that the typed `text` means; whether it is right the serializer decides."""
        return self.leaf.from_cell(text) if text else None


class TextControl(Control):
    """A line of text, or several where there is much to write or where there are line breaks already."""

    template = "admin/elements/text.html"

    @property
    def is_long(self) -> bool:
        return getattr(self.leaf, "max_length", 0) > CODE_LENGTH or re.search(r"[\r\n]", self.typed) is not None

    @property
    def holds_empty_text(self) -> bool:
        """Whether the stored value is an empty text, which a box beside the field tells apart from null."""
        return bool(self.leaf.allow_null) and self.stored == ""

    def read(self, data: QueryDict) -> Any:
        if self.holds_empty_text and data.get(self.name) == "" and f"{self.name}:empty" not in data:
            self.typed = ""
            return None
        return super().read(data)


class OpenChoiceControl(TextControl):
    """A text for which some values are offered."""

    @property
    def offers(self) -> list[str]:
        return list(self.leaf.choices.values)


class TimestampControl(TextControl):
    """An instant, shown as shortly as it can be read again; without an offset it is UTC (contract C11)."""

    def text_of(self, value: Any) -> str:
        return as_people_write(super().text_of(value))


class ChoiceControl(Control):
    """One of some values, or none of them."""

    template = "admin/elements/choice.html"
    help = ""

    @property
    def options(self) -> list[tuple[str, str]]:
        """Pairs of what is sent and what is read."""
        nothing = _("Please choose") if self.is_required else _("not set")
        return [("", nothing), *self.choices]

    @property
    def choices(self) -> list[tuple[str, str]]:
        return [(value, value) for value in self.leaf.choices.values]

    @property
    def shown(self) -> str:
        return dict(self.choices).get(self.text_of(self.stored), "")


class BooleanControl(ChoiceControl):
    """Yes, no, or not set."""

    @property
    def choices(self) -> list[tuple[str, str]]:
        return [("true", _("yes")), ("false", _("no"))]


class PickerControl(TextControl):
    """The id of an element, looked up while one types; an id that nothing has is taken too (contract E2, LOOSE)."""

    template = "admin/elements/picker.html"

    def __init__(self, place: Place, stored: Any, fills: str | None, address: str | None) -> None:
        super().__init__(place, stored)
        # The path of the field that takes the description of the chosen element.
        self.fills = fills
        # Where elements are looked up; None for a user who may not see them.
        self.address = address


# How a leaf is shown; the first kind that fits counts.
_CONTROLS: tuple[tuple[type[Leaf], type[Control]], ...] = (
    (BooleanField, BooleanControl),
    (TimestampField, TimestampControl),
    (TextField, TextControl),
    (Leaf, TextControl),
)


def control_of(place: Place, stored: Any) -> Control:
    """The control for a leaf that is neither a map nor a reference."""
    if isinstance(place.leaf, EnumField):
        return (ChoiceControl if place.leaf.open_length is None else OpenChoiceControl)(place, stored)
    return next(control for kind, control in _CONTROLS if isinstance(place.leaf, kind))(place, stored)
