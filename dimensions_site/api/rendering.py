"""JSON out, and what is streamed: arrays and lines of JSON, and tables as CSV."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer

_LINE_END = "\r\n"


class JSONRenderer(BaseRenderer):
    """Renders what serializers return as compact UTF-8 JSON; parameters of Accept such as `indent` mean nothing."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return `data` as JSON bytes; no bytes for a response without a body."""
        return b"" if data is None else orjson.dumps(data)


class NdjsonRenderer(BaseRenderer):
    """Offers a list as NDJSON; the view streams it."""

    media_type = "application/x-ndjson"
    format = "ndjson"
    charset = None


class CsvRenderer(BaseRenderer):
    """Offers a list as CSV; the view streams it."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"


def content_type(renderer: BaseRenderer) -> str:
    """The header Content-Type of what `renderer` offers."""
    return f"{renderer.media_type}; charset={renderer.charset}" if renderer.charset else str(renderer.media_type)


def json_array(texts: Iterator[str], together: int) -> Iterator[bytes]:
    """A JSON array of the JSON `texts`, in pieces of `together` of them."""
    lead = "["
    while part := list(islice(texts, together)):
        yield f"{lead}{','.join(part)}".encode()
        lead = ","
    yield b"[]" if lead == "[" else b"]"


def json_lines(texts: Iterator[str], together: int) -> Iterator[bytes]:
    """The JSON `texts`, each on a line of its own (NDJSON), in pieces of `together` of them."""
    while part := list(islice(texts, together)):
        yield ("\n".join(part) + "\n").encode()


def csv_lines(headings: str, lines: Iterator[str], together: int) -> Iterator[bytes]:
    """The `lines` of a table as CSV (RFC 4180) below that of its `headings`, in pieces of `together` of them."""
    lead = headings + _LINE_END
    while part := list(islice(lines, together)):
        yield f"{lead}{_LINE_END.join(part)}{_LINE_END}".encode()
        lead = ""
    yield lead.encode()
