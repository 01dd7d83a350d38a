"""The table of filter operators (contract D1)."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from dimensions_site.rsql.fields import ValueKind


class Relation(enum.Enum):
    """The relation between a field and the values of a condition."""

    ONE_OF = "one of"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    CONTAINS = "contains"
    CONTAINS_FOLDED = "contains, without regard to case"
    # `=isnull=false`; the value `true` negates it.
    IS_SET = "is set"


ALL_KINDS = frozenset(ValueKind)
ORDERED_KINDS = ALL_KINDS - {ValueKind.BOOLEAN}


@dataclass(frozen=True)
class Operator:
    """One operator: `symbols` are its spellings, the canonical one first; `kinds` are the kinds of fields it supports.

    A negated operator is true exactly where its relation is not, including rows without a value (contract D2).
    """

    symbols: tuple[str, ...]
    relation: Relation
    kinds: frozenset[ValueKind]
    takes_list: bool = False
    negated: bool = False

    def __str__(self) -> str:
        return self.symbols[0]

    def __repr__(self) -> str:
        return f"<{self}>"


OPERATORS = (
    Operator(("==",), Relation.ONE_OF, ALL_KINDS),
    Operator(("!=",), Relation.ONE_OF, ALL_KINDS, negated=True),
    Operator(("=in=",), Relation.ONE_OF, ALL_KINDS, takes_list=True),
    Operator(("=out=",), Relation.ONE_OF, ALL_KINDS, takes_list=True, negated=True),
    Operator(("<", "=lt="), Relation.LESS, ORDERED_KINDS),
    Operator(("<=", "=le="), Relation.LESS_OR_EQUAL, ORDERED_KINDS),
    Operator((">", "=gt="), Relation.GREATER, ORDERED_KINDS),
    Operator((">=", "=ge="), Relation.GREATER_OR_EQUAL, ORDERED_KINDS),
    Operator(("=like=",), Relation.CONTAINS, ALL_KINDS),
    Operator(("=ilike=",), Relation.CONTAINS_FOLDED, ALL_KINDS),
    Operator(("=isnull=",), Relation.IS_SET, ALL_KINDS),
)

BY_SYMBOL = {symbol: operator for operator in OPERATORS for symbol in operator.symbols}


def operators_text(operators: Iterable[Operator]) -> str:
    """Return all spellings of `operators`, for a message."""
    return " ".join(symbol for operator in operators for symbol in operator.symbols)
