"""The numbers of the wire: whole ones, and decimal ones that are kept as the text they were sent as."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from django.utils.translation import gettext as _
from msgspec import Meta

from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.json_texts import KnownJson, json_text
from dimensions_site.rsql.decimals import DECIMAL_PATTERN, is_decimal
from dimensions_site.rsql.fields import Kind

# The largest number with 15 digits before the point, for a JSON number.
_LARGEST = 10**15 - 1


class IntegerField(Leaf):
    """A JSON integer within bounds (contract C10)."""

    kind = Kind.INTEGER

    def __init__(self, *, minimum: int, maximum: int, **kwargs: Any) -> None:
        self.minimum = minimum
        self.maximum = maximum
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        told = {"minimum": self.minimum, "maximum": self.maximum}
        return _("a whole number from {minimum} to {maximum}").format(**told)

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool) or not self.minimum <= data <= self.maximum:
            self.refuse(data)
        return data

    def from_cell(self, text: str) -> Any:
        return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else text

    def fast_type(self) -> Any:
        return Annotated[int, Meta(ge=self.minimum, le=self.maximum)]

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


class DecimalTextField(Leaf):
    """A decimal number as text, kept with the digits it was sent with; a JSON number becomes text (contract C10)."""

    kind = Kind.DECIMAL

    @property
    def expected(self) -> str:
        return _('a decimal number as text, such as "12.50", with at most 15 digits before and 10 after the point')

    def to_internal_value(self, data: Any) -> str:
        text = _plain(data) if isinstance(data, int | Decimal) and not isinstance(data, bool) else data
        if not isinstance(text, str) or not is_decimal(text):
            self.refuse(data)
        return text

    def fast_type(self) -> Any:
        return Annotated[str, Meta(pattern=rf"\A(?:{DECIMAL_PATTERN})\Z")]

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{DECIMAL_PATTERN}$", "example": "1.0000"}

    def request_schema(self) -> dict[str, Any]:
        number = {"type": "number", "minimum": -_LARGEST, "maximum": _LARGEST}
        return {"anyOf": [DecimalTextField.schema(self), number]}


def _plain(number: int | Decimal) -> object:
    """The digits of `number` without an exponent, or `number` itself where they would be too many to fit."""
    if isinstance(number, Decimal) and abs(number.adjusted()) > 30:
        return number
    return format(number, "f") if isinstance(number, Decimal) else str(number)


class CoefficientField(DecimalTextField):
    """A decimal number as text, or a JSON boolean, kept as the text `true` or `false` (contract C10)."""

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

    @property
    def encode(self) -> Callable[[Any], str]:
        return KnownJson([(None, "null"), *zip(self.words, self.words, strict=True)]).__getitem__

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def fast_type(self) -> Any:
        return super().fast_type() | bool

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [super().schema(), {"type": "boolean"}]}

    def request_schema(self) -> dict[str, Any]:
        return {"anyOf": [*super().request_schema()["anyOf"], {"type": "boolean"}]}
