"""Values in the text of a filter, to SQL and back (contract D4)."""

import re
from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _

from dimensions_site.rsql.errors import QUOTED, RsqlError
from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.rsql.parser import And, Comparison, Node
from dimensions_site.text.formats import shortened
from dimensions_site.text.parsing import NoSuchMoment, is_decimal, parse_timestamp, sort_key
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
    if field.kind is ValueKind.ENUM:
        return text
    if field.kind is ValueKind.DECIMAL:
        return _number(field, text, words=())
    return convert(field, text)


def convert_part(field: Field, text: str) -> str:
    """Return the text that `=like=` and `=ilike=` search: any text, for all kinds of fields."""
    return text


def convert_truth(field: Field, text: str) -> bool:
    """Return the value of `=isnull=`; raises RsqlError as `convert` does."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    message = _('{comparison} must be followed by true or false; got "{value}".')
    text = message.format(comparison=f"{field.path}=isnull=", value=shortened(text, QUOTED))
    raise RsqlError(text, code="INVALID_VALUE")


def _invalid(field: Field, text: str, expected: str, hint: str = "") -> RsqlError:
    message = _("{name} must be {expected}; got {value}.{hint}")
    value = f'"{shortened(text, QUOTED)}"'
    return RsqlError(message.format(name=field.path, expected=expected, value=value, hint=hint), code="INVALID_VALUE")


def _choice(field: Field, text: str) -> str:
    value = field.spellings.get(text, text)
    if field.open_text or value in field.choices:
        return value
    hint = did_you_mean(close_names(text, field.choices), in_quotes=False)
    raise _invalid(field, text, _("one of {values}").format(values=", ".join(field.choices)), hint)


def _integer(field: Field, text: str) -> int:
    if re.fullmatch("-?[0-9]{1,10}", text) and -(2**31) <= int(text) < 2**31:
        return int(text)
    smallest, largest = field.bounds or (-(2**31), 2**31 - 1)
    expected = _("a whole number from {minimum} to {maximum}")
    raise _invalid(field, text, expected.format(minimum=smallest, maximum=largest))


def _decimal(field: Field, text: str) -> str:
    return _number(field, text, words=field.choices)


def _number(field: Field, text: str, words: tuple[str, ...]) -> str:
    if is_decimal(text) or text in words:
        return sort_key(text)
    number = _("a decimal number with at most 15 digits before and 10 after the point, such as {example}")
    expected = number.format(example="-12.50")
    raise _invalid(field, text, _("{number}, or true or false").format(number=expected) if words else expected)


def _boolean(field: Field, text: str) -> bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise _invalid(field, text, _("true or false"))


def _timestamp(field: Field, text: str) -> datetime:
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


_CONVERTERS: dict[ValueKind, Callable[[Field, str], SqlValue]] = {
    ValueKind.TEXT: convert_part,
    ValueKind.TEXT_MAP: convert_part,
    ValueKind.ENUM: _choice,
    ValueKind.INTEGER: _integer,
    ValueKind.DECIMAL: _decimal,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.TIMESTAMP: _timestamp,
}


# As the terminal WORD of the grammar.
_UNQUOTED = re.compile("[^\"'();,=!~<> \x00-\x1f\x7f-\x9f]+")


def write(node: Node) -> str:
    """Return a text that `parse` reads as `node`."""
    if isinstance(node, Comparison):
        return _comparison(node)
    connector = ";" if isinstance(node, And) else ","
    return connector.join(
        write(child) if isinstance(child, Comparison) else f"({write(child)})" for child in node.children
    )


def can_select(path: str) -> bool:
    """Return whether a filter can name the field at `path`: an entry of a map may have blanks and signs in its key."""
    return _UNQUOTED.fullmatch(path) is not None


def _comparison(node: Comparison) -> str:
    values = [_value(value) for value in node.values]
    text = f"({','.join(values)})" if node.operator.takes_list or len(values) > 1 else values[0]
    return f"{node.selector}{node.operator}{text}"


def _value(text: str) -> str:
    if _UNQUOTED.fullmatch(text):
        return text
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text)
    return f'"{escaped}"'
