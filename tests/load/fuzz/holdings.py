"""What the requests of `tokens` show is made in the database: programs, codes, tokens, and a browser of somebody."""

from datetime import timedelta
from uuid import uuid4

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken, set_token_value

from dimensions_site.tokens.models import Application
from tests.load.fuzz import tokens


def hand_out(user: User) -> None:
    """Make everything for the user, valid for the duration of the run."""
    code = {"authorization_grant_type": "authorization-code", "redirect_uris": tokens.CALLBACK}
    planning = _application(tokens.PLANNING, **code)
    _application(tokens.WAREHOUSE, authorization_grant_type="client-credentials", user=user)
    _application(tokens.AUDITOR, authorization_grant_type="client-credentials", user=user, may_introspect=True)
    held = {"user": user, "application": planning}
    expires = timezone.now() + timedelta(days=1)
    for value in tokens.CODES:
        challenge = {"code_challenge": tokens.CHALLENGE, "code_challenge_method": "S256"}
        Grant.objects.create(
            code=value, expires=expires, redirect_uri=tokens.CALLBACK, scope="write", **held, **challenge
        )
    for access, refresh in zip(tokens.ACCESS_TOKENS, tokens.REFRESH_TOKENS, strict=True):
        opening = AccessToken(expires=expires, scope="write", **held)
        set_token_value(opening, access)
        opening.save()
        renewing = RefreshToken(access_token=opening, token_family=uuid4(), **held)
        set_token_value(renewing, refresh)
        renewing.save()
    Client().force_login(user)
    Session.objects.update(session_key=tokens.SESSION)


def _application(name: str, **fields: object) -> Application:
    application = Application(name=name, client_id=name, client_secret=tokens.SECRET, **fields)
    application.full_clean()
    application.save()
    return application
