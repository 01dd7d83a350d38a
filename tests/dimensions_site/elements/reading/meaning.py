"""What a filter means for an element as it is listed, in plain Python without any database."""

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.parser import And, Comparison, Node, Or

JsonObject = Mapping[str, Any]

# A key of theirs may contain a dot.
MAPS = ("descriptions", "alternativeDescriptions", "customAttributes")

_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Of the operators that compare texts as an answer shows them.
_TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "=like=": lambda text, part: part in text,
    "=ilike=": lambda text, part: part.lower().upper() in text.lower().upper(),
}


def kind_of(wire: Wire, selector: str) -> ValueKind:
    """The kind of a field; an entry of a map, and the description in the default language, are texts."""
    place = wire.places.get(selector)
    return ValueKind.TEXT if place is None or selector == "description" else place.leaf.kind


def holds(node: Node, element: JsonObject, wire: Wire, language: str) -> bool:
    """Whether the filter selects `element`; `language` is the default language of its repository."""
    if isinstance(node, And):
        return all(holds(child, element, wire, language) for child in node.children)
    if isinstance(node, Or):
        return any(holds(child, element, wire, language) for child in node.children)
    return _compare(node, kind_of(wire, node.selector), texts(element, node.selector, language))


def texts(element: JsonObject, selector: str, language: str) -> list[str]:
    """The values of a field that are not null, as they are written in a filter: none, one, or those of a map."""
    value: Any = element
    group, _, key = selector.partition(".")
    if selector == "description":
        path = ["descriptions", language]
    else:
        path = [group, key] if key and group in MAPS else selector.split(".")
    for name in path:
        value = value.get(name) if value is not None else None
    values = list(value.values()) if isinstance(value, dict) else [value]
    return [_text(value) for value in values if value is not None]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _compare(node: Comparison, kind: ValueKind, present: list[str]) -> bool:
    symbol = str(node.operator)
    if symbol == "=isnull=":
        return (not present) == (node.values[0] == "true")
    if symbol in _TEXT_TESTS:
        return any(_TEXT_TESTS[symbol](text, node.values[0]) for text in present)
    wanted = [_meant(kind, text) for text in node.values]
    values = [_meant(kind, text) for text in present]
    if symbol in ("==", "=in="):
        return any(value in wanted for value in values)
    if symbol in ("!=", "=out="):
        return not any(value in wanted for value in values)
    # A word in place of a number, such as a coefficient `true`, is neither less nor greater.
    return any(type(value) is type(wanted[0]) and _TESTS[symbol](value, wanted[0]) for value in values)


def _meant(kind: ValueKind, text: str) -> Any:
    match kind:
        case ValueKind.INTEGER:
            return int(text)
        case ValueKind.DECIMAL:
            try:
                return Decimal(text)
            except InvalidOperation:
                return text
        case ValueKind.TIMESTAMP:
            return datetime.fromisoformat(text)
        case _:
            return text
