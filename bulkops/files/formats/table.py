"""The table of file formats: how each is detected, read, offered, and written with constant memory."""

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.csv_reading import csv_beginnings, read_csv
from bulkops.files.formats.json_reading import json_source
from bulkops.files.formats.rows import Beginnings, FileShape, ReadingOptions, Source
from bulkops.files.formats.tables import MAX_HEADINGS
from dimensions_site.text.files import Format

if TYPE_CHECKING:
    # Importing it here would load all of REST framework.
    from django_stubs_ext import StrOrPromise

    from bulkops.files.workbooks.writing import AllowedValues, WorkbookWriter


CellValue = str | int | bool | None


class _BinaryFile:
    """Writes `stream` into `file`, compressed if the format says so; `close` ends the data and leaves the file open."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        self._gzip = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) if shape.gzipped else None
        self.stream: BinaryIO = cast(BinaryIO, self._gzip) if self._gzip else file

    def close(self) -> None:
        if self._gzip:
            self._gzip.close()


class _TextFile(_BinaryFile):
    """Text in the encoding of the shape; characters that it lacks are written as visible escapes."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        super().__init__(shape, file)
        self.text_stream = io.TextIOWrapper(self.stream, shape.encoding, errors="backslashreplace", newline="")

    def close(self) -> None:
        self.text_stream.detach()
        super().close()


class _CsvFile(_TextFile):
    """A table in CSV: `headings` first, then each `row`; None is an empty cell. It has no lists of allowed values."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        super().__init__(shape, file)
        self._writer = csv.writer(self.text_stream, delimiter=shape.delimiter, lineterminator="\r\n")

    def headings(self, names: Iterable[str], allowed: "Sequence[AllowedValues]" = ()) -> None:
        self._writer.writerow(names)

    def row(self, values: Iterable[CellValue]) -> None:
        # Nothing is written for None.
        self._writer.writerow(str(value).lower() if isinstance(value, bool) else value for value in values)


class _LinesFile(_TextFile):
    """Elements in NDJSON, one `text` per line."""

    def text(self, json_text: str) -> None:
        self.text_stream.write(f"{json_text}\n")


class _ArrayFile(_TextFile):
    """A JSON array of elements, one `text` each."""

    _before = "[\n"

    def text(self, json_text: str) -> None:
        self.text_stream.write(self._before + json_text)
        self._before = ",\n"

    def close(self) -> None:
        self.text_stream.write("[]\n" if self._before == "[\n" else "\n]\n")
        super().close()


TableWriter: TypeAlias = "_CsvFile | WorkbookWriter"
ElementWriter: TypeAlias = _LinesFile | _ArrayFile


@dataclass(frozen=True)
class FileFormat:
    """How files of one format are detected, read, written and named.

    `signatures` are the first bytes of a binary format, `begins` recognises how a text begins; the one format with
    neither is any other text. `open` returns the content of a file, given its encoding and the reading options,
    `beginnings` the first rows of its sheets. Tables are written by `write_table` as rows of values, other formats by
    `write_texts` as one JSON text per element.
    """

    # The name in the administration.
    label: "StrOrPromise"
    # The name in messages.
    description: "StrOrPromise"
    # The file extensions that the administration accepts.
    endings: tuple[str, ...]
    open: Callable[[BinaryIO, str, ReadingOptions], AbstractContextManager[Source]]
    beginnings: Callable[[BinaryIO, str], Beginnings] = lambda _file, _encoding: {}
    write_table: Callable[[FileShape, BinaryIO], TableWriter] | None = None
    write_texts: Callable[[FileShape, BinaryIO], ElementWriter] | None = None
    signatures: tuple[bytes, ...] = ()
    begins: Callable[[str], bool] | None = None
    max_columns: int | None = None
    # Whether the cells of its tables have types; otherwise all are texts.
    has_types: bool = False
    # The encoding of files that programs open by name; plain UTF-8 may need a byte-order mark.
    encoding: str = "utf-8"


def _workbook(file: BinaryIO, _encoding: str, options: ReadingOptions) -> AbstractContextManager[Source]:
    # Loading openpyxl takes longer than reading a small file of another format in a process of its own.
    from bulkops.files.workbooks.reading import workbook_table  # noqa: PLC0415

    return workbook_table(file, options)


def _workbook_beginnings(file: BinaryIO, _encoding: str) -> Beginnings:
    from bulkops.files.workbooks.reading import workbook_beginnings  # noqa: PLC0415

    return workbook_beginnings(file)


def _workbook_writer(shape: FileShape, file: BinaryIO) -> "WorkbookWriter":
    from bulkops.files.workbooks.writing import WorkbookWriter  # noqa: PLC0415

    binary = _BinaryFile(shape, file)
    return WorkbookWriter(binary.stream, binary.close)


FORMATS: Mapping[Format, FileFormat] = {
    Format.XLSX: FileFormat(
        label=_("Excel workbook (.xlsx)"),
        description=_("an Excel workbook"),
        endings=(".xlsx", ".xlsm", ".xltx", ".xltm"),
        open=_workbook,
        beginnings=_workbook_beginnings,
        write_table=_workbook_writer,
        signatures=(b"PK\x03\x04", b"PK\x05\x06"),
        max_columns=MAX_HEADINGS,
        has_types=True,
    ),
    Format.CSV: FileFormat(
        label=_("CSV table (.csv)"),
        description=_("a table in CSV"),
        endings=(".csv", ".tsv", ".txt"),
        open=read_csv,
        beginnings=csv_beginnings,
        write_table=_CsvFile,
        encoding="utf-8-sig",  # Excel recognises CSV in UTF-8 by a byte-order mark
    ),
    Format.JSON: FileFormat(
        label=_("JSON, a list (.json)"),
        description=_("an array in JSON"),
        endings=(".json",),
        open=lambda file, encoding, _options: nullcontext(json_source(Format.JSON, file, encoding)),
        write_texts=_ArrayFile,
        begins=lambda text: text.startswith("["),
    ),
    Format.NDJSON: FileFormat(
        label=_("NDJSON, an entry on each line (.ndjson)"),
        description=_("one JSON object on each line"),
        endings=(".ndjson", ".jsonl"),
        open=lambda file, encoding, _options: nullcontext(json_source(Format.NDJSON, file, encoding)),
        write_texts=_LinesFile,
        begins=lambda text: text.startswith("{"),
    ),
}


def table_writer(shape: FileShape, file: BinaryIO) -> TableWriter:
    """Return a writer of a table in that shape into the binary `file`. Raises TypeError for a format without cells."""
    write = FORMATS[shape.format].write_table
    if write is None:
        raise TypeError(f"{shape.format} has no cells")
    return write(shape, file)


def element_writer(shape: FileShape, file: BinaryIO) -> ElementWriter:
    """Return a writer of one text per element into the binary `file`. Raises TypeError for a format without texts."""
    write = FORMATS[shape.format].write_texts
    if write is None:
        raise TypeError(f"{shape.format} has no texts of elements")
    return write(shape, file)
