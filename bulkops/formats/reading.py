"""Reading files of elements: the one door for every format."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from bulkops.formats.csv_reading import CsvTable, csv_text
from bulkops.formats.json_reading import JsonArray, JsonLines
from bulkops.formats.recognising import is_gzipped, recognised
from bulkops.formats.rows import ElementRow, Format, Row, RowFailure, Shape
from bulkops.formats.unpacking import unpacked
from bulkops.formats.workbook_reading import workbook_table


@dataclass(frozen=True)
class Source:
    """A file that is being read.

    `headings` are those of a table, None for JSON. `rows` gives the rows once, as they are needed, and raises
    UnreadableFile where the rest cannot be read. `progress` tells the share of the file that is read, from 0 to 1.
    """

    shape: Shape
    headings: Sequence[str] | None
    rows: Callable[[], Iterator[Row | ElementRow | RowFailure]]
    progress: Callable[[], float]


@contextmanager
def open_source(file: BinaryIO, *, format: Format | None = None) -> Iterator[Source]:
    """What stands in `file`, a real and seekable one that stays open; a given `format` has to be the true one.

    The format, the packing by gzip, the encoding and the delimiter are recognised by the content. Nothing of the file
    is run, and nothing that it refers to is opened. Memory is bounded whatever the file holds.

    Raises UnreadableFile for what is no file of elements; its message tells what to do.
    """
    with ExitStack() as stack:
        gzipped = is_gzipped(file)
        content = stack.enter_context(unpacked(file)) if gzipped else file
        found, encoding = recognised(content, format)
        if found is Format.CSV:
            csv_table = CsvTable(stack.enter_context(csv_text(content, encoding)))
            shape = Shape(found, encoding, csv_table.delimiter, gzipped)
            yield Source(shape, csv_table.headings, csv_table.rows, _by_position(content))
            return
        shape = Shape(found, encoding, gzipped=gzipped)
        if found is Format.XLSX:
            table = stack.enter_context(workbook_table(content))
            yield Source(shape, table.headings, table.rows, table.progress)
        else:
            elements = (JsonArray if found is Format.JSON else JsonLines)(content, encoding)
            yield Source(shape, None, elements.rows, elements.progress)


def _by_position(file: BinaryIO) -> Callable[[], float]:
    size = os.fstat(file.fileno()).st_size
    return lambda: min(file.tell() / size, 1.0)
