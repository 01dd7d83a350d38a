"""Leaves: strict types that accept what the contract allows and say what is expected (design/declaration.md).

A leaf is declared once, in the serializer of its dimension. It also knows its kind in filters, its JSON text in lists,
what a cell in a file and the words of people mean, its OpenAPI schema and its fast type. CONTRIBUTING.md lists what
else decides by kind.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, NoReturn

from django.db import models
from django.db.models import F
from django.db.models.expressions import Combinable
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from dimensions_site.api.json.texts import described_value, json_text, shown_value
from dimensions_site.elements.declaration.labels import name_of
from dimensions_site.rsql.fields import CodePointTextField, ValueKind
from dimensions_site.text.formats import grouped_number


def too_long_message() -> str:
    """Return the message for a text at {name} with {length} characters, where {maximum} is the limit."""
    return gettext("{name} is {length} characters long; the limit is {maximum}.")


class ElementContext(NamedTuple):
    """What decides, besides the JSON of an element, what is stored for it.

    Passed down to every object and leaf of one element; the declaration itself is the same for all of them.

    `language` is the default of the repository. `id` is that of an element that a path or a key names (contract C14),
    `existing` the stored element that is replaced or changed, and `stored` its JSON, if known.
    """

    language: str = ""
    existing: Any = None
    id: str | None = None
    stored: str | None = None


# Of a value that belongs to no element.
NO_CONTEXT = ElementContext()


class Leaf(serializers.Field[Any, Any, Any, Any]):
    """A single value, stored in a column or inside a JSON column.

    Unless the leaf is required, null is stored as null, and a leaf that a request leaves out gets `default` (contract
    C8, C14). `column` names the column if it does not follow from the wire name; `refers_to` is the dimension whose ids
    the value holds.
    """

    kind: ClassVar[ValueKind]
    # Returns the column of the model.
    column_type: ClassVar[Callable[..., "models.Field[Any, Any]"]] = CodePointTextField
    # The values that people choose from, if any; and whether others are valid, too.
    offered: Sequence[str | bool] = ()
    is_open: bool = False
    # The words that a filter may compare the stored value with.
    words: tuple[str, ...] = ()
    # Further accepted texts, and the values that they mean.
    spellings: Mapping[str, str] = MappingProxyType({})
    # Whether it is a map from languages.
    has_languages: ClassVar[bool] = False
    # Whether it is the address of a page.
    is_link: ClassVar[bool] = False
    # Whether only programs need it, so that it stands behind the other fields.
    is_technical: ClassVar[bool] = False
    # Whether people write the values as in their language, such as dates.
    is_local: ClassVar[bool] = False
    # Whether the values are days or moments, so that people choose them in a calendar.
    has_day: ClassVar[bool] = False
    # The smallest and the largest number.
    bounds: tuple[int, int] | None = None
    # Whether the leaf stores any text as it is (contract C19), so that there is nothing to understand.
    takes_any_text: bool = False
    # Whether every value of the fast type is valid and stored unchanged, without a call of `value_in`.
    fast_type_decides: ClassVar[bool] = True

    default_error_messages = {
        "required": _("{name} is missing; it must be {expected}."),
        "null": _("{name} must be {expected}, not null."),
        "invalid": _("{name} must be {expected}; got {value}."),
    }

    def __init__(
        self,
        *,
        required: bool = False,
        default: object = None,
        column: str | None = None,
        refers_to: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.refers_to = refers_to
        if required or kwargs.get("read_only"):
            super().__init__(source=column, **kwargs)
        else:
            super().__init__(source=column, required=False, allow_null=True, default=default, **kwargs)

    def run_validation(self, data: Any = empty, context: ElementContext = NO_CONTEXT) -> Any:
        """Return the value to store for the JSON `data`, as the framework does, in a fraction of the time."""
        if data is empty:
            if self.required:
                self.fail("required")
            return self.default_in(context)
        if data is None:
            return None if self.allow_null else self.fail("null")
        return self.value_in(data, context)

    def default_in(self, context: ElementContext) -> Any:
        return self.default

    def value_in(self, data: Any, context: ElementContext) -> Any:
        """Return the value to store for the JSON `data`, which is not null. Raises `ValidationError`.

        A leaf overrides it if the `context` decides, else `to_internal_value`.
        """
        return self.to_internal_value(data)

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        super().fail(key, **{"name": name_of(self), "expected": self.expected, **kwargs})

    def refuse(self, value: object) -> NoReturn:
        self.fail("invalid", value=shown_value(value))

    def reject(self, message: str, **values: object) -> NoReturn:
        """Raise the error of an invalid value with its own `message`, in which {name} is the path of the field."""
        raise ValidationError(message.format(name=name_of(self), **values), code="invalid")

    def checked_text(self, value: object, maximum: int) -> str:
        """Return `value` if it is a string of at most `maximum` characters. Raises the error that says so otherwise."""
        if not isinstance(value, str):
            self.reject(gettext("{name} must be a string, not {value}."), value=described_value(value))
        if len(value) > maximum:
            self.reject(too_long_message(), length=grouped_number(len(value)), maximum=grouped_number(maximum))
        return value

    def to_representation(self, value: Any) -> Any:
        return value

    @property
    def encode(self) -> Callable[[Any], str]:
        """Return the function that writes the JSON text for a value as `selected` reads it, for each leaf of a list."""
        return json_text

    def selected(self, column: str) -> Combinable:
        """Return the expression that lists and tables read for its `column`."""
        return F(column)

    def from_selected(self, value: Any) -> Any:
        return self.to_representation(value)

    def from_cell(self, text: str) -> Any:
        return text

    def takes_number(self, number: str) -> bool:
        """Return whether the `number`, date or truth value is taken as such, whatever it looks like in a workbook."""
        return False

    def in_words(self, value: Any) -> str:
        """Return the text for people for the JSON `value`, which is not null, in the language of the thread."""
        return value if isinstance(value, str) else json_text(value)

    @property
    def labelled(self) -> list[tuple[str, str]]:
        """Return the texts of the offered values, each with what people call it, in the language of the thread."""
        return [(value if isinstance(value, str) else json_text(value), self.in_words(value)) for value in self.offered]

    def from_words(self, text: str) -> Any:
        """Return the JSON value that the `text` of people means, in the language of the thread.

        It is the inverse of `in_words`, and reads more: every language, without regard to case and accents. A text that
        is not understood is returned as `from_cell` does. Raises AmbiguousText.
        """
        return self.from_cell(text.strip())

    def is_surprising(self, text: str, value: Any) -> bool:
        """Return whether a person should see that `from_words` returned the `value` for the `text`."""
        return False

    @property
    @abstractmethod
    def expected(self) -> str:
        """Return what is expected here, as the end of an error message, in the language of the thread."""

    @abstractmethod
    def fast_type(self) -> Any:
        """Return the msgspec type of the non-null JSON values that the fast decoder accepts.

        It may exclude valid but rare values, and include invalid ones unless `fast_type_decides`.
        """

    def fast_value(self, value: Any, context: ElementContext) -> Any:
        """Return what `value_in` does for a `value` of the fast type, with less work where possible."""
        return self.value_in(value, context)

    def model_field(self) -> "models.Field[Any, Any]":
        return type(self).column_type(null=self.allow_null)

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the OpenAPI 3.0.3 schema of a non-null value in responses."""

    def request_schema(self) -> dict[str, Any]:
        """Return the schema of a non-null value in requests, which has the same type as in responses.

        If another type is accepted, too, the description says so: client generators make unusable types from a choice
        of types, or lose values.
        """
        return self.schema()
