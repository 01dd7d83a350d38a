"""Conversion of filter values to SQL values (contract D4)."""

import re
from collections.abc import Callable
from datetime import datetime

from dimensions_site.rsql.decimals import is_decimal, sort_key
from dimensions_site.rsql.errors import QUOTED, RsqlError
from dimensions_site.rsql.fields import Field, Kind
from dimensions_site.rsql.timestamps import NoSuchMoment, TooPrecise, parse_timestamp
from dimensions_site.text.shortening import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean

SqlValue = str | int | bool | datetime

_BOOLEANS = {"true": True, "false": False}


def convert(field: Field, text: str) -> SqlValue:
    """Return the value for an equality condition on `field`; for a DECIMAL its sort key.

    Raises RsqlError INVALID_VALUE, whose message names the field, the value and what is valid.
    """
    return _CONVERTERS[field.kind](field, text)


def convert_bound(field: Field, text: str) -> SqlValue:
    """Convert like `convert`, for `<`, `<=`, `>` and `>=`: an ENUM accepts any text, a DECIMAL only a number."""
    if field.kind is Kind.ENUM:
        return text
    if field.kind is Kind.DECIMAL:
        return _number(field, text, words=())
    return convert(field, text)


def convert_part(field: Field, text: str) -> str:
    """Return the text that `=like=` and `=ilike=` search: any text, for all kinds of fields."""
    return text


def convert_truth(field: Field, text: str) -> bool:
    """Return the value of `=isnull=`; raises RsqlError as `convert` does."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    message = f'{field.path}=isnull= must be followed by true or false; got "{shortened(text, QUOTED)}".'
    raise RsqlError(message, code="INVALID_VALUE")


def _invalid(field: Field, text: str, expected: str, hint: str = "") -> RsqlError:
    message = f'{field.path} must be {expected}; got "{shortened(text, QUOTED)}".{hint}'
    return RsqlError(message, code="INVALID_VALUE")


def _choice(field: Field, text: str) -> str:
    value = field.spellings.get(text, text)
    if field.open_text or value in field.choices:
        return value
    hint = did_you_mean(close_names(text, field.choices), in_quotes=False)
    raise _invalid(field, text, f"one of {', '.join(field.choices)}", hint)


def _integer(field: Field, text: str) -> int:
    if re.fullmatch("-?[0-9]{1,10}", text) and -(2**31) <= int(text) < 2**31:
        return int(text)
    smallest, largest = field.bounds or (-(2**31), 2**31 - 1)
    raise _invalid(field, text, f"a whole number from {smallest} to {largest}")


def _decimal(field: Field, text: str) -> str:
    return _number(field, text, words=field.choices)


def _number(field: Field, text: str, words: tuple[str, ...]) -> str:
    if is_decimal(text) or text in words:
        return sort_key(text)
    number = "a decimal number with at most 15 digits before and 10 after the point, such as -12.50"
    raise _invalid(field, text, f"{number}, or {' or '.join(words)}" if words else number)


def _boolean(field: Field, text: str) -> bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise _invalid(field, text, "true or false")


def _timestamp(field: Field, text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except TooPrecise as error:
        expected = "a time with at most 3 digits after the seconds: times are stored in milliseconds"
        raise _invalid(field, text, expected) from error
    except NoSuchMoment as error:
        raise RsqlError(f"{field.path}: {shortened(text, QUOTED)} does not exist.", code="INVALID_VALUE") from error
    except ValueError as error:
        # The service's own format has a plus sign, which decodes to a space in an unescaped URL.
        expected = "a date or time such as 2024-12-31 or 2024-12-31T23:59:59.000+0000 (write + as %2B in a URL)"
        raise _invalid(field, text, expected) from error


_CONVERTERS: dict[Kind, Callable[[Field, str], SqlValue]] = {
    Kind.TEXT: convert_part,
    Kind.TEXT_MAP: convert_part,
    Kind.ENUM: _choice,
    Kind.INTEGER: _integer,
    Kind.DECIMAL: _decimal,
    Kind.BOOLEAN: _boolean,
    Kind.TIMESTAMP: _timestamp,
}
