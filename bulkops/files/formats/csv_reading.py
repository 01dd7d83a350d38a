"""Read CSV record by record, with a limit on the size of a record."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from bulkops.files.formats.csv_records import records
from bulkops.files.formats.rows import Beginnings, FileContent, ReadingOptions
from bulkops.files.formats.tables import FileTable, first_rows

DELIMITERS = (",", ";", "\t")
# The first line with which Excel names an unusual separator.
_SEPARATOR_LINE = re.compile(r'\ufeff*"?sep *= *([^\s"]|\t)"?[,;\t ]*[\r\n]*', re.IGNORECASE)
_SAMPLE_CHARACTERS = 64 * 1024
_SAMPLE_ROWS = 20


@contextmanager
def csv_table(file: BinaryIO, encoding: str, options: ReadingOptions) -> Iterator[FileContent]:
    """Yield the table in the binary `file`, which stays open. Raises UnreadableFile for invalid headings."""
    with _opened(file, encoding) as text:
        rows = records(text.stream, text.first_line, text.delimiter, options.most_rows)
        yield FileTable(rows, text.progress, options, delimiter=text.delimiter)


def csv_beginnings(file: BinaryIO, encoding: str) -> Beginnings:
    """Return the first rows of a table in CSV, which is its only sheet."""
    with _opened(file, encoding) as text:
        return {"": first_rows(records(text.stream, text.first_line, text.delimiter))}


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
        """Return the share of the file that has been read."""
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
