"""Valid requests for tokens: logins, each grant of OAuth2, and what programs and browsers ask beside them.

Their credentials are known and valid, so that mutations get past authentication too; `holdings` has issued it.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from random import Random
from urllib.parse import urlencode

from tests.load.fuzz.message import HOST, Header, Message, Recipe

SECRET = "fuzz-secret"
# What acts as its user, what acts for whoever consents, and what may introspect the tokens of both.
WAREHOUSE, PLANNING, AUDITOR = "fuzz-warehouse", "fuzz-planning", "fuzz-auditor"
CALLBACK = "https://planning.example/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
# Each is used up by its first use, and comes again after that.
CODES = [f"fuzz-code-{number}" for number in range(40)]
ACCESS_TOKENS = [f"fuzz-access-{number}" for number in range(40)]
REFRESH_TOKENS = [f"fuzz-refresh-{number}" for number in range(40)]
# From a browser in which somebody has signed in.
SESSION = "fuzzsessionfuzzsessionfuzzsessio"
_CSRF = "c" * 32
_SCOPES = ("read", "write", "manage", "read write", "")
_RESOURCES = ("http://localhost/", "https://localhost/dimensions", "https://x.example/")


def _client_credentials(random: Random) -> Message:
    form = {"grant_type": "client_credentials", **_some(random, scope=_SCOPES, resource=_RESOURCES)}
    return _posted(random, "token", WAREHOUSE, form)


def _authorization_code(random: Random) -> Message:
    form = {"grant_type": "authorization_code", "code": random.choice(CODES), "redirect_uri": CALLBACK}
    return _posted(random, "token", PLANNING, {**form, "code_verifier": VERIFIER, **_some(random, resource=_RESOURCES)})


def _refresh_token(random: Random) -> Message:
    form = {"grant_type": "refresh_token", "refresh_token": random.choice(REFRESH_TOKENS)}
    return _posted(random, "token", PLANNING, {**form, **_some(random, scope=_SCOPES, resource=_RESOURCES)})


def _introspect(random: Random) -> Message:
    form = {"token": random.choice(ACCESS_TOKENS), **_some(random, token_type_hint=("access_token", "x"))}
    return _posted(random, "introspect", random.choice((AUDITOR, WAREHOUSE, PLANNING)), form)


def _revoke(random: Random) -> Message:
    # Few of them, so that some are always still valid.
    form = {"token": random.choice((*ACCESS_TOKENS[:5], *REFRESH_TOKENS[:5], "none"))}
    hints = ("access_token", "refresh_token", "x")
    return _posted(random, "revoke", PLANNING, {**form, **_some(random, token_type_hint=hints)})


def _question(random: Random) -> Message:
    return _page(b"GET", _asked(random))


def _consent(random: Random) -> Message:
    asked = _asked(random)
    return _form(_page(b"POST", asked), asked | {"csrfmiddlewaretoken": _CSRF, **_some(random, allow=("on",))})


def _log_in(random: Random) -> Message:
    password = random.choice(("frank-password", "wrong"))
    return _json("/auth/jwt/token", {"username": "frank", "password": password})


def _renew(random: Random) -> Message:
    claims = {"token_type": "refresh", "iss": "dimensions", "aud": "dimensions", "exp": 4_000_000_000, "jti": "fuzz"}
    header, payload = (_encoded(part) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return _json("/auth/jwt/refresh", {"refresh": random.choice(("none", f"{header}.{payload}.c2lnbmVk"))})


TOKENS: Mapping[str, Recipe] = {
    "POST /auth/jwt/token": _log_in,
    "POST /auth/jwt/refresh": _renew,
    "POST /auth/oauth2/token by client credentials": _client_credentials,
    "POST /auth/oauth2/token by authorization code": _authorization_code,
    "POST /auth/oauth2/token by refresh token": _refresh_token,
    "POST /auth/oauth2/introspect": _introspect,
    "POST /auth/oauth2/revoke": _revoke,
    "GET /auth/oauth2/authorize": _question,
    "POST /auth/oauth2/authorize": _consent,
}


def _asked(random: Random) -> dict[str, str]:
    """What a program asks for of people."""
    asked = {"response_type": "code", "client_id": PLANNING, "redirect_uri": CALLBACK, "code_challenge": CHALLENGE}
    odd = {"nonce": ("n",), "prompt": ("none",), "claims": ("{}", "[]")}
    optional = _some(random, state=("s", "s&1"), scope=_SCOPES, resource=_RESOURCES, **odd)
    return {**asked, "code_challenge_method": "S256", **optional}


def _page(method: bytes, asked: Mapping[str, str]) -> Message:
    return Message(method, f"/auth/oauth2/authorize?{urlencode(asked)}".encode(), (*HOST, _cookie()))


def _some(random: Random, **values: tuple[str, ...]) -> dict[str, str]:
    """Some of the optional parameters, each with one of its values."""
    return {name: random.choice(several) for name, several in values.items() if random.random() < 0.5}


def _posted(random: Random, path: str, client: str, form: Mapping[str, str]) -> Message:
    """The form with the secret of the program, in the header or among the parameters."""
    message = Message(b"POST", f"/auth/oauth2/{path}".encode(), HOST)
    if random.random() < 0.3:
        return _form(message, {**form, "client_id": client, "client_secret": SECRET})
    credentials = base64.b64encode(f"{client}:{SECRET}".encode())
    return _form(message.with_headers((b"Authorization", b"Basic " + credentials)), form)


def _form(message: Message, form: Mapping[str, str]) -> Message:
    kind = (b"Content-Type", b"application/x-www-form-urlencoded")
    return message.with_headers(kind).with_body(urlencode(form).encode())


def _json(path: str, body: Mapping[str, str]) -> Message:
    message = Message(b"POST", path.encode(), (*HOST, (b"Content-Type", b"application/json")))
    return message.with_body(json.dumps(body).encode())


def _cookie() -> Header:
    return (b"Cookie", f"sessionid={SESSION}; csrftoken={_CSRF}".encode())


def _encoded(part: Mapping[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
