"""Numbers: integers, and decimals stored as the text that was sent; and how people write them."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from django.db.models import PositiveSmallIntegerField
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from msgspec import Meta

from dimensions_site.api.json.texts import KnownJson, json_text, shown_value
from dimensions_site.elements.declaration.choices import YES_AND_NO
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.labels import AmbiguousText, are_in_messages, fold_name, spoken_language
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import DECIMAL_PATTERN, is_decimal

_EXAMPLE = "12.50"
_WHOLE = re.compile(r"-?[0-9]{1,9}")
# 1936, 1.936 or 1,936.
_DECIMAL = re.compile(r"(?P<whole>\d+)(?:(?P<point>[.,])(?P<fraction>\d+))?", re.ASCII)
# 1.936, 1 936,27 or 1'936'000.5: no language has one sign for thousands and decimals.
_GROUPED = re.compile(
    r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,' \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
    r"\N{RIGHT SINGLE QUOTATION MARK}])"
    r"\d{3}(?:(?P=mark)\d{3})*)(?:(?!(?P=mark))[.,](?P<fraction>\d+))?",
    re.ASCII,
)
# The digits between two separators of thousands.
_GROUP = 3


class IntegerField(Leaf):
    """A JSON integer within bounds (contract C10)."""

    kind = ValueKind.INTEGER
    column_type = PositiveSmallIntegerField

    def __init__(self, *, minimum: int, maximum: int, **kwargs: Any) -> None:
        self.minimum = minimum
        self.maximum = maximum
        self.bounds = (minimum, maximum)
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

    def takes_number(self, number: str) -> bool:
        return True

    def fast_type(self) -> Any:
        return Annotated[int, Meta(ge=self.minimum, le=self.maximum)]

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


class DecimalTextField(Leaf):
    """A decimal number as text, stored with the digits that were sent; a JSON number becomes text (contract C10)."""

    kind = ValueKind.DECIMAL
    is_local = True

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

    def takes_number(self, number: str) -> bool:
        return True

    def from_words(self, text: str) -> Any:
        stripped = text.strip()
        sign = "-" if stripped.startswith(("-", "\N{MINUS SIGN}")) else ""
        unsigned = stripped[1:] if sign else stripped
        decimal, grouped = _DECIMAL.fullmatch(unsigned), _GROUPED.fullmatch(unsigned)
        if grouped is None:
            # English has no decimal comma.
            is_read = decimal is not None and not (decimal["point"] == "," and spoken_language() == "en")
            return sign + unsigned.replace(",", ".") if is_read else self.from_cell(stripped)
        whole = "".join(filter(str.isdigit, grouped["whole"]))
        if decimal is None:
            return f"{sign}{whole}" + (f".{grouped['fraction']}" if grouped["fraction"] else "")
        point = get_format("DECIMAL_SEPARATOR")
        if point == decimal["point"] == ".":
            return self.from_cell(stripped)
        digits = decimal["fraction"].rstrip("0")
        if len(digits) == _GROUP and point == ",":
            digits += "0"  # three digits could be thousands again
        readings = [f"{sign}{decimal['whole']}.{decimal['fraction']}", f"{sign}{whole}"]
        raise AmbiguousText(stripped, f"{sign}{decimal['whole']}{digits and point + digits}", readings[1], readings)

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

    def from_words(self, text: str) -> Any:
        word = fold_name(text)
        return super().from_words(text) if word.isdecimal() or word not in YES_AND_NO else YES_AND_NO[word]

    @property
    def encode(self) -> Callable[[Any], str]:
        return KnownJson([(None, "null"), *zip(self.words, self.words, strict=True)]).__getitem__

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def fast_type(self) -> Any:
        return super().fast_type() | bool

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [super().schema(), {"type": "boolean"}]}
