"""Read CSV record by record, with a limit on the size of a record."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from bulkops.files.formats.csv_records import records
from bulkops.files.formats.rows import FileContent, ReadingOptions, Row, RowFailure
from bulkops.files.formats.tables import read_headings, row_failure, table_row

DELIMITERS = (",", ";", "\t")
# The first line with which Excel names an unusual separator.
_SEPARATOR_LINE = re.compile(r'\ufeff*"?sep\s*=\s*(.)"?[,;\t]*[\r\n]*', re.IGNORECASE)
_SAMPLE_CHARACTERS = 64 * 1024
_SAMPLE_ROWS = 20


@contextmanager
def csv_table(file: BinaryIO, encoding: str, options: ReadingOptions) -> Iterator[FileContent]:
    """Return the table in the binary `file`, which stays open. Raises UnreadableFile for invalid headings."""
    # Line breaks inside quotes are content.
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield _CsvTable(text, file, options.most_rows)
    finally:
        text.detach()


class _CsvTable(FileContent):
    """A table in CSV: headings and delimiter are read at once, rows lazily."""

    def __init__(self, text: TextIO, file: BinaryIO, most: int | None) -> None:
        self._text = text
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        separator = _SEPARATOR_LINE.fullmatch(self._text.readline(_SAMPLE_CHARACTERS))
        first_line = 2 if separator else 1
        self.delimiter = separator[1] if separator else self._recognised_delimiter()
        self._records = records(self._text, first_line, self.delimiter, most)
        first = next(self._records, None)
        self.headings = self._names = read_headings(first_line, first.cells if first else [])

    def rows(self) -> Iterator[Row | RowFailure]:
        """Yield the rows, without empty ones. Raises UnreadableFile for broken quotes."""
        for line, cells, failure in self._records:
            row = row_failure(line, failure, cells=cells) if failure else table_row(line, self._names, cells)
            if row is not None:
                yield row

    def progress(self) -> float:
        return min(self._file.tell() / self._size, 1.0)

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
