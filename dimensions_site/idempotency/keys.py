"""The `Idempotency-Key` header, with which a client marks retries of a request."""

import hashlib
import re
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.functional import cached_property

from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.repositories.models import Repository

HEADER = "Idempotency-Key"
MAX_LENGTH = 255
# No blank at either end: HTTP strips it.
PATTERN = r"[!-~]([ -~]*[!-~])?"


def checked_key(key: str) -> str:
    """Return the key. Raises Problem 400 unless it is 1 to 255 printable ASCII characters."""
    if len(key) > MAX_LENGTH or not re.fullmatch(PATTERN, key):
        message = f"{HEADER} must be 1 to {MAX_LENGTH} printable ASCII characters; got {quoted(key)}."
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
