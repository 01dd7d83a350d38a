"""What the libraries leave open about OAuth2: unusable parameters (contract B3), and the answers to errors."""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponse, QueryDict
from oauthlib.oauth2 import InvalidRequestError, OAuth2Error
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from dimensions_site.tokens.configuration import SCOPES

# RFC 8707 allows repeating this one; the consent page has the URIs in one text.
RESOURCE = "resource"
# The sizes of the database columns. RFC 7636 allows no longer challenge.
_LONGEST = {"code_challenge": 128, "code_challenge_method": 10, "nonce": 255}


def error_of(parameters: QueryDict) -> OAuth2Error | None:
    """Return the first error that the libraries would not detect; None if there is none."""
    for name, values in parameters.lists():
        if len(values) > 1 and name != RESOURCE:
            return InvalidRequestError(f"The parameter {name[:50]} must appear only once.")
        if "\0" in name or any("\0" in value for value in values):
            return InvalidRequestError("A parameter contains a NUL character.")
        longest = _LONGEST.get(name)
        if longest is not None and any(len(value) > longest for value in values):
            return InvalidRequestError(f"The parameter {name} is longer than {longest} characters.")
    if not all(map(_is_uri, parameters.getlist("redirect_uri"))):
        return InvalidRequestError("The parameter redirect_uri is not a valid URI.")
    if not all(_is_uri(uri) for value in parameters.getlist(RESOURCE) for uri in value.split()):
        return CustomOAuth2Error("invalid_target", "The parameter resource is not a valid URI.")
    return None


def _is_uri(text: str) -> bool:
    """Return whether the text can be parsed as a URI; the libraries check its kind."""
    try:
        parts = urlsplit(text)
        return parts.port is None or parts.port >= 0
    except ValueError:
        return False


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


def complete_answer(answer: HttpResponse) -> HttpResponse:
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
