"""The leaves of the wire: strict types that accept what the contract allows and say what would be right.

A leaf is declared once, in the serializer of its dimension. What else is asked of it (its kind in filters,
its JSON text in lists, the meaning of a cell in a file, its OpenAPI schema) the leaf itself answers.
"""

import json
import unicodedata
from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, NoReturn

import orjson
from django.db import models
from rest_framework import serializers

from dimensions_site.rsql.fields import Kind
from dimensions_site.rsql.timestamps import parse_timestamp

# Longest texts, in characters (contract C1, C19).
CODE_LENGTH = 128
FREE_TEXT_LENGTH = 1000
LINK_LENGTH = 2000

_SHOWN_LENGTH = 80


def shown(value: object) -> str:
    """A value as an error message shows it: as JSON, cut to a length that can be read."""
    # The standard encoder, because orjson refuses integers beyond 64 bits, and those are shown too.
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"


def json_text(value: object) -> str:
    """The JSON text of a stored value; `null` when it is unset."""
    return orjson.dumps(value).decode()


class Leaf(serializers.Field[Any, Any, Any, Any]):
    """A single value of the wire, kept in a column or at a place inside a JSON column.

    Unless it is required, null is stored as null, and a leaf that a request leaves out takes `default`
    (contract C8, C14). `column` names the column where its name does not follow from the wire's.
    """

    kind: ClassVar[Kind]
    # What would be right here, in words that complete an error message.
    expected: str

    default_error_messages = {
        "required": "{name} is missing; it has to be {expected}.",
        "null": "{name} cannot be null; it has to be {expected}.",
        "invalid": "{name} cannot be {value}; it has to be {expected}.",
    }

    def __init__(
        self, *, required: bool = False, default: object = None, column: str | None = None, **kwargs: Any
    ) -> None:
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

    def encode(self, value: Any) -> str:
        """The wire's JSON text for the stored `value`, as the fast renderer writes it."""
        return json_text(value)

    def from_cell(self, text: str) -> Any:
        """The wire's JSON value for the text of a cell in a file."""
        return text

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a filter may compare the stored value with."""
        return ()

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
        self.expected = f"a text of at most {max_length:,} characters"
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data) > self.max_length:
            self.refuse(data)
        return data

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

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.expected = (
            f"an id of 1 to {CODE_LENGTH} characters without control characters, without white space at its "
            "beginning or end, and other than '.' and '..'"
        )

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
        self.expected = f"one of {', '.join(choices.values)}"
        if open_length is not None:
            self.expected += f", or a text of at most {open_length} characters"
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str):
            value = self.spellings.get(data, data)
            if value in self.choices.values or (self.open_length is not None and len(value) <= self.open_length):
                return value
        self.refuse(data)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.choices.values)

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
    expected = "true or false"

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.refuse(data)
        return data

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class TimestampField(Leaf):
    """An instant, accepted as ISO 8601, returned as `YYYY-MM-DDTHH:MM:SS.mmm+0000` (contract C11)."""

    kind = Kind.TIMESTAMP
    expected = "a date or a time such as 2026-01-31 or 2026-01-31T10:00:00.000+0000"

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, str):
            try:
                return parse_timestamp(data)
            except ValueError:
                pass
        self.refuse(data)

    def to_representation(self, value: datetime) -> str:
        return value.isoformat(timespec="milliseconds").replace("+00:00", "+0000")

    def encode(self, value: datetime | None) -> str:
        return "null" if value is None else f'"{self.to_representation(value)}"'

    def schema(self) -> dict[str, Any]:
        digits = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+0000$"
        return {"type": "string", "pattern": digits, "example": "2026-01-31T10:00:00.000+0000"}

    def request_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "timestamp", "example": "2026-01-31T10:00:00.000+0000"}
