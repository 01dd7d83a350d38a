"""A program gets a token for itself, and acts as the user that an administrator gave it."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from bulkops.worker.tasks import clean
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.tokens.clients import FORM, access_token, ask, service, status_of, with_token
from tests.factories import Person, add_person, currency, read

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


def test_a_program_gets_a_token_and_acts_as_its_user(alice: Person) -> None:
    """With its id and its secret in a Basic header, as RFC 6749 says. Of the token only a hash is stored."""
    answer = ask("token", service(alice.user), grant_type="client_credentials", scope="write")
    assert answer.status_code == 200
    token = answer.json()
    assert token == {**token, "token_type": "Bearer", "expires_in": 900, "scope": "write"}
    assert "refresh_token" not in token
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies
    program = with_token(token["access_token"])
    assert program.send("POST", program.currency(), currency()).status_code == 201
    assert program.get(program.currency("elements/EUR")).json()["updateInfo"]["user"] == "alice"
    assert [row.token for row in AccessToken.objects.all()] == [""]
    assert not RefreshToken.objects.exists()


def test_without_a_scope_a_token_may_read(alice: Person) -> None:
    """The smallest one is the default."""
    assert ask("token", service(alice.user), grant_type="client_credentials").json()["scope"] == "read"


@pytest.mark.contract("B3")
@pytest.mark.parametrize("path", ["token", "introspect", "revoke"])
@pytest.mark.parametrize(
    ("query", "body", "kind", "status"),
    [
        ("?grant_type=client_credentials", "", FORM, 400),
        ("?x=%zz", "token=x", FORM, 400),
        ("", "grant_type=client_credentials&grant_type=client_credentials", FORM, 400),
        ("", "token=x&token=y", FORM, 400),
        ("", '{"grant_type": "client_credentials"}', "application/json", 400),
        ("", "--x--", "multipart/form-data; boundary=x", 400),
        ("", "grant_type=%zz&token=%ff%fe", FORM, 401),
        ("", "grant_type=client_credentials", f"{FORM}; charset=utf-16", 400),
        ("", "&".join(f"a{number}=" for number in range(10_001)), FORM, 400),
    ],
    ids=range(9),
)
def test_a_form_that_could_be_read_in_two_ways_is_refused(
    path: str, query: str, body: str, kind: str, status: int
) -> None:
    """Parameters must be in the body, once; nothing fails, whatever is sent."""
    answer = Client().post(f"/auth/oauth2/{path}{query}", body, content_type=kind)
    assert answer.status_code in (status, 400)


@pytest.mark.contract("A4")
@pytest.mark.parametrize("path", ["token", "introspect", "revoke"])
def test_the_addresses_take_a_post_alone(path: str) -> None:
    """A token in an address would be in the logs of proxies."""
    for method in ("get", "head", "put", "patch", "delete"):
        answer = getattr(Client(), method)(f"/auth/oauth2/{path}?token=x")
        assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")
    assert Client().options(f"/auth/oauth2/{path}")["Allow"] == "POST, OPTIONS"


class Broken(BytesIO):
    """A body whose connection has ended in its middle."""

    def read(self, *_: Any) -> bytes:
        raise OSError("the connection is gone")

    readline = read


@pytest.mark.contract("B3")
@pytest.mark.parametrize("path", ["token", "introspect", "revoke"])
@pytest.mark.parametrize(("query", "kind"), [("", FORM), ("?x=1", FORM), ("", "multipart/form-data; boundary=x")])
def test_a_body_that_does_not_arrive_is_not_a_failure(path: str, query: str, kind: str) -> None:
    """Whatever else is wrong with the request."""
    address = f"/auth/oauth2/{path}{query}"
    answer = Client().generic("POST", address, b"token=x", kind, **{"wsgi.input": Broken()})  # type: ignore[arg-type]
    assert answer.status_code == 400


def test_a_body_that_is_too_large_is_refused(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    answer = Client().post("/auth/oauth2/token", "x" * 1_001, content_type=FORM)
    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize("end", ["expired", "revoked", "user not active", "user deleted", "application deleted"])
def test_a_token_ends_with_what_it_stands_for(alice: Person, end: str) -> None:
    """At once: the token is looked up each time."""
    application = service(alice.user)
    token = access_token(application)
    assert status_of(token) == 200
    if end == "expired":
        AccessToken.objects.update(expires=timezone.now())
    elif end == "revoked":
        assert ask("revoke", application, token=token).status_code == 200
    elif end == "user not active":
        alice.user.is_active = False
        alice.user.save()
        assert ask("token", application, grant_type="client_credentials").json()["error"] == "invalid_client"
    elif end == "user deleted":
        alice.user.delete()
    else:
        application[0].delete()
    assert status_of(token) == 401


def test_an_expired_token_is_purged_by_the_daily_cleaning(alice: Person) -> None:
    from_the_past = access_token(service(alice.user))
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=15))
    assert status_of(from_the_past) == 401
    clean()
    assert not AccessToken.objects.exists()


def test_a_token_for_another_resource_opens_nothing_here(alice: Person) -> None:
    """RFC 8707: a program may bind its token to the service that it is meant for."""
    application = service(alice.user)
    for resource, status in (
        ("http://testserver/", 200),
        ("http://testserver/dimensions", 401),
        ("https://x.example/", 401),
    ):
        answer = ask("token", application, grant_type="client_credentials", resource=resource)
        assert status_of(answer.json()["access_token"]) == status


@pytest.mark.contract("G2")
def test_a_token_for_a_repository_opens_no_other_one_that_a_call_names(alice: Person, contoso: Any) -> None:
    """In its query or its body; a token for all of them does."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.MANAGER)
    for resource, statuses in (
        ("http://testserver/dimensions/v1/northwind/account", (200, 403, 403)),
        ("http://testserver/dimensions/v1", (200, 200, 201)),
    ):
        sent = {"grant_type": "client_credentials", "scope": "propose", "resource": resource}
        program = with_token(ask("token", service(alice.user), **sent).json()["access_token"])
        answers = (
            program.get(program.account("elements-compare?fromRepository=northwind")),
            program.get(program.account("elements-compare?fromRepository=contoso")),
            program.send("POST", program.account("elements-plans"), {"repository": "contoso"}),
        )
        assert tuple(answer.status_code for answer in answers) == statuses
        assert all(read(answer)["code"] == "CREDENTIAL_TOO_NARROW" for answer in answers if answer.status_code == 403)


