"""Authentication by API key (contract G1; design/access.md)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import Any

import structlog
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.db.transactions import is_about_locks, sqlite_timeout
from dimensions_site.observability.observation import current_observation
from dimensions_site.repositories.models import ApiKey, Repository, Role
from dimensions_site.repositories.permissions import Access, Credential, access_query, find_access, is_db_id

log = structlog.get_logger(__name__)

# The precision of a key's last use, so that not every request writes.
_USE_IS_RECORDED_EACH = timedelta(minutes=1)
_KEY_COLUMNS, _USER_COLUMNS = ([field.attname for field in model._meta.concrete_fields] for model in (ApiKey, User))
_KEY = re.compile(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}")


@dataclass(frozen=True)
class KeyCredential(Credential):
    """An API key by its primary key, with the access that it gives to the path of the request (`found`)."""

    key: str = ""
    found: Mapping[tuple[str, str], Access | None] = field(default_factory=dict)

    def access(self, user: User, db_id: str, dimension: str) -> Access | None:
        """Return the `user`'s access with the key, without a query for the path of the request."""
        if (db_id, dimension) in self.found:
            return self.found[db_id, dimension]
        other = find_access(user, db_id, dimension)
        if other is None:
            return None
        opened = _OPENED.first(key=self.key, repository=other.repository.pk)
        return replace(other, is_within=opened is not None)

    def repositories(self) -> QuerySet[Repository]:
        covering = ApiKey.objects.filter(Q(is_limited=False) | Q(repositories=OuterRef("pk")), pk=self.key)
        return Repository.objects.filter(Exists(covering))


_OPENED = CompiledQuery(
    ApiKey.objects.filter(Q(is_limited=False) | Q(repositories=Param("repository")), pk=Param("key")).values_list("pk")
)


class ApiKeyAuthentication(BaseAuthentication):
    """Accepts `Authorization: Api-Key <key>` and `X-API-Key: <key>`.

    One query reads the key, its user, and their access to the repository of the request.
    """

    mode = "api-key"
    scheme = "Api-Key"

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        """Return the key's user and credential, or None if the request has no API key.

        Raises `AuthenticationFailed` (401) for a malformed, unknown, revoked or expired key, and for an inactive user.
        """
        key = self._key(request)
        if key is None:
            return None
        if not _KEY.fullmatch(key):
            raise AuthenticationFailed("This is not an API key of this service.")
        db_id, dimension = db_id_and_dimension(request)
        row = _compiled(dimension).first(prefix=key[:8], db_id=db_id if is_db_id(db_id) else "")
        if row is None or not (api_key := _key_in(row)).is_valid(key):
            raise AuthenticationFailed("The API key is unknown or revoked.")
        if error := _error(api_key):
            if observed := current_observation():  # shows operators which client still uses an old key
                observed.name(tried=api_key.user.get_username(), key=api_key.prefix)
            raise AuthenticationFailed(error)
        _record_use(api_key)
        found = {(db_id, dimension): None if row[-1] is None else Access.read(row[-1])}
        role = Role(api_key.role)
        credential = KeyCredential("API key", api_key.name, role, api_key.dimension, key=api_key.pk, found=found)
        return api_key.user, credential

    def authenticate_header(self, request: Request) -> str:
        return f'{self.scheme} realm="dimensions"'

    def _key(self, request: Request) -> str | None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == self.scheme.lower():
            return key.strip()
        return request.headers.get("X-API-Key") or None


def db_id_and_dimension(request: Request) -> tuple[str, str]:
    """Return the `dbID` and the dimension of the request's URL, empty where it has none."""
    context = request.parser_context
    return context["kwargs"].get("db_id", ""), str(getattr(context["view"], "dimension", ""))


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Compiled once: building it takes a quarter of the time of a GET.
    opened = ApiKey.objects.filter(Q(is_limited=False) | Q(repositories=OuterRef("pk")), pk=OuterRef(OuterRef("pk")))
    access = Subquery(access_query(OuterRef("user"), dimension, Exists(opened)))
    found = ApiKey.objects.order_by().filter(prefix=Param("prefix"))
    return CompiledQuery(found.values_list(*_KEY_COLUMNS, *(f"user__{name}" for name in _USER_COLUMNS), access))


def _key_in(row: Sequence[Any]) -> ApiKey:
    count = len(_KEY_COLUMNS)
    api_key = ApiKey.from_db(DEFAULT_DB_ALIAS, _KEY_COLUMNS, row[:count])
    api_key.user = User.from_db(DEFAULT_DB_ALIAS, _USER_COLUMNS, row[count:-1])
    return api_key


def _error(api_key: ApiKey) -> str:
    """Return why the key, which is genuine, is rejected; "" if it is accepted."""
    if api_key.revoked:
        return "The API key is unknown or revoked."
    if api_key.has_expired:
        return "The API key has expired."
    return "" if api_key.user.is_active else "The user of this API key is not active."


def _record_use(api_key: ApiKey) -> None:
    now = timezone.now()
    long_ago = now - _USE_IS_RECORDED_EACH
    if api_key.last_used_at is not None and api_key.last_used_at > long_ago:
        return
    stale = ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=long_ago), pk=api_key.pk)
    try:
        with sqlite_timeout(0):
            stale.update(last_used_at=now)
    except DatabaseError as error:
        # A read must succeed even if nothing can be written: on SQLite during a bulk save, or with a full disk. The
        # next request tries again.
        if not (isinstance(error, OperationalError) and is_about_locks(error)):
            log.warning("key_use_not_recorded", error=str(error))
