"""Write a workbook (XLSX) with one sheet, row by row (design/workbooks.md).

Texts are stored as texts, whatever they begin with, so that no program runs one as a formula. The columns have the
format "text", so that codes typed into them keep their zeros. The first row is frozen and has a filter.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.translation import gettext as _
from openpyxl.utils import get_column_letter

from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES
from bulkops.files.workbooks.package import SHEET, SHEET_START, AllowedValues, parts_of, sheet_end
from dimensions_site.text.formats import grouped_number

# The limits of the format, and of a text in an Excel cell.
MAX_ROWS = 1_048_576
MAX_TEXT = 32_767
# Excel drops further digits of numbers.
_MAX_INTEGER = 10**15
_ILLEGAL = "\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff"
# A character that XML cannot carry, and an underscore that would look like its escape.
_NEEDS_ESCAPE = re.compile(f"[{_ILLEGAL}]|_(?=x[0-9A-Fa-f]{{4}}(?:_|[{_ILLEGAL}]))")


class TableTooLarge(Exception):
    """The table does not fit into a workbook."""


class WorkbookWriter:
    """Writes a table as a workbook into the binary `file`, which stays open and need not be seekable."""

    def __init__(self, file: BinaryIO) -> None:
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
            self._write(sheet_end(self._columns, self._rows, self._allowed))
        finally:
            if self._sheet is not None:
                self._sheet.close()
            self._archive.close()

    def _write_row(self, values: Iterable[str | int | bool | None], style: int) -> None:
        self._rows += 1
        if self._rows > MAX_ROWS:
            message = _("A workbook can have {maximum} rows, but there are more. Choose CSV.")
            raise TableTooLarge(message.format(maximum=grouped_number(MAX_ROWS)))
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
        if self._sheet is None:
            self._sheet = self._begun()
        self._sheet.write(content)

    def _begun(self) -> IO[bytes]:
        """Write all other parts, and return the sheet."""
        for name, part in parts_of(self._allowed).items():
            self._archive.writestr(name, part)
        sheet = self._archive.open(SHEET, "w")
        sheet.write(SHEET_START.encode())
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
