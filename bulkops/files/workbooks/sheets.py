"""Read the cells of one sheet of a workbook row by row, with a limit on the size of a row."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO

from django.utils.translation import gettext_lazy as _
from openpyxl.utils import column_index_from_string

from bulkops.files.formats.rows import UnreadableFile
from bulkops.files.formats.tables import MAX_HEADINGS, MAX_ROW_CHARACTERS
from bulkops.files.workbooks.xml import TextCollector, damaged_workbook, read_xml, whole_number
from dimensions_site.text.formats import grouped_number

MAX_SHEET_ROWS = 1_048_576
MAX_MERGED = 10_000
_TOO_MANY_MERGED = _("More than {maximum} ranges of cells are merged. Unmerge those of the table, and load it again.")
_CHUNK = 256 * 1024
# Longer than the tag of a merged range, which may be split between two pieces.
_OVERLAP = 256
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*[\"']([A-Za-z0-9:$]{1,40})[\"']")
_COLUMN = re.compile("[A-Z]{1,3}")
# A longer reference could be below the last row.
_SHORT_REFERENCE = len("A999999")
_DIGITS = "0123456789"
_VALUES = frozenset({"v", "t", "f"})


@dataclass(slots=True)
class Cell:
    """A cell as stored, with its place; its kind and style number determine its text."""

    column: int
    kind: str
    style: int
    text: str
    formula: str | None


@dataclass(slots=True)
class SheetRow:
    """The stored cells of a row; `is_too_long` if some were left out."""

    number: int
    cells: list[Cell] = field(default_factory=list)
    is_too_long: bool = False


class MergedCells:
    """The merged ranges of the sheet in `part`, such as `B3:B7`; they are stored after the rows.

    Raises UnreadableFile for more than anybody merges by hand.
    """

    def __init__(self, part: IO[bytes]) -> None:
        found: dict[str, tuple[int, int, int, int]] = {}
        rest = b""
        while chunk := part.read(_CHUNK):
            rest += chunk
            for name in _MERGED.findall(rest):
                first, _colon, last = name.decode().upper().replace("$", "").partition(":")
                if last:
                    found[f"{first}:{last}"] = (*_place(first), *_place(last))
            if len(found) > MAX_MERGED:
                raise UnreadableFile(1, _TOO_MANY_MERGED.format(maximum=grouped_number(MAX_MERGED)))
            rest = rest[-_OVERLAP:]
        # Those that begin last come first, so that the next one is taken from the end.
        self._waiting = sorted(((*place, name) for name, place in found.items()), reverse=True)
        self._open: list[tuple[int, int, int, int, str]] = []

    def covering(self, row: int, width: int) -> Mapping[int, str]:
        """Return the ranges of the cells in the row that have no text of their own, by column; rows are asked for in
        their order. The row and those before it have cells in the first columns, `width` of them.

        Raises UnreadableFile for ranges that overlap, which no program makes, and which may be many for each cell.
        """
        while self._waiting and self._waiting[-1][0] <= row:
            self._open.append(self._waiting.pop())
        # A range that begins beyond all cells has no text.
        self._open = [one for one in self._open if one[2] >= row and one[1] <= width]
        found: dict[int, str] = {}
        for first_row, first_column, _last_row, last_column, name in self._open:
            # The first cell has the text of all.
            for column in range(first_column + (row == first_row), min(last_column, width) + 1):
                if found.setdefault(column, name) != name:
                    raise damaged_workbook()
        return found


def _place(reference: str) -> tuple[int, int]:
    letters = reference.rstrip(_DIGITS)
    return whole_number(reference[len(letters) :], MAX_SHEET_ROWS), _column_number(letters)


class SheetReader:
    """The rows of the sheet in `part`; `bytes_read` is the position in it."""

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self.bytes_read = 0
        self._rows: list[SheetRow] = []
        self._row = SheetRow(0)
        # Without a number, it is that of the first cell with one.
        self._is_numbered = False
        self._column = 0
        self._cell: dict[str, str] | None = None
        self._values = TextCollector(_VALUES, MAX_ROW_CHARACTERS)
        self._length = 0

    def rows(self) -> Iterator[SheetRow]:
        """Yield the stored rows in their order. Raises UnreadableFile where the sheet is damaged."""
        for size in read_xml(self._part, self._start, self._end, self._values.add):
            self.bytes_read = size
            yield from self._rows
            self._rows.clear()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell = attributes
        elif name == "row":
            stored = attributes.get("r")
            following = self._row.number + 1
            self._row = SheetRow(_checked(following if stored is None else whole_number(stored), following))
            self._is_numbered = stored is not None
            self._column = 0
            self._length = 0
        elif self._cell is not None:
            self._values.start(name)

    def _end(self, name: str) -> None:
        self._values.end(name)
        if name == "c" and self._cell is not None:
            self._add_cell(self._cell, self._values.take())
            self._cell = None
        elif name == "row":
            if len({cell.column for cell in self._row.cells}) < len(self._row.cells):
                raise damaged_workbook()
            self._rows.append(self._row)

    def _add_cell(self, attributes: dict[str, str], values: dict[str, str]) -> None:
        reference = attributes.get("r")
        if reference:
            letters = reference.rstrip(_DIGITS)
            self._column = _column_number(letters)
            digits = reference[len(letters) :]
            if self._is_numbered:
                if len(reference) > _SHORT_REFERENCE:
                    whole_number(digits, MAX_SHEET_ROWS)
            elif digits:
                self._row.number = _checked(whole_number(digits), self._row.number)
                self._is_numbered = True
        else:
            self._column += 1
        if not 1 <= self._column <= MAX_HEADINGS or len(self._row.cells) >= MAX_HEADINGS:
            raise damaged_workbook()
        self._length += sum(map(len, values.values()))
        if self._length > MAX_ROW_CHARACTERS:
            self._row.is_too_long = True
        elif values:
            kind, style = attributes.get("t", "n"), whole_number(attributes.get("s", "0"))
            # Some programs write a text with another kind, or in the place of another.
            is_inline = "t" in values and (kind == "inlineStr" or "v" not in values)
            kind = "inlineStr" if is_inline else "str" if kind == "inlineStr" else kind
            text = values.get("t" if is_inline else "v", "")
            self._row.cells.append(Cell(self._column, kind, style, text, values.get("f")))


def _checked(number: int, least: int) -> int:
    """Return the number of a row. Raises UnreadableFile if those before it are not below it."""
    if not least <= number <= MAX_SHEET_ROWS:
        raise damaged_workbook()
    return number


@lru_cache
def _column_number(letters: str) -> int:
    if not _COLUMN.fullmatch(letters):
        raise damaged_workbook()
    return column_index_from_string(letters)
