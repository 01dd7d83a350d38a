"""What a grant permits: to whom, for which dimension, and how far."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.repositories.permissions import check_access
from tests.factories import account, add_person, currency

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
def test_a_repository_that_is_switched_off_answers_403_to_everybody(alice, rita):
    """Managers and superusers too, reading too; the message says why. Switched on again, all is as before."""
    root = add_person("root")
    User.objects.filter(username="root").update(is_superuser=True)
    alice.send("POST", alice.currency(), currency())
    Repository.objects.filter(db_id="northwind").update(api_enabled=False)
    for someone in (alice, rita, root):
        for path in (someone.currency(), someone.currency("elements/EUR"), someone.account("elements-count")):
            response = someone.get(path)
            assert (response.status_code, response.json()["code"]) == (403, "API_NOT_ENABLED")
            assert "not enabled in repository 'northwind'" in response.json()["detail"]
        assert someone.send("POST", someone.currency(), currency("A")).status_code == 403
    Repository.objects.update(api_enabled=True)
    assert alice.get(alice.currency("elements-count")).json() == 1
