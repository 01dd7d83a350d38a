"""Reading the cells of one sheet of a workbook, row by row and with a bound on what a row may take."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from bulkops.formats.tables import MAX_ROW_CHARACTERS
from bulkops.formats.xml_reading import damaged, read_xml

MAX_COLUMNS = 16_384
_CHUNK = 256 * 1024
# Longer than the tag of a merged range, which may lie across two pieces.
_OVERLAP = 256
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*[\"']([A-Za-z0-9:$]{1,40})[\"']")
_VALUES = frozenset({"v", "t", "f"})


@dataclass(slots=True)
class Cell:
    """A cell with its place, as it is stored: the kind and the number of the style say what its text means."""

    column: int
    kind: str
    style: int
    text: str
    formula: str | None


@dataclass(slots=True)
class SheetRow:
    """The cells of a row that are there; `is_too_long` when some were left out."""

    number: int
    cells: list[Cell] = field(default_factory=list)
    is_too_long: bool = False


def merged_ranges(part: IO[bytes]) -> list[str]:
    """The first ranges of merged cells, such as `B3:B7`; they stand behind the rows."""
    found: list[str] = []
    rest = b""
    while (chunk := part.read(_CHUNK)) and not found:
        rest += chunk
        found = [name.decode() for name in _MERGED.findall(rest)]
        rest = rest[-_OVERLAP:]
    return found


class SheetReader:
    """The rows of the sheet in `part`; `bytes_read` tells how far they are read."""

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self.bytes_read = 0
        self._rows: list[SheetRow] = []
        self._row = SheetRow(0)
        self._columns = _ColumnNumbers()
        self._column = 0
        self._cell: dict[str, str] | None = None
        self._values: dict[str, list[str]] = {}
        self._collects = ""
        self._pronounces = False
        self._length = 0

    def rows(self) -> Iterator[SheetRow]:
        """The rows that the sheet stores, in their order. Raises UnreadableFile where it is damaged."""
        for size in read_xml(self._part, self._start, self._end, self._text):
            self.bytes_read = size
            yield from self._rows
            self._rows.clear()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell = attributes
            self._values = {}
        elif name in _VALUES:
            self._collects = name if self._cell is not None and not self._pronounces else ""
            if self._collects:
                self._values.setdefault(name, [])
        elif name == "row":
            number = int(attributes.get("r", self._row.number + 1))
            if number <= self._row.number:
                raise damaged()
            self._row = SheetRow(number)
            self._column = 0
            self._length = 0
        elif name == "rPh":
            self._pronounces = True

    def _text(self, text: str) -> None:
        if not self._collects:
            return
        self._length += len(text)
        if self._length > MAX_ROW_CHARACTERS:
            self._row.is_too_long = True
        else:
            self._values[self._collects].append(text)

    def _end(self, name: str) -> None:
        self._collects = ""
        if name == "c" and self._cell is not None:
            self._add_cell(self._cell)
            self._cell = None
        elif name == "row":
            self._rows.append(self._row)
        elif name == "rPh":
            self._pronounces = False

    def _add_cell(self, attributes: dict[str, str]) -> None:
        reference = attributes.get("r")
        self._column = self._columns[reference.rstrip("0123456789")] if reference else self._column + 1
        if not 1 <= self._column <= MAX_COLUMNS or len(self._row.cells) >= MAX_COLUMNS:
            raise damaged()
        if self._values:
            kind, style = attributes.get("t", "n"), int(attributes.get("s", "0"))
            text = "".join(self._values.get("t" if kind == "inlineStr" else "v", ()))
            formula = "".join(self._values["f"]) if "f" in self._values else None
            self._row.cells.append(Cell(self._column, kind, style, text, formula))


class _ColumnNumbers(dict[str, int]):
    """The numbers of columns, from 1, by their letters."""

    def __missing__(self, letters: str) -> int:
        number = 0
        for letter in letters[:4]:
            number = number * 26 + ord(letter) - ord("A") + 1
        self[letters] = number
        return number