def test_a_token_in_the_address_is_not_looked_at(alice: Person) -> None:
    """RFC 9700: it would be in logs."""
    token = access_token(service(alice.user))
    assert Client().get(f"{alice.currency()}?access_token={token}").status_code == 401


@pytest.mark.contract("G2")
@pytest.mark.parametrize("granted", list(Role))
@pytest.mark.parametrize(
    ("scope", "allowed"), [("read", 1), ("propose", 2), ("write", 3), ("manage", 4), ("read manage", 4)]
)
def test_a_scope_narrows_the_grants_of_the_user(northwind: Any, granted: Role, scope: str, allowed: int) -> None:
    """The smaller of the two counts, and a 403 for a scope that is too small, where the grants are not, names the right
    one (RFC 6750).
    """
    clara = add_person("clara", northwind, granted)
    program = with_token(access_token(service(clara.user), scope))
    calls = (
        (1, "read", program.get(program.currency("elements-count"))),
        (2, "propose", program.send("POST", program.currency("elements-plans"), {"bulk": {"post": [currency("CHF")]}})),
        (3, "write", program.send("POST", program.currency(), currency())),
        (4, "manage", program.send("POST", program.currency("elements-bulk-delete-async"), [{"id": "EUR"}])),
    )
    for needed, right_scope, answer in calls:
        if min(granted, allowed) >= needed:
            assert answer.status_code < 300
            continue
        is_granted = granted >= needed
        code = "CREDENTIAL_TOO_NARROW" if is_granted else "ROLE_TOO_SMALL"
        assert (answer.status_code, answer.json()["code"]) == (403, code)
        challenge = f'Bearer realm="dimensions", error="insufficient_scope", scope="{right_scope}"'
        assert answer.headers.get("WWW-Authenticate") == (challenge if is_granted else None)


@pytest.mark.contract("G2")
def test_a_token_without_a_scope_of_ours_opens_nothing(alice: Person) -> None:
    """None is issued; for an existing one the message says what it lacks."""
    token = access_token(service(alice.user))
    AccessToken.objects.update(scope="openid")
    program = with_token(token)
    answer = program.get(program.currency("elements-count"))
    assert (answer.status_code, answer.json()["code"]) == (403, "CREDENTIAL_TOO_NARROW")
    assert answer["WWW-Authenticate"] == 'Bearer realm="dimensions", error="insufficient_scope", scope="read"'
