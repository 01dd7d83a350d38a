"""Read the table of a workbook (XLSX) (design/workbooks.md)."""

import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import IO, BinaryIO, TypeVar
from zipfile import ZipFile

from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter

from bulkops.files.formats.decompression import open_zip, reading_parts
from bulkops.files.formats.rows import Beginnings, FileShape, ReadingOptions, Source, UnreadableFile
from bulkops.files.formats.tables import MAX_CELL_CHARACTERS, MAX_ROW_CHARACTERS, FileTable, TextRow, first_rows
from bulkops.files.workbooks.parts import Sheet, Workbook
from bulkops.files.workbooks.sheets import Cell, MergedCells, SheetReader, SheetRow
from bulkops.files.workbooks.texts import CellError, unescape
from bulkops.files.workbooks.xml import TextCollector, damaged_workbook, read_xml, whole_number
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, shortened

# Only the positions of the texts are in memory.
MAX_SHARED_TEXTS = 2_000_000
_TOO_MANY = _("The workbook has more than {maximum} different texts. Save the table as 'CSV UTF-8' and load that.")
# How many sheets are offered to choose from.
MAX_OFFERED = 50
_SHOWN = 10
_NO_ROWS = _("The workbook has no visible sheet with anything in it. Show the sheet that is meant, or save it again.")
_SEVERAL = _("{count} sheets have something in them: {names}. Choose the one that is meant.")
_NO_SHEET = _("The workbook has no visible sheet '{name}' with anything in it. Choose one of {names}.")
_MERGED = _("Cells are merged: {cells}. Unmerge them, and write into each cell what belongs there.")
_IN_CELL = _("The cell {cell} {error}.")
_FORMULA = _("holds a formula without its value. Open the workbook in Excel and save it there, or write the value")
_BOOLEANS = {"TRUE()": "1", "FALSE()": "0"}
_NUL = _("holds the character NUL, which is not allowed in text. Write it again")
_TOO_LONG = _("The row has more than {maximum} characters.")

_Item = TypeVar("_Item")


class SharedTexts:
    """The texts by number, in a temporary file: a workbook may have as many of them as cells.

    `part` is its part `sharedStrings.xml`, None for a workbook without it; `file` is empty.
    """

    def __init__(self, part: IO[bytes] | None, file: IO[bytes]) -> None:
        self._descriptor = file.fileno()
        self._ends = array("Q")
        if part is not None:
            with part:
                self._copy(part, file)
        file.flush()

    def text(self, number: int) -> str:
        """Return the text of that number. Raises UnreadableFile for an unknown one."""
        if not 0 <= number < len(self._ends):
            raise damaged_workbook()
        start = self._ends[number - 1] if number else 0
        return os.pread(self._descriptor, self._ends[number] - start, start).decode()

    def _copy(self, part: IO[bytes], file: IO[bytes]) -> None:
        collector = TextCollector({"t"}, MAX_CELL_CHARACTERS)
        ends, size = self._ends, 0

        def end(name: str) -> None:
            nonlocal size
            collector.end(name)
            if name == "si":
                size += file.write(collector.take().get("t", "").encode())
                ends.append(size)
                if len(ends) > MAX_SHARED_TEXTS:
                    raise UnreadableFile(1, _TOO_MANY.format(maximum=grouped_number(MAX_SHARED_TEXTS)))

        for _piece in read_xml(part, lambda name, _attributes: collector.start(name), end, collector.add):
            pass


@contextmanager
def workbook_table(file: BinaryIO, options: ReadingOptions) -> Iterator[Source]:
    """Yield the table of a sheet of the workbook in `file`: that of the `options`, or the only visible one with rows.

    Formulas are never calculated, and links never followed. Raises UnreadableFile for a damaged or dangerous file, for
    several sheets with content, and for invalid headings.
    """
    with ExitStack() as stack:
        # Exceptions of the calling code, which processes the rows, are not errors of the file.
        with reading_parts():
            book = stack.enter_context(_opened(file))
            sheet = book.sheet(options.sheet)
            info = book.archive.getinfo(sheet.part)
            with book.archive.open(info) as part:
                merged = MergedCells(part)
            reader = SheetReader(stack.enter_context(book.archive.open(info)))
            rows = _reading(book.rows(reader, merged))
            table = FileTable(rows, options, sheet=sheet.name, name_of=get_column_letter)
        yield table.source(FileShape(Format.XLSX), lambda: reader.bytes_read / info.file_size)


