"""What is read from a file of elements, whatever its format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from django_stubs_ext import StrOrPromise

from dimensions_site.api.errors import Failure

# What the file of rejected rows has beside the rows: what is wrong with each, and the text of an element that is none.
# Such a file can be imported as it is.
REASON = "_reason"
TEXT = "_text"
_PACKED = ".gz"


class Format(StrEnum):
    """The kinds of files that are read and written."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"
    NDJSON = "ndjson"

    @property
    def is_table(self) -> bool:
        """Whether the file has headings and cells, not elements in wire form."""
        return self in (Format.CSV, Format.XLSX)


def told_by(name: str) -> tuple[Format | None, bool]:
    """The format that the end of a file's name tells, None when it tells none, and whether that of a packed file."""
    path = Path(name.lower())
    gzipped = path.suffix == _PACKED
    ending = (path.with_suffix("") if gzipped else path).suffix.removeprefix(".")
    return next((format for format in Format if format == ending), None), gzipped


@dataclass(frozen=True)
class Shape:
    """How a file is written, so that another can be written like it; a workbook and JSON have no delimiter."""

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    gzipped: bool = False

    @property
    def ending(self) -> str:
        """How the name of such a file ends."""
        return f".{self.format}{_PACKED if self.gzipped else ''}"


@dataclass(frozen=True)
class Row:
    """A row of a table: the line on which it begins, and the text of its cells by heading."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class ElementRow:
    """An element in wire form: its line in NDJSON, its position from 1 in an array."""

    line: int
    element: dict[str, Any]


@dataclass(frozen=True)
class RowFailure:
    """What is wrong on one line of a file; lines count from 1, the headings included.

    `cells`, in their order, or `element` has what could be read of the row, for the file of rejected rows.
    """

    line: int
    failure: Failure
    cells: Sequence[str] = ()
    element: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        place = f", {self.failure.path}" if self.failure.path else ""
        return f"line {self.line}{place}: {self.failure.message}"


class UnreadableFile(Exception):
    """The file cannot be read, or not further than `failure` tells."""

    def __init__(self, line: int, message: StrOrPromise) -> None:
        told = str(message)
        super().__init__(told)
        self.failure = RowFailure(line, Failure("", "UNREADABLE_FILE", told))
