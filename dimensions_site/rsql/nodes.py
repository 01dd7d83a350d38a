"""The syntax tree of a filter."""

from dataclasses import dataclass, field

from dimensions_site.rsql.operators import Operator


@dataclass(frozen=True)
class Comparison:
    """One condition, such as `type==NORMAL`, with its values unescaped but not yet converted.

    `position` is the character at which the selector starts, counted from 1.
    """

    selector: str
    operator: Operator
    values: tuple[str, ...]
    position: int = field(compare=False)


@dataclass(frozen=True)
class And:
    """The conjunction of two or more children."""

    children: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """The disjunction of two or more children."""

    children: tuple["Node", ...]


Node = And | Or | Comparison
