"""Values of a filter, converted to what the field is compared with (contract D4)."""

import re
from collections.abc import Callable
from datetime import datetime

from dimensions_site.rsql.decimals import is_decimal, sort_key
from dimensions_site.rsql.errors import RsqlError, shortened
from dimensions_site.rsql.fields import Field, Kind
from dimensions_site.rsql.timestamps import parse_timestamp

SqlValue = str | int | bool | datetime

_TRUTHS = {"true": True, "false": False}


def convert(field: Field, text: str) -> SqlValue:
    """The value that a condition of equality compares `field` with; a DECIMAL is compared by its sort key.

    Raises RsqlError INVALID_VALUE, whose message names field, value and what would be right.
    """
    return _CONVERTERS[field.kind](field, text)


def convert_bound(field: Field, text: str) -> SqlValue:
    """Like `convert`, for `<`, `<=`, `>` and `>=`: any text bounds an ENUM, and only a number bounds a DECIMAL."""
    if field.kind is Kind.ENUM:
        return text
    if field.kind is Kind.DECIMAL:
        return _number(field, text, words=())
    return convert(field, text)


def convert_part(field: Field, text: str) -> str:
    """The text that `field` has to contain, for `=like=` and `=ilike=`: any text, of an ENUM too."""
    return text


def convert_truth(field: Field, text: str) -> bool:
    """What `=isnull=` asks for; raises RsqlError as `convert` does."""
    if text in _TRUTHS:
        return _TRUTHS[text]
    raise _refusal(field, text, "true or false after =isnull=")


def _refusal(field: Field, text: str, right: str) -> RsqlError:
    message = f"The value '{shortened(text)}' does not fit {field.path}: it must be {right}."
    return RsqlError(message, code="INVALID_VALUE")


def _choice(field: Field, text: str) -> str:
    value = field.spellings.get(text, text)
    if field.open_text or value in field.choices:
        return value
    raise _refusal(field, text, f"one of {', '.join(field.choices)}")


def _integer(field: Field, text: str) -> int:
    if re.fullmatch("-?[0-9]{1,10}", text) and -(2**31) <= int(text) < 2**31:
        return int(text)
    raise _refusal(field, text, f"a whole number from {-(2**31)} to {2**31 - 1}")


def _decimal(field: Field, text: str) -> str:
    return _number(field, text, words=field.choices)


def _number(field: Field, text: str, words: tuple[str, ...]) -> str:
    if is_decimal(text) or text in words:
        return sort_key(text)
    number = "a decimal number with at most 15 digits before and 10 after the point, such as -12.50"
    raise _refusal(field, text, " or ".join((number, *words)))


def _boolean(field: Field, text: str) -> bool:
    if text in _TRUTHS:
        return _TRUTHS[text]
    raise _refusal(field, text, "true or false")


def _timestamp(field: Field, text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except ValueError as error:
        # The form in which the service itself returns times has a plus sign, which a URL turns into a blank.
        right = "a date such as 2024-12-31 or a time such as 2024-12-31T23:59:59.000+0000 (write + as %2B in a URL)"
        raise _refusal(field, text, right) from error


_CONVERTERS: dict[Kind, Callable[[Field, str], SqlValue]] = {
    Kind.TEXT: convert_part,
    Kind.TEXT_MAP: convert_part,
    Kind.ENUM: _choice,
    Kind.INTEGER: _integer,
    Kind.DECIMAL: _decimal,
    Kind.BOOLEAN: _boolean,
    Kind.TIMESTAMP: _timestamp,
}
