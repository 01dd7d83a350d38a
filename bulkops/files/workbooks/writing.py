"""Write a workbook (XLSX) with one sheet, row by row.

Texts are stored as texts, whatever they begin with, so that no program runs one as a formula. The columns have the
format "text", so that codes typed into them keep their zeros. The first row is frozen.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.translation import gettext as _
from openpyxl.utils import get_column_letter

from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES
from bulkops.files.workbooks.sheets import MAX_COLUMNS
from dimensions_site.text.formats import grouped

# The limits of the format, and of a text in an Excel cell.
MAX_ROWS = 1_048_576
MAX_TEXT = 32_767
# Excel drops further digits of numbers.
_MAX_INTEGER = 10**15
_ILLEGAL = "\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff"
# A character that XML cannot carry, and an underscore that would look like its escape.
_NEEDS_ESCAPE = re.compile(f"[{_ILLEGAL}]|_(?=x[0-9A-Fa-f]{{4}}(?:_|[{_ILLEGAL}]))")
_SHEET = "xl/worksheets/sheet1.xml"
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
    f'<cols><col min="1" max="{MAX_COLUMNS}" width="18" style="1" customWidth="1"/></cols><sheetData>'
)
# Excel marks texts that look like numbers as errors, unless the sheet says that they are intended.
_SHEET_END = (
    f'</sheetData><ignoredErrors><ignoredError sqref="A1:XFD{MAX_ROWS}" numberStoredAsText="1"/></ignoredErrors>'
    "</worksheet>"
)


class TableTooLarge(Exception):
    """The table does not fit into a workbook."""


class WorkbookWriter:
    """Writes a table as a workbook into the binary `file`, which stays open and need not be seekable."""

    def __init__(self, file: BinaryIO) -> None:
        self._archive = ZipFile(_Stream(file), "w", ZIP_DEFLATED)
        for name, content in _PARTS.items():
            self._archive.writestr(name, _DECLARATION + content)
        self._sheet = self._archive.open(_SHEET, "w")
        self._rows = 0
        self._bytes = 0
        self._write(_SHEET_START)

    def headings(self, names: Iterable[str]) -> None:
        """Write the headings, in bold."""
        self._write_row(names, style=2)

    def row(self, values: Iterable[str | int | bool | None]) -> None:
        """Write a row; None and the empty text are empty cells, and a text is cut to MAX_TEXT characters.

        Raises TableTooLarge.
        """
        self._write_row(values, style=1)

    def close(self) -> None:
        """Complete the workbook, or after an error only close it."""
        try:
            self._write(_SHEET_END)
        finally:
            self._sheet.close()
            self._archive.close()

    def _write_row(self, values: Iterable[str | int | bool | None], style: int) -> None:
        self._rows += 1
        if self._rows > MAX_ROWS:
            message = _("A workbook can have {maximum} rows, but there are more. Choose CSV.")
            raise TableTooLarge(message.format(maximum=grouped(MAX_ROWS)))
        cells = "".join(
            self._cell(column, value, style)
            for column, value in enumerate(values, start=1)
            if value is not None and value != ""
        )
        self._write(f'<row r="{self._rows}">{cells}</row>')

    def _cell(self, column: int, value: str | int | bool, style: int) -> str:
        place = f'r="{get_column_letter(column)}{self._rows}" s="{style}"'
        if isinstance(value, bool):
            return f'<c {place} t="b"><v>{value:d}</v></c>'
        if isinstance(value, int) and abs(value) < _MAX_INTEGER:
            return f"<c {place}><v>{value}</v></c>"
        text = escape(_NEEDS_ESCAPE.sub(_escaped, str(value)[:MAX_TEXT]), quote=False)
        return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

    def _write(self, xml: str) -> None:
        content = xml.encode()
        self._bytes += len(content)
        if self._bytes > MAX_DECOMPRESSED_BYTES:
            raise TableTooLarge(_("The table is too large for a workbook. Choose CSV."))
        self._sheet.write(content)


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
