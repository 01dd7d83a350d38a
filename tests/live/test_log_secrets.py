"""No line of the log contains a secret: of a whole service at its most verbose, whatever is done with secrets.

Whoever adds a way to send a secret adds it here: to `SENT`, or by `keep` where the service makes it.
"""

import base64
import json
import os
import re
import socket
import urllib.parse
import urllib.request
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.services.clerk import prepare, run_command
from tests.services.database import migrated_database
from tests.services.service import Service, serving
from tests.services.worker import delete, wait_until, working

CURRENCIES = "/api/aih/dimensions/v1/northwind/currency"
FORM = "application/x-www-form-urlencoded"

# What clients send, by where; each text occurs nowhere else.
SENT = {
    "wrong password": "hush-wrong-password",
    "wrong key": "hush4567.hushhushhushhushhushhushhushhush",
    "bearer token": "hush-bearer-token",
    "query": "hush-query",
    "filter": "hush-filter",
    "path": "hush-path",
    "unknown address": "hush-unknown-address",
    "body": "hush-body",
    "malformed body": "hush-malformed-body",
    "bulk body": "hush-bulk-body",
    "id to delete": "hush-id-to-delete",
    "malformed header": "hush-malformed-header",
    "malformed request line": "hush-malformed-request-line",
    "malformed chunk": "hush-malformed-chunk",
    "referer": "hush-referer",
    "cookie": "hush-cookie",
    "typed as user name": "hush-typed-as-user-name",
    "wrong password of the form": "hush-wrong-password-of-the-form",
    "new password": "hush-New-Password-7",
    "client secret": "hush-client-secret",
}


