"""Read files of elements in a child process with limits of time and memory (design/files.md).

The web server and the worker read uploads only in this way: a file designed to exhaust memory or processor time ends
the child process, and the user gets a message.
"""

import gzip
import io
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NoReturn, cast

import msgspec
from django.template.defaultfilters import filesizeformat
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import AS_FOUND, ElementRow, FileRow, ReadingOptions, RowFailure, Source, UnreadableFile
from bulkops.files.outside.child import (
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
    decode_message,
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
def source_outside(
    file: BinaryIO, limits: Limits, options: ReadingOptions = AS_FOUND, copy: BinaryIO | None = None
) -> Iterator[Source]:
    """Yield the content of `file`, a real and seekable one, like `open_source`; all that is read of it also goes to the
    empty file `copy`.

    The clock runs only while a row is awaited. Raises UnreadableFile, also when the `limits` are reached, and
    ReadingFailed; so do the rows.
    """
    with (
        nullcontext() if copy is None else gzip.open(copy, "wb", compresslevel=1) as compressed,
        _reading(file, limits, options, is_preview=False, copy=compressed) as reading,
    ):
        yield _source(reading)


@contextmanager
def source_of_copy(copy: BinaryIO) -> Iterator[Source]:
    """Yield the content of the file `copy`, which `source_outside` has made, without reading the original again.

    Raises ReadingFailed if it is no such copy, also while its rows are read.
    """
    with gzip.open(copy) as kept:
        yield _source(_Reading(cast(BinaryIO, kept), Limits(0, 0), lambda: 0))


def _source(reading: "_Reading") -> Source:
    message = reading.next()
    if not isinstance(message, Beginning):
        reading.fail(message)
    return Source(message.shape, message.headings, reading.rows, lambda: reading.progress, message.found)


@contextmanager
def _reading(
    file: BinaryIO, limits: Limits, options: ReadingOptions, *, is_preview: bool, copy: gzip.GzipFile | None = None
) -> "Iterator[_Reading]":
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
        pipe = io.BufferedReader(_Pipe(process, limits.seconds, copy), _BUFFER)
        yield _Reading(pipe, limits, process.wait)
    finally:
        process.kill()
        process.communicate()
        os.lseek(descriptor, position, os.SEEK_SET)


class _Reading:
    """The messages of the process in their order; `wait` returns its exit status."""

    def __init__(self, pipe: BinaryIO, limits: Limits, wait: Callable[[], int]) -> None:
        self._pipe = pipe
        self._limits = limits
        self._wait = wait
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
            return decode_message(self._exactly(length))
        except TimeoutError:
            raise self._too_slow() from None
        except (msgspec.DecodeError, ValueError) as error:
            raise ReadingFailed(str(error)) from None

    def rows(self) -> Iterator[FileRow | ElementRow | RowFailure]:
        """Yield the rows of the table, or the elements, up to the end."""
        while not isinstance(message := self.next(), EndOfRows):
            if isinstance(message, FileRow | ElementRow | RowFailure):
                self._line = message.line
                yield message
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
        status = self._wait()
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
    """The reading end of the pipe; raises TimeoutError when all waiting together exceeds `seconds`. What is read also
    goes to the file `copy`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, copy: gzip.GzipFile | None) -> None:
        self._descriptor = cast(IO[bytes], process.stdout).fileno()
        self._left = seconds
        self._copy = copy
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
        count = os.readv(self._descriptor, [buffer])
        if self._copy is not None:
            self._copy.write(memoryview(buffer)[:count])
        return count
