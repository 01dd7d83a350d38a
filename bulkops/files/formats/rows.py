"""The rows of a file of elements, in any format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from django.utils.functional import cached_property

from dimensions_site.api.failures import Failure
from dimensions_site.api.json.reader import read_json
from dimensions_site.text.files import Format

if TYPE_CHECKING:
    # Importing it here would load all of REST framework.
    from django_stubs_ext import StrOrPromise

# The additional columns of the file of rejected rows: the errors of the row, and the text of an unreadable element.
# Such a file can be imported again as it is.
REASON = "_reason"
TEXT = "_text"
GZIP_ENDING = ".gz"


def format_named(name: str) -> tuple[Format | None, bool]:
    """Return the format of a file's extension, or None, and whether it is compressed."""
    path = Path(name.lower())
    gzipped = path.suffix == GZIP_ENDING
    ending = (path.with_suffix("") if gzipped else path).suffix.removeprefix(".")
    return next((format for format in Format if format == ending), None), gzipped


@dataclass(frozen=True)
class FileShape:
    """How a file is written, so that another can be written in the same way; workbooks and JSON have no delimiter."""

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    gzipped: bool = False

    @property
    def ending(self) -> str:
        return f".{self.format}{GZIP_ENDING if self.gzipped else ''}"


@dataclass(frozen=True)
class ReadingOptions:
    """What a person says about how a file is read; what is None is found out.

    `sheet` is the name of a sheet of a workbook, `heading_row` the number of the row with the headings, from 1: the
    line on which it begins in CSV. `encoding` is one of `ENCODINGS`. With `may_guess`, a text whose encoding is neither
    said nor certain is read in the most plausible one, because a person sees it before anything is saved. A table in
    CSV may have at most `most_rows`, its headings and empty ones included. With `pads_rows`, rows may lack empty cells
    at their end, as some programs write them. `named` are columns, such as `Column F`, that a person gives a meaning or
    leaves out, although they are behind the last heading.
    """

    format: Format | None = None
    encoding: str | None = None
    sheet: str | None = None
    heading_row: int | None = None
    may_guess: bool = False
    most_rows: int | None = None
    pads_rows: bool = True
    named: Sequence[str] = ()


AS_FOUND = ReadingOptions()


@dataclass(frozen=True)
class FileFindings:
    """What was found out about how a file is read, besides its `FileShape`.

    `is_encoding_certain` is false for an encoding that was guessed. `encodings` are those that it could be if the text
    does not show it, the best first, each with the first cells that are not ASCII as they look in it. `sheet` and
    `heading_row` are as in `ReadingOptions`; `written` has the headings that had to be named apart, as they are
    written: repeated and empty ones.
    """

    is_encoding_certain: bool = True
    encodings: Sequence[tuple[str, str]] = ()
    sheet: str = ""
    heading_row: int = 1
    written: Mapping[str, str] = field(default_factory=dict)


NOTHING_FOUND = FileFindings()


class FileRow(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A row of a table: its first line, and the text of its cells by heading, as it is shown.

    `errors` are those of cells that must not be used as text, `numbers` those that a workbook has as numbers, or as
    dates (in ISO 8601), whatever they look like: a cell with both may be used as such. The values under the headings
    `formulas` were computed by the program that saved the workbook.
    """

    line: int
    cells: Mapping[str, str]
    errors: Mapping[str, str] = {}
    numbers: Mapping[str, str] = {}
    formulas: tuple[str, ...] = ()


class ElementRow(msgspec.Struct, frozen=True, dict=True, array_like=True, tag=True):
    """An element in wire form: its line in NDJSON, its position from 1 in an array; `text` is its JSON in UTF-8."""

    line: int
    text: bytes

    @cached_property
    def element(self) -> Any:
        """The element itself. Raises JsonError."""
        return read_json(self.text)


class RowFailure(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """An error on a line of a file; lines count from 1, including the headings.

    `cells` (in their order) or `element` has what could be read of the row, for the file of rejected rows.
    `to_program` is the message in words for programs, if that of the failure is one for people only.
    """

    line: int
    failure: Failure
    cells: Sequence[str] = ()
    element: Mapping[str, Any] = {}
    to_program: str = ""

    @property
    def place(self) -> str:
        return f"line {self.line}, {self.failure.path}" if self.failure.path else f"line {self.line}"

    def __str__(self) -> str:
        return f"{self.place}: {self.failure.message}"


# The first rows of each sheet with something in it, as they are shown, by its name: their lines and cells.
Beginnings: TypeAlias = Mapping[str, Sequence[tuple[int, Sequence[str]]]]


@dataclass(frozen=True)
class Source:
    """A file that is being read.

    `headings` are those of a table, None for JSON. `rows` yields the rows once, lazily, and raises UnreadableFile where
    the rest cannot be read. `progress` is the share of the file that has been read, from 0 to 1. `found` is what the
    reading options did not say.
    """

    shape: FileShape
    headings: Sequence[str] | None
    rows: Callable[[], Iterator[FileRow | ElementRow | RowFailure]]
    progress: Callable[[], float]
    found: FileFindings = NOTHING_FOUND


class UnreadableFile(Exception):
    """The file cannot be read, or only up to the line of `failure`, which `to_program` says in words for programs."""

    def __init__(self, line: int, message: "StrOrPromise", to_program: str = "", *, code: str = "") -> None:
        text = str(message)
        super().__init__(text)
        failure = Failure("", "UNREADABLE_FILE", text)
        self.failure = RowFailure(line, replace(failure, code=code) if code else failure, to_program=to_program)
