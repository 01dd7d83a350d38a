"""Fields for filters and sort orders: their description, which the owner of a model provides, and their kinds."""

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Protocol, TypeAlias, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, F, Func
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from dimensions_site.rsql.errors import QUOTED, RsqlError
from dimensions_site.rsql.expressions import DecimalKey, InstantText
from dimensions_site.text.formats import NoSuchMoment, is_decimal, parse_timestamp, shortened, sort_key
from dimensions_site.text.suggestions import close_names, did_you_mean

SqlValue: TypeAlias = str | int | bool | datetime
Reader: TypeAlias = Callable[["Field", str], SqlValue]
Form: TypeAlias = Callable[[Expression | F], Expression | F]

_BOOLEANS = {"true": True, "false": False}


def _text(field: "Field", text: str) -> str:
    return text


def _choice(field: "Field", text: str) -> str:
    value = field.spellings.get(text, text)
    if field.open_text or value in field.choices:
        return value
    hint = did_you_mean(close_names(text, field.choices), in_quotes=False)
    raise _invalid(field, text, _("one of {values}").format(values=", ".join(field.choices)), hint)


def _integer(field: "Field", text: str) -> int:
    if re.fullmatch("-?[0-9]{1,10}", text) and -(2**31) <= int(text) < 2**31:
        return int(text)
    smallest, largest = field.bounds or (-(2**31), 2**31 - 1)
    expected = _("a whole number from {minimum} to {maximum}")
    raise _invalid(field, text, expected.format(minimum=smallest, maximum=largest))


def _decimal(field: "Field", text: str) -> str:
    return _number(field, text, words=field.choices)


def _number(field: "Field", text: str, words: tuple[str, ...] = ()) -> str:
    if is_decimal(text) or text in words:
        return sort_key(text)
    number = _("a decimal number with at most 15 digits before and 10 after the point, such as {example}")
    expected = number.format(example="-12.50")
    raise _invalid(field, text, _("{number}, or true or false").format(number=expected) if words else expected)


def _boolean(field: "Field", text: str) -> bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise _invalid(field, text, _("true or false"))


def _timestamp(field: "Field", text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except NoSuchMoment as error:
        message = _("{name}: {value} does not exist.").format(name=field.path, value=shortened(text, QUOTED))
        raise RsqlError(message, code="INVALID_VALUE") from error
    except ValueError as error:
        # The service's own format has a plus sign, which decodes to a space in an unescaped URL.
        expected = _("a date or time such as {day} or {time} (write + as %2B in a URL)").format(
            day="2024-12-31", time="2024-12-31T23:59:59.000+0000"
        )
        raise _invalid(field, text, expected) from error


def _invalid(field: "Field", text: str, expected: str, hint: str = "") -> RsqlError:
    message = _("{name} must be {expected}; got {value}.{hint}")
    value = f'"{shortened(text, QUOTED)}"'
    return RsqlError(message.format(name=field.path, expected=expected, value=value, hint=hint), code="INVALID_VALUE")


def _as_stored(value: Expression | F) -> Expression | F:
    return value


def _digits(value: Expression | F) -> Expression | F:
    return Cast(value, models.TextField())


def _truth(value: Expression | F) -> Expression | F:
    text = "CASE %(expressions)s WHEN TRUE THEN 'true' WHEN FALSE THEN 'false' END"
    return Func(value, template=text, output_field=models.TextField())


class ValueKind(enum.StrEnum):
    """The type of a field's values, which determines how filters parse and compare them (contract D4)."""

    # Reads the value of an equality condition.
    reader: Reader
    # Reads the value of `<`, `<=`, `>` and `>=`.
    bound_reader: Reader
    # What is compared and sorted, made from the SQL value of the field.
    compared: Form
    # The text in responses, which containment searches (contract M5).
    answered: Form

    TEXT = "text", _text, _text, _as_stored, _as_stored
    # As a bound, any text.
    ENUM = "enum", _choice, _text, _as_stored, _as_stored
    INTEGER = "integer", _integer, _integer, _as_stored, _digits
    # A decimal number stored as text, with the digits as sent. A word may replace it, but is no bound.
    DECIMAL = "decimal", _decimal, _number, DecimalKey, _as_stored
    BOOLEAN = "boolean", _boolean, _boolean, _as_stored, _truth
    TIMESTAMP = "timestamp", _timestamp, _timestamp, _as_stored, InstantText
    # A JSON object of texts or nulls; a condition on it is true if it is true for any entry.
    TEXT_MAP = "text map", _text, _text, _as_stored, _as_stored

    def __new__(cls, name: str, reader: Reader, bound_reader: Reader, compared: Form, answered: Form) -> "ValueKind":
        member = str.__new__(cls, name)
        member._value_ = name
        member.reader, member.bound_reader, member.compared, member.answered = reader, bound_reader, compared, answered
        return member


@dataclass(frozen=True)
class Field:
    """One wire field and its SQL expression.

    `expression` is its SQL value, NULL if unset: `F("column")` or an expression of the module `expressions`.
    """

    path: str
    kind: ValueKind
    expression: Expression | F
    # ENUM: the stored values. DECIMAL: words that may replace a number.
    choices: tuple[str, ...] = ()
    # ENUM: alternative spelling -> stored value.
    spellings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # INTEGER: the smallest and the largest stored value.
    bounds: tuple[int, int] | None = None
    # ENUM: any other text is also accepted.
    open_text: bool = False
    # False: the field can only be sorted by.
    filterable: bool = True
    # The JSON column that contains the text and has an index for containment.
    searched: str | None = None
    # The text in responses, if it is another than that of its kind; containment searches it.
    answered: Expression | None = None
    # True: case-insensitive containment in the text has an index.
    indexed: bool = False
    # False: the column is never NULL, which simplifies the SQL.
    nullable: bool = True

    def read(self, text: str) -> SqlValue:
        """Return the value for an equality condition; of a DECIMAL its sort key.

        Raises RsqlError INVALID_VALUE, whose message names the field, the value and what is valid.
        """
        return self.kind.reader(self, text)

    def read_bound(self, text: str) -> SqlValue:
        """Return the value for `<`, `<=`, `>` and `>=`; raises RsqlError as `read` does."""
        return self.kind.bound_reader(self, text)

    def read_part(self, text: str) -> str:
        """Return the text that `=like=` and `=ilike=` search: any text, for all kinds of fields."""
        return text

    def read_truth(self, text: str) -> bool:
        """Return the value of `=isnull=`; raises RsqlError as `read` does."""
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        message = _('{comparison} must be followed by true or false; got "{value}".')
        text = message.format(comparison=f"{self.path}=isnull=", value=shortened(text, QUOTED))
        raise RsqlError(text, code="INVALID_VALUE")


class FieldTable(Protocol):
    """The fields of one kind of element, by any accepted name."""

    def resolve(self, selector: str) -> Field:
        """Return the field that `selector` names, in any accepted spelling; raises `errors.UnknownField`."""
        ...


_Set = TypeVar("_Set", contravariant=True)
_Get = TypeVar("_Get", covariant=True)


class CodePointTextField(models.TextField[_Set, _Get]):
    """Text that the database compares and sorts by Unicode code point (contract D5).

    This is SQLite's default; PostgreSQL needs the collation "C". The collation is set when the column is created, so
    one migration serves both databases.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, str | None]:
        parameters: dict[str, str | None] = super().db_parameters(connection)
        parameters["collation"] = "C" if connection.vendor == "postgresql" else None
        return parameters
