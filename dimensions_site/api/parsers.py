"""JSON in: the body of a request, read strictly (contract B3)."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework.parsers import BaseParser

from dimensions_site.api.bodies import read_body
from dimensions_site.api.errors import Problem, bad_request, quoted
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.json_text import check_text


class JSONBodyParser(BaseParser):
    """Reads `application/json` in UTF-8 up to a limit; a concrete parser says which, and what becomes of it."""

    media_type = "application/json"

    @abstractmethod
    def max_size(self) -> int:
        """The largest accepted body in bytes."""

    @abstractmethod
    def value(self, body: bytearray) -> Any:
        """What the view gets. Raises JsonError."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value of the body; `on_body` in the context is called with the bytes before they are understood.

        Raises Problem 400 for a body that is malformed, 413 for one that is too large (at once when its length is
        announced), 415 for a charset or a content encoding that is not read. Contract B3.
        """
        _check_charset(media_type or "")
        context = parser_context or {}
        body = read_body(stream, context["request"].META, self.max_size())
        if "on_body" in context:
            context["on_body"](body)
        try:
            return self.value(body)
        except JsonError as error:
            raise bad_request(error.failures, error.failure_count) from None


class StrictJSONParser(JSONBodyParser):
    """Gives the view what the JSON stands for, as `read_json` reads it."""

    def max_size(self) -> int:
        """The largest accepted body of one element in bytes."""
        size: int = settings.API_MAX_BODY_SIZE
        return size

    def value(self, body: bytearray) -> Any:
        """The value that the JSON stands for. Raises JsonError."""
        return read_json(body)


class BulkBodyParser(JSONBodyParser):
    """Gives the view the bytes of the JSON, in UTF-8 without a byte-order mark: many elements are not built at once."""

    def max_size(self) -> int:
        """The largest accepted body of many elements in bytes."""
        size: int = settings.API_MAX_BULK_BODY_SIZE
        return size

    def value(self, body: bytearray) -> bytearray:
        """The body. Raises JsonError for an empty one and for another encoding."""
        check_text(body)
        return body


def _check_charset(content_type: str) -> None:
    charset = parse_header_parameters(content_type)[1].get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        detail = f"The header Content-Type names the charset {quoted(charset)}; JSON is read in utf-8 only."
        raise Problem(415, "UNSUPPORTED_CHARSET", detail)
