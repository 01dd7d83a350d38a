"""The leaves of the wire: strict types that accept what the contract allows and say what would be right.

A leaf is declared once, in the serializer of its dimension. What else is asked of it (its kind in filters, its JSON
text in lists, the meaning of a cell in a file, its OpenAPI schema, its fast type) the leaf itself answers.
"""

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

from dimensions_site.elements.json_texts import KnownJson, json_text, shown, text_as_json
from dimensions_site.formats import grouped
from dimensions_site.rsql.fields import Kind

# Longest texts, in characters (contract C1, C19).
CODE_LENGTH = 128
FREE_TEXT_LENGTH = 1000
LINK_LENGTH = 2000


class QuickClone:
    """A field that is cloned as it is declared: whoever writes an element clones two hundred of them.

    The framework makes each anew from its arguments, which takes a third of a POST. A declared field is never bound to
    a serializer, and nothing of it is changed in place, so a clone may share what it refers to; but for the members of
    an object, which are bound to it.
    """

    def __deepcopy__(self, memo: object) -> Self:
        clone = object.__new__(type(self))
        clone.__dict__.update(self.__dict__)
        clone.__dict__.pop("fields", None)
        return clone


class Leaf(QuickClone, serializers.Field[Any, Any, Any, Any]):
    """A single value of the wire, kept in a column or at a place inside a JSON column.

    Unless it is required, null is stored as null, and a leaf that a request leaves out takes `default`
    (contract C8, C14). `column` names the column where its name does not follow from the wire's; `refers_to` the
    dimension of whose elements the value is an id.
    """

    kind: ClassVar[Kind]
    # Whether a value of the fast type is valid, and stored as it is, without a look by `to_internal_value`.
    fast_type_decides: ClassVar[bool] = True

    default_error_messages = {
        "required": _("{name} is missing; it has to be {expected}."),
        "null": _("{name} cannot be null; it has to be {expected}."),
        "invalid": _("{name} cannot be {value}; it has to be {expected}."),
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

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        super().fail(key, **{"name": self.field_name, "expected": self.expected, **kwargs})

    def refuse(self, value: object) -> NoReturn:
        """Raise the error that names the field, `value` and what would be right."""
        self.fail("invalid", value=shown(value))

    def to_representation(self, value: Any) -> Any:
        """The wire's JSON value for the stored `value`."""
        return value

    @property
    def encode(self) -> Callable[[Any], str]:
        """What writes the wire's JSON text for a stored value as `selected` reads it; lists call it for each leaf."""
        return json_text

    def selected(self, column: str) -> Combinable:
        """What lists and tables read of its `column`."""
        return F(column)

    def from_selected(self, value: Any) -> Any:
        """The wire's JSON value for what `selected` has read, other than NULL."""
        return self.to_representation(value)

    def from_cell(self, text: str) -> Any:
        """The wire's JSON value for the text of a cell in a file."""
        return text

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a filter may compare the stored value with."""
        return ()

    @property
    @abstractmethod
    def expected(self) -> str:
        """What would be right here, in words that complete an error message, in the language of the thread."""

    @abstractmethod
    def fast_type(self) -> Any:
        """The type, as msgspec knows types, of JSON values other than null with which the fast decoder may go on.

        It may leave out what is valid but rare, and unless `fast_type_decides` hold what is not valid.
        """

    def fast_value(self, value: Any) -> Any:
        """The same as `to_internal_value` for a `value` of the fast type, where that can be told with less work."""
        return self.to_internal_value(value)

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The OpenAPI 3.0.3 schema of a value that is not null, as it is answered."""

    def request_schema(self) -> dict[str, Any]:
        """The same as it is accepted, where that is more."""
        return self.schema()


class TextField(Leaf):
    """Text, stored exactly as sent (contract C19)."""

    kind = Kind.TEXT

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        self.max_length = max_length
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        return gettext("a text of at most {maximum} characters").format(maximum=grouped(self.max_length))

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data) > self.max_length:
            self.refuse(data)
        return data

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
    """Words for people (contract C19)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=FREE_TEXT_LENGTH, **kwargs)


class IdField(CodeField):
    """The `id` of an element (contract C1)."""

    fast_type_decides = False

    @property
    def expected(self) -> str:
        return gettext(
            "an id of 1 to {maximum} characters without control characters, without white space at its beginning or "
            "end, and other than '.' and '..'"
        ).format(maximum=self.max_length)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if (
            not text
            or text in {".", ".."}
            or text != text.strip()
            or any(unicodedata.category(character) == "Cc" for character in text)
        ):
            self.refuse(data)
        return text

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1, "pattern": ID_PATTERN}


# An id for OpenAPI's readers: no white space at either end, no control characters, not `.` or `..`.
ID_PATTERN = r"^(?!\.{1,2}$)[^\s\x00-\x1F\x7F-\x9F](?:[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F])?$"


class EnumField(Leaf):
    """One of the values that the specification lists (contract C7).

    `spellings` maps further accepted values to the listed ones; `open_length` lets any other text of that
    many characters pass.
    """

    kind = Kind.ENUM

    def __init__(
        self,
        choices: type[models.TextChoices],
        *,
        spellings: Mapping[str, str] | None = None,
        open_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        self.choices = choices
        self.spellings = dict(spellings or {})
        self.open_length = open_length
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        told = {"values": ", ".join(self.choices.values), "maximum": self.open_length}
        if self.open_length is None:
            return gettext("one of {values}").format(**told)
        return gettext("one of {values}, or a text of at most {maximum} characters").format(**told)

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str):
            value = self.spellings.get(data, data)
            if value in self.choices.values or (self.open_length is not None and len(value) <= self.open_length):
                return value
        self.refuse(data)

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

    def schema(self) -> dict[str, Any]:
        if self.open_length is not None:
            return {"type": "string", "maxLength": self.open_length, "example": self.choices.values[0]}
        return {"type": "string", "enum": list(self.choices.values)}

    def request_schema(self) -> dict[str, Any]:
        schema = self.schema()
        return {**schema, "enum": [*schema["enum"], *self.spellings]} if self.spellings else schema


class BooleanField(Leaf):
    """A JSON boolean; a text or a number is refused (contract C10)."""

    kind = Kind.BOOLEAN

    @property
    def expected(self) -> str:
        return gettext("true or false")

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.refuse(data)
        return data

    @property
    def encode(self) -> Callable[[Any], str]:
        return {None: "null", True: "true", False: "false"}.__getitem__

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def fast_type(self) -> Any:
        return bool

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}
