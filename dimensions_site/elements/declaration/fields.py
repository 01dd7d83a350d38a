"""Leaves: strict types that accept what the contract allows and say what is expected (design/declaration.md).

A leaf is declared once, in the serializer of its dimension. It also knows its kind in filters, its JSON text in lists,
the meaning of a cell in a file, its OpenAPI schema and its fast type. CONTRIBUTING.md lists what else decides by kind.
"""

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self

from django.db import models
from django.db.models import F
from django.db.models.expressions import Combinable
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from msgspec import Meta
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from dimensions_site.api.json.texts import KnownJson, described_value, json_text, shown_value, text_as_json
from dimensions_site.elements.declaration.context import NO_CONTEXT, ElementContext
from dimensions_site.elements.declaration.labels import are_in_messages, name_of
from dimensions_site.rsql.fields import CodePointTextField, ValueKind
from dimensions_site.text.formats import grouped_number
from dimensions_site.text.suggestions import close_names, did_you_mean

# Maximum lengths of texts, in characters (contract C1, C19).
CODE_LENGTH = 128
FREE_TEXT_LENGTH = 1000
LINK_LENGTH = 2000


def too_long_message() -> str:
    """Return the message for a text at {name} with {length} characters, where {maximum} is the limit."""
    return gettext("{name} is {length} characters long; the limit is {maximum}.")


class QuickClone:
    """A field that is cloned as declared, because writing an element clones two hundred fields.

    The framework builds each clone from its arguments again, which takes a third of a POST. A declared field is never
    bound to a serializer and never changed in place, so a clone may share its attributes, except an object's members,
    which are bound to it.
    """

    def __deepcopy__(self, memo: object) -> Self:
        clone = object.__new__(type(self))
        clone.__dict__.update(self.__dict__)
        for bound in ("fields", "_written"):
            clone.__dict__.pop(bound, None)
        return clone


class Leaf(QuickClone, serializers.Field[Any, Any, Any, Any]):
    """A single value, stored in a column or inside a JSON column.

    Unless the leaf is required, null is stored as null, and a leaf that a request leaves out gets `default` (contract
    C8, C14). `column` names the column if it does not follow from the wire name; `refers_to` is the dimension whose ids
    the value holds.
    """

    kind: ClassVar[ValueKind]
    # Returns the column of the model.
    column_type: ClassVar[Callable[..., "models.Field[Any, Any]"]] = CodePointTextField
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
        """Return what is stored when a request leaves the leaf out."""
        return self.default

    def value_in(self, data: Any, context: ElementContext) -> Any:
        """Return the value to store for the JSON `data`, which is not null. Raises `ValidationError`.

        A leaf overrides it if the `context` decides, else `to_internal_value`.
        """
        return self.to_internal_value(data)

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise the error with the code `key` and its message."""
        super().fail(key, **{"name": name_of(self), "expected": self.expected, **kwargs})

    def refuse(self, value: object) -> NoReturn:
        """Raise the error that names the field, the `value` and what is expected."""
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
        """Return the JSON value for the stored `value`."""
        return value

    @property
    def encode(self) -> Callable[[Any], str]:
        """Return the function that writes the JSON text for a value as `selected` reads it, for each leaf of a list."""
        return json_text

    def selected(self, column: str) -> Combinable:
        """Return the expression that lists and tables read for its `column`."""
        return F(column)

    def from_selected(self, value: Any) -> Any:
        """Return the JSON value for a `selected` value that is not NULL."""
        return self.to_representation(value)

    def from_cell(self, text: str) -> Any:
        """Return the JSON value for the text of a cell in a file."""
        return text

    def in_words(self, value: Any) -> str:
        """Return the text for people for the JSON `value`, which is not null, in the language of the thread."""
        return value if isinstance(value, str) else json_text(value)

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words that a filter may compare the stored value with."""
        return ()

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
        """Return a new column of the model for the leaf."""
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


class TextField(Leaf):
    """Text, stored exactly as sent (contract C19)."""

    kind = ValueKind.TEXT

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        self.max_length = max_length
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        return gettext("text of at most {maximum} characters").format(maximum=grouped_number(self.max_length))

    def to_internal_value(self, data: Any) -> str:
        return self.checked_text(data, self.max_length)

    @property
    def encode(self) -> Callable[[Any], str]:
        return text_as_json

    def fast_type(self) -> Any:
        return Annotated[str, Meta(max_length=self.max_length)]

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.max_length}


class CodeField(TextField):
    """A reference to another element, or a code (contract C19)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=CODE_LENGTH, **kwargs)


class FreeTextField(TextField):
    """Text that people read (contract C19)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=FREE_TEXT_LENGTH, **kwargs)


