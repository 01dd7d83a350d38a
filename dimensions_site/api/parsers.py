"""Strict parsing of JSON request bodies (contract B3; design/http.md)."""

from collections.abc import Mapping, Sequence
from typing import IO, Any

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework.parsers import BaseParser

from dimensions_site.api.bodies import read_body
from dimensions_site.api.errors import Problem, bad_request, quoted
from dimensions_site.api.json.raw import check_text
from dimensions_site.api.json.reader import JsonError, json_error, read_json
from dimensions_site.text.files import known_encoding


class StrictJSONParser(BaseParser):
    """Reads `application/json` in UTF-8, and passes the parsed JSON to the view, as `read_json` returns it."""

    media_type = "application/json"
    # The setting with the largest accepted body in bytes.
    limit = "API_MAX_BODY_SIZE"
    # What a body consists of.
    expected = "a JSON object or array"
    # The charsets that Content-Type may name, the default first; the one of the body that is being parsed.
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


class BulkBodyParser(StrictJSONParser):
    """Passes the JSON to the view as bytes in UTF-8 without a byte-order mark: the elements are parsed one by one."""

    limit = "API_MAX_BULK_BODY_SIZE"

    def value(self, body: bytearray) -> bytearray:
        """Return the body. Raises JsonError for an empty one and for another encoding."""
        check_text(body)
        return body


class NoBodyParser(StrictJSONParser):
    """For calls that take no body; an empty object is accepted, because some clients send one."""

    def value(self, body: bytearray) -> None:
        """Return nothing. Raises JsonError for a body."""
        if bytes(body.strip()) not in (b"", b"{}"):
            raise json_error("NOT_ALLOWED", "This call takes no body.")
