"""The filter as a tree."""

from dataclasses import dataclass, field

from dimensions_site.rsql.operators import Operator


@dataclass(frozen=True)
class Comparison:
    """One condition, such as `type==NORMAL`: its values are texts, unescaped but not yet converted.

    `position` is the character of the filter, counted from 1, at which the selector starts.
    """

    selector: str
    operator: Operator
    values: tuple[str, ...]
    position: int = field(compare=False)


@dataclass(frozen=True)
class And:
    """Holds when all its children do; there are at least two."""

    children: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """Holds when any of its children does; there are at least two."""

    children: tuple["Node", ...]


Node = And | Or | Comparison
