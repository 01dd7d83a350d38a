"""Read CSV record by record, as the programs that write it mean it, with limits (design/files.md)."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.files.formats.rows import Beginnings, FileShape, ReadingOptions, Source, UnreadableFile
from bulkops.files.formats.tables import MAX_ROW_CHARACTERS, FileTable, TextRow, first_rows
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, shortened

DELIMITERS = (",", ";", "\t")
# The first line with which Excel names an unusual separator.
_SEPARATOR_LINE = re.compile(r'\ufeff*"?sep *= *([^\s"]|\t)"?[,;\t ]*[\r\n]*', re.IGNORECASE)
_SAMPLE_CHARACTERS = 64 * 1024
_SAMPLE_ROWS = 20
_TOO_LONG = gettext_lazy("The row has more than {maximum} characters. Check that all quotes are closed.")
_NOT_TEXT_TO_PROGRAM = "The line contains the character NUL, which is not allowed in text."
_NOT_TEXT = gettext_lazy(
    "The line contains the character NUL, which is not allowed in text. Save the file again as 'CSV UTF-8'."
)
_NEVER_CLOSED = gettext_lazy("A quote opens in this row and is never closed. Close it, or remove it.")
_CLOSED_EARLY = gettext_lazy(
    "The rest cannot be read as CSV: after a closing quote the cell must end. Check that all quotes are "
    "closed, and write a quote inside a quoted text twice."
)
# How CSV is written for Excel, so that it keeps zeros; without the quotes it would not.
_FORMULA = re.compile(r'\s*=\s*(?:"((?:[^"]|"")*)"|\d+)\s*')
# What old programs write at the end of a file, and careless ones more than once at its beginning.
_END, _MARK = "\x1a", "\ufeff"

# csv's limit is global to the process; `_Lines` keeps records shorter than that.
csv.field_size_limit(MAX_ROW_CHARACTERS)


@contextmanager
def csv_table(file: BinaryIO, encoding: str, options: ReadingOptions) -> Iterator[Source]:
    """Yield the table in the binary `file`, which stays open. Raises UnreadableFile for invalid headings."""
    with _opened(file, encoding) as text:
        rows = _records(text.stream, text.first_line, text.delimiter, options.most_rows)
        yield FileTable(rows, options).source(FileShape(Format.CSV, encoding, text.delimiter), text.progress)


def csv_beginnings(file: BinaryIO, encoding: str) -> Beginnings:
    """Return the first rows of a table in CSV, which is its only sheet."""
    with _opened(file, encoding) as text:
        return {"": first_rows(_records(text.stream, text.first_line, text.delimiter))}


@contextmanager
def _opened(file: BinaryIO, encoding: str) -> "Iterator[_Text]":
    # Line breaks inside quotes are content.
    stream = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield _Text(stream, file)
    finally:
        stream.detach()


class _Text:
    """A text in CSV: its `delimiter`, and its `stream`, which begins with the line `first_line`."""

    def __init__(self, stream: TextIO, file: BinaryIO) -> None:
        self.stream = stream
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        separator = _SEPARATOR_LINE.fullmatch(stream.readline(_SAMPLE_CHARACTERS))
        self.first_line = 2 if separator else 1
        self.delimiter = separator[1] if separator else self._recognised_delimiter()

    def progress(self) -> float:
        return min(self._file.tell() / self._size, 1.0)

    def _recognised_delimiter(self) -> str:
        """Return the delimiter that best separates the headings and the cells of the first rows."""
        self.stream.seek(0)
        sample = self.stream.read(_SAMPLE_CHARACTERS)
        self.stream.seek(0)
        return max(DELIMITERS, key=lambda delimiter: _fitness(sample, delimiter))


def _fitness(sample: str, delimiter: str) -> tuple[bool, int, int]:
    """Rate the delimiter: several headings or not, how many rows have as many cells, and how many headings.

    The headings are those that fit most rows: titles may stand above them. Rows may lack empty cells at their end.
    """
    # The last record may be cut off.
    found = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))[: _SAMPLE_ROWS + 1]
    widths = [len(record) for record in found]
    ratings = (
        (width > 1, sum(1 < other <= width for other in widths[number + 1 :]), width)
        for number, width in enumerate(widths)
    )
    return max(ratings, default=(False, 0, 0))


def _records(text: TextIO, first_line: int, delimiter: str, most: int | None = None) -> Iterator[TextRow]:
    """Yield the records of the text that are not empty, lazily; `first_line` is the number of its next line.

    Raises UnreadableFile for broken quotes, for a record that is too long, and for more than `most`.
    """
    lines = _Lines(text, first_line)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    count = 0
    while True:
        line = lines.begin_record()
        try:
            cells = next(reader, None)
        except csv.Error:
            raise UnreadableFile(line, _NEVER_CLOSED if lines.are_at_end else _CLOSED_EARLY) from None
        if cells is None:
            return
        count += 1
        if most is not None and count > most:
            message = _("The table has more than {maximum} rows, empty ones included.").format(
                maximum=grouped_number(most)
            )
            raise UnreadableFile(line, message, code="TOO_MANY_ELEMENTS")
        if any(cells):
            yield _as_meant(line, cells, "".join(lines.record), delimiter)


def _as_meant(line: int, cells: list[str], text: str, delimiter: str) -> TextRow:
    """Return the record without habits that CSV does not know: blanks before quotes, and `="0070"` for 0070.

    `text` is the record as it is written.
    """
    if '"' in text and '"' in "".join(cells):
        blank = rf"[^\S\r\n{re.escape(delimiter)}]"
        meant = re.sub(rf'(\A|{re.escape(delimiter)}){blank}*("(?:[^"]|"")*+)', r"\1\2", text)
        try:
            cells = cells if meant == text else next(csv.reader([meant], delimiter=delimiter, strict=True))
        except csv.Error:
            raise UnreadableFile(line, _CLOSED_EARLY) from None
    if "=" not in text:
        return TextRow(line, cells)
    errors: dict[int, str] = {}
    for column, cell in enumerate(cells):
        found = _FORMULA.fullmatch(cell)
        if found is not None and found[1] is None:
            message = _("'{cell}' is a formula. Write {text} as text, without '='.")
            errors[column] = message.format(cell=shortened(cell), text=shortened(cell.strip(" \t=")))
        elif found is not None:
            cells[column] = found[1].replace('""', '"')
    return TextRow(line, cells, errors)


class _Lines:
    """The lines of a text for `csv.reader`, with at most one record in memory."""

    def __init__(self, text: TextIO, first_line: int) -> None:
        self._text = text
        self._first_line = first_line
        self._line = first_line - 1
        self._ends = True
        self._length = 0
        # The lines of the record so far.
        self.record: list[str] = []
        self.are_at_end = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._next_piece()
        if not line:
            raise StopIteration
        self._length += len(line)
        if self._length >= MAX_ROW_CHARACTERS:
            first = self._line - sum(map(_ends, self.record))
            raise UnreadableFile(first, _TOO_LONG.format(maximum=grouped_number(MAX_ROW_CHARACTERS)))
        if "\x00" in line:
            raise UnreadableFile(self._line, _NOT_TEXT, _NOT_TEXT_TO_PROGRAM)
        self.record.append(line)
        return line

    def begin_record(self) -> int:
        self._length = 0
        self.record.clear()
        return self._line + 1

    def _next_piece(self) -> str:
        """Return the next line, or as much of it as a row may have; empty at the end of the text."""
        piece = self._text.readline(MAX_ROW_CHARACTERS)
        if piece:
            self._line += self._ends
            self._ends = _ends(piece)
            if self._line == self._first_line:
                piece = piece.lstrip(_MARK)
            if _END in piece and (not self._ends or not piece.strip(f"{_END}\r\n")):
                piece = piece.strip(_END)
        self.are_at_end = not piece
        return piece


def _ends(line: str) -> bool:
    return line.endswith(("\n", "\r"))
