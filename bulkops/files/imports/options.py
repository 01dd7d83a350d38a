"""The options of an import, and where they leave that open the sheet and the headings of its file.

What headings and values meant the last time is kept, so that nobody chooses the columns of the same monthly file again.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import Beginnings, ReadingOptions
from bulkops.models import ColumnMapping, FileImport
from dimensions_site.elements.declaration.names import names_of
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.repositories.models import Repository

_HUNDRED = 100
_ID = "id"
# So many headings that are known, the id among them, are no accident.
_ENOUGH = 2
# What a new element gets at a wire path: for each value of the field at another path its own, or one for all.
Fillings: TypeAlias = Mapping[str, tuple[str, Mapping[str, Any]]]


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
            message = _("It must be a number such as 20, or a share from 0% to 100%; got '{text}'.")
            raise ValueError(message.format(text=text))
        return cls(Decimal(found[1] or found[2]), is_percentage=found[2] is not None)

    def allows(self, count: int, total: int) -> bool:
        return count <= (self.amount * total / _HUNDRED if self.is_percentage else self.amount)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.is_percentage else f"{self.amount:,}"


# How many stored elements may be deleted unless somebody says otherwise.
MAX_DELETE = Share(Decimal(5), is_percentage=True)


@dataclass(frozen=True)
class Options:
    """The options of an import.

    `strict` requires that references exist (contract E2). `max_delete` limits how many stored elements `SYNC` may
    delete. `mapping` gives headings their wire paths, "" to leave a column out. An empty cell clears its field, unless
    `keeps_empty_cells`.

    With `understands`, cells may be written as people write them, in the language of the thread, because a person
    checks the result; the report then has details for them. `values` gives the texts under a heading the value that
    they mean, as in the JSON of the wire, "" for none. With `without_totals`, rows that look like totals are left out,
    as `Report.totals` describes them. `filled` has the values of new elements at paths without a column. `corrections`
    replace cells of a table, by line and heading. A row whose id is on an earlier line is an error, and its cells are
    checked with `checks_repeated`.
    """

    mode: Mode = Mode.MERGE
    dry_run: bool = False
    strict: bool = False
    max_delete: Share = MAX_DELETE
    mapping: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    understands: bool = False
    values: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    without_totals: bool = False
    filled: Fillings = field(default_factory=lambda: MappingProxyType({}))
    keeps_empty_cells: bool = False
    corrections: Mapping[int, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    checks_repeated: bool = True


def locate_headings(
    options: ReadingOptions, beginnings: Beginnings, wire: Wire, mapping: Mapping[str, str]
) -> ReadingOptions:
    """Return the options with the sheet and the row of the headings, where they leave that open.

    People put covers and titles before tables. So the headings are in the first row with a text, unless it has none
    that is known, or is a title of one cell, and a later one has several, the id among them. Of several sheets, it is
    the only one with such headings. `beginnings` are those of the file, `mapping` has the fields of headings.
    """
    names = names_of(wire)
    known: dict[str, list[str]] = {heading: [field] for heading, field in mapping.items() if field}

    def paths_in(cells: list[str]) -> set[str]:
        for cell in cells:
            if cell not in known:
                known[cell] = names.find(cell)
        return {path for cell in cells for path in known[cell]}

    rows: dict[str, int | None] = {}
    tables = []
    for sheet, first_rows in beginnings.items():
        filled = [(line, [cell for cell in cells if cell.strip()]) for line, cells in first_rows]
        found = {line: paths_in(cells) for line, cells in filled}
        clear = [line for line, paths in found.items() if len(paths) >= _ENOUGH and _ID in paths]
        is_first = bool(filled) and len(filled[0][1]) > 1 and bool(found[filled[0][0]])
        rows[sheet] = clear[0] if clear and not is_first else None
        tables += [sheet] if clear else []
    is_clear = len(beginnings) > 1 and len(tables) == 1
    chosen = tables[0] if options.sheet is None and is_clear else options.sheet
    row = rows.get(next(iter(beginnings), "") if chosen is None else chosen)
    return replace(options, sheet=chosen, heading_row=options.heading_row or row)


# As many as are kept for each dimension of a repository, the last confirmed ones.
MAX_MAPPINGS = 200


def remembered_mapping(file_import: FileImport) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Return the mapping of the last confirmed import of a table with the same headings, and its rules for values and
    rows; both empty without one.
    """
    found = _mappings(file_import).filter(headings=_digest(file_import.preview.get("headings", []))).first()
    return ({}, {}) if found is None else (found.mapping, found.rules or {})


def known_headings(repository: Repository, dimension: str) -> Mapping[str, str]:
    """Return the field of each heading in the confirmed imports into the dimension, the last one that it had."""
    found = ColumnMapping.objects.filter(repository=repository, dimension=dimension).order_by("confirmed_at", "pk")
    return {heading: field for mapping in found.values_list("mapping", flat=True) for heading, field in mapping.items()}


def remember_mapping(
    file_import: FileImport, mapping: Mapping[str, str], rules: Mapping[str, Any] | None = None
) -> None:
    """Keep the confirmed `mapping` and the `rules` for the next import of a table with the same headings."""
    if not mapping:
        return
    ColumnMapping.objects.update_or_create(
        repository_id=file_import.repository_id,
        dimension=file_import.dimension,
        headings=_digest(mapping),
        defaults={"mapping": dict(mapping), "rules": rules, "confirmed_at": timezone.now()},
    )
    newest = _mappings(file_import).order_by("-confirmed_at", "-pk").values_list("pk", flat=True)[:MAX_MAPPINGS]
    _mappings(file_import).exclude(pk__in=list(newest)).delete()


def _mappings(file_import: FileImport) -> QuerySet[ColumnMapping]:
    return ColumnMapping.objects.filter(repository_id=file_import.repository_id, dimension=file_import.dimension)


def _digest(headings: Iterable[str]) -> str:
    """Return what stands for a set of headings, however long they are."""
    return hashlib.sha256(json.dumps(sorted(headings)).encode()).hexdigest()
