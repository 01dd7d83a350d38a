"""Every change of who may do what is kept in the database, with the change or not at all."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dimensions_site.repositories.models import AccessChange, AccessGrant, ApiKey, Repository, Role
from dimensions_site.tokens.models import Application

pytestmark = [pytest.mark.django_db, pytest.mark.contract("G2")]

PAGE = "/admin/repositories/accesschange/"


@pytest.fixture
def root(client: Client) -> Client:
    """Root, a superuser, in the administration."""
    client.force_login(User.objects.create_superuser("root", password="root-password"))
    AccessChange.objects.all().delete()
    return client


def test_a_change_in_the_administration_names_who_made_it_and_from_where(root: Client, northwind: Repository):
    erp = User.objects.create_user("erp")
    form = {"repository": northwind.pk, "user": erp.pk, "group": "", "dimension": "all", "role": "1"}
    answer = root.post("/admin/repositories/accessgrant/add/", form, headers={"X-Request-ID": "grant-1"})
    assert answer.status_code == 302
    change = AccessChange.objects.get(event="grant_created")
    assert (change.changed_by, change.address, change.request_id) == ("root", "127.0.0.1", "grant-1")
    assert change.subject == {"repository": "northwind", "user": "erp", "dimension": "all", "role": "READER"}
    root.post(
        f"/admin/repositories/accessgrant/{AccessGrant.objects.get().pk}/change/",
        {**form, "role": str(Role.MANAGER.value)},
    )
    assert AccessChange.objects.get(event="grant_changed").changes == {"role": ["READER", "MANAGER"]}


def test_no_password_and_no_key_is_kept(northwind: Repository):
    """Only that they changed, without values."""
    erp = User.objects.create_user("erp", password="first-secret")
    erp.set_password("second-secret")
    erp.save()
    key, token = ApiKey.objects.create_key(user=erp, name="warehouse")
    application = Application.objects.create(name="plan", user=erp, client_secret="third-secret")
    kept = " ".join(f"{change.subject} {change.changes}" for change in AccessChange.objects.all())
    assert "'password': 'changed'" in kept
    secrets = ("first-secret", "second-secret", "third-secret", erp.password, token, key.hashed_key)
    assert not [secret for secret in (*secrets, application.client_secret) if secret in kept]


def test_superusers_read_the_changes_and_nobody_writes_them(root: Client):
    """Neither by a form nor by an action of the list."""
    erp = User.objects.create_user("erp")
    erp.is_staff = True
    erp.save()
    page = root.get(PAGE).content.decode()
    assert "User erp was changed" in page
    assert "may use the administration: no → yes" in page
    change = AccessChange.objects.first()
    assert change is not None
    for address in (f"{PAGE}add/", f"{PAGE}{change.pk}/delete/"):
        assert root.post(address, {"post": "yes"}).status_code == 403
    assert root.post(f"{PAGE}{change.pk}/change/", {"changed_by": "nobody"}).status_code == 403
    root.post(PAGE, {"action": "delete_selected", "_selected_action": [change.pk], "post": "yes"})
    change.refresh_from_db()
    assert change.changed_by == "system"


def test_changes_are_in_words(root: Client, northwind: Repository):
    """Roles, dimensions and groups by their names; what it does not know as it is stored."""
    clerks = Group.objects.create(name="clerks")
    ben = User.objects.create_user("ben", password="first-Word-7")
    grant = AccessGrant.objects.create(repository=northwind, user=ben, role=Role.EDITOR, dimension="account")
    grant.role = Role.MANAGER
    grant.save()
    ben.groups.add(clerks)
    ben.set_password("second-Word-7")
    ben.save()
    grant.delete()
    ApiKey.objects.create_key(user=ben, name="warehouse")
    AccessChange.objects.create(changed_by="x", event="door_opened", subject={}, changes={"oddity": {"deep": [1]}})
    page = root.get(PAGE).content.decode()
    for words in (
        "Role editor of account in northwind was given to ben",
        "Role manager of account in northwind of ben was changed",
        "role: editor → manager",
        "Role manager of account in northwind was taken from ben",
        "groups: added: clerks",
        "password: changed",
        "API key warehouse was created",
        "door_opened",
        "oddity: ",
    ):
        assert words in page, words
    found = root.get(PAGE, {"event": "grant_created"}).context["cl"].result_list
    assert [change.event for change in found] == ["grant_created"]
    german = root.get(PAGE, headers={"Accept-Language": "de"}).content.decode()
    assert "Rolle Bearbeiter" in german


@pytest.mark.parametrize("words", ["grant", "is_staff", "nobody"])
def test_the_changes_are_searched(root: Client, words: str):
    User.objects.create_user("erp")
    assert root.get(PAGE, {"q": words}).status_code == 200
