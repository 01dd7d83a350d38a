"""Rendering JSON, and streaming JSON arrays, NDJSON and CSV."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer

from dimensions_site.text.files import Format

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
