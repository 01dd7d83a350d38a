"""The messages of the process that reads a file: MessagePack, each after its length.

The reader of the pipe does not trust them: each is decoded by its type, and limited to `MAX_BYTES`.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from bulkops.files.formats.rows import (
    AS_FOUND,
    ElementRow,
    FileFindings,
    FileRow,
    FileShape,
    ReadingOptions,
    RowFailure,
)
from bulkops.files.outside.previews import Preview

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
