"""A table that people edit: its columns, its rows, and what was typed, beside what is stored."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from bulkops.models import Plan
from dimensions_site.administration.base.naming import FieldGroup
from dimensions_site.administration.elements.references import Descriptions, Named
from dimensions_site.administration.table.columns import (
    MAX_CELLS,
    MAX_ROWS,
    MAX_TABLE_COLUMNS,
    SentRow,
    SentTable,
    StoredRow,
    TableColumns,
    cell_text,
    stored_rows,
)
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number, shortened


@dataclass(frozen=True)
class TableCell:
    """A cell, and the `text` that says what is wrong there, if anything: the id of its row, and its column.

    Without a column it is the whole row.
    """

    id: str
    column: NamedField | None
    text: str = ""

    @property
    def name(self) -> str:
        return "" if self.column is None else self.column.path

    @property
    def label(self) -> str:
        return "" if self.column is None else self.column.heading


@dataclass(frozen=True)
class CellConflict:
    """A cell that the user and others changed: the texts before, of the others, and of the user."""

    cell: TableCell
    number: int
    base: str
    theirs: str
    mine: str


@dataclass
class Checked:
    """The result: a `plan`, or what has to be corrected or decided first.

    `taken` are cells that only others have changed, `problems` what concerns no single cell, `descriptions` those of
    the elements whose ids were typed.
    """

    plan: Plan | None = None
    errors: list[TableCell] = field(default_factory=list)
    error_count: int = 0
    conflicts: list[CellConflict] = field(default_factory=list)
    taken: list[TableCell] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    descriptions: Descriptions = field(default_factory=dict)


@dataclass
class EditedTable:
    """The table of the elements of a `repository` that a page has `sent`, with what is stored now.

    `lost` is what was typed in rows and columns that do not exist, with the id of the row and the column; `errors` what
    is wrong with the choice of columns.
    """

    dimension: Dimension
    repository: Repository
    sent: SentTable
    columns: dict[str, NamedField] = field(default_factory=dict)
    rows: list[tuple[SentRow, StoredRow]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lost: list[tuple[str, str, str]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    is_loaded: bool = False

    def __post_init__(self) -> None:
        self._choice = TableColumns(self.dimension, self.repository)

    def choose(self, names: Iterable[str]) -> None:
        """Choose the columns with these names, and keep those in which something was typed."""
        typed = [name for row in self.sent.rows for name in row.typed]
        found = {name: self._choice.named(name) for name in (*names, *typed)}
        self.columns = {name: column for name, column in found.items() if column is not None}
        for name in [name for name, column in found.items() if column is None]:
            self.errors.append(_("There is no column '%(name)s'.") % {"name": shortened(name)})
        maximum = self.maximum_columns
        if len(self.columns) > maximum:
            message = _("A table with %(rows)s rows has at most %(maximum)s columns. Only the first ones are shown.")
            numbers = {"rows": grouped_number(len(self.sent.rows)), "maximum": grouped_number(maximum)}
            self.errors.append(message % numbers)
            kept = dict.fromkeys([*typed, *self.columns])
            self.columns = {name: self.columns[name] for name in [*kept][:maximum] if name in self.columns}

    @property
    def maximum_columns(self) -> int:
        """How many columns a table with so many rows may have."""
        return min(MAX_TABLE_COLUMNS, MAX_CELLS // max(1, len(self.sent.rows)))

    def add_entries(self, entries: Iterable[tuple[str, str]]) -> list[str]:
        """Return the names of columns for entries of maps, each with the path of its map and its key; add errors."""
        names = []
        for path, key in entries:
            place = self.dimension.wire.places.get(path)
            if not key or place is None or not place.is_map:
                continue
            leaf: Any = place.leaf
            if leaf.has_key(key):
                names.append(f"{path}.{key}")
            else:
                self.errors.append(leaf.key_refusal(key))
        return names

    def choose_at_first(self, listed: Iterable[str]) -> None:
        self.choose([column.path for column in self._choice.at_first(listed)])

    def load(self) -> None:
        """Read what is stored. What was typed where nothing is stored any more is `lost`."""
        self.is_loaded = True
        ids = [row.id for row in self.sent.rows if not row.is_new]
        stored = {row.id: row for row in stored_rows(self.dimension, self.repository, ids, [*self.columns.values()])}
        for row in self.sent.rows:
            found = StoredRow(row.id, 0, [""] * len(self.columns)) if row.is_new else stored.get(row.id)
            known = {} if found is None else {name: text for name, text in row.typed.items() if name in self.columns}
            self.lost += (
                (row.id, self.columns[name].heading if name in self.columns else shortened(name), text)
                for name, text in row.typed.items()
                if name not in known
            )
            row.typed = known
            if found is None:
                self.gone.append(row.id)
                continue
            row.base = row.base if known else found.number
            self.rows.append((row, found))

    @property
    def numbers(self) -> Mapping[str, int]:
        return {stored.id: stored.number for row, stored in self.rows if not row.is_new}

    @property
    def typed(self) -> list[SentRow]:
        return [row for row, _stored in self.rows if row.is_edited]

    def references(self) -> list[tuple[TableCell, Named]]:
        """Return the cells in which an id of another element was typed, with its dimension and the id."""
        typed = ((row.id, self.columns[name], text) for row in self.typed for name, text in row.typed.items() if text)
        return [
            (TableCell(id, column), (dimension, text))
            for id, column, text in typed
            if (dimension := column.place.leaf.refers_to) is not None
        ]

    def groups(self) -> list[FieldGroup]:
        """Return the columns that can be chosen, group by group; entries of maps that were added are among them."""
        return self._choice.groups(self.columns.values())

    def grid(self, checked: Checked, picker_address: Callable[[str], str | None]) -> dict[str, Any]:
        """Return what the script needs to show the table; `picker_address` is that of the admin."""
        addresses = {
            dimension: picker_address(dimension)
            for dimension in {column.place.leaf.refers_to for column in self.columns.values()}
            if dimension is not None
        }
        marks: dict[str, dict[str, str]] = {}
        for error in checked.errors:
            marks.setdefault(error.id, {}).setdefault(error.name, error.text)
        for conflict in checked.conflicts:
            text = _("Others changed this cell, too. It is stored as: %(text)s") % {"text": conflict.theirs}
            marks.setdefault(conflict.cell.id, {})[conflict.cell.name] = text
        return {
            "repository": self.repository.pk,
            "limit": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            "maximum": min(MAX_ROWS, MAX_CELLS // max(1, len(self.columns))),
            "columns": [
                {
                    "name": name,
                    "title": column.heading,
                    "values": [cell_text(column, value) for value in column.place.leaf.offered],
                    "picker": addresses.get(column.place.leaf.refers_to or ""),
                }
                for name, column in self.columns.items()
            ],
            "rows": [
                {
                    "id": row.id,
                    "base": row.base,
                    "number": stored.number,
                    "stored": stored.texts,
                    "typed": row.typed,
                    "kept": row.kept,
                    "is_new": row.is_new,
                    "marks": marks.get(row.id, {}),
                }
                for row, stored in self.rows
            ],
        }
