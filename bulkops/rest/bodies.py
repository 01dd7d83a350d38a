"""Bodies besides JSON: lines of elements, and tables, for bulk saves and snapshots (contract K3, K4)."""

import codecs
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from socket import socket
from tempfile import TemporaryFile
from typing import TypeVar

import msgspec
from django.conf import settings
from rest_framework.request import Request

from bulkops.files.formats.encodings import broken_line, codec_for
from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import ReadingOptions, RowFailure, UnreadableFile
from bulkops.files.imports.options import Options
from bulkops.files.imports.reading import FileReader
from bulkops.session.envelope import too_many
from bulkops.session.errors import Errors, Refused
from bulkops.session.items import Envelope, Item, Sent, all_operations
from dimensions_site.api.errors import Failure, bad_request, client_closed
from dimensions_site.api.json.dividing import check_json, check_text, first_character
from dimensions_site.api.json.reader import JsonError, json_error
from dimensions_site.api.json.texts import shown_value
from dimensions_site.api.parsers import BulkBodyParser, StrictJSONParser
from dimensions_site.db.read_limits import has_gone
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.locking import reading_in_turn, refuse_when_crowded
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format

# The charsets that Content-Type may name; nothing is guessed. All are among `ENCODINGS`.
CHARSETS = ("utf-8", "utf-16", "windows-1250", "windows-1252", "iso-8859-1", "iso-8859-15", "us-ascii")
# The query parameter for CSV, and the value with which an empty cell leaves the stored value alone.
EMPTY_CELLS, KEEP = "emptyCells", "keep"
_PIECE = 1024 * 1024
# Rows between two looks at whether the client is still there.
_STEP = 1_000

T = TypeVar("T")


@dataclass(frozen=True)
class RowsBody:
    """A body with one element on each line, in UTF-8; or in CSV, not checked yet, with how it is to be read."""

    content: bytearray
    reading: ReadingOptions | None = None


class LinesParser(StrictJSONParser):
    media_type = Format.NDJSON.media_type
    limit = BulkBodyParser.limit
    charsets = CHARSETS
    expected = "one JSON object on each line"

    def value(self, body: bytearray) -> RowsBody:
        """Return the body, in UTF-8. Raises JsonError for an empty one, and if it is not in its charset."""
        text = body if self.charset == "utf-8" else _in_utf_8(body, self.charset)
        check_text(text, self.expected)
        return RowsBody(text)


class TableParser(StrictJSONParser):
    media_type = Format.CSV.media_type
    limit = BulkBodyParser.limit
    charsets = CHARSETS
    expected = "a line of headings and rows"

    def value(self, body: bytearray) -> RowsBody:
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
    *,
    checks_repeated: bool = True,
) -> Iterator[Envelope]:
    """Yield the elements in the `body` as those of one `operation`, for the block, which decides how they are saved.

    `checks_repeated` is as of `Options`. A table is read once, in turn with others, and its content is emptied. Raises
    `Problem` 400 with every error, those of a table with line and column, also if the block raises `Refused`; 499 if
    the client has gone; 503 if too many already wait.
    """
    if body.reading is None:
        yield _read_lines(body.content, operation)
        return
    refuse_when_crowded(repository)
    reading = replace(body.reading, most_rows=2 * settings.API_MAX_BULK_ELEMENTS)
    keeps, client = request.query_params.get(EMPTY_CELLS) == KEEP, request.META.get("gunicorn.socket")
    options = Options(keeps_empty_cells=keeps, checks_repeated=checks_repeated)
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        turn = stack.enter_context(ExitStack())
        turn.enter_context(reading_in_turn(repository, len(body.content)))
        file.write(body.content)
        body.content.clear()  # it is on the disk now
        reader = FileReader(dimension, repository, options, stack)
        try:
            with open_source(file, reading) as source:
                reader.read(replace(source, rows=partial(_limited, source.rows, turn, client)))
                yield reader.envelope(operation)
        except UnreadableFile as error:
            raise bad_request([_placed(error.failure)]) from None
        except Refused as refusal:
            failures = [_placed(failure) for failure in reader.first_failures()]
            raise bad_request(failures, refusal.failure_count) from None


def _limited(rows: Callable[[], Iterator[T]], turn: ExitStack, client: socket | None) -> Iterator[T]:
    """Yield the rows, and end the `turn` after the last one.

    Raises `Problem` 400 if there are more than a bulk save may have, 499 if the client has gone.
    """
    limit: int = settings.API_MAX_BULK_ELEMENTS
    for count, row in enumerate(rows()):
        if count == limit:
            raise bad_request([too_many("rows", limit)])
        if count % _STEP == 0 and client is not None and has_gone(client):
            raise client_closed()
        yield row
    turn.close()


def _placed(failure: RowFailure) -> Failure:
    """Return the failure with its place in the table, such as `line 2, descriptions.en`."""
    found = failure.failure
    return Failure(failure.place, found.code, failure.to_program or found.message, found.id)


def _read_lines(body: bytearray, name: str) -> Envelope:
    """Return the elements on the lines of `body`, which is UTF-8, as those of the operation with this `name`.

    Blank lines are skipped; a line that is not JSON is one of its errors. Raises `Problem` 400 if there are too many
    elements, or twice as many lines.
    """
    limit: int = settings.API_MAX_BULK_ELEMENTS
    errors = Errors()
    indexes: array[int] = array("l")
    elements: list[Sent] = []
    for index, line in enumerate(_lines(body)):
        if index == 2 * limit:
            raise bad_request([too_many("lines", 2 * limit)])
        if not first_character(line):
            continue
        if len(elements) == limit:
            raise bad_request([too_many("elements", limit)])
        failures = _failures(index, line)
        errors.add(len(elements), failures)
        indexes.append(index)
        elements.append(Item(b"{}", is_checkable=False) if failures else msgspec.Raw(line))
    return Envelope("LOOSE", all_operations({name: elements}, {name: indexes}), errors=errors)


def _lines(body: bytearray) -> Iterator[memoryview]:
    text, start = memoryview(body), 0
    while (end := body.find(b"\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _failures(index: int, line: memoryview) -> Sequence[Failure]:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        try:
            check_json(line)
        except JsonError as error:
            return [Failure(f"/{index}", each.code, _of_line(index, each.message)) for each in error.failures]
    return ()


def _of_line(index: int, message: str) -> str:
    return message.replace("The body", f"Line {index + 1}", 1).replace(" at line 1, column ", " at column ", 1)
