"""The operations of a condition, in words that fit the kind of the field, and the filter that each one stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.rsql.operators import BY_SYMBOL
from dimensions_site.rsql.parser import Comparison, Node, Or


class Takes(StrEnum):
    """What an operation needs beside the field."""

    NOTHING = "nothing"
    ONE = "one"
    SEVERAL = "several"
    RANGE = "range"


@dataclass(frozen=True)
class FilterOperation:
    """An operation: its `words` in a list of operations, and the `sentence` of a condition."""

    name: str
    words: Any
    sentence: Any
    takes: Takes = Takes.ONE
    # Of an operation that is one comparison; the value of one that takes nothing.
    symbol: str = ""
    value: str = ""


_ALL = (
    FilterOperation("is", _("is"), _("%(field)s is %(value)s"), symbol="=="),
    FilterOperation("is-not", _("is not"), _("%(field)s is not %(value)s"), symbol="!="),
    FilterOperation("contains", _("contains"), _("%(field)s contains %(value)s"), symbol="=ilike="),
    FilterOperation(
        "contains-exactly",
        _("contains, in the same case"),
        _("%(field)s contains %(value)s in the same case"),
        symbol="=like=",
    ),
    FilterOperation("starts", _("starts with"), _("%(field)s starts with %(value)s")),
    FilterOperation("in", _("is one of"), _("%(field)s is one of %(value)s"), Takes.SEVERAL, symbol="=in="),
    FilterOperation("not-in", _("is none of"), _("%(field)s is none of %(value)s"), Takes.SEVERAL, symbol="=out="),
    FilterOperation("between", _("is from … to …"), _("%(field)s is from %(low)s to %(high)s"), Takes.RANGE),
    FilterOperation("at-least", _("is at least"), _("%(field)s is at least %(value)s"), symbol=">="),
    FilterOperation("at-most", _("is at most"), _("%(field)s is at most %(value)s"), symbol="<="),
    FilterOperation("greater", _("is greater than"), _("%(field)s is greater than %(value)s"), symbol=">"),
    FilterOperation("less", _("is less than"), _("%(field)s is less than %(value)s"), symbol="<"),
    FilterOperation("empty", _("is empty"), _("%(field)s is empty"), Takes.NOTHING, "=isnull=", "true"),
    FilterOperation("not-empty", _("is not empty"), _("%(field)s is not empty"), Takes.NOTHING, "=isnull=", "false"),
    # The same of the text in one language, of moments, and of other texts where an empty one does not count.
    FilterOperation("missing", _("is missing"), _("%(field)s is missing"), Takes.NOTHING, "=isnull=", "true"),
    FilterOperation("present", _("is there"), _("%(field)s is there"), Takes.NOTHING, "=isnull=", "false"),
    FilterOperation("on", _("is on the day"), _("%(field)s is on %(value)s")),
    FilterOperation("since", _("is on or after"), _("%(field)s is on or after %(value)s"), symbol=">="),
    FilterOperation("before", _("is before"), _("%(field)s is before %(value)s"), symbol="<"),
    FilterOperation("after", _("is after"), _("%(field)s is after %(value)s"), symbol=">"),
    FilterOperation("until", _("is not after"), _("%(field)s is not after %(value)s"), symbol="<="),
)
OPERATIONS = {operation.name: operation for operation in _ALL}

_EMPTINESS = ("empty", "not-empty")
# A text that is not empty comes after the empty one.
_NOT_EMPTY = (">", "")
_NUMBERS = ("is", "is-not", "at-least", "at-most", "between", "greater", "less", "in", "not-in")
# What the form offers, the most frequent first.
_OFFERED = {
    ValueKind.TEXT: ("contains", "is", "is-not", "starts", "in", "not-in", "between"),
    ValueKind.ENUM: ("is", "is-not", "in", "not-in"),
    ValueKind.BOOLEAN: ("is", "is-not"),
    ValueKind.INTEGER: _NUMBERS,
    ValueKind.DECIMAL: _NUMBERS,
    ValueKind.TIMESTAMP: ("on", "between", "since", "before"),
    ValueKind.TEXT_MAP: ("contains", "is"),
}
# What a comparison of a moment and of a text in a map is called.
_OF_MOMENTS = {"at-least": "since", "less": "before", "greater": "after", "at-most": "until"}
_OF_ENTRIES = {"empty": "missing", "not-empty": "present"}
_BY_COMPARISON = {
    (BY_SYMBOL[operation.symbol], operation.value): operation.name for operation in reversed(_ALL) if operation.symbol
}


def offered_operations(field: Field, *, is_entry: bool) -> list[FilterOperation]:
    """Return the operations for a field; `is_entry` says that it is the text in one language, or another map's."""
    names = list(_OFFERED[field.kind])
    if field.open_text:
        names.insert(0, "contains")
    # One entry of a map that is there may be missing.
    if field.nullable or field.kind is ValueKind.TEXT_MAP:
        names += [_OF_ENTRIES[name] for name in _EMPTINESS] if is_entry else _EMPTINESS
    return [OPERATIONS[name] for name in names]


