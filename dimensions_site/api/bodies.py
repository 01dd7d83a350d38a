"""Reading the body of a request: never more of it than is accepted, packed or unpacked (contract B3)."""

import zlib
from collections.abc import Iterator, Mapping
from typing import IO

from dimensions_site.api.errors import Problem, quoted

# Bytes that are read, and that are unpacked, at a time.
_PIECE = 256 * 1024
# A gzip body is one or more members, one after the other. Each costs time, even an empty one of 20 bytes.
_MAX_MEMBERS = 100_000
# What tells zlib to expect the header and the checksum of gzip.
_GZIP = 31


def read_body(stream: IO[bytes], headers: Mapping[str, str], limit: int) -> bytearray:
    """Return the body of at most `limit` bytes, unpacked when Content-Encoding is gzip; `headers` are those of WSGI.

    Takes little more memory than the body. Raises Problem 413 for a larger one, at once when its length is announced
    and else at the first byte too many; 400 for one that did not arrive whole or is not gzip; 415 for another
    encoding. Contract B3.
    """
    encoding = headers.get("HTTP_CONTENT_ENCODING", "").strip()
    if encoding.lower() not in ("", "identity", "gzip", "x-gzip"):
        detail = f"The header Content-Encoding is {quoted(encoding)}; bodies are read as gzip or uncompressed only."
        raise Problem(415, "UNSUPPORTED_CONTENT_ENCODING", detail, headers={"Accept-Encoding": "gzip, identity"})
    # A chunked body announces no length.
    announced = None if "HTTP_TRANSFER_ENCODING" in headers else int(headers["CONTENT_LENGTH"])
    if announced is not None and announced > limit:
        raise _too_large(limit)
    pieces = _received(stream, announced, limit)
    if encoding.lower().endswith("gzip"):
        pieces = _unpacked(pieces, limit)
    body = bytearray()
    for piece in pieces:
        body += piece
    return body


def _received(stream: IO[bytes], announced: int | None, limit: int) -> Iterator[bytes]:
    received = 0
    while piece := stream.read(min(_PIECE, limit + 1 - received)):
        received += len(piece)
        if received > limit:
            raise _too_large(limit)
        yield piece
    if announced is not None and received < announced:
        detail = f"The body ended after {received:,} bytes, but the header Content-Length announces {announced:,}."
        raise Problem(400, "INCOMPLETE_BODY", detail)


def _unpacked(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Unpack a bounded part at a time: a little may unpack to very much."""
    room = limit
    members = 0
    is_complete = True
    for piece in pieces:
        packed = piece
        while packed:
            if is_complete:
                members += 1
                unpacker = zlib.decompressobj(_GZIP)
            try:
                unpacked = unpacker.decompress(packed, min(_PIECE, room + 1))
            except zlib.error:
                raise _unreadable(
                    "The body is not gzip, as the header Content-Encoding says, or it is damaged."
                ) from None
            room -= len(unpacked)
            if room < 0:
                raise _too_large(limit, " when it is unpacked")
            if members > _MAX_MEMBERS:
                raise _unreadable(f"The gzip body is made of more than {_MAX_MEMBERS:,} members.")
            yield unpacked
            is_complete = unpacker.eof
            packed = unpacker.unused_data if is_complete else unpacker.unconsumed_tail
    if not is_complete:
        raise Problem(400, "INCOMPLETE_BODY", "The gzip body ends before its end is reached; a part of it is missing.")


def _too_large(limit: int, when: str = "") -> Problem:
    detail = f"The body is larger than the {limit:,} bytes that are accepted here{when}."
    return Problem(413, "BODY_TOO_LARGE", detail)


def _unreadable(detail: str) -> Problem:
    return Problem(400, "UNREADABLE_GZIP", detail)
