"""What a filter means, said in plain Python: the measure for what the databases answer.

A row is a dictionary from the sample's column names to Python values.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dimensions_site.rsql.parser import And, Comparison, Node, Or

Row = Mapping[str, Any]


def holds(node: Node, row: Row) -> bool:
    if isinstance(node, And):
        return all(holds(child, row) for child in node.children)
    if isinstance(node, Or):
        return any(holds(child, row) for child in node.children)
    return _compare(node, row)


def _compare(node: Comparison, row: Row) -> bool:
    symbol = node.operator.symbols[-1]
    values = present_values(node.selector, row)
    if symbol == "=isnull=":
        return (not values) == (node.values[0] == "true")
    if symbol in ("!=", "=out="):
        return not any(_equals(node, value) for value in values)
    if symbol in ("==", "=in="):
        return any(_equals(node, value) for value in values)
    if symbol in TEXT_TESTS:
        return any(TEXT_TESTS[symbol](text, node.values[0]) for text in answered_texts(node.selector, row))
    test = _TESTS[symbol]
    operand = node.values[0] if node.selector in ("status", "openStatus") else read(node.selector, node.values[0])
    return any(type(value) is type(operand) and test(value, operand) for value in values)


def _equals(node: Comparison, value: Any) -> bool:
    return any(value == read(node.selector, text) for text in node.values)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=lt=": lambda value, bound: value < bound,
    "=le=": lambda value, bound: value <= bound,
    "=gt=": lambda value, bound: value > bound,
    "=ge=": lambda value, bound: value >= bound,
}
# Of the operators that compare texts as an answer shows them.
TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "=like=": lambda text, part: part in text,
    "=ilike=": lambda text, part: part.lower().upper() in text.lower().upper(),
}


def answered_texts(selector: str, row: Row) -> list[str]:
    """The values of a field in a row that are not null, as an answer shows them."""
    return [_answered(value) for value in _stored(selector, row) if value is not None]


def _answered(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
    return str(value).lower() if isinstance(value, bool) else str(value)


def present_values(selector: str, row: Row) -> list[Any]:
    """The values of a field in a row (none, one, or several of a map) as Python objects that compare likewise."""
    decimal = selector in ("amount", "coefficient")
    present = [value for value in _stored(selector, row) if value is not None]
    return [number_or_word(value) for value in present] if decimal else present


def _stored(selector: str, row: Row) -> list[Any]:
    group, _, rest = selector.partition(".")
    if group == "names":
        texts = row["names"] or {}
        return [texts.get(rest)] if rest else list(texts.values())
    if group == "bundle":
        value: Any = row["bundle"]
        for segment in rest.split("."):
            value = value.get(segment) if value is not None else None
        return [value]
    return [row[{"openStatus": "status"}.get(selector, selector)]]


def read(selector: str, text: str) -> Any:
    """The Python object that `text` stands for in a condition on the field `selector`."""
    match selector:
        case "quantity":
            return int(text)
        case "amount" | "coefficient":
            return number_or_word(text)
        case "active" | "bundle.limits.strict":
            return text == "true"
        case "changed":
            return datetime.fromisoformat(text)
        case "status" | "openStatus":
            return "ON HOLD" if (selector, text) == ("status", "ON_HOLD") else text
        case _:
            return text


def number_or_word(text: str) -> Decimal | str:
    return Decimal(text) if re.fullmatch("[-0-9.]+", text) else text
