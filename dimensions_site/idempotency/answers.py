"""Store the first answer to a request with an idempotency key, and replay it."""

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain
from typing import cast

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from dimensions_site.api.errors import Problem
from dimensions_site.idempotency.keys import HEADER, KeyedRequest
from dimensions_site.idempotency.models import SMALL_ANSWER, StoredAnswer, StoredAnswerPart
from dimensions_site.text.shortening import shortened

REPLAYED = "Idempotent-Replayed"
# Bytes of a body that are compressed and stored together: the memory that an answer needs, whatever its size.
PART_BYTES = 1024 * 1024
# How long a client may still be reading an answer that was found just before it expired.
_READ = timedelta(hours=1)
_QUICK = 1  # zlib's level; a better one would hold the locks for longer


def find(request: KeyedRequest) -> StoredAnswer | None:
    """Return the stored answer for the key, whichever request it belongs to."""
    young = StoredAnswer.objects.filter(created_at__gte=_oldest())
    return young.filter(repository=request.repository, user=request.user, key=request.key).first()


def keep(request: KeyedRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Store the answer in the current transaction; return the response to send after its commit.

    A streamed answer must have a Content-Length and is read here, part by part. If it exceeds the limit for one client,
    only its status is stored.
    """
    if isinstance(response, HttpResponse):
        response["Content-Length"] = str(len(response.content))
    elif int(response["Content-Length"]) > settings.IDEMPOTENCY_MAX_BYTES:
        _created(request, response, has_body=False)
        return response
    pieces = iter(cast(Iterable[bytes], response))
    try:
        answer = _written(request, response, pieces)
    finally:
        # A fully read stream closes its source; `response.close()` would end the request for Django.
        deque(pieces, maxlen=0)
    return _response(answer) if response.streaming else response


def replay(answer: StoredAnswer, request: KeyedRequest) -> HttpResponseBase:
    """Return the stored answer, marked as replayed.

    Raises Problem 422 if it belongs to a different request, and 410 if its body is no longer stored.
    """
    if answer.fingerprint != request.fingerprint:
        raise Problem(
            422,
            "IDEMPOTENCY_KEY_REUSED",
            f"The {HEADER} '{shortened(request.key)}' came with another request before. Send that one unchanged to get "
            "its answer, or use a new key for this one.",
        )
    if not answer.has_body:
        raise _not_kept(answer)
    try:
        response = _response(answer)
    except StoredAnswerPart.DoesNotExist:  # another request has just freed the space of its answer
        raise _not_kept(answer) from None
    response[REPLAYED] = "true"
    return response


def _not_kept(answer: StoredAnswer) -> Problem:
    done_at = f"{answer.created_at:%Y-%m-%dT%H:%M:%SZ}"
    detail = (
        f"The request with the {HEADER} '{shortened(answer.key)}' was completed at {done_at} with "
        f"status {answer.status}. It is not repeated, and its answer of {answer.size:,} bytes is no longer stored; "
        "read the elements to see what is stored."
    )
    return Problem(410, "IDEMPOTENT_ANSWER_NOT_KEPT", detail, headers={REPLAYED: "true"})


def delete_old_answers() -> None:
    """Delete the answers that have expired and are no longer being read."""
    StoredAnswer.objects.filter(created_at__lt=_oldest() - _READ).only("pk").delete()


def _written(request: KeyedRequest, response: HttpResponseBase, pieces: Iterator[bytes]) -> StoredAnswer:
    answer = _created(request, response, has_body=True)
    for position, part in enumerate(_parts(pieces)):
        StoredAnswerPart.objects.create(answer=answer, position=position, data=zlib.compress(part, _QUICK))
    if answer.size > SMALL_ANSWER:
        _make_room(request, answer)
    return answer


def _make_room(request: KeyedRequest, answer: StoredAnswer) -> None:
    """Delete the bodies of the client's oldest large answers, except `answer`, until all fit; the keys remain.

    Retries usually come soon. A client that is reading one of them gets an incomplete answer, and the reason at its
    next attempt.
    """
    large = StoredAnswer.objects.filter(
        repository=request.repository, user=request.user, has_body=True, size__gt=SMALL_ANSWER
    )
    room = settings.IDEMPOTENCY_MAX_BYTES - answer.size
    dropped: list[int] = []
    for key, size in large.exclude(pk=answer.pk).order_by("-created_at", "-pk").values_list("pk", "size"):
        room -= size
        if room < 0:
            dropped.append(key)
    if dropped:
        # Another transaction may be deleting the same ones.
        free = StoredAnswer.objects.filter(pk__in=dropped).select_for_update(skip_locked=True)
        mine = list(free.values_list("pk", flat=True))
        StoredAnswerPart.objects.filter(answer__in=mine).delete()
        StoredAnswer.objects.filter(pk__in=mine).update(has_body=False)


def _created(request: KeyedRequest, response: HttpResponseBase, *, has_body: bool) -> StoredAnswer:
    # An expired one may still be stored.
    StoredAnswer.objects.filter(repository=request.repository, user=request.user, key=request.key).delete()
    return StoredAnswer.objects.create(
        repository=request.repository,
        user=request.user,
        key=request.key,
        fingerprint=request.fingerprint,
        status=response.status_code,
        headers=dict(response.headers),
        size=int(response["Content-Length"]),
        has_body=has_body,
    )


def _oldest() -> Now:
    return cast(Now, Now() - timedelta(hours=settings.IDEMPOTENCY_KEY_HOURS))


def _parts(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the bytes of `pieces` in parts of PART_BYTES."""
    part = bytearray()
    for piece in pieces:
        part += piece
        while len(part) >= PART_BYTES:
            yield bytes(part[:PART_BYTES])
            del part[:PART_BYTES]
    if part:
        yield bytes(part)


def _response(answer: StoredAnswer) -> HttpResponseBase:
    pieces = _decompressed(answer)
    if int(answer.headers["Content-Length"]) <= PART_BYTES:
        return HttpResponse(b"".join(pieces), status=answer.status, headers=answer.headers)
    # Fetch the first part before sending anything: it shows that the answer is still stored.
    return StreamingHttpResponse(chain([next(pieces)], pieces), status=answer.status, headers=answer.headers)


def _decompressed(answer: StoredAnswer) -> Iterator[bytes]:
    count = -(-int(answer.headers["Content-Length"]) // PART_BYTES)
    for position in range(count):
        yield zlib.decompress(answer.parts.values_list("data", flat=True).get(position=position))
