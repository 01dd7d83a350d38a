"""The options of an import."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from django.utils.translation import gettext as _

_HUNDRED = 100

# New texts of cells, by line and heading.
Corrections: TypeAlias = Mapping[int, Mapping[str, str]]


class Mode(StrEnum):
    """What the rows of a file do to stored elements; `SYNC` also deletes elements that are not in the file."""

    MERGE = "merge"
    CREATE = "create"
    UPDATE = "update"
    SYNC = "sync"


@dataclass(frozen=True)
class Share:
    """A share of the stored elements: a number or a percentage."""

    amount: Decimal
    is_percentage: bool

    @classmethod
    def parse(cls, text: str) -> "Share":
        """Return the share that a text such as `20` or `2.5%` means. Raises ValueError with a message for people."""
        found = re.fullmatch(r"([0-9]{1,9})|([0-9]{1,3}(?:\.[0-9]{1,6})?)%", text.strip())
        if found is None or (found[2] and Decimal(found[2]) > _HUNDRED):
            message = _("It must be a number of elements such as 20, or a share from 0% to 100%; got '{text}'.")
            raise ValueError(message.format(text=text))
        return cls(Decimal(found[1] or found[2]), is_percentage=found[2] is not None)

    def allows(self, count: int, total: int) -> bool:
        """Return whether `count` of `total` elements is at most this share."""
        return count <= (self.amount * total / _HUNDRED if self.is_percentage else self.amount)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.is_percentage else f"{self.amount:,}"


@dataclass(frozen=True)
class Options:
    """The options of an import.

    `strict` requires that references exist (contract E2). `max_delete` limits how many stored elements `SYNC` may
    delete. `mapping` gives headings their wire paths, "" to leave a column out. An empty cell clears its field, unless
    `keeps_empty_cells`.

    With `understands`, cells may be written as people write them, in the language of the thread, because a person
    checks the result; the report then has details for them. `values` gives the texts under a heading the value that
    they mean, as in the JSON of the wire, "" for none. With `without_totals`, rows that look like totals are left out,
    as `Report.totals` describes them. `corrections` replace cells of a table, by line and heading.
    """

    mode: Mode = Mode.MERGE
    dry_run: bool = False
    strict: bool = False
    max_delete: Share = Share(Decimal(5), is_percentage=True)
    mapping: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    understands: bool = False
    values: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    without_totals: bool = False
    keeps_empty_cells: bool = False
    corrections: Corrections = field(default_factory=lambda: MappingProxyType({}))
