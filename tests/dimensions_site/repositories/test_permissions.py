"""Which repositories a user has access to, and in which role: what the administration shows of them."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to, roles_of
from tests.factories import Person

pytestmark = pytest.mark.contract("G2")


@pytest.fixture
def emma(northwind: Repository, contoso: Repository) -> User:
    """Reads the accounts of Northwind, which her group edits; of Contoso she manages the currencies."""
    emma = User.objects.create_user("emma")
    group = Group.objects.create(name="Accountants")
    emma.groups.add(group)
    for holder, repository, dimension, role in (
        ({"user": emma}, northwind, "account", Role.READER),
        ({"group": group}, northwind, "account", Role.EDITOR),
        ({"user": emma}, contoso, "currency", Role.MANAGER),
    ):
        AccessGrant.objects.create(**holder, repository=repository, dimension=dimension, role=role)
    return emma


def test_the_best_of_all_grants_counts_in_each_repository(
    emma: User, northwind: Repository, contoso: Repository, alice: Person, bob: Person
) -> None:
    """Those of others do not."""
    assert roles_of(emma, "account") == {northwind.pk: Role.EDITOR}
    assert roles_of(emma, "currency") == {contoso.pk: Role.MANAGER}
    assert roles_of(alice.user, "account") == {northwind.pk: Role.MANAGER}
    assert all(isinstance(role, Role) for role in roles_of(emma, "account").values())


def test_a_repository_is_open_to_whoever_has_the_role_there(
    emma: User, northwind: Repository, contoso: Repository, bob: Person
) -> None:
    """For the dimension that is requested."""
    assert set(repositories_open_to(emma, "account")) == {northwind}
    assert set(repositories_open_to(emma, "account", Role.EDITOR)) == {northwind}
    assert set(repositories_open_to(emma, "account", Role.MANAGER)) == set()
    assert set(repositories_open_to(emma, "currency", Role.MANAGER)) == {contoso}
    assert set(repositories_open_to(bob.user, "account")) == {contoso}


def test_all_repositories_are_open_to_a_superuser(northwind: Repository, contoso: Repository) -> None:
    """Superusers manage them without a grant."""
    root = User.objects.create_superuser("root")
    assert roles_of(root, "account") == {northwind.pk: Role.MANAGER, contoso.pk: Role.MANAGER}
    assert set(repositories_open_to(root, "currency", Role.MANAGER)) == {northwind, contoso}


def test_nothing_is_open_to_nobody(alice: Person) -> None:
    """An anonymous user."""
    assert roles_of(AnonymousUser(), "account") == {}
    assert not repositories_open_to(AnonymousUser(), "account").exists()
