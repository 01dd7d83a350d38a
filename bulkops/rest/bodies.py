"""Bodies besides JSON: lines of elements, and tables, for bulk saves and snapshots (contract K3, K4)."""

import codecs
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rest_framework.request import Request

from bulkops.files.formats.encodings import broken_line, codec_for
from bulkops.files.formats.rows import ReadingOptions
from bulkops.files.imports.options import Options
from bulkops.plans.requests import OPTIONS, PlanRequest, read_options
from bulkops.save.bodies import read_lines, read_table
from bulkops.session.items import Envelope, SaveMode
from dimensions_site.api.errors import Problem, bad_request
from dimensions_site.api.failures import Failure
from dimensions_site.api.json.raw import check_text
from dimensions_site.api.json.reader import json_error
from dimensions_site.api.json.texts import shown_value
from dimensions_site.api.parsers import BulkBodyParser, StrictJSONParser
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format

# The charsets that Content-Type may name; nothing is guessed. All are among `ENCODINGS`.
CHARSETS = ("utf-8", "utf-16", "windows-1250", "windows-1252", "iso-8859-1", "iso-8859-15", "us-ascii")
# The query parameter for CSV, and the value with which an empty cell leaves the stored value alone.
EMPTY_CELLS, KEEP = "emptyCells", "keep"
_PIECE = 1024 * 1024


@dataclass(frozen=True)
class RowsBody:
    """A body with one element on each line, in UTF-8; or in CSV, not checked yet, with how it is to be read."""

    content: bytearray
    reading: ReadingOptions | None = None


class LinesParser(StrictJSONParser):
    """Passes NDJSON to the view."""

    media_type = Format.NDJSON.media_type
    limit = BulkBodyParser.limit
    charsets = CHARSETS
    expected = "one JSON object on each line"

    def value(self, body: bytearray) -> RowsBody:
        """Return the body, in UTF-8. Raises JsonError for an empty one, and if it is not in its charset."""
        text = body if self.charset == "utf-8" else _in_utf_8(body, self.charset)
        check_text(text)
        return RowsBody(text)


class TableParser(StrictJSONParser):
    """Passes CSV to the view."""

    media_type = Format.CSV.media_type
    limit = BulkBodyParser.limit
    charsets = CHARSETS
    expected = "a line of headings and rows"

    def value(self, body: bytearray) -> RowsBody:
        """Return the body."""
        return RowsBody(body, ReadingOptions(Format.CSV, self.charset, pads_rows=False))


def empty_cells_failures(query: Mapping[str, str], body: str, replacing: str) -> Sequence[Failure]:
    """Return what is wrong with the query parameter `emptyCells` for a body of that media type.

    `replacing` is the parameter that has whole elements replaced, empty without it.
    """
    if EMPTY_CELLS not in query:
        return ()
    sent, code, message = query[EMPTY_CELLS], "INVALID", ""
    if body != TableParser.media_type:
        code = "UNKNOWN_PARAMETER"
        message = f"{EMPTY_CELLS} is a parameter of bodies in CSV; others leave out what stays as it is."
    elif sent not in ("clear", KEEP):
        message = f"{EMPTY_CELLS} must be clear or {KEEP}; got {shown_value(sent)}."
    elif sent == KEEP and replacing:
        message = f"{EMPTY_CELLS}={KEEP} is not possible with {replacing}, which replaces the element; merge it."
    return [Failure(EMPTY_CELLS, code, message)] if message else ()


def _in_utf_8(body: bytearray, charset: str) -> bytearray:
    """Return the text of `body`, which is in the `charset`, in UTF-8. Raises JsonError if it is not."""
    codec = codec_for(charset, bytes(body[:4]))
    broken = 1 if codec is None else broken_line(_pieces(body), codec)
    if codec is None or broken is not None:
        message = f"Line {broken} is not in the charset {charset}. Send UTF-8, or name the charset that it is in."
        raise json_error("INVALID_ENCODING", message)
    return bytearray().join(text.encode() for text in codecs.iterdecode(_pieces(body), codec))


def _pieces(body: bytearray) -> Iterator[bytes]:
    return (bytes(body[start : start + _PIECE]) for start in range(0, len(body), _PIECE))


@contextmanager
def read_elements(
    body: RowsBody,
    request: Request,
    dimension: Dimension,
    repository: Repository,
    operation: str,
    save_mode: SaveMode,
    *,
    checks_repeated: bool = True,
) -> Iterator[Envelope]:
    """Yield the elements in the `body` as those of one `operation`; `checks_repeated` as of `Options`."""
    if body.reading is None:
        yield read_lines(body.content, operation, save_mode)
        return
    keeps, client = request.query_params.get(EMPTY_CELLS) == KEEP, request.META.get("gunicorn.socket")
    options = Options(keeps_empty_cells=keeps, checks_repeated=checks_repeated)
    with read_table(body.content, body.reading, dimension, repository, options, client) as file:
        yield file.envelope(operation, save_mode)


@contextmanager
def read_snapshot(
    body: RowsBody, request: Request, dimension: Dimension, repository: Repository
) -> Iterator[PlanRequest]:
    """Yield the request for a plan of the elements in `body`, with options in the query of the `request`.

    Raises `Problem` 400 with what is wrong with them, as the making of the plan within the block does: the path of an
    error is the option, the index of a line as in `/0/id`, or the line and column of a table.
    """
    try:
        query = request.query_params
        options, operation = read_options(query), "put" if query.get("replace") == "true" else "merge"
        scope = (dimension, repository, operation, options.envelope.save_mode)
        with read_elements(body, request, *scope, checks_repeated=False) as envelope:
            yield replace(options, envelope=envelope)
    except Problem as problem:
        if not any(failure.path[1:] in OPTIONS for failure in problem.failures):
            raise
        failures = [replace(one, path=one.path.removeprefix("/")) for one in problem.failures]
        raise bad_request(failures, problem.failure_count) from None
