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

from bulkops.files.formats.delimiters import Layout, only_record, read_otherwise, recognised
from bulkops.files.formats.rows import Beginnings, FileShape, ReadingOptions, Source, UnreadableFile
from bulkops.files.formats.tables import MAX_ROW_CHARACTERS, FileTable, TextRow, first_rows
from dimensions_site.elements.reading.cells import SHORTENED_NUMBER, SPREADSHEET_ERROR
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, shortened

# The first line with which Excel names an unusual separator.
_SEPARATOR_LINE = re.compile(r'\ufeff*"?sep *= *([^\s"]|\t)"?[,;\t ]*[\r\n]*', re.IGNORECASE)
_SAMPLE_CHARACTERS = 64 * 1024
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
# What old programs write at the end of a file, and careless ones more than once at its beginning; it also stands where
# files were put one behind the other.
_END, _MARK = "\x1a", "\ufeff"

# csv's limit is global to the process; `_Lines` keeps records shorter than that.
csv.field_size_limit(MAX_ROW_CHARACTERS)


@contextmanager
def read_csv(file: BinaryIO, encoding: str, options: ReadingOptions) -> Iterator[Source]:
    """Yield the table in the binary `file`, which stays open. Raises UnreadableFile for invalid headings."""
    with _opened(file, encoding) as text:
        rows = _records(text, options.most_rows)
        yield FileTable(rows, options).source(FileShape(Format.CSV, encoding, text.layout.delimiter), text.progress)


def csv_beginnings(file: BinaryIO, encoding: str) -> Beginnings:
    """Return the first rows of a table in CSV, which is its only sheet."""
    with _opened(file, encoding) as text:
        return {"": first_rows(_records(text))}


@contextmanager
def _opened(file: BinaryIO, encoding: str) -> "Iterator[_Text]":
    # Line breaks inside quotes are content.
    stream = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield _Text(stream, file)
    finally:
        stream.detach()


class _Text:
    """A text in CSV: its `layout`, and its `stream`, which begins with the line `first_line`."""

    def __init__(self, stream: TextIO, file: BinaryIO) -> None:
        self.stream = stream
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        separator = _SEPARATOR_LINE.fullmatch(stream.readline(_SAMPLE_CHARACTERS))
        self.first_line = 2 if separator else 1
        stream.seek(0)
        sample = stream.read(_SAMPLE_CHARACTERS)
        stream.seek(0)
        if separator:
            stream.readline(_SAMPLE_CHARACTERS)
            self.layout = recognised(sample[separator.end() :], separator[1])
        else:
            self.layout = recognised(sample)

    def progress(self) -> float:
        return min(self._file.tell() / self._size, 1.0)


def _records(text: _Text, most: int | None = None) -> Iterator[TextRow]:
    """Yield the records of the text that are not empty, lazily.

    Raises UnreadableFile for broken quotes, for a record that is too long, and for more than `most`.
    """
    lines = _Lines(text.stream, text.first_line)
    reader = csv.reader(lines, delimiter=text.layout.delimiter, quotechar=text.layout.quote, strict=True)
    count, widest = 0, 1
    while True:
        line = lines.begin_record()
        is_broken = False
        try:
            cells = next(reader, None)
        except csv.Error:
            if lines.are_at_end:
                raise UnreadableFile(line, _NEVER_CLOSED) from None
            cells, is_broken = [], True
        if cells is None:
            return
        count += 1
        if most is not None and count > most:
            message = _("The table has more than {maximum} rows, empty ones included.").format(
                maximum=grouped_number(most)
            )
            raise UnreadableFile(line, message, code="TOO_MANY_ELEMENTS")
        if is_broken or any(cells):
            row = _row(line, cells, "".join(lines.record), text.layout, widest)
            if len(row.cells) > widest:
                widest = max((number for number, cell in enumerate(row.cells, start=1) if cell), default=widest)
            yield row


def _row(line: int, cells: list[str], text: str, layout: Layout, widest: int) -> TextRow:
    """Return the row of a record that is written as `text`; without cells, it is broken. `widest` is the number of
    cells of the rows before it. Raises UnreadableFile.
    """
    delimiter = layout.delimiter
    if not any(cells[1:]):
        cell = cells[0] if cells else ""
        if layout.stands_in_quotes and delimiter in cell:
            found = only_record(cell, delimiter)
            if found is None:
                raise UnreadableFile(line, _CLOSED_EARLY)
            return _as_meant(line, found, cell, layout)
        other = read_otherwise(cell, text, layout, widest)
        if other is not None:
            return TextRow(line, other.cells, failure=other.failure)
    # Perhaps there are only blanks behind a closing quote.
    return _as_meant(line, cells or _without_blanks(line, text, layout), text, layout)


def _as_meant(line: int, cells: list[str], text: str, layout: Layout) -> TextRow:
    """Return the record without habits that CSV does not know: blanks around quotes, and `="0070"` for 0070.

    `text` is the record as it is written. Cells in which a spreadsheet program has lost the value have errors.
    """
    if layout.quote in text and layout.quote in "".join(cells):
        cells = _without_blanks(line, text, layout)
    if not any(sign in text for sign in ("=", "#", "E+", "E-", "e+", "e-", "Err")):
        return TextRow(line, cells)
    errors: dict[int, str] = {}
    for column, cell in enumerate(cells):
        if SHORTENED_NUMBER.fullmatch(cell):
            message = _(
                "'{cell}' is a number that a spreadsheet program has shortened. Write all its digits; if the text is "
                "meant so, write [[text]]{cell}."
            )
            errors[column] = message.format(cell=shortened(cell.strip()))
        elif SPREADSHEET_ERROR.fullmatch(cell):
            message = _(
                "'{cell}' is an error of a spreadsheet program. Write what belongs there; if the text is meant so, "
                "write [[text]]{cell}."
            )
            errors[column] = message.format(cell=shortened(cell.strip()))
        found = _FORMULA.fullmatch(cell)
        if found is not None and found[1] is None:
            message = _("'{cell}' is a formula. Write {text} as text, without '='.")
            errors[column] = message.format(cell=shortened(cell), text=shortened(cell.strip(" \t=")))
        elif found is not None:
            cells[column] = found[1].replace('""', '"')
    return TextRow(line, cells, errors)


def _without_blanks(line: int, text: str, layout: Layout) -> list[str]:
    """Return the cells of the record `text` without blanks around quotes. Raises UnreadableFile."""
    mark, quote = re.escape(layout.delimiter), layout.quote
    blank = rf"[^\S\r\n{mark}]"
    meant = re.sub(rf"(\A|{mark}){blank}*({quote}(?:[^{quote}]|{quote}{quote})*+{quote}?){blank}*", r"\1\2", text)
    try:
        return next(csv.reader([meant], delimiter=layout.delimiter, quotechar=quote, strict=True))
    except csv.Error:
        raise UnreadableFile(line, _CLOSED_EARLY) from None


class _Lines:
    """The lines of a text for `csv.reader`, with at most one record in memory."""

    def __init__(self, text: TextIO, first_line: int) -> None:
        self._text = text
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
            if not self.record:
                piece = piece.lstrip(_MARK)
            if _END in piece and (not self._ends or not piece.strip(f"{_END}\r\n")):
                piece = piece.strip(_END)
        self.are_at_end = not piece
        return piece


def _ends(line: str) -> bool:
    return line.endswith(("\n", "\r"))
