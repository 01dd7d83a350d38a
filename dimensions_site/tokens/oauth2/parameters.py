"""Reject OAuth2 parameters on which the libraries or the database would fail (contract B3)."""

from urllib.parse import urlsplit

from django.http import QueryDict
from oauthlib.oauth2 import InvalidRequestError, OAuth2Error
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

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
