"""What is wanted of an import."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext as _

_HUNDRED = 100


class Mode(StrEnum):
    """What the rows of a file mean for what is stored; after `SYNC` nothing is stored that is not in the file."""

    UPSERT = "upsert"
    CREATE = "create"
    UPDATE = "update"
    SYNC = "sync"


@dataclass(frozen=True)
class Share:
    """A part of the elements that are stored: a number of them, or a percentage."""

    amount: Decimal
    is_percentage: bool

    @classmethod
    def parse(cls, text: str) -> "Share":
        """The share that `20` or `2.5%` means. Raises ValueError with a sentence for people."""
        found = re.fullmatch(r"([0-9]{1,9})|([0-9]{1,3}(?:\.[0-9]{1,6})?)%", text.strip())
        if found is None or (found[2] and Decimal(found[2]) > _HUNDRED):
            message = _("'{text}' is no share of the elements; it has to be a number such as 20, or 0% to 100%.")
            raise ValueError(message.format(text=text))
        return cls(Decimal(found[1] or found[2]), is_percentage=found[2] is not None)

    def allows(self, count: int, total: int) -> bool:
        """Whether `count` of `total` elements are no more than this share."""
        return count <= (self.amount * total / _HUNDRED if self.is_percentage else self.amount)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.is_percentage else f"{self.amount:,}"


@dataclass(frozen=True)
class Options:
    """How a file is imported.

    `strict` asks that the elements that others refer to exist (contract E2). `max_delete` is how many `SYNC` may
    delete of those that are stored. `mapping` gives headings the wire paths that they mean, "" to leave a column out.
    """

    mode: Mode = Mode.UPSERT
    dry_run: bool = False
    strict: bool = False
    max_delete: Share = Share(Decimal(5), is_percentage=True)
    mapping: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
