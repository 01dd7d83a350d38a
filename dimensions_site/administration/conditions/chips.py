"""A filter as people read it: conditions that all hold, some of them groups of which one must hold.

The parser of REST reads the text, so there is one grammar. What this form cannot express stays a part with its text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dimensions_site.administration.conditions.operations import (
    OPERATIONS,
    FilterOperation,
    Takes,
    comparisons,
    operation_of,
    operation_of_both,
)
from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.parser import And, Comparison, Node, Or, write
from dimensions_site.text.formats import shortened

_SHOWN = 200
# How many of several values a chip names.
_NAMED_VALUES = 5
_LONGEST_VALUE = 60


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

    def nodes(self) -> Sequence[Node]:
        """Return the conditions of the filter that all hold; raises ValueError for a day that is invalid."""
        field = self.field
        return comparisons(field.path, field.kind, self.operation, self.values, may_be_empty=field.may_be_empty)


@dataclass(frozen=True)
class Rest:
    """A part of the filter that is shown as its text."""

    node: Node | None
    text: str

    @property
    def words(self) -> str:
        return shortened(self.text, _SHOWN)

    def nodes(self) -> Sequence[Node]:
        """Return the part as nodes of the filter; none for a part that the parser cannot read."""
        return [] if self.node is None else [self.node]


Part = FilterCondition | Rest


@dataclass(frozen=True)
class Chip:
    """One or more parts, of which one must hold. All chips of a filter must."""

    parts: tuple[Part, ...]

    @property
    def is_group(self) -> bool:
        return len(self.parts) > 1


def chips_of(node: Node, wire: Wire) -> list[Chip]:
    """Return the chips of a filter."""
    return [_chip(part, wire) for part in ([node] if isinstance(node, Or) else _parts(list(_flat(node, And)), wire))]


def text_of(chips: Sequence[Chip]) -> str:
    """Return the filter of the `chips`; empty without any. Raises ValueError for a day that is invalid."""
    nodes: list[Node] = []
    for chip in chips:
        alternatives = [joined(part.nodes()) for part in chip.parts if part.nodes()]
        if len(alternatives) == 1:
            nodes += chip.parts[0].nodes()
        elif alternatives:
            nodes.append(Or(tuple(alternatives)))
    return write(joined(nodes)) if nodes else ""


def joined(nodes: Sequence[Node]) -> Node:
    """Return the filter of `nodes` that all hold."""
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


def _flat(node: Node, connector: type[And | Or]) -> Iterator[Node]:
    if not isinstance(node, connector):
        yield node
        return
    for child in node.children:
        yield from _flat(child, connector)


def _chip(part: Node | FilterCondition, wire: Wire) -> Chip:
    if not isinstance(part, Or):
        return Chip((_part(part),))
    alternatives: list[Part] = []
    children = list(_flat(part, Or))
    while children:
        empty = _empty(children, wire)
        if empty is not None:
            del children[:2]
            alternatives.append(empty)
            continue
        together = _parts(list(_flat(children.pop(0), And)), wire)
        if len(together) > 1:
            return Chip((Rest(part, write(part)),))
        alternatives.append(_part(together[0]))
    return Chip(tuple(alternatives))


def _empty(alternatives: Sequence[Node], wire: Wire) -> FilterCondition | None:
    """Return the condition that the first two alternatives are together: a text is missing, or empty."""
    first = alternatives[0]
    named = wire.named(first.selector) if isinstance(first, Comparison) else None
    if named is None or not named.may_be_empty:
        return None
    empty = FilterCondition(named, OPERATIONS["empty"])
    return empty if write(*empty.nodes()) == write(Or(tuple(alternatives[:2]))) else None


def _part(part: Node | FilterCondition) -> Part:
    return part if isinstance(part, FilterCondition) else Rest(part, write(part))


def _parts(nodes: list[Node], wire: Wire) -> list[Node | FilterCondition]:
    """Return the conditions of `nodes` that all hold, two that form one operation as one, and the other nodes."""
    found: list[Node | FilterCondition] = []
    while nodes:
        node = nodes.pop(0)
        if not isinstance(node, Comparison):
            found.append(node)
            continue
        joined = _joined(node, nodes[0], wire) if nodes else None
        if joined is not None:
            nodes.pop(0)
        found.append(joined or _condition(node, wire) or node)
    return found


def _condition(node: Comparison, wire: Wire) -> FilterCondition | None:
    named = wire.named(node.selector)
    if named is None:
        return None
    operation = operation_of(named.kind, node, is_entry=named.is_entry, may_be_empty=named.may_be_empty)
    return None if operation is None else FilterCondition(named, *operation)


def _joined(low: Comparison, high: Node, wire: Wire) -> FilterCondition | None:
    named = wire.named(low.selector)
    if named is None or not isinstance(high, Comparison):
        return None
    other = wire.named(high.selector)
    if other is None or other.path != named.path:
        return None
    operation = operation_of_both(named.kind, low, high)
    return None if operation is None else FilterCondition(named, *operation)


def _words_of(named: NamedField, text: str) -> str:
    """Return what people call the value that a filter writes as `text`."""
    if named.kind in (ValueKind.TEXT, ValueKind.TEXT_MAP):
        return _("“%(text)s”") % {"text": shortened(text, _LONGEST_VALUE)}
    leaf = named.place.leaf
    return shortened(leaf.in_words(leaf.from_cell(leaf.spellings.get(text, text))), _LONGEST_VALUE)
