"""The conditions of a filter: operations in words that fit the kind of the field, and what each one stands for."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.rsql.operators import BY_SYMBOL
from dimensions_site.rsql.parser import And, Comparison, Node, Or
from dimensions_site.text.formats import shortened

# How many of several values a sentence names, and how many characters of each.
_NAMED_VALUES, _LONGEST_VALUE = 5, 60


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


# In the order in which a filter is read.
_ALL = (
    FilterOperation("empty", _("is empty"), _("%(field)s is empty"), Takes.NOTHING, "=isnull=", "true"),
    FilterOperation("not-empty", _("is not empty"), _("%(field)s is not empty"), Takes.NOTHING, "=isnull=", "false"),
    # The same of the text in one language, and of other texts where an empty one does not count.
    FilterOperation("missing", _("is missing"), _("%(field)s is missing"), Takes.NOTHING, "=isnull=", "true"),
    FilterOperation("present", _("is there"), _("%(field)s is there"), Takes.NOTHING, "=isnull=", "false"),
    FilterOperation("is", _("is"), _("%(field)s is %(value)s"), symbol="=="),
    FilterOperation("is-not", _("is not"), _("%(field)s is not %(value)s"), symbol="!="),
    FilterOperation("contains", _("contains"), _("%(field)s contains %(value)s"), symbol="=ilike="),
    FilterOperation(
        "contains-exactly",
        _("contains, in the same case"),
        _("%(field)s contains %(value)s in the same case"),
        symbol="=like=",
    ),
    FilterOperation("in", _("is one of"), _("%(field)s is one of %(value)s"), Takes.SEVERAL, symbol="=in="),
    FilterOperation("not-in", _("is none of"), _("%(field)s is none of %(value)s"), Takes.SEVERAL, symbol="=out="),
    FilterOperation("at-least", _("is at least"), _("%(field)s is at least %(value)s"), symbol=">="),
    FilterOperation("at-most", _("is at most"), _("%(field)s is at most %(value)s"), symbol="<="),
    FilterOperation("greater", _("is greater than"), _("%(field)s is greater than %(value)s"), symbol=">"),
    FilterOperation("less", _("is less than"), _("%(field)s is less than %(value)s"), symbol="<"),
    FilterOperation("since", _("is on or after"), _("%(field)s is on or after %(value)s"), symbol=">="),
    FilterOperation("before", _("is before"), _("%(field)s is before %(value)s"), symbol="<"),
    FilterOperation("after", _("is after"), _("%(field)s is after %(value)s"), symbol=">"),
    FilterOperation("until", _("is not after"), _("%(field)s is not after %(value)s"), symbol="<="),
    FilterOperation("starts", _("starts with"), _("%(field)s starts with %(value)s")),
    FilterOperation("on", _("is on the day"), _("%(field)s is on %(value)s")),
    FilterOperation("between", _("is from … to …"), _("%(field)s is from %(low)s to %(high)s"), Takes.RANGE),
)
CONDITION_OPERATIONS = {operation.name: operation for operation in _ALL}

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
# Operations of moments alone, and what the same comparisons are called of everything else.
_OF_MOMENTS = ("since", "before", "after", "until", "on")
_OF_OTHERS = ("at-least", "at-most", "greater", "less")


def offered_operations(field: Field, *, is_entry: bool) -> list[FilterOperation]:
    """Return the operations for a field; `is_entry` says that it is the text in one language, or another map's."""
    names = list(_OFFERED[field.kind])
    if field.open_text:
        names.insert(0, "contains")
    # One entry of a map that is there may be missing.
    if field.nullable or field.kind is ValueKind.TEXT_MAP:
        names += ("missing", "present") if is_entry else ("empty", "not-empty")
    return [CONDITION_OPERATIONS[name] for name in names]


