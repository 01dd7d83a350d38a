"""Compress responses with gzip for clients that accept it (contract M1, design/http.md)."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.text import compress_string
from whitenoise.middleware import WhiteNoiseFileResponse

# A smaller response fits into one packet, compressed or not.
MINIMUM_BYTES = 1024
# Media types that compress well; workbooks, images and fonts are compressed already.
_TEXT = re.compile(r"text/|image/svg\+xml|application/([a-z0-9.-]+\+)?(json|yaml|xml|x-ndjson|javascript)\b")
# For lists of accounts, level 3 takes two fifths of the time of the default level 6; its output is 1.5 times as large.
_FAST, _BEST = 3, 9
_GZIP = 31  # zlib's window size for the gzip format
# Random padding: a page that repeats part of its URL next to a secret could leak it by its length (BREACH).
_PADDING_BYTES = 100
_WEIGHT = re.compile(r"q=(0(\.[0-9]{0,3})?|1(\.0{0,3})?)")
_ETAG_SUFFIX = '-gzip"'


def compress_responses(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Compress text responses of 1 KB and more; streams piece by piece.

    A strong entity tag must differ by encoding: that of a compressed response is `"tag-gzip"`. Conditional requests
    may use both; views never see the suffix.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        known = request.META.get("HTTP_IF_NONE_MATCH", "")
        _strip_etag_suffixes(request)
        response = get_response(request)
        if response.status_code == 304:
            # Content-Length would be that of the full response (RFC 9110).
            response.headers.pop("Content-Length", None)
            _vary(response)
            if _ETAG_SUFFIX in known and _with_suffix(response.headers.get("ETag", "")) in parse_etags(known):
                _suffix_etag(response)
        elif "Content-Encoding" not in response.headers and _TEXT.match(response.headers.get("Content-Type", "")):
            _vary(response)
            is_whole = response.status_code != 206
            if is_whole and accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", "")) and _compress(request, response):
                response.headers["Content-Encoding"] = "gzip"
                _suffix_etag(response)
        return response

    return middleware


@lru_cache(maxsize=64)
def accepts_gzip(header: str) -> bool:
    """Return whether Accept-Encoding allows gzip and does not prefer `identity` (RFC 9110)."""
    weights = {}
    for part in header.lower().split(","):
        coding, *parameters = (word.strip() for word in part.split(";"))
        match = _WEIGHT.fullmatch(parameters[0]) if len(parameters) == 1 else None
        weights[coding] = float(match[1]) if match else float(not parameters)
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


def _compress(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Compress the content of the response; return whether it was large enough."""
    if isinstance(response, StreamingHttpResponse):
        # The stream of a response to HEAD is never read.
        return request.method != "HEAD" and _compress_stream(response)
    if not isinstance(response, HttpResponse) or len(response.content) < MINIMUM_BYTES:
        return False
    if response.headers["Content-Type"].startswith("text/html"):
        response.content = compress_string(response.content, max_random_bytes=_PADDING_BYTES)
    else:
        response.content = zlib.compress(response.content, _FAST, _GZIP)
    response.headers["Content-Length"] = str(len(response.content))
    return True


def _compress_stream(response: StreamingHttpResponse) -> bool:
    if int(response.headers.get("Content-Length", MINIMUM_BYTES)) < MINIMUM_BYTES:
        return False
    if isinstance(response, WhiteNoiseFileResponse):
        file: Any = response.file_to_stream  # opened by WhiteNoise, and not needed any more
        content = _compressed_file(*_version(file.name))
        file.close()
        response.streaming_content = iter([content])
        response.headers["Content-Length"] = str(len(content))
        return True
    pieces = iter(response)
    beginning: list[bytes] = []
    while sum(map(len, beginning)) < MINIMUM_BYTES:
        piece = next(pieces, None)
        if piece is None:
            response.streaming_content = iter(beginning)
            return False
        beginning.append(piece)
    # A file can be sent in full blocks; generated content is flushed piece by piece, as soon as it exists.
    flush = zlib.Z_NO_FLUSH if isinstance(response, FileResponse) else zlib.Z_SYNC_FLUSH
    response.streaming_content = _compressed_pieces(chain(beginning, pieces), flush)
    response.headers.pop("Content-Length", None)
    return True


def _compressed_pieces(pieces: Iterable[bytes], flush: int) -> Iterator[bytes]:
    compressor = zlib.compressobj(_FAST, zlib.DEFLATED, _GZIP)
    for piece in pieces:
        if data := compressor.compress(piece) + compressor.flush(flush):
            yield data
    yield compressor.flush()


def _version(path: str) -> tuple[str, int, int]:
    found = Path(path).stat()
    return path, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=512)
def _compressed_file(path: str, modified: int, size: int) -> bytes:
    """Return the compressed content of a static file, cached per process until the file changes."""
    return zlib.compress(Path(path).read_bytes(), _BEST, _GZIP)


def _strip_etag_suffixes(request: HttpRequest) -> None:
    meta = request.META
    request.__dict__.pop("headers", None)  # Django caches them on first access, which logging made
    for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"):
        if _ETAG_SUFFIX in meta.get(name, ""):
            meta[name] = meta[name].replace(_ETAG_SUFFIX, '"')
    if _ETAG_SUFFIX in meta.get("HTTP_IF_RANGE", ""):
        # A range of a compressed file cannot be served; the whole file can.
        meta.pop("HTTP_RANGE", None)


def _vary(response: HttpResponseBase) -> None:
    if "Vary" in response.headers:
        patch_vary_headers(response, ["Accept-Encoding"])
    else:  # ten times as fast, which matters for single elements
        response.headers["Vary"] = "Accept-Encoding"


def _with_suffix(tag: str) -> str:
    return f"{tag[:-1]}{_ETAG_SUFFIX}"


def _suffix_etag(response: HttpResponseBase) -> None:
    if "ETag" in response.headers:
        response.headers["ETag"] = _with_suffix(response.headers["ETag"])
