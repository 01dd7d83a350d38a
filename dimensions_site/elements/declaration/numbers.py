"""Numbers: integers, and decimals stored as the text that was sent."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from django.db.models import PositiveSmallIntegerField
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from msgspec import Meta

from dimensions_site.api.json.texts import KnownJson, json_text, shown_value
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.labels import are_in_messages
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.parsing import DECIMAL_PATTERN, is_decimal

_EXAMPLE = "12.50"
_WHOLE = re.compile(r"-?[0-9]{1,9}")


class IntegerField(Leaf):
    """A JSON integer within bounds (contract C10)."""

    kind = ValueKind.INTEGER
    column_type = PositiveSmallIntegerField

    def __init__(self, *, minimum: int, maximum: int, **kwargs: Any) -> None:
        self.minimum = minimum
        self.maximum = maximum
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        return _("a whole number from {minimum} to {maximum}").format(**limits)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str) and _WHOLE.fullmatch(data):
            message = _("{name} must be a JSON number from {minimum} to {maximum}, without quotes; got {value}.")
            self.reject(message, minimum=self.minimum, maximum=self.maximum, value=shown_value(data))
        if not isinstance(data, int) or isinstance(data, bool) or not self.minimum <= data <= self.maximum:
            self.refuse(data)
        return data

    def from_cell(self, text: str) -> Any:
        return int(text) if _WHOLE.fullmatch(text) else text

    def fast_type(self) -> Any:
        return Annotated[int, Meta(ge=self.minimum, le=self.maximum)]

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


class DecimalTextField(Leaf):
    """A decimal number as text, stored with the digits that were sent; a JSON number becomes text (contract C10)."""

    kind = ValueKind.DECIMAL

    @property
    def expected(self) -> str:
        example = self.in_words(_EXAMPLE) if are_in_messages() else f'"{_EXAMPLE}"'
        message = _("a decimal number with at most 15 digits before and 10 after the point, such as {example}")
        return message.format(example=example)

    def to_internal_value(self, data: Any) -> str:
        text = _plain(data) if isinstance(data, int | Decimal) and not isinstance(data, bool) else data
        if not isinstance(text, str) or not is_decimal(text):
            self.refuse(data)
        return text

    def in_words(self, value: Any) -> str:
        return super().in_words(value).replace(".", get_format("DECIMAL_SEPARATOR"))

    def fast_type(self) -> Any:
        return Annotated[str, Meta(pattern=rf"\A(?:{DECIMAL_PATTERN})\Z")]

    def schema(self) -> dict[str, Any]:
        return {
            "type": "string",
            "pattern": f"^{DECIMAL_PATTERN}$",
            "example": "1.0000",
            "description": "A decimal number as text. A request may also send a JSON number.",
        }


def _plain(number: int | Decimal) -> object:
    """Return the digits of `number` without an exponent, or `number` itself if the digits would not fit."""
    if isinstance(number, Decimal) and abs(number.adjusted()) > 30:
        return number
    return format(number, "f") if isinstance(number, Decimal) else str(number)


class CoefficientField(DecimalTextField):
    """A decimal number as text, or a JSON boolean, stored as the text `true` or `false` (contract C10)."""

    fast_type_decides = False
    words = ("true", "false")

    @property
    def expected(self) -> str:
        return _("{number}, or true or false").format(number=super().expected)

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, bool):
            return json_text(data)
        return super().to_internal_value(data)

    def to_representation(self, value: Any) -> Any:
        return {"true": True, "false": False}.get(value, value)

    def in_words(self, value: Any) -> str:
        return super().in_words(value) if isinstance(value, str) else (_("yes") if value else _("no"))

    @property
    def encode(self) -> Callable[[Any], str]:
        return KnownJson([(None, "null"), *zip(self.words, self.words, strict=True)]).__getitem__

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def fast_type(self) -> Any:
        return super().fast_type() | bool

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [super().schema(), {"type": "boolean"}]}
