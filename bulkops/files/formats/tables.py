"""What the tables of all formats share: headings, and rows of cells below them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.files.formats.rows import (
    REASON,
    FileFindings,
    FileRow,
    FileShape,
    ReadingOptions,
    RowFailure,
    Source,
    UnreadableFile,
)
from dimensions_site.api.failures import Failure
from dimensions_site.text.formats import grouped_number, shortened

MAX_CELL_CHARACTERS = 1024**2
MAX_ROW_CHARACTERS = 4 * MAX_CELL_CHARACTERS
# The number of columns in Excel.
MAX_HEADINGS = 16_384
MAX_HEADING_CHARACTERS = 1_000
# Headings are looked for in this many rows, of which this many columns are shown.
_FIRST_ROWS = 30
_FIRST_COLUMNS = 100
# Marks that programs leave in texts, and nobody sees. Behind a path they may belong to the name of an attribute.
INVISIBLE = "\ufeff\u200b\u200e\u200f\u2060\u061c\u00ad"
_NOTHING: Mapping[int, str] = MappingProxyType({})


class TextRow(NamedTuple):
    """The texts of the cells on a `line`, and what is said of some of them, by column from 0.

    `errors` are those of cells that cannot be used, `numbers` the numbers and dates that cells have, `formulas` those
    whose values a program has computed. `failure` says why the row cannot be read at all.
    """

    line: int
    cells: Sequence[str]
    errors: Mapping[int, str] = _NOTHING
    numbers: Mapping[int, str] = _NOTHING
    formulas: Mapping[int, str] = _NOTHING
    failure: str = ""


def first_rows(rows: Iterator[TextRow]) -> Sequence[tuple[int, Sequence[str]]]:
    """Return the first rows as people see them, each with its line, to find the headings in them.

    They end before a row that cannot be read; its error comes up when the table is read.
    """
    filled = (row for row in rows if has_text(row.cells))
    found: list[tuple[int, Sequence[str]]] = []
    with suppress(UnreadableFile):
        for row in islice(filled, _FIRST_ROWS):
            found.append((row.line, [shortened(text) for text in row.cells[:_FIRST_COLUMNS]]))
    return found


class FileTable:
    """The table in the `text_rows` of a file: headings are read at once, rows lazily.

    The headings are in the first row with a text, or in that of the `options`. `name_of` returns the letters of a
    column in a workbook; in other tables, a cell behind the last heading means that the cells of its row are displaced.
    Raises UnreadableFile.
    """

    def __init__(
        self,
        text_rows: Iterator[TextRow],
        options: ReadingOptions,
        *,
        sheet: str = "",
        name_of: Callable[[int], str] | None = None,
    ) -> None:
        self._rows = text_rows
        self._name_of = name_of
        self._pads_rows = options.pads_rows
        wanted = options.heading_row
        filled = (row for row in text_rows if row.failure or has_text(row.cells))
        found = next((row for row in filled if wanted is None or row.line >= wanted), TextRow(1, ()))
        line = wanted or found.line
        if found.failure:
            raise UnreadableFile(found.line, found.failure)
        headings, written = read_headings(
            line, found.cells if found.line == line else (), name_of or str, options.named
        )
        self._headings = headings
        self._found = FileFindings(sheet=sheet, heading_row=line, written=written)

    def source(self, shape: FileShape, progress: Callable[[], float]) -> Source:
        return Source(shape, self._headings, self._all_rows, progress, self._found)

    def _all_rows(self) -> Iterator[FileRow | RowFailure]:
        for row in self._rows:
            if row.failure:
                yield row_failure(row.line, row.failure, row.cells)
            elif has_text(row.cells):
                yield self._row(row)

    def _row(self, row: TextRow) -> FileRow | RowFailure:
        headings, cells = self._headings, row.cells
        missing = len(headings) - len(cells)
        beyond = [number for number, cell in enumerate(cells[len(headings) :], len(headings) + 1) if cell.strip()]
        if beyond and REASON in headings:
            message = _("'{text}' is after the last heading. Correct the row, then delete that text.")
            return row_failure(row.line, message.format(text=shortened(cells[beyond[0] - 1])), cells)
        if beyond and self._name_of is not None:
            # The furthest one: once it is named, those before it are columns, too.
            name = untitled(self._name_of(beyond[-1]))
            return RowFailure(row.line, Failure(name, "UNKNOWN_FIELD", nameless(name)), cells)
        if beyond or (missing > 0 and not self._pads_rows):
            message = _("The row has {cells}, but {headings}.")
            of_cells = ngettext("{count} cell", "{count} cells", len(cells))
            of_headings = ngettext("there is {count} heading", "there are {count} headings", len(headings))
            values = {
                "cells": of_cells.format(count=grouped_number(len(cells))),
                "headings": of_headings.format(count=grouped_number(len(headings))),
            }
            return row_failure(row.line, message.format(**values), cells)
        named = dict(zip(headings, [*cells, *[""] * missing] if missing > 0 else cells, strict=False))
        errors = self._named(row.errors)
        if max(map(len, cells)) > MAX_CELL_CHARACTERS:
            for heading, text in named.items():
                if len(text) > MAX_CELL_CHARACTERS:
                    message = _("The cell is {count} characters long; the limit is {maximum}.")
                    values = {"count": grouped_number(len(text)), "maximum": grouped_number(MAX_CELL_CHARACTERS)}
                    errors[heading] = message.format(**values)
        return FileRow(row.line, named, errors, self._named(row.numbers), tuple(self._named(row.formulas)))

    def _named(self, values: Mapping[int, str]) -> dict[str, str]:
        if not values:
            return {}
        count = len(self._headings)
        return {self._headings[column]: value for column, value in values.items() if column < count}


def read_headings(
    line: int, cells: Sequence[str], name_of: Callable[[int], str], named: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the headings on `line`, without empty cells at the end unless they are `named`, and those that had to be
    named apart as they are written: repeated and empty ones.

    Raises UnreadableFile for no headings, too many, and one that is far too long.
    """
    written = [cell.lstrip(INVISIBLE) if "." in cell else cell.strip(INVISIBLE) for cell in cells]
    while written and not written[-1].strip():
        written.pop()
    if not written:
        raise UnreadableFile(line, _("The line must have the headings, such as id,descriptions.en."))
    if len(written) > MAX_HEADINGS:
        message = _("The table has {count} columns; the limit is {maximum}. Delete those that are not needed.")
        values = {"count": grouped_number(len(written)), "maximum": grouped_number(MAX_HEADINGS)}
        raise UnreadableFile(line, message.format(**values))
    longest = max(written, key=len)
    if len(longest) > MAX_HEADING_CHARACTERS:
        message = _("The heading {heading} is {count} characters long; the limit is {maximum}.")
        values = {"count": grouped_number(len(longest)), "maximum": grouped_number(MAX_HEADING_CHARACTERS)}
        raise UnreadableFile(line, message.format(heading=shortened(longest), **values))
    if named:
        beyond = range(len(written) + 1, MAX_HEADINGS + 1)
        furthest = max((each for each in beyond if untitled(name_of(each)) in named), default=0)
        written += [""] * (furthest - len(written))
    taken = set(written)
    apart: dict[str, str] = {}
    names: dict[str, int] = {}
    for position, heading in enumerate(written, start=1):
        name = called = heading if heading.strip() else untitled(name_of(position))
        while name in names or (name != heading and name in taken):
            names[called] = names.get(called, 1) + 1
            name = f"{called} ({names[called]})"
        names[name] = 1
        if name != heading:
            apart[name] = heading
    return list(names), apart


def has_text(cells: Sequence[str]) -> bool:
    """Return whether a row has more than blanks, with which people clear cells."""
    return any(map(str.strip, cells))


def untitled(place: str) -> str:
    """Return what a column without a heading is called."""
    return f"Column {place}"


def nameless(heading: str, called: str = "") -> str:
    """Return the error of a column that has no heading, or one that is `called` like another's, and is used."""
    message = _("It has no heading. Give it one, or say what '{heading}' means.")
    if called.strip():
        message = _("The heading '{called}' is repeated. Change one of them, or say what '{heading}' means.")
    return message.format(called=shortened(called), heading=shortened(heading))


def row_failure(line: int, message: str, cells: Sequence[str] = ()) -> RowFailure:
    """Return the failure of an unreadable row."""
    return RowFailure(line, Failure("", "INVALID_ROW", message), cells)
