"""Read files of elements in any format."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.decompression import decompress
from bulkops.files.formats.detection import detect_format, is_gzipped
from bulkops.files.formats.rows import (
    AS_FOUND,
    NOTHING_FOUND,
    Beginnings,
    ElementRow,
    FileFindings,
    FileRow,
    FileShape,
    ReadingOptions,
    RowFailure,
    UnreadableFile,
)
from bulkops.files.formats.table import FORMATS
from dimensions_site.text.files import Format


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


@contextmanager
def open_source(file: BinaryIO, options: ReadingOptions = AS_FOUND) -> Iterator[Source]:
    """Open `file`, a real and seekable one that stays open, as the `options` say.

    What they leave open, gzip compression and delimiter are detected by the content. Nothing in the file is executed,
    and nothing that it refers to is opened. Memory is bounded. Raises UnreadableFile for anything but a file of
    elements; its message says what to do.
    """
    with _opened(file) as (content, gzipped), ExitStack() as stack:
        format, encoding, text = detect_format(content, options)
        if options.sheet is not None and format is not Format.XLSX:
            raise UnreadableFile(1, _("Only a workbook has sheets to choose from, and this file is not a workbook."))
        if options.heading_row is not None and not format.is_table:
            raise UnreadableFile(1, _("Only a table has headings, and this file has elements in JSON."))
        opened = stack.enter_context(FORMATS[format].open(content, encoding, options))
        shape = FileShape(format, encoding, opened.delimiter, gzipped)
        found = replace(opened.found, is_encoding_certain=text.is_encoding_certain, encodings=text.encodings)
        yield Source(shape, opened.headings, opened.rows, opened.progress, found)


def beginnings(file: BinaryIO, options: ReadingOptions) -> Beginnings:
    """Return the first rows of each sheet of `file`, as they are shown; none of a file of JSON. Raises UnreadableFile.

    So the sheet and the headings can be found before the file is opened.
    """
    with _opened(file) as (content, _gzipped):
        format, encoding, _text = detect_format(content, options)
        return FORMATS[format].beginnings(content, encoding)


@contextmanager
def _opened(file: BinaryIO) -> Iterator[tuple[BinaryIO, bool]]:
    gzipped = is_gzipped(file)
    with decompress(file) if gzipped else nullcontext(file) as content:
        yield content, gzipped
