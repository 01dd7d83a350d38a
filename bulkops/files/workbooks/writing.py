"""Write a workbook (XLSX) with one sheet, row by row (design/workbooks.md).

Texts are stored as texts, whatever they begin with, so that no program runs one as a formula. The columns have the
format "text", so that codes typed into them keep their zeros. The first row is frozen and has a filter.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from io import BytesIO
from itertools import zip_longest
from typing import IO, BinaryIO, TypeAlias, cast
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.styles.numbers import FORMAT_TEXT
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.dimensions import ColumnDimension

from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES
from bulkops.files.formats.tables import MAX_HEADINGS
from bulkops.files.workbooks.sheets import MAX_SHEET_ROWS
from dimensions_site.text.formats import grouped_number

# The limit of a text in an Excel cell.
MAX_TEXT = 32_767
# Excel drops further digits of numbers.
_MAX_INTEGER = 10**15
_ILLEGAL = "\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff"
# A character that XML cannot carry, and an underscore that would look like its escape.
_NEEDS_ESCAPE = re.compile(f"[{_ILLEGAL}]|_(?=x[0-9A-Fa-f]{{4}}(?:_|[{_ILLEGAL}]))")
# The values that a column may have; None for any.
AllowedValues: TypeAlias = Sequence[str | bool] | None

_SHEET, _LISTS_SHEET = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
_LISTS = "Lists"
_ROWS = "<sheetData></sheetData>"
_PROPERTIES = "docProps/core.xml"
# Two workbooks with the same content are the same, whenever they were made.
_MOMENTS = re.compile("<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\\1>")
# It is that of one row, and readers would believe it.
_DIMENSION = re.compile("<dimension[^>]*>")
# Excel marks texts that look like numbers as errors, unless the sheet says that they are intended.
_IGNORED_ERRORS = (
    f'<ignoredErrors><ignoredError sqref="A1:XFD{MAX_SHEET_ROWS}" numberStoredAsText="1"/></ignoredErrors>'
)


class TableTooLarge(Exception):
    """The table does not fit into a workbook."""


class WorkbookWriter:
    """Writes a table as a workbook into the binary `file`, which stays open and need not be seekable.

    Once it is complete, `end` is called.
    """

    def __init__(self, file: BinaryIO, end: Callable[[], None] = lambda: None) -> None:
        self._end = end
        self._archive = ZipFile(_Stream(file), "w", ZIP_DEFLATED)
        self._sheet: IO[bytes] | None = None
        # What stands behind the rows, and the style of their cells.
        self._rest, self._style = "", 0
        self._columns = 0
        self._rows = 0
        self._bytes = 0

    def headings(self, names: Iterable[str], allowed: Sequence[AllowedValues] = ()) -> None:
        """Write the headings, in bold; `allowed` are the values to choose from in each column."""
        parts, (self._style, bold) = _frame(allowed)
        start, self._rest = parts.pop(_SHEET).split(_ROWS)
        for name, part in parts.items():
            self._archive.writestr(name, part)
        self._sheet = self._archive.open(_SHEET, "w")
        self._write(f"{start}<sheetData>")
        headings = list(names)
        self._columns = len(headings)
        self._write_row(headings, bold)

    def row(self, values: Iterable[str | int | bool | None]) -> None:
        """Write a row below the headings; None and the empty text are empty cells, and a text is cut to MAX_TEXT
        characters. Raises TableTooLarge.
        """
        self._write_row(values, self._style)

    def close(self) -> None:
        """Complete the workbook, or after an error only close it."""
        try:
            if self._sheet is not None:
                last = f"{get_column_letter(max(self._columns, 1))}{self._rows}"
                self._write(f'</sheetData><autoFilter ref="A1:{last}"/>{self._rest}')
        finally:
            if self._sheet is not None:
                self._sheet.close()
            self._archive.close()
        self._end()

    def _write_row(self, values: Iterable[str | int | bool | None], style: int) -> None:
        self._rows += 1
        if self._rows > MAX_SHEET_ROWS:
            message = _("A workbook can have {maximum} rows, but there are more. Choose CSV.")
            raise TableTooLarge(message.format(maximum=grouped_number(MAX_SHEET_ROWS)))
        self._write(_row(self._rows, values, style))

    def _write(self, xml: str) -> None:
        content = xml.encode()
        self._bytes += len(content)
        if self._bytes > MAX_DECOMPRESSED_BYTES:
            raise TableTooLarge(_("The table is too large for a workbook. Choose CSV."))
        cast(IO[bytes], self._sheet).write(content)


class _Stream:
    """A write-only file for ZipFile, which writes its directory even after an error; that is then ignored."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, content: bytes) -> int:
        return 0 if self._file.closed else self._file.write(content)

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Leave the file open."""


def _escaped(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def _row(number: int, values: Iterable[str | int | bool | None], style: int = 0) -> str:
    """Return a row; None and the empty text are empty cells."""
    cells = (
        _cell(f'r="{get_column_letter(column)}{number}" s="{style}"', value)
        for column, value in enumerate(values, start=1)
        if value is not None and value != ""
    )
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, value: str | int | bool) -> str:
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{value:d}</v></c>'
    if isinstance(value, int) and abs(value) < _MAX_INTEGER:
        return f"<c {place}><v>{value}</v></c>"
    text = escape(_NEEDS_ESCAPE.sub(_escaped, str(value)[:MAX_TEXT]), quote=False)
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _frame(allowed: Sequence[AllowedValues]) -> tuple[dict[str, str], tuple[int, int]]:
    """Return the parts by name of a workbook whose sheet has no rows, and the styles of texts and of bold ones.

    `allowed` are the values that each column may have. Excel asks about another value but accepts it: cells have other
    notations.
    """
    book, content = Workbook(), BytesIO()
    book.calculation.fullCalcOnLoad = False
    [sheet] = book.worksheets
    sheet.title, sheet.freeze_panes = "Elements", "A2"
    text, bold = WriteOnlyCell(sheet), WriteOnlyCell(sheet)
    bold.font = Font(name="Calibri", size=11, bold=True)
    every = ColumnDimension(sheet, index="A", min=1, max=MAX_HEADINGS, width=18)
    text.number_format = bold.number_format = every.number_format = FORMAT_TEXT
    sheet.column_dimensions["A"] = every
    styles = text.style_id, bold.style_id  # the book knows them from here on
    lists = list(dict.fromkeys(tuple(values) for values in allowed if values))
    for number, values in enumerate(allowed, start=1):
        if values:
            letter, of_list = get_column_letter(number), get_column_letter(lists.index(tuple(values)) + 1)
            known = f"{_LISTS}!${of_list}$1:${of_list}${len(values)}"
            rule = DataValidation("list", known, errorStyle="warning", allow_blank=True, showErrorMessage=True)
            rule.add(f"{letter}2:{letter}{MAX_SHEET_ROWS}")
            sheet.add_data_validation(rule)
    if lists:
        book.create_sheet(_LISTS).sheet_state = "hidden"
    book.save(content)
    with ZipFile(content) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    parts[_PROPERTIES] = _MOMENTS.sub("", parts[_PROPERTIES])
    parts[_SHEET] = _DIMENSION.sub("", parts[_SHEET]).replace("</worksheet>", f"{_IGNORED_ERRORS}</worksheet>")
    if lists:
        rows = "".join(_row(number, values) for number, values in enumerate(zip_longest(*lists), start=1))
        parts[_LISTS_SHEET] = _DIMENSION.sub("", parts[_LISTS_SHEET]).replace(_ROWS, f"<sheetData>{rows}</sheetData>")
    return parts, styles
