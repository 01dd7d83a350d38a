"""Every refused access leaves a warning: why, who, from where and to which repository."""

import base64
from datetime import UTC, datetime
from ipaddress import ip_network
from logging import WARNING

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.test import Client
from rest_framework.exceptions import Throttled

from dimensions_site.elements.rest.views import ElementViewSet
from dimensions_site.observability.observation import Observed, current_observation, observing
from dimensions_site.repositories.models import AccessGrant, ApiKey
from tests.dimensions_site.observability.lines import line, lines
from tests.dimensions_site.tokens.clients import CALLBACK, ask, planning_tool
from tests.factories import currency, json_bytes


def refusal(caplog: pytest.LogCaptureFixture) -> tuple[object, ...]:
    """Reason, status, user and repository of the only refusal."""
    entry = line(caplog, "access_refused")
    assert entry["level"] == "warning"
    assert entry["address"] == "127.0.0.1"
    return entry["reason"], entry["status"], entry.get("user"), entry.get("repository")


@pytest.mark.contract("A6", "B2", "G2")
@pytest.mark.parametrize(
    ("name", "method", "db_id", "refused"),
    [
        (None, "GET", "northwind", ("NOT_AUTHENTICATED", 401, None, "northwind")),
        ("bob", "GET", "northwind", ("NO_GRANT", 403, "bob", "northwind")),
        ("alice", "GET", "nowhere", ("REPOSITORY_NOT_FOUND", 404, "alice", "nowhere")),
        ("rita", "POST", "northwind", ("ROLE_TOO_SMALL", 403, "rita", "northwind")),
    ],
)
def test_who_may_not_do_it(request, alice, northwind, caplog, name, method, db_id, refused):
    """Somebody who asks for repositories that are not there may be looking for names."""
    person = request.getfixturevalue(name) if name else Client()
    person.generic(method, alice.currency(db_id=db_id), json_bytes(currency()), content_type="application/json")
    assert refusal(caplog) == refused


@pytest.mark.contract("G1")
def test_a_wrong_password(alice, caplog):
    """What was sent is not logged."""
    sent = base64.b64encode(b"alice:hush").decode()
    Client(headers={"Authorization": f"Basic {sent}"}).get(alice.currency())
    assert refusal(caplog) == ("AUTHENTICATION_FAILED", 401, None, "northwind")
    assert "hush" not in caplog.text
    assert sent not in caplog.text


@pytest.mark.contract("G1")
@pytest.mark.parametrize("change", [{"revoked": True}, {"expiry_date": datetime(2026, 1, 1, tzinfo=UTC)}], ids=str)
def test_a_key_that_was_good_once(alice, caplog, change):
    """Its user and its prefix, so that somebody can give the program a new one."""
    ApiKey.objects.update(**change)
    alice.get(alice.currency())
    assert refusal(caplog) == ("AUTHENTICATION_FAILED", 401, None, "northwind")
    entry = line(caplog, "access_refused")
    assert (entry["tried"], entry["key"]) == ("alice", ApiKey.objects.get().prefix)


@pytest.mark.contract("G1")
def test_a_key_that_only_begins_like_one(alice, caplog):
    """Nobody is named if not even the secret is known."""
    wrong = f"{ApiKey.objects.get().prefix}.{'x' * 32}"
    Client(headers={"X-API-Key": wrong}).get(alice.currency())
    assert refusal(caplog) == ("AUTHENTICATION_FAILED", 401, None, "northwind")
    assert {"tried", "key"}.isdisjoint(line(caplog, "access_refused"))


@pytest.mark.contract("G1")
@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"grant_type": "refresh_token", "refresh_token": "used"}, "INVALID_GRANT"),
        ({"grant_type": "authorization_code", "code": "used", "redirect_uri": CALLBACK}, "INVALID_GRANT"),
        ({"grant_type": "client_credentials"}, "UNAUTHORIZED_CLIENT"),
    ],
    ids=str,
)
def test_a_program_with_a_token_or_a_code_that_is_not_good(db, caplog, parameters, reason):
    """A token used twice has been stolen. The program is named; its secret and the token are not."""
    application, secret = client = planning_tool()
    assert ask("token", client, **parameters).status_code == 400
    assert refusal(caplog) == (reason, 400, None, None)
    assert line(caplog, "access_refused")["application"] == application.client_id
    assert secret not in caplog.text


@pytest.mark.contract("G1")
@pytest.mark.parametrize("in_body", [False, True], ids=["header", "body"])
def test_a_program_with_a_wrong_secret(db, caplog, in_body):
    application, _ = planning_tool()
    fields = {"client_id": application.client_id, "client_secret": "wrong"}
    asked = (None, fields) if in_body else ((application, "wrong"), {})
    assert ask("token", asked[0], grant_type="client_credentials", **asked[1]).status_code == 401
    assert refusal(caplog) == ("INVALID_CLIENT", 401, None, None)
    assert line(caplog, "access_refused")["application"] == application.client_id


@pytest.mark.contract("G1")
@pytest.mark.parametrize("name", ["unknown", "nul\0", "é"])
def test_a_program_that_nobody_knows(db, caplog, name):
    """It may have sent its secret as its id."""
    assert ask("token", None, grant_type="client_credentials", client_id=name, client_secret="x").status_code >= 400
    assert "application" not in line(caplog, "request_finished")


