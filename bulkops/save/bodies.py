"""Bodies in NDJSON and CSV, as the elements of one operation of a bulk body or a plan (contract K3)."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from socket import socket
from tempfile import TemporaryFile
from typing import TypeVar

import msgspec
from django.conf import settings

from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import ReadingOptions, RowFailure, UnreadableFile
from bulkops.files.imports.options import Options
from bulkops.files.imports.reading import FileReader
from bulkops.save.envelope import too_many
from bulkops.session.errors import Errors, Refused
from bulkops.session.items import Envelope, SaveMode, operations
from dimensions_site.api.errors import Failure, bad_request, client_closed
from dimensions_site.api.json.raw import check_json, first_character
from dimensions_site.api.json.reader import JsonError
from dimensions_site.db.read_limits import has_gone
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.locking import reading_in_turn, refuse_when_crowded
from dimensions_site.repositories.models import Repository

T = TypeVar("T")

# Rows between two looks at whether the client is still there.
_STEP = 1_000


@contextmanager
def read_table(
    body: bytearray,
    reading: ReadingOptions,
    dimension: Dimension,
    repository: Repository,
    options: Options,
    client: socket | None,
) -> Iterator[FileReader]:
    """Yield the file of the rows of the table in `body`, which is emptied, for the block.

    The table is read once, as `reading` and the `options` of an import say, and in turn with others. Raises `Problem`
    400 with every error, each with its line and column, also if the block raises `Refused`; 499 if the `client`, a
    connection, has gone; 503 if too many already wait.
    """
    refuse_when_crowded(repository)
    limited = replace(reading, most_rows=2 * settings.API_MAX_BULK_ELEMENTS)
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        turn = stack.enter_context(ExitStack())
        turn.enter_context(reading_in_turn(repository, len(body)))
        file.write(body)
        body.clear()  # it is on the disk now
        reader = FileReader(dimension, repository, options, stack)
        try:
            with open_source(file, limited) as source:
                reader.read(replace(source, rows=partial(_limited, source.rows, turn, client)))
                yield reader
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


def read_lines(body: bytearray, name: str, save_mode: SaveMode) -> Envelope:
    """Return the elements on the lines of `body`, which is UTF-8, as those of the operation with this `name`.

    Blank lines are skipped. Raises `Problem` 400 if there are too many elements, or twice as many lines, or with every
    line that is not JSON.
    """
    limit: int = settings.API_MAX_BULK_ELEMENTS
    errors = Errors()
    indexes: array[int] = array("l")
    elements: list[msgspec.Raw] = []
    for index, line in enumerate(_lines(body)):
        if index == 2 * limit:
            raise bad_request([too_many("lines", 2 * limit)])
        if not first_character(line):
            continue
        if len(elements) == limit:
            raise bad_request([too_many("elements", limit)])
        errors.add(index, _failures(index, line))
        indexes.append(index)
        elements.append(msgspec.Raw(line))
    errors.refuse()
    return Envelope(save_mode, operations({name: elements}, {name: indexes}))


def _lines(body: bytearray) -> Iterator[memoryview]:
    """Yield the lines without their ends."""
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
    """Return the message about a text as one about the line at `index`."""
    return message.replace("The body", f"Line {index + 1}", 1).replace(" at line 1, column ", " at column ", 1)
