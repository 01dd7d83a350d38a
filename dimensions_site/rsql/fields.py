"""The fields that a filter or a sort order may name: what the owner of a model tells the language about them."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from django.db.models import Expression, F


class Kind(enum.StrEnum):
    """What the values of a field are, and so how a value in a filter is read and compared (contract D4)."""

    TEXT = "text"
    ENUM = "enum"
    INTEGER = "integer"
    # A decimal number stored as text, with the digits it was sent with.
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    # A JSON object of text or null; a condition on it holds when it holds for any entry.
    TEXT_MAP = "text map"


@dataclass(frozen=True)
class Field:
    """One field of the wire as the database knows it.

    `expression` is its SQL value, NULL when unset: `F("column")` or one of the module `expressions`.
    """

    path: str
    kind: Kind
    expression: Expression | F
    # ENUM: the stored values. DECIMAL: the words that may stand in place of a number.
    choices: tuple[str, ...] = ()
    # ENUM: other accepted spelling -> stored value.
    spellings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # ENUM: any other text is accepted too.
    open_text: bool = False
    # False: it can be sorted by, but not filtered.
    filterable: bool = True
    # The JSON column that the text is an entry of, where containment in it has an index.
    searched: str | None = None
    # True: containment in the text, whatever its case, has an index.
    indexed: bool = False
    # False: the column is never NULL, so SQL needs no care for it.
    nullable: bool = True


class FieldTable(Protocol):
    """The fields of one kind of element, found by the name that people write."""

    def resolve(self, selector: str) -> Field:
        """The field that `selector` names, in any accepted spelling; raises `errors.UnknownField`."""
        ...
