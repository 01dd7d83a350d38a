"""Every method of every route, in every mode of authentication, by everybody who might try.

Whoever has access does what their role allows; nobody else does or learns anything. The long form tries every cell in
every mode: `make test-long`.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken as OpaqueToken

from account.models import Account
from bulkops.models import DataProcessing, Plan, PlanStatus, new_oid
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from dimensions_site.tokens.jwt.tokens import ACCESS, new_claims, sign_token
from dimensions_site.tokens.models import Application
from tests.dimensions_site.api.test_methods import PERMITTED
from tests.factories import Person, account, add_person, content, currency, json_bytes
from tests.lengths import IS_LONG
from tests.routes import Route, api_routes
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("G1", "G2", "G3", "A6")

# Occurs in Northwind's data, and nowhere else.
SECRET = "nw-secret"
OIDS = {"account": new_oid(), "currency": new_oid()}
PLANS = {"account": new_oid(), "currency": new_oid()}
LONG_AGO = timedelta(days=400)


# What needs more than a reader, by the name of the route and the method.
ROLES = {
    ("elements", "POST"): Role.EDITOR,
    ("element", "PUT"): Role.EDITOR,
    ("element", "PATCH"): Role.EDITOR,
    ("elements-bulk", "POST"): Role.EDITOR,
    ("elements-bulk-minimal", "POST"): Role.EDITOR,
    ("plans", "POST"): Role.PROPOSER,
    ("plan", "DELETE"): Role.EDITOR,  # of others
    ("plan-apply", "POST"): Role.EDITOR,
    ("plan-approve", "POST"): Role.EDITOR,
    ("plan-reject", "POST"): Role.EDITOR,
    ("deletions", "POST"): Role.MANAGER,
    ("deletions-other-spelling", "POST"): Role.MANAGER,
    ("deletion", "DELETE"): Role.MANAGER,
    ("deletion-other-spelling", "DELETE"): Role.MANAGER,
}
QUERIES = {
    "elements-compare": "?fromRepository=northwind",
    "elements-fetch": "?properties=id,description",
    "elements-versions": "?id=NW",
    "elements-uses": "?id=NW",
}
# The status for clients with the role, where it is not 200, by dimension, name of the route and method.
SUCCESS = {
    **{(dimension, "elements", "POST"): 201 for dimension in OIDS},
    **{(dimension, "deletions", "POST"): 202 for dimension in OIDS},
    **{(dimension, "deletions-other-spelling", "POST"): 202 for dimension in OIDS},
    **{(dimension, "plans", "POST"): 201 for dimension in OIDS},
    **{(dimension, "plan", "DELETE"): 204 for dimension in OIDS},
    # Without If-Match.
    **{(dimension, f"plan-{do}", "POST"): 428 for dimension in OIDS for do in ("apply", "approve", "reject")},
    ("currency", "deletion", "DELETE"): 202,
    ("currency", "deletion-other-spelling", "DELETE"): 202,
}


@dataclass(frozen=True)
class Mode:
    """How a user authenticates: the header when all is right, with a wrong secret, and when it has expired."""

    right: Callable[[User], str]
    wrong: Callable[[User], str]
    expired: Callable[[User], str]


def basic(name: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{name}:{password}'.encode()).decode()}"


def key(user: User, **fields: Any) -> str:
    return f"Api-Key {ApiKey.objects.create_key(user=user, name='matrix', last_used_at=timezone.now(), **fields)[1]}"


def json_web_token(user: User, age: timedelta = timedelta()) -> str:
    return f"Bearer {sign_token(new_claims(ACCESS, user, timedelta(minutes=15) - age))}"


def opaque_token(user: User, age: timedelta = timedelta()) -> str:
    application = Application.objects.create(
        name="Matrix", user=user, authorization_grant_type=Application.GRANT_CLIENT_CREDENTIALS
    )
    token = f"matrix{application.pk:026}"
    expires = timezone.now() + timedelta(hours=1) - age
    OpaqueToken.objects.create(application=application, user=user, token=token, expires=expires, scope="manage")
    return f"Bearer {token}"


def altered(header: str) -> str:
    """The same with another letter in its last part."""
    letter = "A" if header[-9] != "A" else "B"
    return header[:-9] + letter + header[-8:]


def with_old_password(user: User) -> str:
    """The secret that was right until the password was changed."""
    user.set_password("a-new-password")
    user.save()
    return basic(user.username, f"{user.username}-password")


MODES = {
    "basic": Mode(
        lambda user: basic(user.username, f"{user.username}-password"),
        lambda user: basic(user.username, "wrong"),
        with_old_password,
    ),
    "api-key": Mode(
        key, lambda user: altered(key(user)), lambda user: key(user, expiry_date=timezone.now() - LONG_AGO)
    ),
    "jwt": Mode(
        json_web_token, lambda user: altered(json_web_token(user)), lambda user: json_web_token(user, LONG_AGO)
    ),
    "oauth2": Mode(opaque_token, lambda user: altered(opaque_token(user)), lambda user: opaque_token(user, LONG_AGO)),
}
# The modes in which no person signs in.
PROGRAMS = ("api-key", "oauth2")


@dataclass(frozen=True)
class Attempt:
    """A client: the header that it sends, the role that gives it access, or the response it gets instead."""

    header: str
    role: Role | None = None
    refusal: tuple[int, str] | None = None


def attempts(mode: Mode, people: dict[str, User]) -> dict[str, Callable[[], Attempt]]:
    """Everybody who tries in that mode; the attempt is prepared on demand."""
    alice = people["alice"]

    def switched_off() -> Attempt:
        Repository.objects.update(api_enabled=False)
        return Attempt(mode.right(alice), refusal=(403, "API_NOT_ENABLED"))

    def inactive() -> Attempt:
        header = mode.right(alice)
        User.objects.filter(pk=alice.pk).update(is_active=False)
        return Attempt(header, refusal=(401, "AUTHENTICATION_FAILED"))

    return {
        "anonymous": lambda: Attempt("", refusal=(401, "NOT_AUTHENTICATED")),
        "wrong secret": lambda: Attempt(mode.wrong(alice), refusal=(401, "AUTHENTICATION_FAILED")),
        "expired": lambda: Attempt(mode.expired(alice), refusal=(401, "AUTHENTICATION_FAILED")),
        "other tenant": lambda: Attempt(mode.right(people["bob"]), refusal=(403, "NO_GRANT")),
        "reader": lambda: Attempt(mode.right(people["rita"]), Role.READER),
        "proposer": lambda: Attempt(mode.right(people["pia"]), Role.PROPOSER),
        "editor": lambda: Attempt(mode.right(people["ed"]), Role.EDITOR),
        "manager": lambda: Attempt(mode.right(alice), Role.MANAGER),
        "API switched off": switched_off,
        "inactive user": inactive,
    }


WHO = list(attempts(MODES["basic"], {"alice": User()}))


@pytest.fixture
def people(northwind: Repository, alice: Person, ed: Person, rita: Person, bob: Person) -> dict[str, User]:
    """The clients, by name; Northwind has an element, a deletion and a plan of each dimension."""
    store_accounts(northwind, account("NW", documentationLink=SECRET))
    store_currencies(northwind, currency("NW", descriptions={"en": SECRET}))
    for dimension, oid in OIDS.items():
        DataProcessing.objects.create(
            repository=northwind,
            dimension=dimension,
            oid=oid,
            requester=SECRET,
            request_date_time=timezone.now(),
            requested=1,
            not_found=[],
        )
        Plan.objects.create(
            id=PLANS[dimension],
            repository=northwind,
            dimension=dimension,
            requester=SECRET,
            status=PlanStatus.READY,
            source={},
            errors=[],
        )
    pia = add_person("pia", northwind, Role.PROPOSER)
    return {person.user.username: person.user for person in (alice, ed, pia, rita, bob)}


def body(route: Route, method: str) -> Any:
    """A body that whoever has the role may send there."""
    new = (account if "account" in route.namespace else currency)("NEW")
    bodies = {
        ("elements", "POST"): new,
        ("element", "PUT"): {**new, "id": "NW"},
        ("element", "PATCH"): {"descriptions": {"en": "changed"}},
        ("elements-bulk", "POST"): {"post": [new]},
        ("elements-bulk-minimal", "POST"): {"post": [new]},
        ("plans", "POST"): {"bulk": {"post": [new]}},
        ("plan-apply", "POST"): {},
        ("plan-approve", "POST"): {"text": "Agreed."},
        ("plan-reject", "POST"): {"text": "No."},
    }
    return bodies.get((route.name, method), [{"id": "NW"}])


def state() -> list[Any]:
    """All that a call might change of what there is."""
    return [list(model.objects.order_by("pk").values()) for model in (Account, Currency, DataProcessing, Plan)]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("mode", MODES)
def test_everybody_does_and_learns_what_they_may_and_nothing_else(people, mode, who, record_property, settings):
    """A refusal has the reason, the challenge where one helps, nothing about the content, and changes nothing."""
    settings.LOGIN_ACCOUNT_ATTEMPTS = 1_000  # there are more calls with a wrong password than a day allows
    attempt = attempts(MODES[mode], people)[who]()
    person = Client(headers={"Authorization": attempt.header} if attempt.header else {})
    before = state()
    cells = [(route, method) for route in api_routes() for method in sorted(PERMITTED[route.name])]
    assert len(cells) == 264
    # How a client authenticates is no matter of the operation: in the short form the first mode tries the routes of one
    # prefix, and the other modes share those of the other prefix.
    first, *others = MODES
    tried = list(enumerate(cells, start=1))
    if not IS_LONG:
        is_other = WHO.index(who) % 2 == (mode == first)
        tried = [cell for cell in tried if ("-" in cell[1][0].namespace) == is_other]
        if mode != first:
            tried = tried[others.index(mode) :: len(others)]
    for number, (route, method) in tried:
        is_in = attempt.role is not None and attempt.role >= ROLES.get((route.name, method), Role.READER)
        dimension = route.namespace.partition("-")[0]
        path = route.path("northwind", id="NW", oid=OIDS[dimension], plan_id=PLANS[dimension])
        with transaction.atomic():
            response = person.generic(
                method,
                path + QUERIES.get(route.name, ""),
                json_bytes(body(route, method)) if method in ("POST", "PUT", "PATCH") else b"",
                content_type="application/json",
                # Wrong secrets from one address are soon no longer checked.
                REMOTE_ADDR=f"10.0.{number // 250}.{number % 250}",
            )
            text = content(response).decode()
            transaction.set_rollback(is_in)
        cell = (str(route), method, response.status_code, text)
        if is_in and mode in PROGRAMS and route.name in ("plan-approve", "plan-reject") and method == "POST":
            assert (response.status_code, json.loads(text)["code"]) == (403, "NOT_A_PERSON"), cell
            continue
        if is_in:
            assert response.status_code == SUCCESS.get((dimension, route.name, method), 200), cell
            continue
        status, code = attempt.refusal or (403, "ROLE_TOO_SMALL")
        assert response.status_code == status, cell
        assert method == "HEAD" or json.loads(text)["code"] == code, cell
        assert ("WWW-Authenticate" in response) == (status == 401), cell
        assert SECRET not in text + str(response.headers), cell
    assert state() == before
    record_property("access_cells", len(tried))


@pytest.mark.contract("A6")
@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_repository_is_found_in_no_mode(people, mode):
    """Each mode finds the repository by its own query; a name that no repository can have is tried, too."""
    person = Client(headers={"Authorization": MODES[mode].right(people["alice"])})
    for number, route in enumerate(api_routes()):
        for db_id in ("nowhere", "Northwind", "%00", "n" * 300)[number % 4 :: 4]:
            response = person.get(route.path(db_id, id="NW", oid=OIDS[route.namespace.partition("-")[0]]))
            assert (response.status_code, response.json()["code"]) == (404, "REPOSITORY_NOT_FOUND"), str(route)


@pytest.mark.contract("G2")
@pytest.mark.parametrize("mode", MODES)
def test_a_grant_for_one_dimension_opens_that_one_in_every_mode(people, northwind, mode):
    """And the other one in none."""
    AccessGrant.objects.create(user=people["bob"], repository=northwind, dimension="account", role=Role.READER)
    person = Client(headers={"Authorization": MODES[mode].right(people["bob"])})
    for route in api_routes():
        if route.name == "elements":
            expected = 200 if "account" in route.namespace else 403
            assert person.get(route.path("northwind")).status_code == expected, str(route)
