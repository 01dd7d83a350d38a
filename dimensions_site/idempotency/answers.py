"""Keeping the first answer to a request with a key, and giving it again."""

import zlib
from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from typing import cast

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from dimensions_site.api.errors import Problem
from dimensions_site.api.problems import shortened
from dimensions_site.idempotency.keys import HEADER, KeyedRequest
from dimensions_site.idempotency.models import StoredAnswer, StoredAnswerPart

REPLAYED = "Idempotent-Replayed"
# Bytes of a body that are packed and kept together: what an answer takes in memory, however long it is.
PART_BYTES = 1024 * 1024
# How long a caller may still read an answer that was found at its last moment.
_READ = timedelta(hours=1)
_QUICK = 1  # zlib's level; a better one would keep the caller's locks for longer


def find(request: KeyedRequest) -> StoredAnswer | None:
    """The answer that is kept for the key, whatever was asked for under it."""
    young = StoredAnswer.objects.filter(created_at__gte=_oldest())
    return young.filter(repository=request.repository, user=request.user, key=request.key).first()


def keep(request: KeyedRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Keep the answer in the caller's transaction; return the response to send after its end.

    A streamed answer tells its Content-Length. It is read to its end here, part by part.
    """
    pieces: Iterator[bytes]
    if isinstance(response, StreamingHttpResponse):
        pieces = cast(Iterator[bytes], response.streaming_content)
    else:
        content = cast(HttpResponse, response).content
        response["Content-Length"] = str(len(content))
        pieces = iter([content])
    try:
        answer = _written(request, response, pieces)
    finally:
        # Read to its end a stream closes what it reads from; `response.close()` would end the request for Django.
        deque(pieces, maxlen=0)
    return _response(answer) if response.streaming else response


def replay(answer: StoredAnswer, request: KeyedRequest) -> HttpResponseBase:
    """The stored answer, marked as such; raises Problem 422 when it was the answer to another request."""
    if answer.fingerprint != request.fingerprint:
        raise Problem(
            422,
            "IDEMPOTENCY_KEY_REUSED",
            f"The {HEADER} '{shortened(request.key)}' came with another request before. Send that one unchanged to get "
            "its answer, or take a new key for this one.",
        )
    response = _response(answer)
    response[REPLAYED] = "true"
    return response


def forget_old() -> None:
    """Forget the answers that are no longer found, and no longer read either."""
    StoredAnswer.objects.filter(created_at__lt=_oldest() - _READ).only("pk").delete()


def _written(request: KeyedRequest, response: HttpResponseBase, pieces: Iterator[bytes]) -> StoredAnswer:
    # One that is too old to be found may still be there.
    StoredAnswer.objects.filter(repository=request.repository, user=request.user, key=request.key).delete()
    answer = StoredAnswer.objects.create(
        repository=request.repository,
        user=request.user,
        key=request.key,
        fingerprint=request.fingerprint,
        status=response.status_code,
        headers=dict(response.headers),
    )
    for position, part in enumerate(_parts(pieces)):
        StoredAnswerPart.objects.create(answer=answer, position=position, data=zlib.compress(part, _QUICK))
    return answer


def _oldest() -> Now:
    return cast(Now, Now() - timedelta(hours=settings.IDEMPOTENCY_KEY_HOURS))


def _parts(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of `pieces` in parts of PART_BYTES."""
    part = bytearray()
    for piece in pieces:
        part += piece
        while len(part) >= PART_BYTES:
            yield bytes(part[:PART_BYTES])
            del part[:PART_BYTES]
    if part:
        yield bytes(part)


def _response(answer: StoredAnswer) -> HttpResponseBase:
    pieces = _unpacked(answer)
    if int(answer.headers["Content-Length"]) <= PART_BYTES:
        return HttpResponse(b"".join(pieces), status=answer.status, headers=answer.headers)
    return StreamingHttpResponse(pieces, status=answer.status, headers=answer.headers)


def _unpacked(answer: StoredAnswer) -> Iterator[bytes]:
    count = -(-int(answer.headers["Content-Length"]) // PART_BYTES)
    for position in range(count):
        yield zlib.decompress(answer.parts.values_list("data", flat=True).get(position=position))
