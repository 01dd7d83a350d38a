"""Read elements in wire form: an array, or one per line (NDJSON)."""

import codecs
import mmap
import os
from collections.abc import Iterator
from typing import BinaryIO

from bulkops.files.formats.rows import TEXT, ElementRow, FileShape, RowFailure, Source, UnreadableFile
from dimensions_site.api.failures import Failure
from dimensions_site.api.json.dividing import items
from dimensions_site.api.json.reader import JsonError
from dimensions_site.text.files import Format
from dimensions_site.text.formats import shortened

MAX_ELEMENT_BYTES = 4 * 1024**2
# Pages of the file that have been read are released in steps of this many bytes.
_STEP = 16 * 1024**2
_TOO_LONG = f"The element has more than {MAX_ELEMENT_BYTES:,} bytes."
_NOT_ONE_LINE = (
    "Each line must hold one whole element. Elements that span several lines must be in an array: in [ and ], "
    "with commas between them."
)


def json_source(format: Format, file: BinaryIO, encoding: str) -> Source:
    """Return the elements in `file`, which is in UTF-8, as an array or as lines."""
    content = _Array(file, encoding) if format is Format.JSON else _Lines(file, encoding)
    return Source(FileShape(format, encoding), None, content.rows, content.progress)


class _Array:
    """The elements of the array in `file`, in UTF-8; only the current one is in memory."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._start = _text_start(encoding)
        self._read = self._start
        self._given_back = 0

    def rows(self) -> Iterator[ElementRow | RowFailure]:
        """Yield the elements by position. Raises UnreadableFile where the array is malformed."""
        position = 0
        try:
            for position, text in enumerate(items(memoryview(self._map)[self._start :]), start=1):
                content = memoryview(text)
                self._read += len(content) + 1
                yield _element(position, content)
                self._give_back()
            self._read = len(self._map)
        except JsonError as error:
            raise UnreadableFile(position + 1, _about("The file", error)) from None

    def progress(self) -> float:
        return self._read / len(self._map)

    def _give_back(self) -> None:
        if self._read - self._given_back > _STEP:
            self._map.madvise(mmap.MADV_DONTNEED, self._given_back, _STEP)
            self._given_back += _STEP


class _Lines:
    """The elements on the lines of `file`, in UTF-8."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        self._read = _text_start(encoding)
        file.seek(self._read)

    def rows(self) -> Iterator[ElementRow | RowFailure]:
        """Yield the elements by line, skipping blank lines. Raises UnreadableFile for an element that spans several
        lines.
        """
        number = 0
        while line := self._file.readline(MAX_ELEMENT_BYTES + 1):
            number += 1
            self._read += len(line)
            rest = line if len(line) > MAX_ELEMENT_BYTES else b""
            while rest and not rest.endswith(b"\n"):
                rest = self._file.readline(MAX_ELEMENT_BYTES)
                self._read += len(rest)
            if not line.isspace():
                row = _element(number, memoryview(line.rstrip(b"\r\n")))
                if number == 1 and isinstance(row, RowFailure) and not line.rstrip().endswith(b"}"):
                    raise UnreadableFile(number, _NOT_ONE_LINE)
                yield row

    def progress(self) -> float:
        return self._read / self._size


def _text_start(encoding: str) -> int:
    return len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0


def _element(line: int, text: memoryview) -> ElementRow | RowFailure:
    if len(text) > MAX_ELEMENT_BYTES:
        return RowFailure(line, Failure("", "INVALID_ROW", _TOO_LONG))
    row = ElementRow(line, bytes(text))
    try:
        is_object = isinstance(row.element, dict)
    except JsonError as error:
        # The line number must be that of the file.
        message = _about("The element", error).replace(" at line 1, column ", " at column ")
        return _failure(line, message, text)
    if not is_object:
        found = shortened(row.text.decode().strip())
        message = f'An element must be an object such as {{"id": "1000"}}; got {found}.'
        return _failure(line, message, text)
    return row


def _about(subject: str, error: JsonError) -> str:
    """Return the message of the REST API's parser, with `subject` in place of the body."""
    messages = [failure.message for failure in error.failures]
    return " ".join(
        f"{subject}{message.removeprefix('The body')}" if message.startswith("The body") else message
        for message in messages
    )


def _failure(line: int, message: str, text: memoryview) -> RowFailure:
    written = bytes(text).decode(errors="backslashreplace").strip()
    return RowFailure(line, Failure("", "INVALID_ROW", message), element={TEXT: written})
