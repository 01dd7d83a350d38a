"""What a person corrects of a checked file in the browser: what values mean, and cells of rows with errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import QueryDict
from django.utils.translation import gettext as _

from bulkops.files.imports.reports import LONGEST_CELL
from bulkops.jobs.file_imports import Choices
from bulkops.models import FileImport
from dimensions_site.administration.inputs.controls import as_meant
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.text.formats import grouped_number

ROWS_ON_A_PAGE = 50
# More are corrected in the file.
MAX_CORRECTIONS = 500
MAX_RULES = 1_000
PAGE = "page"
# Stands for no value at all.
_EMPTY = "-"


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


@dataclass(frozen=True)
class ValueToMean:
    """A `text` under a heading that is no value of its column: how often it is there, and what it may mean.

    `options` are pairs of what is sent and what is shown, `chosen` is what was sent.
    """

    name: str
    heading: str
    text: str
    count: int
    options: Sequence[tuple[str, str]]
    chosen: str = ""


@dataclass
class RowToCorrect:
    """A row with errors on a `line` of the file, with the texts of some `others` of its cells."""

    line: int
    cells: Sequence[CellToCorrect]
    others: Sequence[str]
    errors: Sequence[str]


class CorrectionsForm:
    """What is to be corrected in an import, and what was sent (`data`): the `values` that are unknown, and the `rows`
    with errors on one page.
    """

    def __init__(self, file_import: FileImport, page: str | None, data: QueryDict | None = None) -> None:
        self._kept: dict[str, dict[str, str]] = file_import.corrections or {}
        rows = [row for row in file_import.report.get("rows", []) if row["cells"] or row["errors"]]
        self.page = Paginator(rows, ROWS_ON_A_PAGE).get_page(page)
        self.rows = [_row(row, data) for row in self.page.object_list]
        self.error = ""
        self._wire = dimension_named(file_import.dimension).wire
        self._choices = Choices.of(file_import)
        self.lists = self._lists()
        unknown = file_import.report.get("unknown", [])
        headings = [found["heading"] for found in unknown]
        # Each column with the most frequent value first, and its other values with it.
        self.values = [
            self._value(number, found, data)
            for number, found in sorted(enumerate(unknown), key=lambda each: headings.index(each[1]["heading"]))
        ]

    @property
    def rules(self) -> Mapping[str, Mapping[str, str]]:
        """The values that texts mean by heading, with those that were chosen now."""
        rules = {heading: dict(texts) for heading, texts in self._choices.values.items()}
        for value in self.values:
            if value.chosen in dict(value.options) and value.chosen:
                chosen = value.chosen.removeprefix(_EMPTY)
                rules.setdefault(value.heading, {})[value.text] = chosen
        return rules

    @property
    def kept_rules(self) -> list[tuple[str, str, str]]:
        """The heading, the text and what it means, of the rules that hold already."""
        return [
            (heading, text, self._options(heading).get(value, value))
            for heading, texts in self._choices.values.items()
            for text, value in texts.items()
        ]

    @property
    def parts(self) -> list[tuple[list[RowToCorrect], str]]:
        """The rows on the page, then those that have no error once the values mean something, with their columns."""
        asked = {(value.heading, value.text) for value in self.values}
        parts: tuple[list[RowToCorrect], list[RowToCorrect]] = ([], [])
        for row in self.rows:
            is_solved = not row.errors and all((cell.heading, cell.stored.strip()) in asked for cell in row.cells)
            parts[is_solved].append(row)
        columns = ", ".join(dict.fromkeys(cell.heading for row in parts[True] for cell in row.cells))
        return [(rows, name) for rows, name in zip(parts, ("", columns), strict=True) if rows]

    def _value(self, number: int, found: Mapping[str, Any], data: QueryDict | None) -> ValueToMean:
        name, heading = f"value-{number}", found["heading"]
        options = [*self._options(heading).items()]
        if not self._wire.places[self._choices.mapping[heading]].leaf.required:
            options.append((_EMPTY, _("not set")))
        chosen = "" if data is None else data.get(name, "")
        return ValueToMean(name, heading, found["text"], found["count"], options, chosen)

    def _options(self, heading: str) -> Mapping[str, str]:
        place = self._wire.places.get(self._choices.mapping.get(heading, ""))
        return {} if place is None or place.leaf.is_open else dict(place.leaf.labelled)

    def _lists(self) -> list[tuple[str, list[str]]]:
        """Give the cells of each column with a list of values its id; return the ids and the lists."""
        lists: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for cell in (cell for row in self.rows for cell in row.cells):
            choices = self._options(cell.heading)
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
        """Whether there is anything to correct on the page."""
        return bool(self.values) or any(cell.is_whole for row in self.rows for cell in row.cells)

    @property
    def kept(self) -> list[tuple[str, str, str]]:
        """The line, the heading and the new text of the cells that were corrected before."""
        return [(line, heading, text) for line, cells in self._kept.items() for heading, text in cells.items()]

    def merged(self) -> Mapping[str, Mapping[str, str]] | None:
        """Return all corrections with what was typed; None, and an `error`, if it cannot be kept."""
        result = {line: dict(cells) for line, cells in self._kept.items()}
        changed = [(row.line, cell) for row in self.rows for cell in row.cells if cell.typed != cell.stored]
        for line, cell in changed:
            if cell.is_whole:
                result.setdefault(str(line), {})[cell.heading] = cell.typed
            if len(cell.typed) > LONGEST_CELL:
                message = _("The text for {heading} in line {line} is longer than {maximum} characters.")
                self.error = message.format(heading=cell.heading, line=line, maximum=grouped_number(LONGEST_CELL))
        count = sum(map(len, result.values()))
        if count > MAX_CORRECTIONS:
            message = _(
                "Up to {maximum} cells can be corrected here, and there are {count}. Correct the others in the file."
            )
            self.error = message.format(maximum=grouped_number(MAX_CORRECTIONS), count=grouped_number(count))
        rules = sum(map(len, self.rules.values()))
        if rules > MAX_RULES:
            message = _("Up to {maximum} values can be given a meaning here, and there are {count}.")
            self.error = message.format(maximum=grouped_number(MAX_RULES), count=grouped_number(rules))
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