def comparisons(
    path: str, kind: ValueKind, operation: FilterOperation, values: Sequence[str], *, may_be_empty: bool
) -> Sequence[Node]:
    """Return the conditions that together mean the operation. Raises ValueError for a day that is invalid.

    People see no difference between no text and an empty one, if the field has both (`may_be_empty`).
    """
    if may_be_empty and operation.name == "empty":
        return [Or((_compare(path, "=isnull=", "true"), _compare(path, "==", "")))]
    if may_be_empty and operation.name == "not-empty":
        return [_compare(path, *_NOT_EMPTY)]
    if operation.symbol:
        return [_compare(path, operation.symbol, *([operation.value] if operation.value else values))]
    low, high = values[0], values[-1]
    if kind is ValueKind.TIMESTAMP:
        return [_compare(path, ">=", low), _compare(path, "<", _next_day(high))]
    if operation.name == "starts":
        after = _successor(low)
        return [_compare(path, ">=", low), *([_compare(path, "<", after)] if after else [])]
    return [_compare(path, ">=", low), _compare(path, "<=", high)]


def operation_of(
    kind: ValueKind, comparison: Comparison, *, is_entry: bool, may_be_empty: bool
) -> tuple[FilterOperation, tuple[str, ...]] | None:
    """Return the operation of one comparison, and its values; None for values that the comparison cannot have."""
    values = comparison.values
    if may_be_empty and (str(comparison.operator), *values) == _NOT_EMPTY:
        return OPERATIONS["not-empty"], ()
    name = _BY_COMPARISON.get((comparison.operator, values[0])) or _BY_COMPARISON.get((comparison.operator, ""))
    if name is None or (len(values) > 1 and not comparison.operator.takes_list):
        return None
    others = _OF_MOMENTS if "since" in _OFFERED[kind] else _OF_ENTRIES if is_entry or may_be_empty else {}
    name = others.get(name, name)
    return OPERATIONS[name], () if OPERATIONS[name].takes is Takes.NOTHING else values


def operation_of_both(
    kind: ValueKind, low: Comparison, high: Comparison
) -> tuple[FilterOperation, tuple[str, ...]] | None:
    """Return the operation that two comparisons of one field form together, with its values; None if they form none."""
    if kind is ValueKind.TEXT_MAP or low.operator != BY_SYMBOL[">="]:
        return None
    first, last = low.values[0], high.values[0]
    if high.operator == BY_SYMBOL["<="] and kind is not ValueKind.TIMESTAMP:
        return OPERATIONS["between"], (first, last)
    if high.operator != BY_SYMBOL["<"]:
        return None
    if kind is ValueKind.TIMESTAMP:
        return _days(first, last)
    return (OPERATIONS["starts"], (first,)) if kind is ValueKind.TEXT and _successor(first) == last else None


def _compare(path: str, symbol: str, *values: str) -> Comparison:
    return Comparison(path, BY_SYMBOL[symbol], values, position=1)


def _days(first: str, after: str) -> tuple[FilterOperation, tuple[str, ...]] | None:
    try:
        last = (_day(after) - timedelta(days=1)).isoformat()
        days = (_day(first).isoformat(), last)
    except (ValueError, OverflowError):
        return None
    return (OPERATIONS["on"], (first,)) if days[0] == days[1] else (OPERATIONS["between"], days)


def _day(text: str) -> date:
    """Return the day of a text such as 2026-01-31. Raises ValueError for another form."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError
    return day


def _next_day(text: str) -> str:
    try:
        return (_day(text) + timedelta(days=1)).isoformat()
    except OverflowError:
        raise ValueError from None


_LAST, _BEFORE_SURROGATES, _AFTER_SURROGATES = 0x10FFFF, 0xD7FF, 0xE000


def _successor(text: str) -> str:
    """Return the first text in the order of code points after all that start with `text`; empty if there is none."""
    rest = text.rstrip(chr(_LAST))
    if not rest:
        return ""
    last = ord(rest[-1])
    return rest[:-1] + chr(_AFTER_SURROGATES if last == _BEFORE_SURROGATES else last + 1)
