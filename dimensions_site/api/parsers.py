"""JSON in: the body of a request, read strictly (contract B3)."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework.parsers import BaseParser

from dimensions_site.api.errors import Problem, bad_request, quoted
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.paths import JoinPath, wire_path


class StrictJSONParser(BaseParser):
    """Parses `application/json` in UTF-8, up to `max_size()` bytes.

    A parser for larger or other bodies overrides `max_size` and `join`, which makes the paths in failures.
    """

    media_type = "application/json"
    join: JoinPath = staticmethod(wire_path)

    def max_size(self) -> int:
        """Return the largest accepted body in bytes."""
        size: int = settings.API_MAX_BODY_SIZE
        return size

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value in the body.

        Raises Problem 400 for a body that `read_json` refuses, 413 for one that is too large (at once when its
        length is announced), 415 for a charset or a content encoding that is not read. Contract B3.
        """
        headers: Mapping[str, str] = (parser_context or {})["request"].META
        _check_encodings(media_type or "", headers.get("HTTP_CONTENT_ENCODING", ""))
        limit = self.max_size()
        # A chunked body announces no length; it is read up to the first byte too many.
        is_chunked = "HTTP_TRANSFER_ENCODING" in headers
        if not is_chunked and int(headers["CONTENT_LENGTH"]) > limit:
            raise _too_large(limit)
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise _too_large(limit)
        try:
            return read_json(data, join=self.join)
        except JsonError as error:
            raise bad_request(error.failures, error.failure_count) from None


def _check_encodings(content_type: str, content_encoding: str) -> None:
    charset = parse_header_parameters(content_type)[1].get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        detail = f"The header Content-Type names the charset {quoted(charset)}; JSON is read in utf-8 only."
        raise Problem(415, "UNSUPPORTED_CHARSET", detail)
    if content_encoding.strip().lower() not in ("", "identity"):
        detail = f"The header Content-Encoding is {quoted(content_encoding)}; bodies are read uncompressed only."
        raise Problem(415, "UNSUPPORTED_CONTENT_ENCODING", detail, headers={"Accept-Encoding": "identity"})


def _too_large(limit: int) -> Problem:
    return Problem(413, "BODY_TOO_LARGE", f"The body is larger than the {limit:,} bytes that are accepted here.")
