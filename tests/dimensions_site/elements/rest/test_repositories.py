"""Clients learn which repositories they have access to, and in which roles (contract M2)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.dimensions import DIMENSIONS
from tests.factories import Person, add_person
from tests.security.test_access_matrix import MODES, key

pytestmark = [pytest.mark.django_db, pytest.mark.contract("M2")]
PATHS = ["/api/aih/dimensions/v1", "/dimensions/v1"]


def listed(client: Client, path: str = PATHS[0]) -> list[dict[str, Any]]:
    response = client.get(path)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()
    return found


def roles(client: Client) -> dict[str, tuple[str | None, str | None]]:
    """The roles for currencies and accounts, by repository."""
    return {one["dbID"]: (one["roles"]["currency"], one["roles"]["account"]) for one in listed(client)}


@pytest.fixture
def with_key() -> Callable[..., Client]:
    def client(user: User, **fields: Any) -> Client:
        return Client(headers={"Authorization": key(user, **fields)})

    return client


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
def test_the_list_has_what_the_grants_give_in_every_mode(alice, contoso, mode, path):
    client = Client(headers={"Authorization": MODES[mode].right(alice.user)})
    assert listed(client, path) == [
        {
            "dbID": "northwind",
            "name": "Northwind group",
            "defaultLanguage": "en",
            "apiEnabled": True,
            "roles": dict.fromkeys(DIMENSIONS, "manager"),
        }
    ]


@pytest.mark.contract("G2")
def test_repositories_without_a_grant_are_not_named(rita, bob, northwind, contoso):
    assert roles(rita) == {"northwind": ("reader", "reader")}
    assert roles(bob) == {"contoso": ("manager", "manager")}
    assert roles(add_person("nobody")) == {}


@pytest.mark.contract("G2")
def test_the_best_role_of_user_and_groups_counts_for_each_dimension(rita, northwind, contoso):
    group = Group.objects.create(name="editors")
    rita.user.groups.add(group)
    AccessGrant.objects.create(group=group, repository=northwind, role=Role.EDITOR, dimension="account")
    AccessGrant.objects.create(group=group, repository=contoso, role=Role.READER, dimension="currency")
    assert roles(rita) == {"contoso": ("reader", None), "northwind": ("reader", "editor")}


def test_they_are_ordered_by_code_point_and_superusers_see_all(alice):
    for name in ("b", "B", "a.1", "Z", "0"):
        Repository.objects.create(db_id=name, name=name)
    User.objects.filter(pk=alice.user.pk).update(is_superuser=True)
    assert [one["dbID"] for one in listed(alice)] == ["0", "B", "Z", "a.1", "b", "northwind"]
    assert set(roles(alice).values()) == {("manager", "manager")}


@pytest.mark.contract("G1")
def test_a_credential_narrows_the_list(alice, northwind, contoso, with_key):
    """By role, dimension and repository."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.EDITOR)
    assert roles(with_key(alice.user, role=Role.READER, dimension="account")) == {
        "contoso": (None, "reader"),
        "northwind": (None, "reader"),
    }
    limited = with_key(alice.user, is_limited=True)
    assert roles(limited) == {}
    ApiKey.objects.get(is_limited=True).repositories.add(contoso)
    assert roles(limited) == {"contoso": ("editor", "editor")}


@pytest.mark.contract("G3")
def test_a_repository_whose_api_is_disabled_is_marked(alice):
    Repository.objects.update(api_enabled=False)
    assert [one["apiEnabled"] for one in listed(alice)] == [False]


@pytest.mark.contract("A4", "A5", "A7", "B1")
@pytest.mark.parametrize("path", PATHS)
def test_the_conventions_hold(alice, path):
    assert Client().get(path).status_code == 401
    assert alice.get(f"{path}/").status_code == 404
    assert (alice.post(path).status_code, alice.post(path)["Allow"]) == (405, "GET, HEAD, OPTIONS")
    wrong = alice.get(f"{path}?take=1")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "UNKNOWN_PARAMETER")
    assert (alice.head(path).status_code, alice.options(path).status_code) == (200, 200)


def test_it_takes_a_query_for_each_dimension_and_one(alice: Person, django_assert_num_queries):
    with django_assert_num_queries(len(DIMENSIONS) + 2):  # one authenticates
        listed(alice)
