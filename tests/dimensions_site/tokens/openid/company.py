"""An OpenID provider that a test makes honest or hostile: it answers over HTTP, with what the test has prepared."""

import base64
import hashlib
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import jwt
from django.test import Client

from dimensions_site.tokens.configuration import OpenIdProvider
from tests.dimensions_site.tokens.provider import Served, public_jwk, published_key

CLIENT_ID, SECRET = "dimensions-pages", "a-secret-between-the-service-and-its-provider"
START, CALLBACK, LOGOUT = "/admin/sign-in/", "/admin/sign-in/done/", "/auth/openid/logout"
EVENT = "http://schemas.openid.net/event/backchannel-logout"


class Company(Served):
    """People sign in by `code`, which stands for its pages.

    `metadata` changes the discovery document, `refusal` is the error of the token endpoint, and `userinfo` the status
    of that endpoint; `status` is that of all answers.
    """

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.refusal: str | None = None
        self.tokens: dict[str, Any] = {"refresh_token": "first-refresh"}
        self.refreshed: list[str] = []
        self.userinfo = 200
        self.status = 200
        self._codes: dict[str, tuple[dict[str, str], Callable[[], str]]] = {}
        super().__init__()
        self.new_key("one")

    def answer_to(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        status, body = self._answer_to(path, form, authorization)
        return status if self.status == 200 else self.status, body

    def as_setting(self, **changed: Any) -> OpenIdProvider:
        given = {"groups_claim": "groups", "scopes": ("openid", "profile"), **changed}
        return OpenIdProvider(issuer=self.issuer, client_id=CLIENT_ID, client_secret=SECRET, **given)

    def new_key(self, kid: str, algorithm: str = "RS256") -> None:
        self.keys[kid] = published_key(kid, algorithm)

    def sign(self, claims: dict[str, Any], *, kid: str = "one", key: Any = None, algorithm: str = "RS256") -> str:
        """A token with the claims; None removes a claim."""
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, self.keys[kid] if key is None else key, algorithm, {"kid": kid})

    def claims(self, parameters: dict[str, str], **changed: Any) -> dict[str, Any]:
        """The claims of a good ID token of Nora, for the parameters of the authorization request."""
        now = int(time.time())
        good = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "81f2", "iat": now, "exp": now + 300, "sid": "sid-1"}
        known = {"preferred_username": "nora", "email": "nora@example.com", "groups": ["accounting"]}
        return {**good, **known, "nonce": parameters.get("nonce"), **changed}

    def logout_token(self, **changed: Any) -> str:
        now = int(time.time())
        good = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": uuid4().hex}
        signing = {name: changed.pop(name) for name in ("kid", "key", "algorithm") if name in changed}
        return self.sign({**good, "events": {EVENT: {}}, "sid": "sid-1", "sub": "81f2", **changed}, **signing)

    def code(self, parameters: dict[str, str], sign: Callable[[], str] | None = None, **changed: Any) -> str:
        """The code for which the token endpoint answers the ID token of a person who has signed in."""
        code = uuid4().hex
        self._codes[code] = (parameters, sign or (lambda: self.sign(self.claims(parameters, **changed))))
        return code

    def _answer_to(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        if path == "/.well-known/openid-configuration":
            return 200, self._discovery()
        if path == "/keys":
            return 200, {"keys": [public_jwk(key, kid) for kid, key in self.keys.items()]}
        if path == "/userinfo":
            return self.userinfo, {"sub": "81f2"}
        if path != "/token":
            return 404, {}
        if authorization != "Basic " + base64.b64encode(f"{CLIENT_ID}:{SECRET}".encode()).decode():
            return 401, {"error": "invalid_client"}
        if self.refusal is not None:
            return 400, {"error": self.refusal, "error_description": "a text of the provider"}
        access = {"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 300, **self.tokens}
        if form["grant_type"] == "refresh_token":
            self.refreshed.append(form["refresh_token"])
            return 200, {**access, "refresh_token": f"refresh-{len(self.refreshed)}"}
        parameters, id_token = self._codes.pop(form["code"], ({}, str))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if not parameters or (challenge, form["redirect_uri"]) != (
            parameters["code_challenge"],
            parameters["redirect_uri"],
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {**access, "id_token": id_token()}

    def _discovery(self) -> dict[str, Any]:
        addresses = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "jwks_uri": "keys",
            "userinfo_endpoint": "userinfo",
            "end_session_endpoint": "end",
        }
        known = {name: f"{self.issuer}/{path}" for name, path in addresses.items()}
        found = {"issuer": self.issuer, **known, "id_token_signing_alg_values_supported": ["RS256"], **self.metadata}
        return {name: value for name, value in found.items() if value is not None}


def asked_for(browser: Client, next_address: str = "") -> dict[str, str]:
    """The parameters with which the service sends the browser to the provider."""
    sent = browser.get(f"{START}?{urlencode({'next': next_address})}")
    assert sent.status_code == 302, sent.content.decode()
    return parameters_of(sent["Location"])


def parameters_of(address: str) -> dict[str, str]:
    """The parameters of an authorization request."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def come_back(browser: Client, parameters: dict[str, str], code: str, **changed: str) -> Any:
    """The browser returns from the provider with the code."""
    return browser.get(f"{CALLBACK}?{urlencode({'code': code, 'state': parameters['state'], **changed})}")


def sign_in(company: Company, browser: Client, next_address: str = "", **claims: Any) -> Any:
    """Sign in from the first page to the last answer."""
    parameters = asked_for(browser, next_address)
    return come_back(browser, parameters, company.code(parameters, **claims))


def is_signed_in(browser: Client) -> bool:
    """Whether the browser gets the texts of scripts, which only who has signed in does; a page takes longer."""
    return bool(browser.get("/admin/jsi18n/").status_code == 200)