@dataclass(frozen=True)
class FilterCondition:
    """An operation on a field, with its values as the filter writes them."""

    field: NamedField
    operation: FilterOperation
    values: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        values = [_words_of(self.field, value) for value in self.values]
        named = ", ".join(values[:_NAMED_VALUES]) + (", …" if len(values) > _NAMED_VALUES else "")
        low, high = (values[0], values[-1]) if self.operation.takes is Takes.RANGE else ("", "")
        return str(self.operation.sentence) % {
            "field": self.field.short_heading,
            "value": named,
            "low": low,
            "high": high,
        }

    @property
    def node(self) -> Node:
        """The part of the filter that means the operation. Raises ValueError for a day that is invalid.

        People see no difference between no text and an empty one, if the field has both (`may_be_empty`).
        """
        operation = self.operation
        if self.field.may_be_empty and operation.name == "empty":
            return Or((self._comparison("=isnull=", "true"), self._comparison("==", "")))
        if self.field.may_be_empty and operation.name == "not-empty":
            # A text that is not empty comes after the empty one.
            return self._comparison(">", "")
        if operation.symbol:
            return self._comparison(operation.symbol, *([operation.value] if operation.value else self.values))
        low, high = self.values[0], self.values[-1]
        symbol, end = "<=", high
        if self.field.kind is ValueKind.TIMESTAMP:
            symbol, end = "<", _next_day(high)
        elif operation.name == "starts":
            symbol, end = "<", _successor(low)
        begin = self._comparison(">=", low)
        return And((begin, self._comparison(symbol, end))) if end else begin

    def _comparison(self, symbol: str, *values: str) -> Comparison:
        return Comparison(self.field.path, BY_SYMBOL[symbol], values, position=1)


def condition_of(node: Node, wire: Wire) -> FilterCondition | None:
    """Return the condition that means exactly the part `node` of a filter; None if none does."""
    meant = _canonical(node, wire)
    first, last = (meant, meant) if isinstance(meant, Comparison) else (meant.children[0], meant.children[-1])
    if not (isinstance(first, Comparison) and isinstance(last, Comparison)):
        return None
    named = wire.named(first.selector)
    if named is None:
        return None
    low, high = first.values[0], last.values[0]
    values = {
        Takes.NOTHING: (),
        Takes.ONE: (low,),
        Takes.SEVERAL: first.values,
        Takes.RANGE: _days(low, high) if named.kind is ValueKind.TIMESTAMP else (low, high),
    }
    unlike = _unlike(named)
    for operation in _ALL:
        condition = FilterCondition(named, operation, values[operation.takes])
        with suppress(ValueError):
            if operation.name not in unlike and condition.node == meant:
                return condition
    return None


def _unlike(named: NamedField) -> set[str]:
    """Return the names of operations that are none of the field."""
    unlike = {*(_OF_OTHERS if named.kind is ValueKind.TIMESTAMP else _OF_MOMENTS)}
    if named.kind is not ValueKind.TEXT:
        unlike.add("starts")
    # Of two comparisons of a map, each may hold for another entry.
    if named.kind is ValueKind.TEXT_MAP:
        unlike.add("between")
    if named.is_entry:
        unlike |= {"empty", "not-empty"}
    elif not named.may_be_empty:
        unlike |= {"missing", "present"}
    return unlike


def _canonical(node: Node, wire: Wire) -> Node:
    """Return the part of a filter with the paths of its fields, however they are spelled."""
    if not isinstance(node, Comparison):
        return type(node)(tuple(_canonical(child, wire) for child in node.children))
    named = wire.named(node.selector)
    return node if named is None else replace(node, selector=named.path)


def _words_of(named: NamedField, text: str) -> str:
    """Return what people call the value that a filter writes as `text`."""
    if named.kind in (ValueKind.TEXT, ValueKind.TEXT_MAP):
        return gettext("“%(text)s”") % {"text": shortened(text, _LONGEST_VALUE)}
    leaf = named.place.leaf
    return shortened(leaf.in_words(leaf.from_cell(leaf.spellings.get(text, text))), _LONGEST_VALUE)


def _days(first: str, after: str) -> tuple[str, str]:
    """Return the first and the last day before `after`; both texts as they are if they are not days."""
    try:
        return _day(first).isoformat(), (_day(after) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return first, after


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
