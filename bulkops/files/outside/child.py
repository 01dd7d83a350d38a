"""The process that reads one file within its own limits: `python -m bulkops.files.outside.child REQUEST`.

A malicious file can harm only this process: a fresh Python with the file and a pipe, but no database, settings or
secrets of the service. It loads Django's translations, but no apps.

It answers with messages in MessagePack, each after its length. The reader of the pipe does not trust them: each is
decoded by its type, and limited to `MAX_BYTES`.
"""

import errno
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIG_IGN, SIGINT, SIGTERM, signal
from typing import BinaryIO, TypeAlias

import msgspec
from django.apps import apps
from django.conf import settings
from django.utils import translation

import dimensions_site
from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES
from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import (
    AS_FOUND,
    ElementRow,
    FileFindings,
    FileRow,
    FileShape,
    ReadingOptions,
    RowFailure,
    UnreadableFile,
)
from bulkops.files.outside.previews import Preview, preview_file

# The web server and the worker have priority.
_NICENESS = 5
# Seconds between the signal that ends the process and SIGKILL.
_GRACE = 2
# Rows between two progress reports.
_STEP = 500
# The exit status when memory is exhausted.
OUT_OF_MEMORY = 3
LENGTH_BYTES = 4
# Far longer than the longest row with four bytes per character.
MAX_BYTES = 64 * 1024**2


class Request(msgspec.Struct):
    """The request to the process: read the file that is open as `descriptor`, as rows or only as a preview.

    The file is read as the `options` say. Messages for people are in `language`. The process is limited to `seconds` of
    processor time and `memory` bytes.
    """

    descriptor: int
    is_preview: bool
    language: str
    seconds: int
    memory: int
    options: ReadingOptions = AS_FOUND


class Beginning(msgspec.Struct, array_like=True, tag=True):
    """The shape of the file, the headings of its table, None for JSON, and what else was found out."""

    shape: FileShape
    headings: Sequence[str] | None
    found: FileFindings


class ReadingProgress(msgspec.Struct, array_like=True, tag=True):
    """The share of the file that has been read."""

    share: float


class FirstLook(msgspec.Struct, array_like=True, tag=True):
    """The requested preview."""

    preview: Preview


class Unreadable(msgspec.Struct, array_like=True, tag=True):
    """The file cannot be read, or only up to the line of the failure."""

    failure: RowFailure


class Broken(msgspec.Struct, array_like=True, tag=True):
    """The code failed; `where` is the class of the exception and its location, without any content of the file."""

    where: str


class EndOfRows(msgspec.Struct, array_like=True, tag=True):
    """All rows have been read."""


# Rows are sent as they are.
Message: TypeAlias = (
    Beginning | FileRow | ElementRow | RowFailure | ReadingProgress | FirstLook | Unreadable | Broken | EndOfRows
)

_encode = msgspec.msgpack.Encoder().encode
# Raises msgspec.DecodeError or ValidationError for anything else than a message.
decode_message: Callable[[bytes], Message] = msgspec.msgpack.Decoder(Message).decode


def encode_message(message: Message) -> bytes:
    """Return the message as bytes for the pipe."""
    content = _encode(message)
    return len(content).to_bytes(LENGTH_BYTES, "big") + content


def main() -> None:
    """Read the file of the request on the command line, and write messages to standard output."""
    # Ignore signals to the whole service or terminal: the parent process ends this one.
    signal(SIGTERM, SIG_IGN)
    signal(SIGINT, SIG_IGN)
    request = msgspec.json.decode(sys.argv[1], type=Request)
    pipe = sys.stdout.buffer
    try:
        with os.fdopen(request.descriptor, "rb") as file:
            _set_limits(request.seconds, request.memory, os.fstat(file.fileno()).st_size)
            _translate(request.language)
            for message in _messages(file, request):
                pipe.write(encode_message(message))
        pipe.flush()
    except BrokenPipeError:
        os._exit(0)  # the reader is gone
    except MemoryError:
        with suppress(OSError, MemoryError):
            pipe.flush()
        os._exit(OUT_OF_MEMORY)  # without anything that may allocate memory


def _set_limits(seconds: int, memory: int, file_size: int) -> None:
    """Limit this process from now on to `seconds` of processor time and `memory` in bytes.

    A JSON file of `file_size` bytes is memory-mapped, which takes no memory from others.
    """
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _GRACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    mapped = max(file_size, MAX_DECOMPRESSED_BYTES)
    # Other systems than Linux have these names but reject the values.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_AS, (memory + mapped, memory + mapped))


def _messages(file: BinaryIO, request: Request) -> Iterator[Message]:
    try:
        if request.is_preview:
            yield FirstLook(preview_file(file, request.options))
            return
        with open_source(file, request.options) as source:
            yield Beginning(source.shape, source.headings, source.found)
            for number, row in enumerate(source.rows(), start=1):
                yield row
                if number % _STEP == 0:
                    yield ReadingProgress(source.progress())
            yield EndOfRows()
    except UnreadableFile as error:
        yield Unreadable(error.failure)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            raise MemoryError from None
        frame = traceback.extract_tb(error.__traceback__)[-1]
        yield Broken(f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}")


def _translate(language: str) -> None:
    folder = Path(dimensions_site.__file__).parent / "locale"
    settings.configure(LANGUAGE_CODE="en", USE_I18N=True, LOCALE_PATHS=[folder])
    # Translations can be loaded once the apps are, even if there are none.
    apps.populate([])
    translation.activate(language)


if __name__ == "__main__":
    main()
