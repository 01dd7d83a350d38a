"""The provider ends sessions at once, with a logout token (OpenID Connect Back-Channel Logout 1.0; contract N4)."""

import hashlib
import time
from datetime import timedelta
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from dimensions_site.api.access.throttling import count_refusal, refusal_limit_problem
from dimensions_site.tokens.models import ProviderSession, UsedToken
from dimensions_site.tokens.openid.provider import ALGORITHMS, OpenIdClient, ProviderUnavailable, provider
from dimensions_site.tokens.openid.sessions import end_sessions

log = structlog.get_logger(__name__)

_EVENT = "http://schemas.openid.net/event/backchannel-logout"
_LONGEST_TOKEN = 64 * 1024
# Seconds after its issue in which a token is accepted, and by which clocks may differ.
_ACCEPTED_FOR, _LEEWAY = 300, 30


@csrf_exempt
@never_cache
@require_POST
def back_channel_logout(request: HttpRequest) -> HttpResponse:
    """End the sessions that the logout token names by `sid`, else all of the person `sub`."""
    asked = provider()
    if (problem := refusal_limit_problem(request)) is not None:
        return _refusal(429, "temporarily_unavailable", problem.headers)
    try:
        claims = _verified(request.POST.get("logout_token", ""), asked)
    except ProviderUnavailable:
        return _refusal(503, "temporarily_unavailable", {})
    except (JoseError, ValueError, TypeError, LookupError) as error:
        count_refusal(request)
        log.warning("logout_token_refused", error=type(error).__name__)
        return _refusal(400, "invalid_request", {})
    sessions = ProviderSession.objects.filter(account__issuer=asked.setting.issuer)
    if sid := claims.get("sid"):
        sessions = sessions.filter(sid=sid)
    if subject := claims.get("sub"):
        sessions = sessions.filter(account__subject=subject)
    end_sessions(sessions, "logout_at_the_provider")
    return HttpResponse()


def _verified(token: str, asked: OpenIdClient) -> dict[str, Any]:
    """Return the claims of a logout token that is used for the first time.

    Raises ProviderUnavailable, JoseError for a bad signature or claim, and ValueError for other errors.
    """
    if not 0 < len(token) <= _LONGEST_TOKEN:
        raise ValueError("The token is empty or too long.")
    try:
        claims = _signed_claims(asked, token)
    except InvalidKeyIdError:
        if not asked.renew():
            raise
        claims = _signed_claims(asked, token)
    registry = jwt.JWTClaimsRegistry(
        leeway=_LEEWAY,
        iss={"essential": True, "value": asked.setting.issuer},
        aud={"essential": True, "value": asked.setting.client_id},
        iat={"essential": True},
        jti={"essential": True},
        events={"essential": True},
    )
    registry.validate(claims)
    names = [claims.get("sid"), claims.get("sub")]
    is_for_logout = isinstance(claims["events"], dict) and isinstance(claims["events"].get(_EVENT), dict)
    if "nonce" in claims or not is_for_logout or not any(names):
        raise ValueError("The token is not one for logout.")
    if not all(name is None or (isinstance(name, str) and name.isprintable()) for name in [*names, claims["jti"]]):
        raise ValueError("A claim is not a text.")
    if not claims["iat"] >= time.time() - _ACCEPTED_FOR:
        raise ValueError("The token is too old.")
    used = hashlib.sha256(f"{claims['iss']} {claims['jti']}".encode()).hexdigest()[:32]
    expires_at = timezone.now() + timedelta(seconds=2 * _ACCEPTED_FOR)
    if not UsedToken.objects.get_or_create(jti=used, defaults={"expires_at": expires_at})[1]:
        raise ValueError("The token has been used before.")
    return claims


def _signed_claims(asked: OpenIdClient, token: str) -> dict[str, Any]:
    """Return the claims of a token that the provider has signed. Raises JoseError, and ProviderUnavailable."""
    algorithms, keys = asked.ask(lambda client: (client.server_metadata[ALGORITHMS], client.fetch_jwk_set()))
    registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
    claims: dict[str, Any] = jwt.decode(token, KeySet.import_key_set(keys), registry=registry).claims
    return claims


def _refusal(status: int, error: str, headers: Any) -> HttpResponse:
    return JsonResponse({"error": error}, status=status, headers=headers)
