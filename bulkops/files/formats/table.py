"""The table of file formats: how each is detected, read, written and offered."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.csv_reading import csv_beginnings, csv_table
from bulkops.files.formats.json_reading import JsonArray, JsonLines
from bulkops.files.formats.rows import Beginnings, FileContent, FileShape, ReadingOptions
from bulkops.files.formats.tables import MAX_HEADINGS
from bulkops.files.formats.writing import ArrayFile, CsvFile, ElementWriter, LinesFile, TableWriter, WorkbookFile
from dimensions_site.text.files import Format

if TYPE_CHECKING:
    # Importing it here would load all of REST framework.
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True)
class FileFormat:
    """How files of one format are detected, read, written and named.

    `signatures` are the first bytes of a binary format, `begins` recognises how a text begins; the one format with
    neither is any other text. `open` returns the content of a file, given its encoding and the reading options,
    `beginnings` the first rows of its sheets. `write_table` writes rows of values, `write_texts` one text per element:
    JSON, or a line of a table.
    """

    # The name in the administration.
    label: "StrOrPromise"
    # The name in messages.
    description: "StrOrPromise"
    # The file extensions that the administration accepts.
    endings: tuple[str, ...]
    open: Callable[[BinaryIO, str, ReadingOptions], AbstractContextManager[FileContent]]
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


def _workbook(file: BinaryIO, _encoding: str, options: ReadingOptions) -> AbstractContextManager[FileContent]:
    # Loading openpyxl takes longer than reading a small file of another format in a process of its own.
    from bulkops.files.workbooks.reading import workbook_table  # noqa: PLC0415

    return workbook_table(file, options)


def _workbook_beginnings(file: BinaryIO, _encoding: str) -> Beginnings:
    from bulkops.files.workbooks.reading import workbook_beginnings  # noqa: PLC0415

    return workbook_beginnings(file)


FORMATS: Mapping[Format, FileFormat] = {
    Format.XLSX: FileFormat(
        label=_("Excel workbook (.xlsx)"),
        description=_("an Excel workbook"),
        endings=(".xlsx",),
        open=_workbook,
        beginnings=_workbook_beginnings,
        write_table=WorkbookFile,
        signatures=(b"PK\x03\x04", b"PK\x05\x06"),
        max_columns=MAX_HEADINGS,
        has_types=True,
    ),
    Format.CSV: FileFormat(
        label=_("CSV table (.csv)"),
        description=_("a table in CSV"),
        endings=(".csv", ".tsv", ".txt"),
        open=csv_table,
        beginnings=csv_beginnings,
        write_table=CsvFile,
        write_texts=lambda shape, file: LinesFile(shape, file, end="\r\n"),
        encoding="utf-8-sig",  # Excel recognises CSV in UTF-8 by a byte-order mark
    ),
    Format.JSON: FileFormat(
        label=_("JSON, an array of elements (.json)"),
        description=_("an array in JSON"),
        endings=(".json",),
        open=lambda file, encoding, _options: nullcontext(JsonArray(file, encoding)),
        write_texts=ArrayFile,
        begins=lambda text: text.startswith("["),
    ),
    Format.NDJSON: FileFormat(
        label=_("NDJSON, an element on each line (.ndjson)"),
        description=_("one JSON object on each line"),
        endings=(".ndjson", ".jsonl"),
        open=lambda file, encoding, _options: nullcontext(JsonLines(file, encoding)),
        write_texts=LinesFile,
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
