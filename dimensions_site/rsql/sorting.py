"""The sort order of a list (contract D5)."""

import re

from django.db.models import OrderBy

from dimensions_site.rsql.errors import REFUSED_UNQUOTED, RsqlError, UnknownField, raise_all, refuse
from dimensions_site.rsql.fields import Field, FieldTable, ValueKind

MAX_FIELDS = 5

# One field with its direction; `,desc` applies to the field before it, `,description` is another field.
_KEY = re.compile("(?P<minus>-?)(?P<selector>[^,;]+?)(?:[:,](?P<direction>asc|desc))?(?=[,;]|$)")
# A direction in an invalid form: `id:DESC`, `id desc`, `+id`, or `desc` after a semicolon.
_INVALID_DIRECTION = re.compile("-|.*[: +].*|asc|desc", re.IGNORECASE | re.DOTALL)
_FORMS = "Write field, -field, field:desc or field,desc, with ',' or ';' between fields."


def parse_sort(text: str, table: FieldTable) -> list[OrderBy]:
    """Return the sort keys in order; the calling code appends the id as the last key.

    Texts sort by code point, decimals as numbers with the words `false` and `true` above all of them, and rows
    without a value come last in both directions. Raises RsqlError with a position and one of the codes SYNTAX,
    TOO_MANY, UNKNOWN_FIELD, NOT_SORTABLE, DUPLICATE_FIELD; its `errors` are all errors of the text.
    """
    refuse(REFUSED_UNQUOTED, text, "sort order")
    ordering: dict[str, OrderBy] = {}
    errors: list[RsqlError] = []
    for key in _keys(text):
        try:
            field = table.resolve(key["selector"])
            if field.path in ordering:
                message = f"sort must not name {field.path} twice."
                raise RsqlError(message, code="DUPLICATE_FIELD")
            ordering[field.path] = _order_by(field, descending=bool(key["minus"]) or key["direction"] == "desc")
        except RsqlError as error:
            error.position = key.start() + 1
            if isinstance(error, UnknownField) and _INVALID_DIRECTION.fullmatch(key["selector"]):
                error.message = f"{error.message} {_FORMS}"
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
            if not text:
                raise RsqlError("sort is empty; write for example sort=-id.", code="SYNTAX", position=position)
            found = "a field is missing here" if key is None else "a field must not have two directions"
            message = f"sort cannot be read at character {position}: {found}. {_FORMS}"
            raise RsqlError(message, code="SYNTAX", position=position)
        if len(keys) == MAX_FIELDS:
            message = f"sort has more than {MAX_FIELDS} fields; the limit is reached at character {position}."
            raise RsqlError(message, code="TOO_MANY", position=position)
        keys.append(key)
        start = key.end() + 1
    return keys


def _order_by(field: Field, *, descending: bool) -> OrderBy:
    if field.kind is ValueKind.TEXT_MAP:
        message = f"sort must not name {field.path}, which has many texts; name one of them, such as {field.path}.en."
        raise RsqlError(message, code="NOT_SORTABLE")
    # Without NULLS LAST the index of a column that is never NULL serves both directions.
    return OrderBy(field.kind.compared(field.expression), descending=descending, nulls_last=field.nullable or None)
