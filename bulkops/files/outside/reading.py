"""Read files of elements in a child process with limits of time and memory (design/files.md).

The web server and the worker read uploads only in this way: a file designed to exhaust memory or processor time ends
the child process, and the user gets a message.
"""

import io
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NoReturn, cast

import msgspec
from django.template.defaultfilters import filesizeformat
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import AS_FOUND, ElementRow, FileRow, ReadingOptions, RowFailure, UnreadableFile
from bulkops.files.outside import messages
from bulkops.files.outside.messages import (
    LENGTH_BYTES,
    MAX_BYTES,
    OUT_OF_MEMORY,
    Beginning,
    Broken,
    EndOfRows,
    FirstLook,
    Message,
    ReadingProgress,
    Request,
    Unreadable,
    to_row,
)
from bulkops.files.outside.previews import Preview

if TYPE_CHECKING:
    # Python before 3.12 has no name for it.
    from typing_extensions import Buffer

_ROOT = Path(__file__).resolve().parents[3]
# The environment of the process: where temporary files go, and where some Pythons find their libraries.
_ENVIRONMENT = ("TMPDIR", "LD_LIBRARY_PATH")
_BUFFER = 256 * 1024


@dataclass(frozen=True)
class Limits:
    """The limits of reading a file: `seconds` of processor and clock time, and `memory` in bytes."""

    seconds: int
    memory: int


class ReadingFailed(Exception):
    """The process that reads the file ended or answered unexpectedly: a fault of the code or the machine."""


def preview_outside(file: BinaryIO, limits: Limits, options: ReadingOptions = AS_FOUND) -> Preview:
    """Return the preview of `file`, a real and seekable one, read as the `options` say, or as is most plausible.

    Raises UnreadableFile, also for a file that exceeds the `limits`, and ReadingFailed.
    """
    with _reading(file, limits, replace(options, may_guess=True), is_preview=True) as reading:
        message = reading.next()
        if isinstance(message, FirstLook):
            return message.preview
        reading.fail(message)


@contextmanager
def source_outside(file: BinaryIO, limits: Limits, options: ReadingOptions = AS_FOUND) -> Iterator[Source]:
    """Yield the content of `file`, a real and seekable one, like `open_source`.

    The clock runs only while a row is awaited. Raises UnreadableFile, also when the `limits` are reached, and
    ReadingFailed; so do the rows.
    """
    with _reading(file, limits, options, is_preview=False) as reading:
        message = reading.next()
        if not isinstance(message, Beginning):
            reading.fail(message)
        headings = message.headings
        yield Source(
            message.shape,
            headings,
            lambda: reading.rows(headings or ()),
            lambda: reading.progress,
            message.found,
        )


@contextmanager
def _reading(file: BinaryIO, limits: Limits, options: ReadingOptions, *, is_preview: bool) -> "Iterator[_Reading]":
    """Run the process that reads `file`; it ends with the context, which restores the position in the file."""
    file.flush()
    descriptor = file.fileno()
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    language = get_language() or "en"
    request = Request(descriptor, is_preview, language, limits.seconds, limits.memory, options)
    process = subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "bulkops.files.outside.child", msgspec.json.encode(request).decode()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        cwd=_ROOT,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        start_new_session=True,
    )
    try:
        yield _Reading(process, limits)
    finally:
        process.kill()
        process.communicate()
        os.lseek(descriptor, position, os.SEEK_SET)


class _Reading:
    """The messages of the process in their order."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._pipe = io.BufferedReader(_Pipe(process, limits.seconds), _BUFFER)
        self._line = 1
        self.progress = 0.0

    def next(self) -> Message:
        """Return the next message. Raises UnreadableFile when a limit is reached, and ReadingFailed if there is no
        message.
        """
        try:
            length = int.from_bytes(self._exactly(LENGTH_BYTES), "big")
            if length > MAX_BYTES:
                raise ReadingFailed(f"a message of {length} bytes")
            return messages.decode_message(self._exactly(length))
        except TimeoutError:
            raise self._too_slow() from None
        except (msgspec.DecodeError, ValueError) as error:
            raise ReadingFailed(str(error)) from None

    def rows(self, headings: Sequence[str]) -> Iterator[FileRow | ElementRow | RowFailure]:
        """Yield the rows of a table with these headings, or the elements, up to the end."""
        while not isinstance(message := self.next(), EndOfRows):
            row = to_row(message, headings)
            if row is not None:
                self._line = row.line
                yield row
            elif isinstance(message, ReadingProgress):
                self.progress = message.share
            else:
                self.fail(message)
        self.progress = 1.0

    def fail(self, message: Message) -> NoReturn:
        """Raise the error for a message that ends the reading before the last row."""
        match message:
            case Unreadable():
                found = message.failure
                raise UnreadableFile(found.line, found.failure.message, found.to_program, code=found.failure.code)
            case Broken():
                raise ReadingFailed(message.where)
        raise ReadingFailed(f"the message {type(message).__name__} came where it means nothing")

    def _exactly(self, count: int) -> bytes:
        content = self._pipe.read(count)
        if len(content) < count:
            self._ended()
        return content

    def _ended(self) -> NoReturn:
        """Raise the error for the exit status of a process that ended before its last message."""
        status = self._process.wait()
        if status == OUT_OF_MEMORY:
            memory = filesizeformat(self._limits.memory)
            message = _("The file needs more than {memory} of memory to be read. {advice}")
            raise UnreadableFile(self._line, message.format(memory=memory, advice=_advice()))
        if status == -signal.SIGXCPU:
            raise self._too_slow()
        raise ReadingFailed(f"the process ended with status {status}")

    def _too_slow(self) -> UnreadableFile:
        message = _("The file needs more than {seconds} s to be read. {advice}")
        return UnreadableFile(self._line, message.format(seconds=self._limits.seconds, advice=_advice()))


def _advice() -> str:
    return _("Split it into several files, or save the table as 'CSV UTF-8', and load that.")


class _Pipe(io.RawIOBase):
    """The reading end of the pipe; raises TimeoutError when all waiting together exceeds `seconds`."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._descriptor = cast(IO[bytes], process.stdout).fileno()
        self._left = seconds
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer") -> int:
        begin = time.monotonic()
        is_there = self._poll.poll(self._left * 1000)
        self._left = max(0.0, self._left - (time.monotonic() - begin))
        if not is_there:
            raise TimeoutError
        return os.readv(self._descriptor, [buffer])
