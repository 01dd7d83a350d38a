"""Media types: what the headers Content-Type and Accept choose (design/http.md), and streaming JSON arrays, NDJSON and
CSV.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import chain, islice
from typing import Any

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dimensions_site.api.errors import Problem, quoted
from dimensions_site.text.files import Format


class HeaderNegotiation(BaseContentNegotiation):
    """Selects by media type alone: exactly for bodies, by quality (RFC 9110, 12.5.1) for responses.

    Parameters of Accept other than `q` are ignored: `application/json; charset=utf-8` is application/json.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        """Return the parser for the body of `request`. Raises Problem 415 naming the supported types."""
        sent = media_type(request.content_type)
        fitting = (parser for parser in parsers if getattr(parser, "method", None) in (None, request.method))
        by_type = {parser.media_type: parser for parser in fitting}
        if sent in by_type:
            return by_type[sent]
        found = f"is {quoted(sent)}" if sent else "is missing"
        readable = " or ".join(str(name) for name in by_type)
        headers = {f"Accept-{request.method.title()}": ", ".join(map(str, by_type))} if request.method else {}
        detail = f"The header Content-Type {found}; it must be {readable}."
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", detail, headers=headers)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer that the client prefers, and its media type. Raises Problem 406."""
        accept = request.META.get("HTTP_ACCEPT", "").strip() or "*/*"
        qualities = _qualities(accept)
        offered = [(renderer, str(renderer.media_type)) for renderer in renderers]
        best = max(offered, key=lambda offer: _quality(offer[1], qualities))
        if _quality(best[1], qualities) > 0:
            return best
        served = " or ".join(name for _, name in offered)
        detail = f"The header Accept asks for {quoted(accept)}; this address answers with {served}."
        raise Problem(HTTPStatus.NOT_ACCEPTABLE, "NOT_ACCEPTABLE", detail, headers={"Vary": "Accept"})


def media_type(header: str) -> str:
    """Return the media type of a Content-Type header without its parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


def _qualities(accept: str) -> dict[str, float]:
    qualities: dict[str, float] = {}
    for item in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in item.split(";"))
        media_range = "*/*" if media_range == "*" else media_range  # as Java's HttpURLConnection writes it
        weights = [_weight(parameter[2:]) for parameter in parameters if parameter.startswith("q=")]
        quality = weights[0] if weights else 1.0
        qualities[media_range] = max(quality, qualities.get(media_range, 0.0))
    return qualities


def _weight(text: str) -> float:
    """Return the number of a `q` parameter; 1 for anything but a number from 0 to 1."""
    try:
        weight = float(text)
    except ValueError:
        return 1.0
    return weight if 0 <= weight <= 1 else 1.0


def _quality(name: str, qualities: dict[str, float]) -> float:
    """Return the quality of the media type `name`: that of the most specific matching range."""
    main = name.partition("/")[0]
    return next((qualities[r] for r in (name, f"{main}/*", "*/*") if r in qualities), 0.0)


_LINE_END = "\r\n"


class JSONRenderer(BaseRenderer):
    """Renders data as compact UTF-8 JSON; ignores parameters of Accept such as `indent`."""

    media_type = Format.JSON.media_type
    format = Format.JSON
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return `data` as JSON; empty for a response without a body."""
        return b"" if data is None else orjson.dumps(data)


class NdjsonRenderer(BaseRenderer):
    """Declares NDJSON for lists; the view streams it."""

    media_type = Format.NDJSON.media_type
    format = Format.NDJSON
    charset = None


class CsvRenderer(BaseRenderer):
    """Declares CSV for lists; the view streams it."""

    media_type = Format.CSV.media_type
    format = Format.CSV
    charset = "utf-8"


def content_type(renderer: BaseRenderer) -> str:
    """Return the header Content-Type of the renderer."""
    return f"{renderer.media_type}; charset={renderer.charset}" if renderer.charset else str(renderer.media_type)


# The size of a streamed piece in texts and in characters: large enough to hide the cost of sending a piece, small
# enough to need little memory.
PIECE_TEXTS = 200
PIECE_LENGTH = 512 * 1024


def pieces(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the `texts` in non-empty lists that are sent together."""
    piece: list[str] = []
    length = 0
    for text in texts:
        piece.append(text)
        length += len(text)
        if length >= PIECE_LENGTH or len(piece) == PIECE_TEXTS:
            yield piece
            piece, length = [], 0
    if piece:
        yield piece


def begin_stream(texts: Iterator[str], write: Callable[[Iterable[list[str]]], Iterator[bytes]]) -> Iterator[bytes]:
    """Return what `write` makes of the `texts`, whose query has run when this returns."""
    # An error of the query can still be answered as one. A list of one piece is read to its end here, so that its
    # transaction ends before the network delays it.
    parts = pieces(texts)
    return write(chain(list(islice(parts, 1)), parts))


def json_array(pieces: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield a JSON array of the JSON texts in `pieces`, piece by piece."""
    lead = b"["
    for piece in pieces:
        yield lead + _joined(",", piece)
        lead = b","
    yield b"[]" if lead == b"[" else b"]"


def json_lines(pieces: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield the JSON texts in `pieces`, one per line (NDJSON)."""
    for piece in pieces:
        yield _joined("\n", piece) + b"\n"


def csv_lines(headings: str, pieces: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield the rows in `pieces` as CSV (RFC 4180), after the row of `headings`."""
    lead = headings + _LINE_END
    for piece in pieces:
        yield lead.encode() + _joined(_LINE_END, piece) + _LINE_END.encode()
        lead = ""
    yield lead.encode()


def _joined(separator: str, piece: list[str]) -> bytes:
    """Return the texts of a `piece` as bytes and empty it, so that the data is not in memory twice during sending."""
    joined = separator.join(piece)
    piece.clear()
    return joined.encode()
