"""Reading request bodies within a size limit, compressed or not (contract B3)."""

import zlib
from collections.abc import Iterator, Mapping
from typing import IO

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.text.files import GZIP_SIGNATURE, MAX_RATIO, is_trap

# Bytes that are read or decompressed at a time.
_PIECE = 256 * 1024
# A gzip body is one or more members, one after the other. Each costs time, even an empty one of 20 bytes.
_MAX_MEMBERS = 100_000
# zlib's window size that expects the header and checksum of gzip.
_GZIP = 31


def read_body(stream: IO[bytes], headers: Mapping[str, str], limit: int) -> bytearray:
    """Return the body of at most `limit` bytes, decompressed if it is gzip; `headers` is the WSGI environ.

    Needs little more memory than the body itself. Raises Problem 413 for a larger body: before reading it when its
    length is declared, otherwise at the first byte beyond the limit. Raises 400 for an incomplete body or invalid gzip,
    and 415 for another encoding. Contract B3.
    """
    encoding = headers.get("HTTP_CONTENT_ENCODING", "").strip()
    if encoding.lower() not in ("", "identity", "gzip", "x-gzip"):
        detail = f"The header Content-Encoding is {quoted(encoding)}; bodies are read as gzip or uncompressed only."
        raise Problem(415, "UNSUPPORTED_CONTENT_ENCODING", detail, headers={"Accept-Encoding": "gzip, identity"})
    # A chunked body declares no length.
    declared = None if "HTTP_TRANSFER_ENCODING" in headers else int(headers["CONTENT_LENGTH"])
    if declared is not None and declared > limit:
        raise _too_large(limit)
    pieces = _received(stream, declared, limit)
    if encoding.lower().endswith("gzip"):
        pieces = _decompressed(pieces, limit)
    body = bytearray()
    for piece in pieces:
        body += piece
    if body.startswith(GZIP_SIGNATURE):
        is_named = encoding.lower().endswith("gzip")
        advice = " once more; compress it only once" if is_named else "; send Content-Encoding: gzip"
        raise bad_request([Failure("", "INVALID_ENCODING", f"The body is gzip{advice}.")])
    return body


def _received(stream: IO[bytes], declared: int | None, limit: int) -> Iterator[bytes]:
    received = 0
    while piece := stream.read(min(_PIECE, limit + 1 - received)):
        received += len(piece)
        if received > limit:
            raise _too_large(limit)
        yield piece
    if declared is not None and received < declared:
        detail = f"The body ended after {received:,} bytes, but the header Content-Length announces {declared:,}."
        raise Problem(400, "INCOMPLETE_BODY", detail)


def _decompressed(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Decompress a bounded part at a time: a small input may expand to a very large output."""
    room = limit
    received = members = 0
    is_complete = True
    for piece in pieces:
        compressed = piece
        received += len(piece)
        while compressed:
            if is_complete:
                members += 1
                decompressor = zlib.decompressobj(_GZIP)
            try:
                decompressed = decompressor.decompress(compressed, min(_PIECE, room + 1))
            except zlib.error:
                raise _unreadable(
                    "The body is not gzip, as the header Content-Encoding says, or it is damaged."
                ) from None
            room -= len(decompressed)
            if room < 0:
                raise _too_large(limit, " after decompression")
            if is_trap(limit - room, received):
                detail = f"The body is compressed by more than {MAX_RATIO} to 1. Send it uncompressed."
                raise Problem(413, "BODY_TOO_LARGE", detail)
            if members > _MAX_MEMBERS:
                raise _unreadable(f"The gzip body is made of more than {_MAX_MEMBERS:,} members.")
            yield decompressed
            is_complete = decompressor.eof
            compressed = decompressor.unused_data if is_complete else decompressor.unconsumed_tail
    if not is_complete:
        raise Problem(400, "INCOMPLETE_BODY", "The gzip body is truncated; a part of it is missing.")


def _too_large(limit: int, when: str = "") -> Problem:
    detail = f"The body is larger than the {limit:,} bytes that are accepted here{when}."
    return Problem(413, "BODY_TOO_LARGE", detail)


def _unreadable(detail: str) -> Problem:
    return Problem(400, "UNREADABLE_GZIP", detail)
