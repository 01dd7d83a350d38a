"""Read the table of a workbook (XLSX)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO
from zipfile import ZipFile

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter

from bulkops.files.formats.decompression import open_zip, reading_parts
from bulkops.files.formats.rows import FileContent, ReadingOptions, Row, RowFailure, UnreadableFile
from bulkops.files.formats.tables import MAX_ROW_CHARACTERS, read_headings, row_failure, table_row
from bulkops.files.workbooks.parts import Sheet, Workbook
from bulkops.files.workbooks.shared_texts import SharedTexts, shared_texts
from bulkops.files.workbooks.sheets import Cell, SheetReader, SheetRow, merged_ranges
from bulkops.files.workbooks.texts import CellError, CellTexts, unescaped
from bulkops.files.workbooks.xml import damaged
from dimensions_site.text.formats import grouped
from dimensions_site.text.shortening import shortened

_SHOWN = 3
_NO_ROWS = _("The workbook has no visible sheet with anything in it. Show the sheet that is meant, or save it again.")
_FORMULA = _("holds a formula, and formulas are not run. Replace it by its value: copy it and paste the value only")
_NUL = _("holds the character NUL, which is not allowed in text. Write it again")
_TOO_LONG = _("The row has more than {maximum} characters.")


@contextmanager
def workbook_table(file: BinaryIO, options: ReadingOptions) -> "Iterator[WorkbookTable]":
    """Yield the table of the only visible sheet with content of the workbook in `file`.

    Formulas are never calculated, and links never followed. Raises UnreadableFile for a damaged or dangerous file, for
    several sheets with content, for merged cells, and for invalid headings.
    """
    with ExitStack() as stack:
        # Exceptions of the calling code, which processes the rows, are not errors of the file.
        with reading_parts():
            archive = stack.enter_context(open_zip(file))
            workbook = Workbook(archive)
            sheet = archive.getinfo(_only_sheet(archive, workbook.sheets).part)
            with archive.open(sheet) as part:
                _refuse_merged(merged_ranges(part))
            texts = stack.enter_context(shared_texts(workbook.open_shared_texts()))
            reader = SheetReader(stack.enter_context(archive.open(sheet)))
            table = WorkbookTable(reader, sheet.file_size, texts, workbook.cell_texts())
        yield table


class WorkbookTable(FileContent):
    """The table of a sheet of `size` bytes; headings are read at once, rows lazily."""

    def __init__(self, reader: SheetReader, size: int, shared: SharedTexts, texts: CellTexts) -> None:
        self._reader = reader
        self._size = size
        self._shared = shared
        self._texts = texts
        self._rows = reader.rows()
        first = next((row for row in self._rows if row.cells), SheetRow(1))
        cells, errors = self._cells(first, 0)
        if errors:
            raise UnreadableFile(1, _message(first, errors))
        self.headings = self._names = read_headings(1, cells if first.number == 1 else ())

    def rows(self) -> Iterator[Row | RowFailure]:
        """Yield the rows without empty ones. Raises UnreadableFile where the sheet is damaged."""
        with reading_parts():
            for sheet_row in self._rows:
                row = self._row(sheet_row)
                if row is not None:
                    yield row

    def progress(self) -> float:
        return self._reader.bytes_read / self._size

    def _row(self, sheet_row: SheetRow) -> Row | RowFailure | None:
        if sheet_row.is_too_long:
            return row_failure(sheet_row.number, _TOO_LONG.format(maximum=grouped(MAX_ROW_CHARACTERS)))
        cells, errors = self._cells(sheet_row, len(self._names))
        if not errors:
            return table_row(sheet_row.number, self._names, cells)
        column = errors[0][0].column
        heading = self._names[column - 1] if column <= len(self._names) else ""
        return row_failure(sheet_row.number, _message(sheet_row, errors), heading, cells)

    def _cells(self, row: SheetRow, width: int) -> tuple[list[str], list[tuple[Cell, str]]]:
        """Return the texts of at least `width` cells of the row, and the errors of some of them."""
        width = max([width, *(cell.column for cell in row.cells)])
        texts = [""] * width
        errors: list[tuple[Cell, str]] = []
        for cell in row.cells:
            try:
                texts[cell.column - 1] = self._text(cell)
            except CellError as error:
                errors.append((cell, str(error)))
                texts[cell.column - 1] = cell.text if cell.formula is None else f"={cell.formula}"
        return texts, errors

    def _text(self, cell: Cell) -> str:
        if cell.formula is not None:
            raise CellError(_FORMULA)
        if not cell.text:
            return ""
        if cell.kind == "s":
            if not cell.text.isdecimal():
                raise damaged()
            text = unescaped(self._shared.text(int(cell.text)))
        else:
            text = self._texts.text(cell.kind, cell.style, cell.text)
        if "\x00" in text:
            raise CellError(_NUL)
        return text


def _only_sheet(archive: ZipFile, visible: Sequence[Sheet]) -> Sheet:
    """Return the only visible sheet with content; hidden ones are notes of the author."""
    found = [sheet for sheet in visible if _has_content(archive, sheet)]
    if not found:
        raise UnreadableFile(1, _NO_ROWS)
    if len(found) > 1:
        names = ", ".join(f"'{shortened(sheet.name)}'" for sheet in found[:_SHOWN])
        message = _("{count} sheets have something in them, such as {names}. Keep one of them, or hide the others.")
        raise UnreadableFile(1, message.format(count=len(found), names=names))
    return found[0]


def _has_content(archive: ZipFile, sheet: Sheet) -> bool:
    with archive.open(sheet.part) as part:
        return any(row.cells for row in SheetReader(part).rows())


def _refuse_merged(ranges: Sequence[str]) -> None:
    if ranges:
        message = _("Cells are merged: {cells}. Unmerge them, and write into each cell what belongs there.")
        raise UnreadableFile(1, message.format(cells=_listed(ranges)))


def _message(row: SheetRow, errors: Sequence[tuple[Cell, str]]) -> str:
    names = [f"{get_column_letter(cell.column)}{row.number}" for cell, _ in errors]
    first = gettext("The cell {cell} {error}.").format(cell=names[0], error=errors[0][1])
    if not names[1:]:
        return first
    others = gettext("Other cells of the row cannot be read either: {cells}.").format(cells=_listed(names[1:]))
    return f"{first} {others}"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names[:_SHOWN])
    more = len(names) - _SHOWN
    return gettext("{names} and {count} more").format(names=listed, count=more) if more > 0 else listed