@pytest.mark.contract("B3")
@pytest.mark.parametrize("address", ["/admin/%00", "/admin/login/?next=%00", "/auth/oauth2/authorize?x=%0a%zz"])
def test_a_malformed_request_logs_its_reason_and_no_stack_trace(db, caplog, address):
    """Anybody could fill the log with them."""
    assert Client().get(address).status_code == 400
    assert line(caplog, "malformed_request")["level"] == "warning"
    assert [record.levelname for record in caplog.records if record.levelno > WARNING or record.exc_info] == []


@pytest.mark.contract("B3")
def test_a_proxy_that_sends_another_scheme(alice, caplog, settings):
    """Otherwise its operator could not find out why everything is refused."""
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    assert alice.get(alice.currency(), headers={"X-Forwarded-Proto": "gopher"}).status_code == 400
    assert "X-Forwarded-Proto: 'gopher'" in line(caplog, "malformed_request")["reason"]


@pytest.mark.contract("G3")
def test_a_repository_whose_api_is_switched_off(alice, northwind, caplog):
    northwind.api_enabled = False
    northwind.save()
    alice.get(alice.currency())
    assert refusal(caplog) == ("API_NOT_ENABLED", 403, "alice", "northwind")


def test_a_client_that_calls_too_often(alice, caplog, monkeypatch):
    def refuse(view: object, request: object) -> None:
        raise Throttled(7)

    monkeypatch.setattr(ElementViewSet, "check_throttles", refuse)
    response = alice.get(alice.currency())
    assert response["Retry-After"] == "7"
    assert refusal(caplog) == ("THROTTLED", 429, "alice", "northwind")


def test_an_unknown_element_is_not_a_refused_access(alice, caplog):
    alice.get(alice.currency("elements/none"))
    alice.get("/api/none")
    alice.send("POST", alice.currency(), {})
    assert lines(caplog, "access_refused") == []


# --- The administration ------------------------------------------------------------------------


@pytest.fixture
def staff(db: None) -> User:
    """Sara, who may sign in to the administration and has no grant."""
    return User.objects.create_user("sara", password="sara-password", is_staff=True)


def sign_in(username: str, password: str) -> int:
    address = "/admin/login/"
    return Client().post(address, {"username": username, "password": password}).status_code


@pytest.mark.parametrize(
    ("name", "password", "tried"),
    [
        ("sara", "hush-hush", "sara"),
        ("hush-hush", "hush-hush", None),
        ("", "hush-hush", None),
        ("\0", "hush-hush", None),
        ("x" * 500, "hush-hush", None),
        ("alice", "alice-password", None),
    ],
    ids=["wrong password", "password as name", "no name", "NUL", "long name", "no staff"],
)
def test_a_sign_in_to_the_administration(staff, alice, caplog, name, password, tried):
    """A user name that was tried is logged if it exists; nothing else that was typed is, and nothing fails on it."""
    assert sign_in(name, password) == 200

    assert refusal(caplog) == ("SIGN_IN_REFUSED", 200, None, None)
    assert line(caplog, "access_refused").get("tried") == tried
    assert "hush-hush" not in caplog.text


@pytest.mark.parametrize("name", ["\0", "\ud800", "x" * 5_000, None])
def test_a_name_that_no_database_looks_for(db, name):
    """Over REST it may be any text of JSON; the log does not make the refusal fail."""
    with observing(Observed()):
        user_login_failed.send(sender=__name__, credentials={"username": name}, request=None)
        observed = current_observation()
    assert observed is not None
    assert "tried" not in observed.fields()


def test_a_user_who_is_signed_in_and_may_not_enter_any_more(staff, caplog):
    """The sign-in page says so."""
    page = Client()
    page.force_login(staff)
    User.objects.update(is_staff=False)
    page.get("/admin/", follow=True)
    assert refusal(caplog) == ("SIGN_IN_REFUSED", 200, "sara", None)


def test_a_page_of_the_administration_that_is_not_for_everybody(staff, caplog):
    page = Client()
    page.force_login(staff)
    assert page.get("/admin/auth/user/").status_code == 403
    assert refusal(caplog) == ("FORBIDDEN", 403, "sara", None)
    assert line(caplog, "access_refused")["route"] == "/admin/auth/user/"


def test_who_signs_in_and_who_looks_at_the_form_is_not_refused(staff, caplog):
    Client().get("/admin/")
    Client().get("/admin/login/")
    assert sign_in("sara", "sara-password") == 302
    assert lines(caplog, "access_refused") == []


def test_a_form_from_elsewhere(staff, caplog):
    """Without the token of the page."""
    page = Client(enforce_csrf_checks=True)
    assert page.post("/admin/login/", {"username": "sara", "password": "sara-password"}).status_code == 403
    assert refusal(caplog) == ("FORBIDDEN", 403, None, None)


def test_grants_are_not_asked_for_the_sake_of_the_log(bob, northwind, django_assert_num_queries):
    """A refusal costs as much as before: the key, with the repository and the role there."""
    assert AccessGrant.objects.count() == 1
    with django_assert_num_queries(1):
        bob.get(bob.currency())
