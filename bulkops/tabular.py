"""Reading tables of elements from files."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

from dimensions_site.api.errors import Failure


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


def read_csv(file: TextIO) -> Iterator[Row | RowFailure]:
    """The rows of comma-separated text whose first line has the headings; blank lines are passed over.

    A row with more or fewer cells than there are headings is a failure. Raises `UnreadableFile` for text
    without headings, with a heading twice, with broken quotes or in another encoding than UTF-8.
    """
    reader = csv.reader(file, strict=True)
    line = 1
    try:
        headings = next(reader, [])
        if not any(headings):
            raise UnreadableFile(1, "The first line has to have the headings, such as id,descriptions.en.")
        for heading in headings:
            if headings.count(heading) > 1:
                raise UnreadableFile(1, f"The heading '{heading}' stands there {headings.count(heading)} times.")
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(headings):
                yield Row(line, dict(zip(headings, cells, strict=True)))
            elif cells:
                message = f"The row has {len(cells)} cells, but there are {len(headings)} headings."
                yield RowFailure(line, Failure("", "INVALID_ROW", message))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableFile(line, f"This is not comma-separated text as it should be: {error}.") from None
    except UnicodeDecodeError:
        message = "The file has characters that are not UTF-8; save it again as 'CSV UTF-8'."
        raise UnreadableFile(line, message) from None
