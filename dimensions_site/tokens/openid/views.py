"""A browser goes to the OpenID provider and comes back signed in (contracts N1, N2; design/sign-in.md)."""

from http import HTTPStatus
from typing import Any

import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuthError
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME, login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods
from joserfc.errors import JoseError

from dimensions_site.api.access.throttling import count_refusal
from dimensions_site.repositories.audit import record_event
from dimensions_site.repositories.login.sessions import keep_while_signing_in, own_address
from dimensions_site.text.formats import shortened
from dimensions_site.tokens.openid import sessions
from dimensions_site.tokens.openid.people import SignInRefused, name_in, signed_in_account, text_in
from dimensions_site.tokens.openid.provider import ProviderUnavailable, provider

log = structlog.get_logger(__name__)

# What the page says when nobody was signed in, by its status and the reason.
_UNAVAILABLE = _("The sign-in of your company does not answer at the moment. Please try again in a few minutes.")
_TOO_MANY = _("There were too many attempts from your address. Please wait a minute, and then go back and try again.")
_TOO_LONG = _(
    "You were signed out before the form was saved. What you typed is too long to be kept here: go back in the "
    "browser, copy it, and sign in."
)
_INCOMPLETE = _("The sign-in was not completed. Please start again.")
REASONS = {
    "no_group": _(
        "None of your groups at your company has access here. Ask the administrator of this service for access, or "
        "those who manage your groups at your company."
    ),
    "locked": _("Your user is locked here. Ask your administrator."),
    "no_access": _("You have no access to the administration. Ask your administrator for it."),
    "groups_claim": _("Your company sends your groups in a form that cannot be used here."),
    "too_many_groups": _("You have more groups at your company than can be read here."),
    "subject": _("Your company sends no usable name for you."),
}
# At most as many sign-ins of one browser are open at once, in several tabs.
_MOST_OPEN = 5
_STATE = "_state_openid_"
_LONGEST_RECORDED = 255
# Seconds by which the clocks of provider and service may differ.
_LEEWAY = 30


@never_cache
@require_http_methods(["GET", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider, with state, nonce and PKCE; a POST brings what was typed in a form."""
    asked = provider()
    if request.method == "POST" and (problem := count_refusal(request)) is not None:
        return _failed(request, _TOO_MANY, HTTPStatus(problem.status_code))
    if not keep_while_signing_in(request):
        return _failed(request, _TOO_LONG, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    for old in [key for key, _value in request.session.items() if key.startswith(_STATE)][: 1 - _MOST_OPEN]:
        del request.session[old]
    back = request.build_absolute_uri(reverse("openid-callback"))
    wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
    try:
        client = asked.ask(lambda client: client)
        data = client.create_authorization_url(back)
    except ProviderUnavailable:
        return _failed(request, _UNAVAILABLE, HTTPStatus.SERVICE_UNAVAILABLE, next=wanted)
    client.save_authorize_data(request, redirect_uri=back, next=wanted, **data)
    return _away(request, data["url"])


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """Sign in who comes back from the provider with a code of this browser, and return to the page of the beginning."""
    asked = provider()
    try:
        client = asked.ask(lambda client: client)
        kept = client.framework.get_state_data(request.session, request.GET.get("state")) or {}
        _check_issuer(request, client)
        token = asked.ask(lambda client: _tokens(client, request))
    except ProviderUnavailable:
        return _failed(request, _UNAVAILABLE, HTTPStatus.SERVICE_UNAVAILABLE)
    except (AuthlibBaseError, JoseError) as error:
        log.warning("sign_in_failed", error=shortened(str(error.error)))
        return _failed(request, _INCOMPLETE, HTTPStatus.BAD_REQUEST)
    claims = token["userinfo"]
    try:
        account = signed_in_account(claims)
    except SignInRefused as refusal:
        changes = {"reason": refusal.reason, "subject": text_in(claims, "sub")[:_LONGEST_RECORDED]}
        record_event("sign_in_refused", {"user": name_in(claims)}, changes)
        return _failed(request, REASONS[refusal.reason], HTTPStatus.FORBIDDEN, name=name_in(claims))
    login(request, account.user)
    sessions.begin(request, account, token, text_in(claims, "sid"))
    record_event("sign_in_accepted", {"user": account.user.get_username(), "subject": account.subject})
    return redirect(own_address(request, kept.get(REDIRECT_FIELD_NAME, "")))


@require_http_methods(["GET", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session, and then that of the provider, if it began there."""
    hint = sessions.leave(request) if request.method == "POST" else None
    response = admin.site.logout(request)
    if hint is None or settings.OPENID_PROVIDER is None:
        return response
    parameters: dict[str, Any] = {"client_id": settings.OPENID_PROVIDER.client_id}
    if hint:
        parameters["id_token_hint"] = hint
    back = request.build_absolute_uri(reverse("admin:login"))
    try:
        client = provider().ask(lambda client: client)
    except ProviderUnavailable:
        return response
    if not client.server_metadata.get("end_session_endpoint"):
        return response
    return _away(request, client.create_logout_url(post_logout_redirect_uri=back, **parameters)["url"])


def _tokens(client: Any, request: HttpRequest) -> dict[str, Any]:
    """Return the tokens for the code, with the verified claims as `userinfo`.

    Raises OAuthError if the provider refuses the code, or the state is not one of this browser, and JoseError for an
    invalid ID token.
    """
    setting = provider().setting
    expected = {"iss": setting.issuer, "aud": setting.client_id}
    options = {name: {"essential": True, "value": value} for name, value in expected.items()}
    token: dict[str, Any] = client.authorize_access_token(request, claims_options=options, leeway=_LEEWAY)
    if not token.get("userinfo"):
        raise OAuthError(error="missing_id_token")
    return token


def _check_issuer(request: HttpRequest, client: Any) -> None:
    """Raise OAuthError for an answer of another provider (RFC 9207)."""
    issuer = request.GET.get("iss")
    is_named = client.server_metadata.get("authorization_response_iss_parameter_supported")
    if issuer != client.server_metadata["issuer"] and (is_named or issuer is not None):
        raise OAuthError(error="wrong_issuer")


def _away(request: HttpRequest, address: str) -> HttpResponse:
    """Send the browser to the provider.

    A form is answered by a page that leads there, not by a redirect: browsers apply the policy for the addresses of
    forms to each redirect, and providers redirect to further addresses.
    """
    if request.method == "GET":
        return redirect(address)
    return render(request, "admin/sign_in/away.html", {"address": address})


def _failed(request: HttpRequest, text: Any, status: HTTPStatus, **context: str) -> HttpResponse:
    """Return a page that says why nobody was signed in, and leads back to the sign-in page.

    `context` has the `name` of the person at the provider, and the address that they wanted as `next`.
    """
    page = {**admin.site.each_context(request), "text": text, **context}
    return render(request, "admin/sign_in/failed.html", page, status=status)
