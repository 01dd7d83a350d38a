"""Reading the table of a workbook (XLSX)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter

from bulkops.formats.rows import Row, RowFailure, UnreadableFile
from bulkops.formats.shared_texts import SharedTexts, shared_texts
from bulkops.formats.sheet_reading import Cell, SheetReader, SheetRow, merged_ranges
from bulkops.formats.tables import MAX_ROW_CHARACTERS, read_headings, row_failure, table_row
from bulkops.formats.unpacking import open_zip, reading_parts
from bulkops.formats.workbook_parts import Sheet, Workbook
from bulkops.formats.workbook_texts import CellFault, CellTexts, unescaped
from bulkops.formats.xml_reading import damaged
from dimensions_site.api.problems import shortened
from dimensions_site.formats import grouped

_SHOWN = 3
_NO_ROWS = _("The workbook has no visible sheet with anything in it. Show the sheet that is meant, or save it again.")
_FORMULA = _("holds a formula, and formulas are not run. Replace it by its value: copy it and paste the value only")
_NUL = _("holds the character NUL, which is none of a text. Write it again")
_TOO_LONG = _("The row has more than {maximum} characters.")


@contextmanager
def workbook_table(file: BinaryIO) -> "Iterator[WorkbookTable]":
    """The table of the one visible sheet of the workbook in `file` that has anything in it.

    Formulas are never run, and links never followed. Raises UnreadableFile for a damaged or dangerous file, for
    several sheets with content, for merged cells, and for headings that are none.
    """
    with ExitStack() as stack:
        # What goes wrong with the rows later, outside, is no fault of the file.
        with reading_parts():
            workbook = Workbook(stack.enter_context(open_zip(file)))
            sheet = _only_sheet(workbook)
            with workbook.open_sheet(sheet) as part:
                _refuse_merged(merged_ranges(part))
            texts = stack.enter_context(shared_texts(workbook.open_shared_texts()))
            reader = SheetReader(stack.enter_context(workbook.open_sheet(sheet)))
            table = WorkbookTable(reader, workbook.size(sheet), texts, workbook.cell_texts())
        yield table


class WorkbookTable:
    """The table of a sheet of `size` bytes; its headings are read at once, its rows as they are needed."""

    def __init__(self, reader: SheetReader, size: int, shared: SharedTexts, texts: CellTexts) -> None:
        self._reader = reader
        self._size = size
        self._shared = shared
        self._texts = texts
        self._rows = reader.rows()
        first = next((row for row in self._rows if row.cells), SheetRow(1))
        cells, faults = self._cells(first, 0)
        if faults:
            raise UnreadableFile(1, _told(first, faults))
        self.headings: Sequence[str] = read_headings(1, cells if first.number == 1 else ())

    def rows(self) -> Iterator[Row | RowFailure]:
        """The rows; those without any text are passed over. Raises UnreadableFile where the sheet is damaged."""
        with reading_parts():
            for sheet_row in self._rows:
                row = self._row(sheet_row)
                if row is not None:
                    yield row

    def progress(self) -> float:
        """The share of the sheet's bytes that is read."""
        return self._reader.bytes_read / self._size

    def _row(self, sheet_row: SheetRow) -> Row | RowFailure | None:
        if sheet_row.is_too_long:
            return row_failure(sheet_row.number, _TOO_LONG.format(maximum=grouped(MAX_ROW_CHARACTERS)))
        cells, faults = self._cells(sheet_row, len(self.headings))
        if not faults:
            return table_row(sheet_row.number, self.headings, cells)
        column = faults[0][0].column
        heading = self.headings[column - 1] if column <= len(self.headings) else ""
        return row_failure(sheet_row.number, _told(sheet_row, faults), heading, cells)

    def _cells(self, row: SheetRow, width: int) -> tuple[list[str], list[tuple[Cell, str]]]:
        """The texts of at least `width` cells of the row, and what is wrong with some of them."""
        width = max([width, *(cell.column for cell in row.cells)])
        texts = [""] * width
        faults: list[tuple[Cell, str]] = []
        for cell in row.cells:
            try:
                texts[cell.column - 1] = self._text(cell)
            except CellFault as fault:
                faults.append((cell, str(fault)))
                texts[cell.column - 1] = cell.text if cell.formula is None else f"={cell.formula}"
        return texts, faults

    def _text(self, cell: Cell) -> str:
        if cell.formula is not None:
            raise CellFault(_FORMULA)
        if not cell.text:
            return ""
        if cell.kind == "s":
            if not cell.text.isdecimal():
                raise damaged()
            text = unescaped(self._shared.text(int(cell.text)))
        else:
            text = self._texts.text(cell.kind, cell.style, cell.text)
        if "\x00" in text:
            raise CellFault(_NUL)
        return text


def _only_sheet(workbook: Workbook) -> Sheet:
    """The visible sheet that has anything in it; hidden ones are notes of those who made the file."""
    found = [sheet for sheet in workbook.sheets if _has_content(workbook, sheet)]
    if not found:
        raise UnreadableFile(1, _NO_ROWS)
    if len(found) > 1:
        names = ", ".join(f"'{shortened(sheet.name)}'" for sheet in found[:_SHOWN])
        message = _("{count} sheets have something in them, such as {names}. Leave one of them, or hide the others.")
        raise UnreadableFile(1, message.format(count=len(found), names=names))
    return found[0]


def _has_content(workbook: Workbook, sheet: Sheet) -> bool:
    with workbook.open_sheet(sheet) as part:
        return any(row.cells for row in SheetReader(part).rows())


def _refuse_merged(ranges: Sequence[str]) -> None:
    if ranges:
        message = _("Cells are merged: {cells}. Unmerge them, and write into each cell what belongs there.")
        raise UnreadableFile(1, message.format(cells=_listed(ranges)))


def _told(row: SheetRow, faults: Sequence[tuple[Cell, str]]) -> str:
    names = [f"{get_column_letter(cell.column)}{row.number}" for cell, _ in faults]
    first = gettext("The cell {cell} {fault}.").format(cell=names[0], fault=faults[0][1])
    if not names[1:]:
        return first
    others = gettext("Other cells of the row cannot be read either: {cells}.").format(cells=_listed(names[1:]))
    return f"{first} {others}"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names[:_SHOWN])
    more = len(names) - _SHOWN
    return gettext("{names} and {count} more").format(names=listed, count=more) if more > 0 else listed
