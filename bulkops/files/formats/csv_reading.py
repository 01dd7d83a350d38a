"""Read CSV record by record, with a limit on the size of a record."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.rows import FileContent, ReadingOptions, Row, RowFailure, UnreadableFile
from bulkops.files.formats.tables import MAX_ROW_CHARACTERS, read_headings, row_failure, table_row
from dimensions_site.text.formats import grouped

DELIMITERS = (",", ";", "\t")
# The first line with which Excel names an unusual separator.
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?[\r\n]*')
_SAMPLE_CHARACTERS = 64 * 1024
_SAMPLE_ROWS = 20
_TOO_LONG = _("The row has more than {maximum} characters. Check that all quotes are closed.")
_NOT_TEXT_TO_PROGRAM = "The line contains the character NUL, which is not allowed in text."
_NOT_TEXT = _("The line contains the character NUL, which is not allowed in text. Save the file again as 'CSV UTF-8'.")
_NEVER_CLOSED = _("A quote opens in this row and is never closed. Close it, or remove it.")
_CLOSED_EARLY = _(
    "The rest cannot be read as CSV: after a closing quote the cell must end. Check that all quotes are "
    "closed, and write a quote inside a quoted text twice."
)

# csv's limit is global to the process; `_Lines` keeps records shorter than that.
csv.field_size_limit(MAX_ROW_CHARACTERS)


@contextmanager
def csv_table(file: BinaryIO, encoding: str, options: ReadingOptions) -> Iterator[FileContent]:
    """Return the table in the binary `file`, which stays open. Raises UnreadableFile for invalid headings."""
    # Line breaks inside quotes are content.
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield _CsvTable(text, file)
    finally:
        text.detach()


class _CsvTable(FileContent):
    """A table in CSV: headings and delimiter are read at once, rows lazily."""

    def __init__(self, text: TextIO, file: BinaryIO) -> None:
        self._text = text
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        separator = _SEPARATOR_LINE.fullmatch(self._text.readline(_SAMPLE_CHARACTERS))
        first_line = 2 if separator else 1
        self.delimiter = separator[1] if separator else self._recognised_delimiter()
        self._lines = _Lines(self._text, first_line)
        self._reader = csv.reader(self._lines, delimiter=self.delimiter, strict=True)
        record = self._record()
        if isinstance(record, RowFailure):
            raise UnreadableFile(record.line, record.failure.message)
        self.headings = self._names = read_headings(first_line, record or [])

    def rows(self) -> Iterator[Row | RowFailure]:
        """Yield the rows, without empty ones. Raises UnreadableFile for broken quotes."""
        while (record := self._record()) is not None:
            row = record if isinstance(record, RowFailure) else table_row(self._line, self._names, record)
            if row is not None:
                yield row

    def progress(self) -> float:
        return min(self._file.tell() / self._size, 1.0)

    def _record(self) -> list[str] | RowFailure | None:
        """Return the cells of the next record, None after the last one."""
        self._line = self._lines.begin_record()
        try:
            return next(self._reader, None)
        except _RecordTooLongError:
            self._lines.skip_record()
            return row_failure(self._line, _TOO_LONG.format(maximum=grouped(MAX_ROW_CHARACTERS)))
        except csv.Error:
            raise UnreadableFile(self._line, _NEVER_CLOSED if self._lines.are_at_end else _CLOSED_EARLY) from None

    def _recognised_delimiter(self) -> str:
        """Return the delimiter that best separates the headings and the cells of the first rows."""
        self._text.seek(0)
        sample = self._text.read(_SAMPLE_CHARACTERS)
        self._text.seek(0)
        return max(DELIMITERS, key=lambda delimiter: _fitness(sample, delimiter))


def _fitness(sample: str, delimiter: str) -> tuple[bool, int, int]:
    """Rate the delimiter: several headings or not, how many rows have as many cells, and how many headings."""
    # The last record may be cut off.
    records = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))[: _SAMPLE_ROWS + 1]
    width = len(records[0]) if records else 0
    return width > 1, sum(len(record) == width for record in records[1:]), width


class _RecordTooLongError(Exception):
    """The record has more characters than the limit."""


class _Lines:
    """The lines of a text for `csv.reader`, with at most one record in memory."""

    def __init__(self, text: TextIO, first_line: int) -> None:
        self._text = text
        self._line = first_line - 1
        self._ends = True
        self._is_quoted = False
        self._length = 0
        self.are_at_end = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._next_piece()
        if not line:
            raise StopIteration
        self._length += len(line)
        if self._length >= MAX_ROW_CHARACTERS:
            raise _RecordTooLongError
        if "\x00" in line:
            raise UnreadableFile(self._line, _NOT_TEXT, _NOT_TEXT_TO_PROGRAM)
        return line

    def begin_record(self) -> int:
        """Return the number of the line on which the next record begins."""
        self._length = 0
        self._is_quoted = False
        return self._line + 1

    def skip_record(self) -> None:
        """Skip the rest of a record that is too long; it ends with the line where all quotes are closed."""
        while self._is_quoted or not self._ends:
            if not self._next_piece():
                return

    def _next_piece(self) -> str:
        """Return the next line, or as much of it as a row may have; empty at the end of the text."""
        piece = self._text.readline(MAX_ROW_CHARACTERS)
        self.are_at_end = not piece
        if piece:
            self._line += self._ends
            self._ends = piece.endswith(("\n", "\r"))
            self._is_quoted ^= piece.count('"') % 2 == 1
        return piece
