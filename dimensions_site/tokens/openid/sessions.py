"""Sessions that began at the OpenID provider, which is asked whether they go on (contract N4; design/sign-in.md).

A session of the pages has the key of a `ProviderSession`; it ends with that row.
"""

import base64
import hmac
from datetime import timedelta
from typing import Any

import orjson
import structlog
from authlib.common.errors import AuthlibBaseError
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.db.transaction import atomic
from django.http import HttpRequest
from django.utils import timezone
from joserfc.errors import JoseError

from dimensions_site.repositories.audit import record_event
from dimensions_site.text.formats import shortened
from dimensions_site.tokens.models import ProviderAccount, ProviderSession
from dimensions_site.tokens.openid.people import SignInRefused
from dimensions_site.tokens.openid.provider import ProviderUnavailable, provider

log = structlog.get_logger(__name__)

_KEY = "provider_session"
_LONGEST_SID = 255
# Without an answer, a session goes on until the provider has been silent for so many checks, by default an hour.
_MISSED = 4
_ASKED_AGAIN = timedelta(minutes=1)
# The provider's answers to a refresh token that mean the person; all others mean us, or that it is out of order.
_REFUSALS = {"invalid_grant", "access_denied", "login_required", "interaction_required", "consent_required"}
# The ID token goes into the address of the logout, which many servers refuse when it is longer.
_LONGEST_HINT = 4096


def begin(request: HttpRequest, account: ProviderAccount, token: dict[str, Any], sid: str) -> None:
    """Keep the id of the session at the provider, and encrypted the tokens with which it is asked."""
    now = timezone.now()
    row = ProviderSession.objects.create(
        account=account,
        sid=sid if len(sid) <= _LONGEST_SID else "",
        sealed=_sealed(token),
        checked_at=now,
        due_at=now + _interval(),
        expires_at=now + timedelta(hours=settings.SESSION_HOURS),
    )
    request.session[_KEY] = str(row.pk)


def user_of(request: HttpRequest) -> User | AnonymousUser:
    """Return the user of the session; nobody once the provider has ended it, or has not confirmed it for too long."""
    user = get_user(request)
    key = request.session.get(_KEY) if user.is_authenticated else None
    if key is None:
        return user
    row = ProviderSession.objects.select_related("account__user").filter(pk=key).first()
    if row is not None and settings.OPENID_PROVIDER is not None and _is_confirmed(row):
        return user
    if row is None or not ProviderSession.objects.filter(pk=key).exists():
        request.session.flush()
    return AnonymousUser()


@atomic
def end_sessions(rows: QuerySet[ProviderSession], reason: str) -> int:
    """End the sessions, record that, and return their number."""
    found = list(rows.select_related("account__user"))
    for row in found:
        subject = {"user": row.account.user.get_username(), "subject": row.account.subject}
        record_event("sign_in_ended", subject, {"reason": reason})
    ProviderSession.objects.filter(pk__in=[row.pk for row in found]).delete()
    return len(found)


def leave(request: HttpRequest) -> str | None:
    """End the provider's part of the session; return its ID token, or None if it did not begin at the provider."""
    key = request.session.get(_KEY)
    row = None if key is None else ProviderSession.objects.filter(pk=key).first()
    if row is None:
        return None
    row.delete()
    return str(_opened(row).get("id_token", ""))


def _is_confirmed(row: ProviderSession) -> bool:
    """Return whether the provider has confirmed the session lately; ask it when that is due, in one request of all."""
    now = timezone.now()
    claimed = ProviderSession.objects.filter(pk=row.pk, due_at=row.due_at)
    if row.due_at <= now and claimed.update(due_at=now + _ASKED_AGAIN):
        try:
            sealed = _sealed(_confirmed(_opened(row)))
        except SignInRefused as refusal:
            end_sessions(ProviderSession.objects.filter(pk=row.pk), refusal.reason)
            return False
        except ProviderUnavailable:
            pass
        else:
            ProviderSession.objects.filter(pk=row.pk).update(sealed=sealed, checked_at=now, due_at=now + _interval())
            return True
    return row.checked_at > now - _MISSED * _interval()


def _confirmed(token: dict[str, Any]) -> dict[str, Any]:
    """Return the tokens after the provider has confirmed the session.

    Raises SignInRefused if it does not, or cannot be asked; ProviderUnavailable without an answer about the person.
    """
    try:
        if refresh := token.get("refresh_token"):
            renewed = provider().ask(
                lambda client: client.fetch_access_token(grant_type="refresh_token", refresh_token=refresh)
            )
            if not renewed.get("access_token"):
                raise ProviderUnavailable
            return {**token, "refresh_token": renewed.get("refresh_token") or refresh}
        status = provider().ask(lambda client: _userinfo_status(client, token))
    except (AuthlibBaseError, JoseError) as error:
        if error.error in _REFUSALS:
            raise SignInRefused("provider_refused") from None
        log.warning("openid_provider_unavailable", error=shortened(str(error.error)))
        raise ProviderUnavailable from error
    if status is None or status in (401, 403):
        raise SignInRefused("not_checkable" if status is None else "provider_refused")
    return token


def _userinfo_status(client: Any, token: dict[str, Any]) -> int | None:
    """Return the status of the answer about the person; None if the provider cannot be asked."""
    address = client.server_metadata.get("userinfo_endpoint")
    if address is None or not token.get("access_token"):
        return None
    answer = client.get(address, token={"access_token": token["access_token"], "token_type": "Bearer"})
    if answer.status_code not in (401, 403):
        answer.raise_for_status()
    return int(answer.status_code)


def _interval() -> timedelta:
    return timedelta(minutes=settings.OIDC_CHECK_MINUTES)


def _sealed(token: dict[str, Any]) -> str:
    needed = "refresh_token" if token.get("refresh_token") else "access_token"
    hint = {"id_token": token["id_token"]} if 0 < len(token.get("id_token", "")) <= _LONGEST_HINT else {}
    kept = {needed: token.get(needed, ""), **hint}
    return _keys().encrypt(orjson.dumps(kept)).decode()


def _opened(row: ProviderSession) -> dict[str, Any]:
    """Return the tokens; none after SECRET_KEY has changed without a fallback."""
    try:
        tokens: dict[str, Any] = orjson.loads(_keys().decrypt(row.sealed))
    except InvalidToken:
        return {}
    return tokens


def _keys() -> MultiFernet:
    """Return keys that encrypt nothing else."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    purpose = b"dimensions: tokens of the OpenID provider"
    return MultiFernet(
        Fernet(base64.urlsafe_b64encode(hmac.digest(secret.encode(), purpose, "sha256"))) for secret in secrets
    )