class IdField(CodeField):
    """The `id` of an element (contract C1)."""

    fast_type_decides = False
    default_error_messages = {
        "invalid_character": _(
            "{name} must not contain the bidirectional control character {character} (at position {position}), which "
            "changes the order in which text is shown. Remove it."
        ),
    }

    @property
    def expected(self) -> str:
        return gettext("text of 1 to {maximum} characters").format(maximum=grouped_number(self.max_length))

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text:
            self.reject(gettext("{name} must not be empty."))
        if text in {".", ".."}:
            self.reject(gettext("{name} must not be '.' or '..'."))
        control = next((character for character in text if unicodedata.category(character) == "Cc"), None)
        if control is not None:
            message = gettext("{name} must not contain the control character {character}; got {value}.")
            self.reject(message, character=f"U+{ord(control):04X}", value=shown_value(text))
        if text != text.strip():
            self.reject(gettext("{name} must not begin or end with white space; got {value}."), value=shown_value(text))
        return text

    def value_in(self, data: Any, context: ElementContext) -> str:
        text: str = super().value_in(data, context)
        found = _BIDIRECTIONAL.search(text)
        # An element with this id may exist from the time before such characters were rejected.
        if found and (context.existing is None or context.existing.element_id != text):
            self.fail("invalid_character", character=f"U+{ord(found[0]):04X}", position=found.start() + 1)
        return text

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1, "pattern": ID_PATTERN}

    def request_schema(self) -> dict[str, Any]:
        return {**self.schema(), "pattern": NEW_ID_PATTERN}


# The pattern of an id for OpenAPI: no whitespace at either end, no control characters, not `.` or `..`.
ID_PATTERN = r"^(?!\.{1,2}$)[^\s\x00-\x1F\x7F-\x9F](?:[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F])?$"
# The same without bidirectional control characters, which an id from before contract C20 may have.
NEW_ID_PATTERN = ID_PATTERN.replace(r"\x9F]", r"\x9F\u202A-\u202E\u2066-\u2069]")
_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")


class EnumField(Leaf):
    """One of the values that the specification lists (contract C7).

    `spellings` maps further accepted values to the listed ones; `open_length` allows any other text with that many
    characters.
    """

    kind = ValueKind.ENUM

    def __init__(
        self,
        choices: type[models.TextChoices],
        *,
        spellings: Mapping[str, str] | None = None,
        open_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        self.choices = choices
        # A list that Django makes anew each time.
        self._values = tuple(choices.values)
        self.spellings = dict(spellings or {})
        self.open_length = open_length
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        listed = self.choices.labels if are_in_messages() else self._values
        values = {"values": ", ".join(map(str, listed)), "maximum": self.open_length}
        if self.open_length is None:
            return gettext("one of {values}").format(**values)
        return gettext("one of {values}, or text of at most {maximum} characters").format(**values)

    def in_words(self, value: Any) -> str:
        return str(dict(self.choices.choices).get(value, value))

    def to_internal_value(self, data: Any) -> str:
        if self.open_length is not None:
            return self.checked_text(data, self.open_length)
        if isinstance(data, bool) and str(data).upper() in self._values:
            message = gettext('{name} must be {expected}; got {value}. It is a text: write "{text}".')
            self.reject(message, expected=self.expected, value=shown_value(data), text=str(data).upper())
        if not isinstance(data, str):
            self.refuse(data)
        value = self.spellings.get(data, data)
        if value not in self._values:
            known = self._values
            names = close_names(value, known)
            if are_in_messages():
                names = list(map(self.in_words, names)) or close_names(value, tuple(map(self.in_words, known)))
            hint = did_you_mean(names, in_quotes=False)
            message = gettext("{name} must be {expected}; got {value}.{hint}")
            self.reject(message, expected=self.expected, value=shown_value(data), hint=hint)
        return value

    @property
    def encode(self) -> Callable[[Any], str]:
        return KnownJson({value: json_text(value) for value in (None, *self.choices.values)}).__getitem__

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.choices.values)

    def fast_type(self) -> Any:
        if self.open_length is None or self.spellings:
            return Literal.__getitem__(tuple(self.choices.values))
        return Annotated[str, Meta(max_length=self.open_length)]

    def model_field(self) -> "models.Field[Any, Any]":
        # Labels are translated, and so no part of the schema.
        return CodePointTextField(choices=[(value, value) for value in self._values], null=self.allow_null)

    def schema(self) -> dict[str, Any]:
        if self.open_length is not None:
            return {"type": "string", "maxLength": self.open_length, "example": self.choices.values[0]}
        return {"type": "string", "enum": list(self.choices.values), "title": self.choices.__name__}


class BooleanField(Leaf):
    """A JSON boolean; texts and numbers are rejected (contract C10)."""

    kind = ValueKind.BOOLEAN
    column_type = models.BooleanField

    @property
    def expected(self) -> str:
        return gettext("yes or no") if are_in_messages() else gettext("true or false")

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, str) and data.lower() in ("true", "false"):
            self.reject(gettext("{name} must be true or false, without quotes; got {value}."), value=shown_value(data))
        if not isinstance(data, bool):
            self.refuse(data)
        return data

    @property
    def encode(self) -> Callable[[Any], str]:
        return {None: "null", True: "true", False: "false"}.__getitem__

    def in_words(self, value: Any) -> str:
        return gettext("yes") if value else gettext("no")

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def fast_type(self) -> Any:
        return bool

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}
