"""The site of the OpenID provider of `openid_provider.py`: its people, claims and addresses.

Nora and Mara are in the group `accounting`, Zoe is in none. `/set/client?address=…` registers the service at that
address, `/set/leave` has Nora leave the company, and `/set/move` moves Mara to the group `audit`.
"""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from oauth2_provider.models import AccessToken, Application, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator

from tests.services.openid_provider import CLIENT_ID, PASSWORD, SECRET

_GROUPS = {"nora": ["accounting"], "zoe": [], "mara": ["accounting"]}


def add_people() -> None:
    for name in _GROUPS:
        User.objects.create_user(name, f"{name}@example.com", PASSWORD)


class Validator(OAuth2Validator):  # type: ignore[misc]
    """Adds the claims of this company."""

    oidc_claim_scope = None

    def get_additional_claims(self, request: Any) -> dict[str, Any]:
        name = request.user.get_username()
        return {"preferred_username": name, "email": request.user.email, "groups": _GROUPS[name]}


def set_client(request: HttpRequest) -> HttpResponse:
    address = request.GET["address"]
    Application.objects.create(
        client_id=CLIENT_ID,
        client_secret=SECRET,
        client_type="confidential",
        authorization_grant_type="authorization-code",
        redirect_uris=f"{address}/admin/sign-in/done/",
        post_logout_redirect_uris=f"{address}/admin/login/",
        algorithm="RS256",
        skip_authorization=True,
    )
    return HttpResponse()


def leave(request: HttpRequest) -> HttpResponse:
    User.objects.filter(username="nora").update(is_active=False)
    RefreshToken.objects.all().delete()
    AccessToken.objects.all().delete()
    return HttpResponse()


def move(request: HttpRequest) -> HttpResponse:
    _GROUPS["mara"] = ["audit"]
    return HttpResponse()


urlpatterns = [
    path("login", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("set/client", set_client),
    path("set/leave", leave),
    path("set/move", move),
]