class Run:
    """A running service, and all secrets that have come up so far."""

    def __init__(self, service: Service, database_url: str) -> None:
        self.service = service
        self.database_url = database_url
        self.secrets = {**SENT, "password": "alice-password", "key": service.key}
        self._jar = CookieJar()
        self._visitor = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self._jar)
        )

    def keep(self, where: str, secret: str) -> str:
        """Search the log for it, too; return it."""
        assert len(secret) >= 8, where
        self.secrets[where] = secret
        return secret

    def call(self, method: str, address: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """A call without other credentials than those given; status and body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self._address(address), body, named, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as response:
                return response.status, response.read().decode()
        except HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def send_raw(self, data: str) -> None:
        """Send what no client of HTTP would."""
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=60) as connection:
            connection.sendall(data.encode())
            with suppress(ConnectionError):
                while connection.recv(65536):
                    pass

    def fill_in(self, address: str, **fields: str) -> str:
        """Send a form of the administration, with what it has hidden in it; the page that follows."""
        page = self._visitor.open(self._address(address), timeout=60).read().decode()
        token = self.keep(f"form token of {address}", re.findall('name="csrfmiddlewaretoken" value="(.+?)"', page)[0])
        sent = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **fields}).encode()
        with suppress(HTTPError):
            answer: str = self._visitor.open(self._address(address), sent, timeout=60).read().decode()
            return answer
        return ""

    def cookies(self) -> dict[str, str]:
        """The cookies of the administration."""
        return {cookie.name: cookie.value or "" for cookie in self._jar}

    def _address(self, address: str) -> str:
        return f"http://127.0.0.1:{self.service.port}{address}"


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def call_with_credentials(run: Run) -> None:
    """Right ones and wrong ones, in each header."""
    key = run.service.key
    right = run.keep("password in Base64", basic("alice", "alice-password").removeprefix("Basic "))
    wrong = run.keep("wrong password in Base64", basic("alice", SENT["wrong password"]).removeprefix("Basic "))
    count = f"{CURRENCIES}/elements-count"
    statuses = [
        run.call("GET", count, None, **headers)[0]
        for headers in (
            {"Authorization": f"Basic {right}"},
            {"X_API_Key": key},
            {"Authorization": f"Api-Key {key}"},
            {"Authorization": f"Basic {wrong}"},
            {"Authorization": basic(SENT["typed as user name"], "x")},
            {"X_API_Key": SENT["wrong key"]},
            {"Authorization": f"Api-Key {SENT['wrong key']}"},
            {"Authorization": f"Bearer {SENT['bearer token']}"},
            {"Cookie": f"sessionid={SENT['cookie']}"},
        )
    ]
    assert statuses == [200] * 3 + [401] * 6


def call_with_tokens(run: Run) -> None:
    """Tokens of all kinds, for right and wrong secrets."""
    count = f"{CURRENCIES}/elements-count"
    secret = run.keep("secret of an application", "hush-secret-of-an-application-0123456789")
    run_command(
        run.database_url, "createapplication", "confidential", "client-credentials",
        "--client-id", "erp-client", "--client-secret", secret, "--user", "1", "--name", "ERP",
    )  # fmt: skip
    for password in ("alice-password", SENT["wrong password"]):
        body = json.dumps({"username": "alice", "password": password}).encode()
        status, answer = run.call("POST", "/auth/jwt/token", body, Content_Type="application/json")
        if status == 200:
            access, refresh = json.loads(answer)["access"], json.loads(answer)["refresh"]
            run.keep("access token", access)
            run.keep("refresh token", refresh)
            assert run.call("GET", count, Authorization=f"Bearer {access}")[0] == 200
            renewed = run.call(
                "POST", "/auth/jwt/refresh", json.dumps({"refresh": refresh}).encode(), Content_Type="application/json"
            )
            run.keep("renewed access token", json.loads(renewed[1])["access"])
    for sent in (secret, SENT["client secret"]):
        form = urllib.parse.urlencode(
            {"grant_type": "client_credentials", "client_id": "erp-client", "client_secret": sent}
        )
        status, answer = run.call("POST", "/auth/oauth2/token", form.encode(), Content_Type=FORM)
        if status == 200:
            token = run.keep("opaque token", json.loads(answer)["access_token"])
            assert run.call("GET", count, Authorization=f"Bearer {token}")[0] == 200


def call_with_secrets_in_the_wrong_place(run: Run) -> None:
    """In addresses, bodies, other headers, and in what is not HTTP at all."""
    service = run.service
    service.send("GET", f"{CURRENCIES}/elements?api_key={SENT['query']}")
    service.send("GET", f"{CURRENCIES}/elements?filter=id=={SENT['filter']}")
    service.send("GET", f"{CURRENCIES}/elements/{SENT['path']}")
    service.send("GET", f"/api/{SENT['unknown address']}", Referer=f"http://localhost/?x={SENT['referer']}")
    service.send("GET", f"/{SENT['unknown address']}?x={SENT['query']}")
    service.send("POST", f"{CURRENCIES}/elements", {"id": SENT["body"], "password": SENT["body"]})
    service.send("POST", f"{CURRENCIES}/elements", f'{{"x": "{SENT["malformed body"]}'.encode())
    service.send("POST", f"{CURRENCIES}/elements-bulk", {"post": [{"id": SENT["bulk body"]}]})
    run.send_raw(f"GET / HTTP/1.1\r\nHost: localhost\r\nX-API-Key {SENT['malformed header']}\r\n\r\n")
    run.send_raw(f"GET / HTTP/1.1\r\nHost: localhost\r\nX-API-Key\x01: {SENT['malformed header']}\r\n\r\n")
    run.send_raw(f"GET /?x={SENT['malformed request line']}\r\nHost: localhost\r\n\r\n")
    head = f"POST {CURRENCIES}/elements HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {service.key}\r\n"
    chunked = f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    run.send_raw(f"{chunked}{SENT['malformed chunk']}\r\n")


def use_the_administration(run: Run) -> None:
    """Sign in, also with errors; make a key and a user, change a password."""
    sign_in = "/admin/login/?next=/admin/"
    run.fill_in(sign_in, username="alice", password=SENT["wrong password of the form"])
    run.fill_in(sign_in, username=SENT["typed as user name"], password="x")
    assert "alice" in run.fill_in(sign_in, username="alice", password="alice-password")
    page = run.fill_in("/admin/repositories/apikey/add/", name="ERP", user="1", dimension="all", role="4", _save="Save")
    key = run.keep("new key", re.findall(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}", page)[0])
    assert run.call("GET", f"{CURRENCIES}/elements-count", X_API_Key=key)[0] == 200
    new = {"password1": SENT["new password"], "password2": SENT["new password"], "usable_password": "true"}
    no_grants = {"access_grants-TOTAL_FORMS": "0", "access_grants-INITIAL_FORMS": "0"}
    typed = {"new_password": SENT["new password"], "is_staff": "on", **no_grants}
    assert "erp" in run.fill_in("/admin/auth/user/add/", username="erp", **typed, _save="Save")
    run.fill_in("/admin/auth/user/1/password/", **new)
    for name, value in run.cookies().items():
        if len(value) >= 8:
            run.keep(f"cookie {name}", value)


@pytest.mark.contract("B2", "G1")
def test_no_secret_stands_in_the_log(tmp_path: Path):
    """Nor a part of a request that could be one; everything else is there, each event as an object on a line."""
    talkative = {"LOG_LEVEL": "DEBUG", "SECURE_COOKIES": "false", "API_AUTHENTICATION": "basic,api-key,oauth2,jwt"}
    with (
        migrated_database(tmp_path, os.environ.get("DATABASE_URL", "")) as url,  # of its own: a password is changed
        serving(url, prepare(url), tmp_path, **talkative) as service,
        working(url, tmp_path, **talkative) as worker,
    ):
        run = Run(service, url)
        call_with_credentials(run)
        call_with_tokens(run)
        call_with_secrets_in_the_wrong_place(run)
        use_the_administration(run)
        assert delete(service, [SENT["id to delete"]]).ended()["status"] == "COMPLETED"
        wait_until(lambda: "processing_completed" in worker.log.read_text(), "The worker has logged nothing")
        worker.stop()
    text = service.log.read_text() + worker.log.read_text()
    assert {"access token", "refresh token", "opaque token", "new key", "cookie sessionid"} <= set(run.secrets)
    assert found(text, run.secrets) == []
    events = [json.loads(line)["event"] for line in text.splitlines()]
    expected = {"request_started", "request_finished", "access_refused", "api_key_created", "user_changed"}
    assert expected | {"worker_started", "processing_completed"} <= set(events)
    assert events.count("request_finished") > 25
    assert events.count("access_refused") > 8
    assert len([event for event in events if event.startswith("Invalid request from ip=")]) >= 3


def found(text: str, secrets: dict[str, str]) -> list[str]:
    """The sources of the secrets in the text, in any of the forms in which they are sent."""
    return [
        where
        for where, secret in secrets.items()
        if any(form in text for form in (secret, urllib.parse.quote(secret), json.dumps(secret)[1:-1]))
    ]
