"""The preview of a file: its format, its headings and its first rows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

import msgspec
from django.utils.translation import gettext as _

from bulkops.files.formats.encodings import encoding_name
from bulkops.files.formats.reading import beginnings, open_source
from bulkops.files.formats.rows import Beginnings, FileRow, ReadingOptions, RowFailure, Source, UnreadableFile
from bulkops.files.formats.tables import untitled
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, shortened

PREVIEW_ROWS = 5
# How many rows are shown to find the headings among them.
FIRST_ROWS = 10
# A page cannot show a select with some hundred fields for each heading of a wider table.
MOST_HEADINGS = 200
# The first good rows are looked for among this many.
_LOOKED_AT = 1_000
# How many different texts of a column are looked at.
_TEXTS = 20


class ColumnContent(msgspec.Struct):
    """What is in a column: the number of its filled cells, of the different texts in them, and the first of those."""

    filled: int
    distinct: int
    texts: Sequence[str]


class Preview(msgspec.Struct):
    """The format and, for a table, the headings and the shortened cells of its first rows.

    `encoding` is that of a text, one of `ENCODINGS`; `is_encoding_certain` and `encodings` are as in `Found`. `sheets`
    are the names of all sheets with something in them, `sheet` is the one that is read, none yet if several could be
    meant. `heading_row` is the number of the row with the headings, None without headings; `first_rows` are ten rows as
    they are shown, from the first on: their number and their cells. `refusal` says why the table cannot be read unless
    a person chooses otherwise. `contents` describe the columns by the first thousand
    rows. `beginnings` are the first rows of all sheets.
    """

    format: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    encoding: str = "utf-8"
    is_encoding_certain: bool = True
    sheet: str = ""
    sheets: Sequence[str] = ()
    heading_row: int | None = None
    first_rows: Sequence[tuple[int, Sequence[str]]] = ()
    refusal: str = ""
    contents: Sequence[ColumnContent] = ()
    beginnings: Beginnings = {}
    encodings: Sequence[tuple[str, str]] = ()


def preview_file(file: BinaryIO, options: ReadingOptions) -> Preview:
    """Return the preview of a file. Raises UnreadableFile if its beginning cannot be read, whatever sheet is chosen,
    and for too many headings.
    """
    first = beginnings(file, options)
    try:
        with open_source(file, options) as source:
            found, beside = _preview(source)
        if beside:
            with open_source(file, replace(options, named=beside)) as source:
                found, _beside = _preview(source)
    except UnreadableFile as error:
        if len(first) <= 1:
            raise
        # Only workbooks have sheets.
        found = Preview(Format.XLSX, [], [], sheet=options.sheet or "", refusal=error.failure.failure.message)
    found.beginnings = first
    found.sheets = [name for name in first if name]
    found.first_rows = first.get(found.sheet, ())[:FIRST_ROWS]
    return found


def _preview(source: Source) -> tuple[Preview, Sequence[str]]:
    """Return the preview of `source`, and the columns behind its last heading that have texts. Raises UnreadableFile
    if its beginning cannot be read, and for too many headings.
    """
    if source.headings is None:
        next(source.rows(), None)  # a file that is broken at its beginning is rejected at once
        return Preview(source.shape.format, [], []), ()
    if len(source.headings) > MOST_HEADINGS:
        message = _(
            "The table has {count} columns, and up to {maximum} can be imported here. "
            "Delete those that are not needed, "
            "or have the file imported on the command line."
        )
        raise UnreadableFile(1, message.format(count=grouped_number(len(source.headings)), maximum=MOST_HEADINGS))
    rows: list[Sequence[str]] = []
    beside: set[str] = set()
    columns = [Counter[str]() for _heading in source.headings]
    try:
        for row in islice(source.rows(), _LOOKED_AT):
            if isinstance(row, RowFailure) and row.failure.path and len(row.cells) <= MOST_HEADINGS:
                beside.add(row.failure.path)
            if not isinstance(row, FileRow):
                continue
            rows.append([shortened(row.cells[heading]) for heading in source.headings])
            for texts, text in zip(columns, rows[-1], strict=True):
                texts.update([text.strip()] if text.strip() else [])
    except UnreadableFile:
        # The check lists what is wrong behind the first rows.
        if len(rows) < PREVIEW_ROWS:
            raise
    written = source.found.written
    # A column with neither heading nor text is left out by itself.
    used = [number for number, name in enumerate(source.headings) if columns[number] or written.get(name, name).strip()]
    found = Preview(
        source.shape.format,
        [source.headings[number] for number in used],
        [[row[number] for number in used] for row in rows[:PREVIEW_ROWS]],
        encoding_name(source.shape.encoding),
        source.found.is_encoding_certain,
        source.found.sheet,
        heading_row=source.found.heading_row,
        contents=[
            ColumnContent(texts.total(), len(texts), list(texts)[:_TEXTS]) for texts in map(columns.__getitem__, used)
        ],
        encodings=source.found.encodings,
    )
    return found, tuple(beside)


def with_columns(preview: Mapping[str, Any], failures: Iterable[RowFailure]) -> Mapping[str, Any]:
    """Return the JSON of a preview of a table with the columns without a heading in which the rows of the `failures`
    have texts: those that are below the rows of the preview.
    """
    headings = preview["headings"]
    paths = dict.fromkeys(found.failure.path for found in failures if found.failure.code == "UNKNOWN_FIELD")
    new = [path for path in paths if headings and path.startswith(untitled("")) and path not in headings]
    empty = msgspec.to_builtins(ColumnContent(0, 0, ()))
    return {
        **preview,
        "headings": [*headings, *new],
        "rows": [[*row, *[""] * len(new)] for row in preview["rows"]],
        "contents": [*preview["contents"], *[empty] * len(new)],
    }
