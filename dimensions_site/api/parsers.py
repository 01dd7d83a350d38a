"""Strict parsing of JSON request bodies within a size limit, compressed or not (contract B3; design/http.md)."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework.parsers import BaseParser

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.api.json.dividing import check_text
from dimensions_site.api.json.elements import RawElement
from dimensions_site.api.json.reader import JsonError, json_error, read_json
from dimensions_site.text.files import GZIP_SIGNATURE, MAX_RATIO, is_trap, known_encoding

# Bytes that are read or decompressed at a time.
_PIECE = 256 * 1024
# A gzip body is one or more members, one after the other. Each costs time, even an empty one of 20 bytes.
_MAX_MEMBERS = 100_000
# zlib's window size that expects the header and checksum of gzip.
_GZIP = 31


class StrictJSONParser(BaseParser):
    """Reads `application/json` in UTF-8, and passes the parsed JSON to the view, as `read_json` returns it."""

    media_type = "application/json"
    # The setting with the largest accepted body in bytes.
    limit = "API_MAX_BODY_SIZE"
    # What a body consists of.
    expected = "a JSON object or array"
    # The charsets that Content-Type may name, the default first, and that of the body.
    charsets: Sequence[str] = ("utf-8", "us-ascii")
    charset = "utf-8"
    # The only method whose bodies it reads, if any.
    method: str | None = None

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value of the body; call `on_body` of the context with the bytes before they are parsed.

        Raises Problem 400 for a malformed body, 413 for one that is too large (before reading it when its length is
        declared), 415 for an unsupported charset or content encoding. Contract B3.
        """
        self.charset = self._charset(media_type or "")
        context = parser_context or {}
        body = read_body(stream, context["request"].META, getattr(settings, self.limit))
        if "on_body" in context:
            context["on_body"](body)
        try:
            return self.value(body)
        except JsonError as error:
            raise bad_request(error.failures, error.failure_count) from None

    def value(self, body: bytearray) -> Any:
        """Return the value for the view. Raises JsonError."""
        return read_json(body)

    def _charset(self, content_type: str) -> str:
        sent = parse_header_parameters(content_type)[1].get("charset", self.charsets[0])
        charset = known_encoding(sent, self.charsets)
        if charset is None:
            readable = ", ".join(self.charsets)
            detail = f"The header Content-Type names the charset {quoted(sent)}; here {readable} are read."
            raise Problem(415, "UNSUPPORTED_CHARSET", detail)
        return charset


class ElementParser(StrictJSONParser):
    """Passes the body to the view as `RawElement`. Errors in the JSON are raised at once, before anything is locked."""

    removes = False

    def value(self, body: bytearray) -> RawElement:
        """Return the body. Raises `JsonError`."""
        sent = RawElement(bytes(body), removes=self.removes)
        if not sent.is_acceptable:
            _ = sent.value
        return sent


class MergePatchParser(ElementParser):
    """Does the same with a patch in which null removes the entry of a map (RFC 7396, contract C15)."""

    media_type = "application/merge-patch+json"
    method = "PATCH"
    removes = True


class BulkBodyParser(StrictJSONParser):
    """Passes the JSON to the view as bytes in UTF-8 without a byte-order mark: the elements are parsed one by one."""

    limit = "API_MAX_BULK_BODY_SIZE"

    def value(self, body: bytearray) -> bytearray:
        """Return the body. Raises JsonError for an empty one and for another encoding."""
        check_text(body, self.expected)
        return body


class NoBodyParser(StrictJSONParser):
    """For calls that take no body; an empty object is accepted, because some clients send one."""

    def value(self, body: bytearray) -> None:
        """Return nothing. Raises JsonError for a body."""
        if bytes(body.strip()) not in (b"", b"{}"):
            raise json_error("NOT_ALLOWED", "This call takes no body.")


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
