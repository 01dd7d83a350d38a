"""Read files of elements in any format."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from bulkops.files.formats.decompression import decompressed
from bulkops.files.formats.detection import is_gzipped, recognised
from bulkops.files.formats.rows import ElementRow, Row, RowFailure, Shape
from bulkops.files.formats.table import FORMATS
from dimensions_site.text.file_formats import Format


@dataclass(frozen=True)
class Source:
    """A file that is being read.

    `headings` are those of a table, None for JSON. `rows` yields the rows once, lazily, and raises UnreadableFile where
    the rest cannot be read. `progress` is the share of the file that has been read, from 0 to 1.
    """

    shape: Shape
    headings: Sequence[str] | None
    rows: Callable[[], Iterator[Row | ElementRow | RowFailure]]
    progress: Callable[[], float]


@contextmanager
def open_source(file: BinaryIO, *, format: Format | None = None) -> Iterator[Source]:
    """Open `file`, a real and seekable one that stays open; if `format` is not None, it must have that format.

    Format, gzip compression, encoding and delimiter are detected by the content. Nothing in the file is executed, and
    nothing that it refers to is opened. Memory is bounded. Raises UnreadableFile for anything but a file of elements;
    its message says what to do.
    """
    with ExitStack() as stack:
        gzipped = is_gzipped(file)
        content = stack.enter_context(decompressed(file)) if gzipped else file
        found, encoding = recognised(content, format)
        opened = stack.enter_context(FORMATS[found].open(content, encoding))
        shape = Shape(found, encoding, opened.delimiter, gzipped)
        yield Source(shape, opened.headings, opened.rows, opened.progress)
