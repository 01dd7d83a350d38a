"""What a writer takes, and what may stand in its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """An element to be written; `values` are those of the writer's columns, or None when it has a fault."""

    position: int
    must_be_new: bool
    element_id: str
    values: Sequence[Any] | None


@dataclass(frozen=True)
class Clash:
    """An element to be written whose unique `column` another element has already."""

    position: int
    element_id: str
    column: str
    value: str
