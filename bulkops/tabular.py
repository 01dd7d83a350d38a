"""Reading tables of elements from files."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from dimensions_site.api.errors import Failure

# NUL, and the stand-ins for bytes that are not UTF-8.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True)
class Row:
    """A row of a file: the line on which it begins, and the text of its cells by heading."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class RowFailure:
    """What is wrong on one line of a file; lines count from 1, the headings included."""

    line: int
    failure: Failure

    def __str__(self) -> str:
        place = f", {self.failure.path}" if self.failure.path else ""
        return f"line {self.line}{place}: {self.failure.message}"


class UnreadableFile(Exception):
    """The file cannot be read as a table, or not further than `failure` tells."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.failure = RowFailure(line, Failure("", "UNREADABLE_FILE", message))


def open_csv(file: Path | int) -> TextIO:
    """Open the UTF-8 text `file`, with or without a byte-order mark, for `read_csv`; a number is a descriptor.

    Raises OSError.
    """
    # Bytes that are not UTF-8 get stand-ins, so that `read_csv` can name their line.
    return open(file, encoding="utf-8-sig", errors="surrogateescape", newline="", closefd=isinstance(file, Path))


def read_csv(file: TextIO) -> Iterator[Row | RowFailure]:
    """The rows of comma-separated text whose first line has the headings; rows without any text are passed over.

    The text is read as it is needed. A row with more or fewer cells than there are headings is a failure. Raises
    `UnreadableFile` for text without headings, with a heading twice, with broken quotes or in another encoding.
    """
    reader = csv.reader(_checked(file), strict=True)
    line = 1
    try:
        headings = next(reader, [])
        _check_headings(headings)
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(headings):
                if any(cells):
                    yield Row(line, dict(zip(headings, cells, strict=True)))
            elif any(cells):
                message = f"The row has {_counted(len(cells), 'cell')}, but there are {len(headings)} headings."
                yield RowFailure(line, Failure("", "INVALID_ROW", message))
            line = reader.line_num + 1
    except csv.Error as error:
        message = f"From here on this is not comma-separated text: {error}. Check that all quotes are closed."
        raise UnreadableFile(line, message) from None


def _checked(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if _NO_TEXT.search(line):
            message = "The line has characters that are not UTF-8. Save the file again as 'CSV UTF-8'."
            raise UnreadableFile(number, message)
        yield line


def _check_headings(headings: list[str]) -> None:
    if not any(headings):
        raise UnreadableFile(1, "The first line has to have the headings, such as id,descriptions.en.")
    for separator, name in _OTHER_SEPARATORS.items():
        if len(headings) == 1 and separator in headings[0]:
            raise UnreadableFile(1, f"The headings are separated by {name}; separate headings and cells by commas.")
    for heading in headings:
        if headings.count(heading) > 1:
            raise UnreadableFile(1, f"The heading '{heading}' stands there {headings.count(heading)} times.")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
