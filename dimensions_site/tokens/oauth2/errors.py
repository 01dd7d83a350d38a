"""Errors of the OAuth2 endpoints in the form of RFC 6749, 5.2: with a description, and a challenge for 401."""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

from dimensions_site.api.access.modes import SCOPES

# Responses may contain a token and must not be cached; the second header is for HTTP/1.0 caches.
JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"}
# How applications authenticate here. OAuthlib names `Bearer`, the scheme of the tokens that they do not have yet.
_CHALLENGE = 'Basic realm="dimensions", charset="UTF-8"'
# Descriptions of errors that the libraries raise without one.
_DESCRIPTIONS: Mapping[str, str] = {
    "invalid_client": "The application did not authenticate, is unknown, or its secret is wrong.",
    "invalid_grant": "The authorization code or refresh token is unknown, expired, used or ended, or was issued to "
    "another application or for another redirect_uri.",
    "invalid_scope": f"The scopes are {', '.join(SCOPES)}; a scope is unknown or wider than what was granted.",
    "unauthorized_client": "The application may not use this grant.",
}
# How OAuthlib names a parameter that is missing.
_MISSING = re.compile(r"Missing (.+) parameter\.")
_OTHERWISE = "A parameter of the request is missing or malformed."
# The characters that RFC 6749 allows in a description.
_NOT_ALLOWED = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")


def completed(answer: HttpResponse) -> HttpResponse:
    """Return `answer`; if it is an error, with the members and headers that clients need to report it."""
    for name, value in JSON_HEADERS.items():
        answer.headers.setdefault(name, value)
    if answer.status_code < HTTPStatus.BAD_REQUEST:
        return answer
    body: dict[str, Any] = json.loads(answer.content)
    sentence = body.get("error_description") or _DESCRIPTIONS.get(body["error"], _OTHERWISE)
    if missing := _MISSING.fullmatch(sentence):
        sentence = f"The parameter {missing[1].replace(' ', '_')} is missing."
    answer.content = json.dumps({**body, "error_description": _NOT_ALLOWED.sub("?", sentence)}).encode()
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = _CHALLENGE
    return answer
