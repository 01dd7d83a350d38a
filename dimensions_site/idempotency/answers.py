"""Requests with an `Idempotency-Key`, with which a client marks retries: the first answer is stored, and replayed."""

import hashlib
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import orjson
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import cached_property

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.idempotency.models import StoredAnswer
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

HEADER = "Idempotency-Key"
MAX_KEY_LENGTH = 255
# No blank at either end: HTTP strips it.
PATTERN = r"[!-~]([ -~]*[!-~])?"
REPLAYED = "Idempotent-Replayed"
# Bytes of a body that is stored; an account with all its texts may be larger, an answer to a bulk save has any size.
MAX_BODY_BYTES = 64 * 1024
_MINIMAL = b'{"code":"SUCCESS"}'
_QUICK = 1  # zlib's level; a better one would hold the locks for longer


def checked_key(key: str) -> str:
    """Return the key. Raises Problem 400 unless it is 1 to 255 printable ASCII characters."""
    if len(key) > MAX_KEY_LENGTH or not re.fullmatch(PATTERN, key):
        message = f"{HEADER} must be 1 to {MAX_KEY_LENGTH} printable ASCII characters; got {quoted(key)}."
        raise bad_request([Failure(HEADER, "INVALID", message)])
    return key


@dataclass(frozen=True)
class KeyedRequest:
    """A request with a key: its user, its repository, and a `fingerprint` of its content."""

    user: User
    repository: Repository
    key: str
    fingerprint: str

    @cached_property
    def name(self) -> bytes:
        """Return 32 bytes that identify the key of this user in this repository."""
        return hashlib.sha256(f"{self.repository.pk} {self.user.pk} {self.key}".encode()).digest()


def fingerprint(method: str, path: str, query: str, body_digest: bytes) -> str:
    """Return a hash that is equal only for equal requests; `body_digest` is that of the decompressed body."""
    digest = hashlib.sha256()
    for part in (method.encode(), path.encode("utf-8", "surrogatepass"), query.encode("utf-8", "surrogatepass")):
        digest.update(len(part).to_bytes(8) + part)
    digest.update(body_digest)
    return digest.hexdigest()


def find(request: KeyedRequest) -> StoredAnswer | None:
    """Return the stored answer for the key, whichever request it belongs to."""
    young = StoredAnswer.objects.filter(created_at__gte=_oldest())
    return young.filter(repository=request.repository, user=request.user, key=request.key).first()


def keep(request: KeyedRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Store the answer in the current transaction: its status, its headers, and its body; return it for the client.

    Of a body of more than MAX_BODY_BYTES only the code is stored, and of an error all but the list `errors`. A streamed
    answer must have a Content-Length; a large one is not read.
    """
    # An expired one may still be stored.
    StoredAnswer.objects.filter(repository=request.repository, user=request.user, key=request.key).delete()
    if isinstance(response, StreamingHttpResponse) and int(response["Content-Length"]) <= MAX_BODY_BYTES:
        response = HttpResponse(
            b"".join(cast(Iterable[bytes], response)), status=response.status_code, headers=response.headers
        )
    content, headers = _short(response), dict(response.headers)
    headers.pop("Content-Length", None)
    if content is _MINIMAL:
        headers["Preference-Applied"] = "return=minimal"
    StoredAnswer.objects.create(
        repository=request.repository,
        user=request.user,
        key=request.key,
        fingerprint=request.fingerprint,
        status=response.status_code,
        headers=headers,
        body=zlib.compress(content, _QUICK),
    )
    return response


def replay(answer: StoredAnswer, request: KeyedRequest) -> HttpResponseBase:
    """Return the stored answer, marked as replayed. Raises Problem 422 if it belongs to a different request."""
    if answer.fingerprint != request.fingerprint:
        raise Problem(
            422,
            "IDEMPOTENCY_KEY_REUSED",
            f"The {HEADER} '{shortened(request.key)}' came with another request before. Send that one unchanged to get "
            "its answer, or use a new key for this one.",
        )
    response = HttpResponse(zlib.decompress(answer.body), status=answer.status, headers=answer.headers)
    response["Content-Length"] = str(len(response.content))
    response[REPLAYED] = "true"
    return response


def delete_old_answers() -> None:
    """Delete the answers that have expired."""
    StoredAnswer.objects.filter(created_at__lt=_oldest()).delete()


def _short(response: HttpResponseBase) -> bytes:
    if not isinstance(response, HttpResponse):
        return _MINIMAL
    content: bytes = response.content
    if len(content) <= MAX_BODY_BYTES:
        return content
    if response.status_code < 400:
        return _MINIMAL
    problem = orjson.loads(content)
    return orjson.dumps({name: value for name, value in problem.items() if name != "errors"})


def _oldest() -> Now:
    return cast(Now, Now() - timedelta(hours=settings.IDEMPOTENCY_KEY_HOURS))
