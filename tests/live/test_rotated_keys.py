"""SECRET_KEY is replaced while people are signed in and programs hold tokens."""

import re
from dataclasses import replace
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.services.clerk import errand
from tests.services.service import Service, serving
from tests.services.worker import QUICK, delete, working

pytestmark = pytest.mark.contract("G1")

PATH = "/dimensions/v1/northwind/account/elements-count"
OLD, NEW = "an-old-key-that-was-in-service-for-a-long-time-already", "a-new-key-that-takes-the-place-of-the-old-one-now"
BEFORE = {"SECRET_KEY": OLD}
MEANWHILE = {"SECRET_KEY": NEW, "SECRET_KEY_FALLBACKS": OLD}
AFTER = {"SECRET_KEY": NEW}


def cookies(answer: Any) -> dict[str, str]:
    """The cookies of the answer; a header that comes twice is there with the last of its values."""
    return {name: morsel.value for name, morsel in SimpleCookie(answer.headers.get("Set-Cookie", "")).items()}


def sign_in(service: Service) -> str:
    """The cookie of a new session of Alice in the administration."""
    page = service.send("GET", "/admin/login/", X_API_Key="")
    token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page.body)
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1].decode(), "username": "alice", "password": "alice-password"}
    answer = service.send(
        "POST",
        "/admin/login/",
        urlencode(form).encode(),
        X_API_Key="",
        Content_Type="application/x-www-form-urlencoded",
        Cookie=f"csrftoken={cookies(page)['csrftoken']}",
    )
    assert answer.status == 302
    return f"sessionid={cookies(answer)['sessionid']}"


def log_in(service: Service) -> dict[str, str]:
    body = {"username": "alice", "password": "alice-password"}
    pair: dict[str, str] = service.send("POST", "/auth/jwt/token", body, X_API_Key="").json()
    return pair


def is_signed_in(service: Service, cookie: str) -> bool:
    return service.send("GET", "/admin/", X_API_Key="", Cookie=cookie).status == 200


def is_taken(service: Service, access: str) -> bool:
    return service.send("GET", PATH, X_API_Key="", Authorization=f"Bearer {access}").status == 200


def renewed(service: Service, refresh: str) -> Any:
    return service.send("POST", "/auth/jwt/refresh", {"refresh": refresh}, X_API_Key="")


def test_sessions_and_tokens_outlive_a_rotation_and_end_with_the_old_key(
    prepared: tuple[str, str], tmp_path: Path
) -> None:
    """The service starts three times: with the old key, with the new and the old one, with the new one alone."""
    errand(prepared[0], "from django.contrib.auth.models import User; User.objects.update(is_staff=True)")
    with serving(*prepared, tmp_path, **BEFORE) as service:
        used, unused = sign_in(service), sign_in(service)
        login, other = log_in(service), log_in(service)
    with serving(*prepared, tmp_path, **MEANWHILE) as service:
        page = service.send("GET", "/admin/", X_API_Key="", Cookie=used)
        assert page.status == 200
        used = f"sessionid={cookies(page)['sessionid']}"  # the browser gets the cookie of the new key
        assert is_taken(service, login["access"])
        next_pair = renewed(service, login["refresh"]).json()
        assert is_taken(service, next_pair["access"])
    with serving(*prepared, tmp_path, **AFTER) as service:
        assert is_signed_in(service, used)
        assert is_taken(service, next_pair["access"])
        assert renewed(service, next_pair["refresh"]).status == 200
        assert not is_signed_in(service, unused)
        assert not is_taken(service, other["access"])
        assert renewed(service, other["refresh"]).status == 401


@pytest.mark.contract("F2")
def test_what_was_queued_under_the_old_key_wakes_the_worker(prepared: tuple[str, str], tmp_path: Path) -> None:
    """And leaves no error in its log."""
    database, key = prepared
    # What other tests have left there is signed with other keys.
    errand(database, "from django_q.models import OrmQ; OrmQ.objects.all().delete()")
    with serving(database, key, tmp_path, **BEFORE) as service:
        deletion = delete(service, ["none"])
    with (
        serving(database, key, tmp_path, **MEANWHILE) as service,
        working(database, tmp_path, **MEANWHILE, **QUICK) as worker,
    ):
        assert replace(deletion, service=service).ended()["processed"] == 1
        assert worker.stop() == 0
        assert "does not match" not in worker.log.read_text()