def workbook_beginnings(file: BinaryIO) -> Beginnings:
    """Return the first rows of the visible sheets with content, by their names. Raises UnreadableFile."""
    with reading_parts(), _opened(file) as book:
        found = {}
        for sheet in book.filled[:MAX_OFFERED]:
            with book.archive.open(sheet.part) as part:
                found[sheet.name] = first_rows(book.rows(SheetReader(part)))
        return found


@contextmanager
def _opened(file: BinaryIO) -> "Iterator[_Book]":
    with open_zip(file) as archive, TemporaryFile() as texts:
        workbook = Workbook(archive)
        yield _Book(archive, workbook, SharedTexts(workbook.open_shared_texts(), texts))


def _reading(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield the items; what goes wrong with them is an error of the file."""
    with reading_parts():
        yield from items


class _Book:
    """An open workbook: its `archive`, and the `filled` of its visible sheets; hidden ones are notes of the author."""

    def __init__(self, archive: ZipFile, workbook: Workbook, shared: SharedTexts) -> None:
        self.archive = archive
        self.filled = [sheet for sheet in workbook.sheets if self._has_content(sheet)]
        self._shared = shared
        self._texts = workbook.cell_texts()
        self._no_values = ("", "0", "0.0") if workbook.is_computed_on_load else ("",)
        if not self.filled:
            raise UnreadableFile(1, _NO_ROWS)

    def sheet(self, name: str | None) -> Sheet:
        """Return the sheet of that name, or the only one. Raises UnreadableFile."""
        found = [sheet for sheet in self.filled if name in (None, sheet.name)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"'{shortened(sheet.name)}'" for sheet in self.filled[:_SHOWN])
        names += ", …" if self.filled[_SHOWN:] else ""
        message = _SEVERAL.format(count=len(found), names=names) if found else ""
        message = message or _NO_SHEET.format(name=shortened(name or ""), names=names)
        raise UnreadableFile(1, message, code="UNKNOWN_SHEET")

    def rows(self, reader: SheetReader, merged: MergedCells | None = None) -> Iterator[TextRow]:
        width = 0
        for row in reader.rows():
            width = max(width, *(cell.column for cell in row.cells), 0)
            if row.is_too_long:
                yield TextRow(row.number, (), failure=_TOO_LONG.format(maximum=grouped_number(MAX_ROW_CHARACTERS)))
            else:
                yield self._row(row, {} if merged is None else merged.covering(row.number, width))

    def _has_content(self, sheet: Sheet) -> bool:
        with self.archive.open(sheet.part) as part:
            return any(row.cells for row in SheetReader(part).rows())

    def _row(self, row: SheetRow, merged: Mapping[int, str]) -> TextRow:
        texts = [""] * max((cell.column for cell in row.cells), default=0)
        errors = {column - 1: _MERGED.format(cells=name) for column, name in merged.items()}
        numbers: dict[int, str] = {}
        formulas: dict[int, str] = {}
        for cell in row.cells:
            column = cell.column - 1
            if cell.formula in _BOOLEANS:
                # LibreOffice writes each boolean so, with or without its kind.
                cell.kind, cell.text, cell.formula = "b", _BOOLEANS[cell.formula], None
            if cell.formula is not None:
                formulas[column] = cell.formula
            try:
                texts[column], number = self._text(cell)
            except CellError as error:
                number = error.number
                texts[column] = error.text or cell.text
                errors[column] = _IN_CELL.format(cell=f"{get_column_letter(cell.column)}{row.number}", error=error)
            # A whole number that is shown as such needs no mention.
            if number is not None and (column in errors or number != texts[column] or "." in number):
                numbers[column] = number
        return TextRow(row.number, texts, errors, numbers, formulas)

    def _text(self, cell: Cell) -> tuple[str, str | None]:
        number = None
        # A computed text may be empty.
        if cell.formula is not None and cell.kind != "str" and cell.text in self._no_values:
            raise CellError(str(_FORMULA), text=f"={cell.formula}")
        if not cell.text:
            return "", None
        if cell.kind == "s":
            number_of_text = whole_number(cell.text.strip())
            text = self._texts.shown(cell.style, unescape(self._shared.text(number_of_text)))
        else:
            text, number = self._texts.text(cell.kind, cell.style, cell.text)
        if "\x00" in text:
            raise CellError(str(_NUL), text=text.replace("\x00", "\N{REPLACEMENT CHARACTER}"))
        return text, number
