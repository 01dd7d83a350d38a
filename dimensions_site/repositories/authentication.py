"""Authentication by API key (contract G1)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache

import structlog
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError
from django.db.models import Exists, OuterRef, Q, Subquery
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.compiled import CompiledQuery, Given, Instances
from dimensions_site.repositories.credentials import Credential, Limits
from dimensions_site.repositories.entrances import Entrance, entrances, is_db_id
from dimensions_site.repositories.locks import is_about_locks, sqlite_patience
from dimensions_site.repositories.models import ApiKey, Role
from dimensions_site.telemetry.observation import current

log = structlog.get_logger(__name__)

# The last use of a key is told no more exactly than this, so that not every request writes.
_USE_IS_RECORDED_EACH = timedelta(minutes=1)
_API_KEY = Instances(ApiKey, "user")
_KEY = re.compile(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}")


@dataclass(frozen=True)
class KeyCredential(Credential):
    """An API key, with what was `found` with it where the request came in, by `dbID` and dimension."""

    found: Mapping[tuple[str, str], Entrance | None] = field(default_factory=dict)

    def entrance(self, user: User, db_id: str, dimension: str) -> Entrance | None:
        """What its `user` finds with it there. Raises KeyError elsewhere than where the request came in."""
        return self.found[db_id, dimension]


class ApiKeyAuthentication(BaseAuthentication):
    """Takes `Authorization: Api-Key <key>` or `X-API-Key: <key>`.

    One query reads the key, its user, and what they find at the repository in whose address the request comes in.
    """

    scheme = "Api-Key"

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        """Return the key's user and what the key allows, or None when the request carries no API key.

        Raises `AuthenticationFailed` (401) for a key that is malformed, unknown, revoked or expired, and
        for a user who is not active.
        """
        key = self._key(request)
        if key is None:
            return None
        if not _KEY.fullmatch(key):
            raise AuthenticationFailed("This is not an API key of this service.")
        db_id, dimension = _place(request)
        row = _compiled(dimension).first(prefix=key[:8], db_id=db_id if is_db_id(db_id) else "")
        if row is None or not (api_key := _API_KEY.made(row)).is_valid(key):
            raise AuthenticationFailed("The API key is unknown or revoked.")
        if fault := _fault(api_key):
            if observed := current():  # so that operators learn whose program has an old one
                observed.name(tried=api_key.user.get_username(), key=api_key.prefix)
            raise AuthenticationFailed(fault)
        _record_use(api_key)
        limits = Limits(Role(api_key.role), api_key.dimension)
        entrance = None if row[-1] is None else Entrance.read(row[-1])
        return api_key.user, KeyCredential("API key", api_key.name, limits, {(db_id, dimension): entrance})

    def authenticate_header(self, request: Request) -> str:
        return f'{self.scheme} realm="dimensions"'

    def _key(self, request: Request) -> str | None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == self.scheme.lower():
            return key.strip()
        return request.headers.get("X-API-Key")


def _place(request: Request) -> tuple[str, str]:
    """The `dbID` and the dimension in whose address the request came in; what is not there is empty."""
    context = request.parser_context
    return context["kwargs"].get("db_id", ""), getattr(context["view"], "dimension", "")


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Each call asks it, and making it takes a quarter of a GET.
    opened = ApiKey.objects.filter(Q(is_limited=False) | Q(repositories=OuterRef("pk")), pk=OuterRef(OuterRef("pk")))
    entrance = Subquery(entrances(OuterRef("user"), dimension, Exists(opened)))
    found = ApiKey.objects.order_by().filter(prefix=Given("prefix"))
    return CompiledQuery(found.values_list(*_API_KEY.columns, entrance))


def _fault(api_key: ApiKey) -> str:
    """Why the key, which is the right one, is not taken any more; "" when it is."""
    if api_key.revoked:
        return "The API key is unknown or revoked."
    if api_key.has_expired:
        return "The API key has expired."
    return "" if api_key.user.is_active else "The user of this API key is not active."


def _record_use(api_key: ApiKey) -> None:
    """Remember when the key was used, unless that was written down a moment ago."""
    now = timezone.now()
    long_ago = now - _USE_IS_RECORDED_EACH
    if api_key.last_used_at is not None and api_key.last_used_at > long_ago:
        return
    stale = ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=long_ago), pk=api_key.pk)
    try:
        with sqlite_patience(0):
            stale.update(last_used_at=now)
    except DatabaseError as error:
        # Who only reads is answered although nothing can be written: on SQLite while others write many elements, and
        # where the disk is full. The next request tries again; where nothing can be read either, this one finds out.
        if not (isinstance(error, OperationalError) and is_about_locks(error)):
            log.warning("key_use_not_recorded", error=str(error))
