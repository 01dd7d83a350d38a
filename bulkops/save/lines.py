"""The lines of an NDJSON body, as the elements of one operation of a bulk body (contract K3)."""

from array import array
from collections.abc import Iterator, Sequence

import msgspec
from django.conf import settings

from bulkops.save.envelope import too_many
from bulkops.session.errors import Errors
from bulkops.session.items import Envelope, SaveMode, operations
from dimensions_site.api.errors import Failure, bad_request
from dimensions_site.api.json.raw import check_json, first_character
from dimensions_site.api.json.reader import JsonError


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
