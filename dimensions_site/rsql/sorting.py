"""The sort order of a list (contract D5)."""

import re

from django.db.models import OrderBy

from dimensions_site.rsql.characters import refuse_control_characters
from dimensions_site.rsql.errors import RsqlError, raise_all
from dimensions_site.rsql.expressions import DecimalKey
from dimensions_site.rsql.fields import Field, FieldTable, Kind

MAX_FIELDS = 5

# One field with its direction; `,desc` belongs to the field before it, `,description` does not.
_KEY = re.compile("(?P<minus>-?)(?P<selector>[^,;]+?)(?:[:,](?P<direction>asc|desc))?(?=[,;]|$)")
_FORMS = "Write field, -field, field:desc or field,desc, and ',' or ';' between fields."


def parse_sort(text: str, table: FieldTable) -> list[OrderBy]:
    """What to order by, the first key first; the caller adds the id as the last key.

    Texts sort by code point, decimals as numbers with the words `false` and `true` above all of them, and rows
    without a value come last in both directions. Raises RsqlError with a position and one of the codes SYNTAX,
    TOO_MANY, UNKNOWN_FIELD, NOT_SORTABLE, DUPLICATE_FIELD; its `errors` are all faults of the text.
    """
    refuse_control_characters(text, "sort order")
    ordering: dict[str, OrderBy] = {}
    errors: list[RsqlError] = []
    for key in _keys(text):
        try:
            field = table.resolve(key["selector"])
            if field.path in ordering:
                message = f"The sort order names {field.path} twice."
                raise RsqlError(message, code="DUPLICATE_FIELD")
            ordering[field.path] = _order_by(field, descending=bool(key["minus"]) or key["direction"] == "desc")
        except RsqlError as error:
            error.position = key.start() + 1
            errors.append(error)
    raise_all(errors)
    return list(ordering.values())


def _keys(text: str) -> list[re.Match[str]]:
    keys: list[re.Match[str]] = []
    start = 0
    while start <= len(text):
        key = _KEY.match(text, start)
        position = start + 1
        if key is None or (key["minus"] and key["direction"]):
            fault = "is no field" if key is None else "are two directions for one field"
            message = f"The sort order cannot be read: at character {position} there {fault}. {_FORMS}"
            raise RsqlError(message, code="SYNTAX", position=position)
        if len(keys) == MAX_FIELDS:
            message = f"The sort order has more than {MAX_FIELDS} fields at character {position}."
            raise RsqlError(message, code="TOO_MANY", position=position)
        keys.append(key)
        start = key.end() + 1
    return keys


def _order_by(field: Field, *, descending: bool) -> OrderBy:
    if field.kind is Kind.TEXT_MAP:
        message = f"{field.path} has one text for each language: sort by one of them, {field.path}.<language>."
        raise RsqlError(message, code="NOT_SORTABLE")
    value = DecimalKey(field.expression) if field.kind is Kind.DECIMAL else field.expression
    # For a column that is never NULL a plain order can use the column's index in both directions.
    return OrderBy(value, descending=descending, nulls_last=field.nullable or None)
