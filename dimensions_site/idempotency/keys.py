"""The header by which a caller says that a request is the same one as before."""

import hashlib
import re
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.functional import cached_property

from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.repositories.models import Repository

HEADER = "Idempotency-Key"
MAX_LENGTH = 255
# A blank at either end never arrives: HTTP takes it away.
PATTERN = r"[!-~]([ -~]*[!-~])?"


def checked(key: str) -> str:
    """Return the key; raises Problem 400 for one that is not 1 to 255 printable ASCII characters."""
    if len(key) > MAX_LENGTH or not re.fullmatch(PATTERN, key):
        message = f"{HEADER} cannot be {quoted(key)}; it has to be 1 to {MAX_LENGTH} printable ASCII characters."
        raise bad_request([Failure(HEADER, "INVALID", message)])
    return key


@dataclass(frozen=True)
class KeyedRequest:
    """A request with a key: whose it is, where, and what it asks for (`fingerprint`)."""

    user: User
    repository: Repository
    key: str
    fingerprint: str

    @cached_property
    def name(self) -> bytes:
        """The same 32 bytes for all requests of the caller in the repository with this key, and for no others."""
        return hashlib.sha256(f"{self.repository.pk} {self.user.pk} {self.key}".encode()).digest()


def fingerprint(method: str, path: str, query: str, body_digest: bytes) -> str:
    """What two requests have in common only if they ask for the same; the digest is that of the unpacked body."""
    digest = hashlib.sha256()
    for part in (method.encode(), path.encode("utf-8", "surrogatepass"), query.encode("utf-8", "surrogatepass")):
        digest.update(len(part).to_bytes(8) + part)
    digest.update(body_digest)
    return digest.hexdigest()
