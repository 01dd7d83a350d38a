"""The rows of a checked file that have errors, whose cells are corrected in the browser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import QueryDict
from django.utils.translation import gettext as _

from bulkops.jobs.file_imports import Choices
from bulkops.jobs.import_reports import LONGEST_CELL
from bulkops.models import FileImport
from dimensions_site.elements.admin.editor.controls import as_meant
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.tables import Column, choices_of
from dimensions_site.text.formats import grouped

ROWS_ON_A_PAGE = 50
# More are corrected in the file.
MAX_CORRECTIONS = 500
PAGE = "page"
# Corrects the same text in the same column in the other rows, too.
EVERYWHERE = "everywhere"


@dataclass
class CellToCorrect:
    """A cell with errors: its place, its `stored` text, and what was `typed` instead."""

    name: str
    heading: str
    stored: str
    typed: str
    is_whole: bool
    errors: Sequence[str]
    # The id of the list of values to choose from.
    list: str = ""
    maximum: int = LONGEST_CELL

    @property
    def has_lines(self) -> bool:
        """Whether it takes several lines to show the text."""
        return "\n" in self.stored or "\r" in self.stored


@dataclass
class RowToCorrect:
    """A row with errors on a `line` of the file, with the texts of some `others` of its cells."""

    line: int
    cells: Sequence[CellToCorrect]
    others: Sequence[str]
    errors: Sequence[str]


class Corrections:
    """The rows with errors on one page of an import, and what was typed (`data`) into their cells."""

    def __init__(self, file_import: FileImport, page: str | None, data: QueryDict | None = None) -> None:
        self._kept: dict[str, dict[str, str]] = file_import.corrections or {}
        self._all: Sequence[Mapping[str, Any]] = file_import.report.get("rows", [])
        self.page = Paginator(self._all, ROWS_ON_A_PAGE).get_page(page)
        self.rows = [_row(row, data) for row in self.page.object_list]
        self.is_everywhere = data is not None and EVERYWHERE in data
        self.error = ""
        self.lists = self._lists(file_import)

    def _lists(self, file_import: FileImport) -> list[tuple[str, list[str]]]:
        """Give the cells of each column with a list of values its id; return the ids and the lists."""
        wire = dimension_named(file_import.dimension).wire
        mapping = Choices.of(file_import).mapping
        lists: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for cell in (cell for row in self.rows for cell in row.cells):
            place = wire.places.get(mapping.get(cell.heading, ""))
            choices = {} if place is None else choices_of(Column(cell.heading, place))
            if choices:
                cell.list = names.setdefault(cell.heading, f"values-{len(names)}")
                lists[cell.list] = list(choices.values())
        return list(lists.items())

    @property
    def page_numbers(self) -> Any:
        """The numbers of the pages to choose from."""
        return self.page.paginator.get_elided_page_range(self.page.number)

    @property
    def has_cells(self) -> bool:
        """Whether any cell of the page can be corrected."""
        return any(cell.is_whole for row in self.rows for cell in row.cells)

    @property
    def kept(self) -> list[tuple[str, str, str]]:
        """The line, the heading and the new text of the cells that were corrected before."""
        return [(line, heading, text) for line, cells in self._kept.items() for heading, text in cells.items()]

    def merged(self) -> Mapping[str, Mapping[str, str]] | None:
        """Return all corrections with what was typed; None, and an `error`, if it cannot be kept."""
        result = {line: dict(cells) for line, cells in self._kept.items()}
        changed = [(row.line, cell) for row in self.rows for cell in row.cells if cell.typed != cell.stored]
        if self.is_everywhere:
            typed = {(cell.heading, cell.stored): cell.typed for _line, cell in reversed(changed)}
            for row in self._all:
                for same in row["cells"]:
                    text = typed.get((same["heading"], same["text"]))
                    if text is not None and same["is_whole"]:
                        result.setdefault(str(row["line"]), {})[same["heading"]] = text
        for line, cell in changed:
            if cell.is_whole:
                result.setdefault(str(line), {})[cell.heading] = cell.typed
            if len(cell.typed) > LONGEST_CELL:
                message = _("The text for {heading} in line {line} is longer than {maximum} characters.")
                self.error = message.format(heading=cell.heading, line=line, maximum=grouped(LONGEST_CELL))
        count = sum(map(len, result.values()))
        if count > MAX_CORRECTIONS:
            message = _(
                "Up to {maximum} cells can be corrected here, and there are {count}. Correct the others in the file."
            )
            self.error = message.format(maximum=grouped(MAX_CORRECTIONS), count=grouped(count))
        return None if self.error else result


def _row(row: Mapping[str, Any], data: QueryDict | None) -> RowToCorrect:
    cells = []
    for number, cell in enumerate(row["cells"]):
        name = f"cell-{row['line']}-{number}"
        stored = cell["text"]
        sent = None if data is None else data.get(name)
        typed = stored if sent is None else _typed(sent, stored)
        cells.append(CellToCorrect(name, cell["heading"], stored, typed, cell["is_whole"], cell["errors"]))
    return RowToCorrect(row["line"], cells, row["others"], row["errors"])


def _typed(sent: str, stored: str) -> str:
    """Return the text of a cell; one that comes back unchanged keeps its kind of line breaks."""
    text = as_meant(sent)
    return stored if text == as_meant(stored).replace("\r", "\n") else text
