"""Write a workbook (XLSX) with one sheet, row by row (design/workbooks.md).

Texts are stored as texts, whatever they begin with, so that no program runs one as a formula. The columns have the
format "text", so that codes typed into them keep their zeros. The first row is frozen and has a filter.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import IO, BinaryIO, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.translation import gettext as _
from openpyxl.utils import get_column_letter

from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES
from bulkops.files.formats.tables import MAX_HEADINGS
from bulkops.files.workbooks.sheets import MAX_ROWS
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

_SHEET = "xl/worksheets/sheet1.xml"
_LISTS_SHEET = "xl/worksheets/sheet2.xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/{_SHEET}" ContentType="{_SHEET_TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPES}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="Elements" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    # Style 0 is plain, 1 the format "text" (number 49), 2 that in bold.
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}">'
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    ),
}
_SHEET_START = (
    f'{_DECLARATION}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    f'<cols><col min="1" max="{MAX_HEADINGS}" width="18" style="1" customWidth="1"/></cols><sheetData>'
)
# What makes the sheet of lists known, where there is one.
_LISTS = "Lists"
_WITH_LISTS = {
    "[Content_Types].xml": (
        "</Types>",
        f'<Override PartName="/{_LISTS_SHEET}" ContentType="{_SHEET_TYPES}.worksheet+xml"/></Types>',
    ),
    "xl/workbook.xml": ("</sheets>", f'<sheet name="{_LISTS}" sheetId="2" state="hidden" r:id="rId3"/></sheets>'),
    "xl/_rels/workbook.xml.rels": (
        "</Relationships>",
        f'<Relationship Id="rId3" Type="{_OFFICE}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>',
    ),
}


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
        self._allowed: Sequence[AllowedValues] = ()
        self._columns = 0
        self._rows = 0
        self._bytes = 0

    def headings(self, names: Iterable[str], allowed: Sequence[AllowedValues] = ()) -> None:
        """Write the headings, in bold; `allowed` are the values to choose from in each column."""
        headings = list(names)
        self._columns, self._allowed = len(headings), allowed
        self._write_row(headings, style=2)

    def row(self, values: Iterable[str | int | bool | None]) -> None:
        """Write a row; None and the empty text are empty cells, and a text is cut to MAX_TEXT characters.

        Raises TableTooLarge.
        """
        self._write_row(values, style=1)

    def close(self) -> None:
        """Complete the workbook, or after an error only close it."""
        try:
            self._write(_sheet_end(self._columns, self._rows, self._allowed))
        finally:
            if self._sheet is not None:
                self._sheet.close()
            self._archive.close()
        self._end()

    def _write_row(self, values: Iterable[str | int | bool | None], style: int) -> None:
        self._rows += 1
        if self._rows > MAX_ROWS:
            message = _("A workbook can have {maximum} rows, but there are more. Choose CSV.")
            raise TableTooLarge(message.format(maximum=grouped_number(MAX_ROWS)))
        self._write(_row(self._rows, values, style))

    def _write(self, xml: str) -> None:
        content = xml.encode()
        self._bytes += len(content)
        if self._bytes > MAX_DECOMPRESSED_BYTES:
            raise TableTooLarge(_("The table is too large for a workbook. Choose CSV."))
        if self._sheet is None:
            self._sheet = self._begun()
        self._sheet.write(content)

    def _begun(self) -> IO[bytes]:
        """Write all other parts, and return the sheet."""
        for name, part in _parts_of(self._allowed).items():
            self._archive.writestr(name, part)
        sheet = self._archive.open(_SHEET, "w")
        sheet.write(_SHEET_START.encode())
        return sheet


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


def _parts_of(allowed: Sequence[AllowedValues]) -> Mapping[str, str]:
    """Return all parts but the sheet of elements, by name; `allowed` are the values that each column may have."""
    lists = _distinct(allowed)
    if not lists:
        return {name: _DECLARATION + content for name, content in _PARTS.items()}
    parts = {**_PARTS, **{name: _PARTS[name].replace(*lists_too) for name, lists_too in _WITH_LISTS.items()}}
    rows = "".join(_row(number, values) for number, values in enumerate(zip_longest(*lists), start=1))
    parts[_LISTS_SHEET] = f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    return {name: _DECLARATION + content for name, content in parts.items()}


def _sheet_end(columns: int, rows: int, allowed: Sequence[AllowedValues]) -> str:
    """Return the end of a sheet with that many columns and rows: its filter, its lists, and its ignored errors.

    Excel marks texts that look like numbers as errors, unless the sheet says that they are intended.
    """
    autofilter = f'<autoFilter ref="A1:{get_column_letter(columns)}{max(rows, 1)}"/>' if columns else ""
    ignored = f'<ignoredErrors><ignoredError sqref="A1:XFD{MAX_ROWS}" numberStoredAsText="1"/></ignoredErrors>'
    return f"</sheetData>{autofilter}{_validations(allowed)}{ignored}</worksheet>"


def _validations(allowed: Sequence[AllowedValues]) -> str:
    """Return the lists to choose from. Excel asks about another value but accepts it: cells have other notations."""
    places = {values: get_column_letter(column) for column, values in enumerate(_distinct(allowed), start=1)}
    found = [
        '<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1" '
        f'sqref="{get_column_letter(column)}2:{get_column_letter(column)}{MAX_ROWS}">'
        f"<formula1>{_LISTS}!${places[tuple(values)]}$1:${places[tuple(values)]}${len(values)}</formula1></dataValidation>"
        for column, values in enumerate(allowed, start=1)
        if values
    ]
    return f'<dataValidations count="{len(found)}">{"".join(found)}</dataValidations>' if found else ""


def _distinct(allowed: Iterable[AllowedValues]) -> list[tuple[str | bool, ...]]:
    return list(dict.fromkeys(tuple(values) for values in allowed if values))
