"""What a grant permits: to whom, for which dimension, and how far."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.repositories.permissions import check_access, repositories_open_to, roles_of
from tests.factories import Person, account, add_person, currency

pytestmark = pytest.mark.contract("G2")


def statuses(someone, id="A"):
    """The responses to reading, creating, replacing and modifying a currency of Northwind."""
    one = someone.currency(f"elements/{id}")
    return [
        someone.get(someone.currency("elements-count")).status_code,
        someone.send("POST", someone.currency(), currency(id)).status_code,
        someone.send("PUT", one, currency(id)).status_code,
        someone.send("PATCH", one, {"preferred": True}).status_code,
    ]


def test_a_role_that_is_too_small_is_named_with_the_one_that_is_needed(rita):
    """The reader learns whom to ask for what."""
    response = rita.send("POST", rita.account(), account())
    assert response.json()["code"] == "ROLE_TOO_SMALL"
    assert response.json()["detail"] == (
        "This call needs the role editor for the account dimension of repository 'northwind'; you have the role reader."
    )


def test_a_grant_to_a_group_counts_for_its_members(northwind):
    """From the moment they join until they leave."""
    someone, group = add_person("someone"), Group.objects.create(name="Accountants")
    AccessGrant.objects.create(repository=northwind, group=group, role=Role.EDITOR)
    assert statuses(someone) == [403, 403, 403, 403]
    someone.user.groups.add(group)
    assert statuses(someone) == [200, 201, 200, 200]
    someone.user.groups.clear()
    assert someone.get(someone.currency()).status_code == 403


def test_the_greatest_of_several_grants_counts(northwind, django_assert_num_queries):
    """Own and group's, for one dimension and for all; in one query, however many there are."""
    someone = add_person("someone", northwind, Role.READER)
    for number, (dimension, role) in enumerate(
        [("all", Role.READER), ("currency", Role.MANAGER), ("account", Role.EDITOR)]
    ):
        group = Group.objects.create(name=f"Group {number}")
        AccessGrant.objects.create(repository=northwind, group=group, dimension=dimension, role=role)
        someone.user.groups.add(group)
    with django_assert_num_queries(1):
        assert check_access(someone.user, "northwind", "currency").granted == Role.MANAGER
    assert check_access(someone.user, "northwind", "account").granted == Role.EDITOR


def test_a_revoked_grant_counts_no_longer(alice):
    """At once, with the same key."""
    assert alice.get(alice.currency()).status_code == 200
    AccessGrant.objects.all().delete()
    assert alice.get(alice.currency()).json()["code"] == "NO_GRANT"


def test_a_superuser_may_do_everything_without_a_grant(northwind, contoso):
    """In every repository."""
    root = add_person("root")
    User.objects.filter(username="root").update(is_superuser=True)
    assert statuses(root) == [200, 201, 200, 200]
    assert check_access(User.objects.get(username="root"), "contoso", "account").granted == Role.MANAGER


def test_staff_status_is_not_a_grant(northwind):
    """Access to the admin does not imply access to the API."""
    someone = add_person("someone")
    User.objects.filter(username="someone").update(is_staff=True)
    assert someone.get(someone.currency()).status_code == 403


def test_nobody_has_two_grants_for_the_same(northwind, alice):
    """The database refuses a second one, and its error has a message for forms."""
    second = AccessGrant(repository=northwind, user=alice.user, role=Role.READER)
    with pytest.raises(ValidationError, match="has a permission for this already"):
        second.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


@pytest.mark.parametrize("both", [True, False])
def test_a_grant_goes_to_a_user_or_to_a_group(northwind, alice, both):
    """Exactly one of them."""
    group = Group.objects.create(name="Accountants")
    wrong = AccessGrant(repository=northwind, dimension="currency")
    if both:
        wrong.user, wrong.group = alice.user, group
    with pytest.raises(ValidationError, match="either a user or a group"):
        wrong.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        wrong.save()


@pytest.mark.contract("G3", "A6")
def test_a_repository_that_is_switched_off_is_closed_to_superusers_too(northwind):
    """The message says why."""
    root = add_person("root")
    User.objects.filter(username="root").update(is_superuser=True)
    Repository.objects.update(api_enabled=False)

    assert statuses(root) == [403, 403, 403, 403]
    assert "not enabled in repository 'northwind'" in root.get(root.currency()).json()["detail"]


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
