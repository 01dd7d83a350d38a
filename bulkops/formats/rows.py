"""What is read from a file of elements, whatever its format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django_stubs_ext import StrOrPromise

from dimensions_site.api.errors import Failure


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


@dataclass(frozen=True)
class Shape:
    """How a file is written, so that another can be written like it; a workbook and JSON have no delimiter."""

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    gzipped: bool = False


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

    `cells` or `element` has what could be read of the row, for the file of rejected rows.
    """

    line: int
    failure: Failure
    cells: Mapping[str, str] = field(default_factory=dict)
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
