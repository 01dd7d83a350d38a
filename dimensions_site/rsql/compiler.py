"""Compile the syntax tree of a filter into a query condition (contracts D2 to D4), and a sort order into keys (D5)."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from django.db.models import OrderBy, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, IsNull, LessThan, LessThanOrEqual, Lookup
from django.utils.translation import gettext as _

from dimensions_site.db.compiled import Param
from dimensions_site.rsql.conditions import (
    AnyEntry,
    Condition,
    Contains,
    EntryText,
    Needle,
    complement,
    constant,
    has_trigram,
    is_one_of,
    narrow,
    narrow_by_case,
)
from dimensions_site.rsql.errors import REFUSED_UNQUOTED, RsqlError, UnknownField, raise_all, refuse
from dimensions_site.rsql.expressions import DecimalKey, Fold
from dimensions_site.rsql.fields import Field, FieldTable, SqlValue, ValueKind
from dimensions_site.rsql.operators import OPERATORS, Relation, operators_text
from dimensions_site.rsql.parser import And, Comparison, Node, Or
from dimensions_site.text.formats import WORDS_START

Read: TypeAlias = Callable[[Field, str], SqlValue]
Values: TypeAlias = Callable[[Read, Field, str], SqlValue | Param]


def compile_filter(node: Node, table: FieldTable, value: Values = lambda read, field, text: read(field, text)) -> Q:
    """Return the condition for exactly the rows that the filter `node` describes.

    `value` returns the value for each text, in the order of `without_values`. Raises RsqlError with the position of the
    invalid condition and one of the codes UNKNOWN_FIELD, NOT_FILTERABLE, OPERATOR_NOT_ALLOWED, INVALID_VALUE; its
    `errors` are all errors of the filter.
    """
    errors: list[RsqlError] = []
    condition = _compile(node, table, value, errors)
    raise_all(sorted(errors, key=lambda error: error.position or 0))
    return condition


def without_values(node: Node, texts: list[str]) -> Node:
    """Return the filter `node` with only as much of its values as its SQL depends on; add the values to `texts`."""
    if not isinstance(node, Comparison):
        return type(node)(tuple(without_values(child, texts) for child in _deepest_first(node)))
    texts += node.values
    return replace(node, values=tuple(_kept(node.operator.relation, text) for text in node.values), position=0)


def _kept(relation: Relation, text: str) -> str:
    """Return a text for which the SQL of a condition is the same as for `text`."""
    if relation in _CONTAINMENT:
        return "any" if has_trigram(text) else ""
    return "true" if relation is Relation.IS_SET and text == "true" else ""


def _deepest_first(node: And | Or) -> list[Node]:
    # SQLite's parser has a stack of 100 terms. `((c) AND b) AND a` needs one per parenthesis, `a AND (b AND (c))`
    # three, so put the deepest child first; the order does not change the meaning.
    return sorted(node.children, key=_depth, reverse=True)


def _compile(node: Node, table: FieldTable, value: Values, errors: list[RsqlError]) -> Q:
    if isinstance(node, Comparison):
        try:
            return _compile_comparison(node, table, value)
        except RsqlError as error:
            for each in error.errors:
                each.position = node.position
                errors.append(each)
            return Q()
    connector = Q.AND if isinstance(node, And) else Q.OR
    return Q(*(_compile(child, table, value, errors) for child in _deepest_first(node)), _connector=connector)


def _depth(node: Node) -> int:
    return 0 if isinstance(node, Comparison) else 1 + max(map(_depth, node.children))


def _compile_comparison(node: Comparison, table: FieldTable, value: Values) -> Q:
    field, operator = table.resolve(node.selector), node.operator
    _check_use(field, node)
    constants = _constants(field, node, value)
    match field.kind:
        case ValueKind.TEXT_MAP:
            condition: Condition = AnyEntry(field.expression, _relate(EntryText(), operator.relation, constants))
        case _ if operator.relation in _CONTAINMENT:
            text = field.answered or field.kind.answered(field.expression)
            condition = _relate(text, operator.relation, constants)
        case _:
            condition = _relate(field.kind.compared(field.expression), operator.relation, constants)
    if operator.relation in _CONTAINMENT and has_trigram(node.values[0]):
        if field.searched is not None:
            condition = narrow(condition, field.searched, constants[0])
        elif field.indexed and operator.relation is Relation.CONTAINS:
            condition = narrow_by_case(condition, field.expression, constants[0])
    if operator.negated or (operator.relation is Relation.IS_SET and node.values == ("true",)):
        condition = complement(condition)
    if field.kind is ValueKind.DECIMAL and operator.relation in (Relation.GREATER, Relation.GREATER_OR_EQUAL):
        # The keys of words are above those of all numbers, but words are not greater than numbers.
        return Q(condition, LessThan(DecimalKey(field.expression), Value(WORDS_START)))
    return Q(condition)


def _check_use(field: Field, node: Comparison) -> None:
    operator = node.operator
    if not field.filterable:
        message = _("{name} must not be used in a filter.")
        raise RsqlError(message.format(name=field.path), code="NOT_FILTERABLE")
    if field.kind not in operator.kinds:
        usable = operators_text(other for other in OPERATORS if field.kind in other.kinds)
        message = _("{name} must be compared by one of {operators}; got {operator}.")
        text = message.format(name=field.path, operators=usable, operator=operator)
        raise RsqlError(text, code="OPERATOR_NOT_ALLOWED")
    if len(node.values) > 1 and not operator.takes_list:
        message = _("{comparison} must be followed by one value; got {count}.")
        text = message.format(comparison=f"{field.path}{operator}", count=len(node.values))
        of_lists = {"==": "=in=", "!=": "=out="}.get(str(operator))
        hint = _("Use {operator} for a list.").format(operator=of_lists) if of_lists else ""
        raise RsqlError(f"{text} {hint}".rstrip(), code="INVALID_VALUE")


def _constants(field: Field, node: Comparison, value: Values) -> list[Any]:
    read = _READERS[node.operator.relation]
    constants: list[SqlValue | Param] = []
    errors: list[RsqlError] = []
    for text in node.values:
        try:
            constants.append(value(read, field, text))
        except RsqlError as error:
            errors.append(error)
    raise_all(errors)
    return constants


def _relate(subject: Combinable, relation: Relation, constants: list[Any]) -> Condition:
    match relation:
        case Relation.ONE_OF:
            return is_one_of(subject, constants)
        case Relation.IS_SET:
            return IsNull(subject, False)
        case Relation.CONTAINS:
            return Contains(subject, Needle(constants[0]))
        case Relation.CONTAINS_FOLDED:
            return Contains(Fold(subject), Fold(Needle(constants[0])))
        case _:
            return _COMPARISONS[relation](subject, constant(constants[0]))


_CONTAINMENT = frozenset({Relation.CONTAINS, Relation.CONTAINS_FOLDED})
_COMPARISONS: dict[Relation, type[Lookup[Any]]] = {
    Relation.LESS: LessThan,
    Relation.LESS_OR_EQUAL: LessThanOrEqual,
    Relation.GREATER: GreaterThan,
    Relation.GREATER_OR_EQUAL: GreaterThanOrEqual,
}
_READERS: dict[Relation, Read] = {
    Relation.ONE_OF: Field.read,
    **dict.fromkeys(_COMPARISONS, Field.read_bound),
    Relation.CONTAINS: Field.read_part,
    Relation.CONTAINS_FOLDED: Field.read_part,
    Relation.IS_SET: Field.read_truth,
}

# How many fields a sort order may name.
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
