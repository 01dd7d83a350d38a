"""Every change of rights logs a line: who made it, and the values before and after; no password and no key."""

import logging

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from dimensions_site.tokens.models import Application
from tests.dimensions_site.observability.lines import line, lines

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("G2")]


@pytest.fixture
def admin(db: None) -> Client:
    """Root, a superuser, in the administration."""
    page = Client()
    page.force_login(User.objects.create_superuser("root", password="root-password"))
    return page


@pytest.fixture
def changes(caplog: pytest.LogCaptureFixture, northwind: Repository, admin: Client) -> pytest.LogCaptureFixture:
    """The log from here on."""
    caplog.set_level(logging.INFO)
    caplog.clear()
    return caplog


def grant_form(**fields: object) -> dict[str, object]:
    return {"user": "", "group": "", "dimension": "all", "role": "1", **fields}


def test_a_grant_that_a_superuser_gives_changes_and_takes_away(admin, changes, northwind):
    """Who, what and from where."""
    erp = User.objects.create_user("erp")
    changes.clear()
    form = grant_form(repository=northwind.pk, user=erp.pk)
    assert admin.post("/admin/repositories/accessgrant/add/", form).status_code == 302
    entry = line(changes, "grant_created")
    assert entry["subject"] == {"repository": "northwind", "user": "erp", "dimension": "all", "role": "READER"}
    assert (entry["user"], entry["mode"], entry["address"]) == ("root", "session", "127.0.0.1")
    assert entry["route"] == "/admin/repositories/accessgrant/add/"
    page = f"/admin/repositories/accessgrant/{AccessGrant.objects.get().pk}"
    admin.post(f"{page}/change/", {**form, "role": "4"})
    assert line(changes, "grant_changed")["changed"] == {"role": ["READER", "MANAGER"]}
    admin.post(f"{page}/delete/", {"post": "yes"})
    assert line(changes, "grant_deleted")["subject"]["role"] == "MANAGER"


def test_a_grant_that_a_command_gives(changes):
    """Nobody is named, because the command does not know who called it."""
    User.objects.create_user("erp")
    call_command("grant_access", "erp", "northwind", "editor", "--dimension", "currency")
    call_command("grant_access", "erp", "northwind", "manager", "--dimension", "currency")
    entry = line(changes, "grant_created")
    assert entry["subject"] == {"repository": "northwind", "user": "erp", "dimension": "currency", "role": "EDITOR"}
    assert "user" not in entry
    assert line(changes, "grant_changed")["changed"] == {"role": ["EDITOR", "MANAGER"]}


def test_a_user_whom_a_command_creates(changes):
    """With the initial rights."""
    call_command("create_user", "ann", "--staff")
    entry = line(changes, "user_created")
    assert entry["subject"] == {"user": "ann", "is_active": True, "is_staff": True, "is_superuser": False}
    assert "user" not in entry


def test_grants_that_go_with_what_they_belong_to(changes, northwind):
    """A group, a user or a repository."""
    clerks, erp = Group.objects.create(name="clerks"), User.objects.create_user("erp")
    AccessGrant.objects.create(repository=northwind, group=clerks)
    AccessGrant.objects.create(repository=northwind, user=erp)
    clerks.delete()
    erp.delete()
    subjects = [entry["subject"] for entry in lines(changes, "grant_deleted")]
    assert [subject.get("group") or subject.get("user") for subject in subjects] == ["clerks", "erp"]
    assert line(changes, "group_deleted")["subject"] == {"group": "clerks"}
    assert line(changes, "user_deleted")["subject"]["user"] == "erp"


@pytest.mark.parametrize("right", ["is_active", "is_staff", "is_superuser"])
def test_rights_of_a_user(changes, right):
    erp = User.objects.create_user("erp")
    before = getattr(erp, right)
    setattr(erp, right, not before)
    erp.save()
    assert line(changes, "user_created")["subject"]["user"] == "erp"
    assert line(changes, "user_changed")["changed"] == {right: [before, not before]}


def test_groups_of_a_user(changes, admin):
    """From either side."""
    erp, clerks = User.objects.create_user("erp"), Group.objects.create(name="clerks")
    erp.groups.add(clerks)
    erp.groups.add(clerks)
    erp.groups.clear()
    clerks.user_set.add(erp)
    assert [entry["changed"] for entry in lines(changes, "user_changed")] == [
        {"groups": {"added": ["clerks"]}},
        {"groups": {"cleared": "all"}},
    ]
    assert line(changes, "group_changed")["changed"] == {"users": {"added": ["erp"]}}


def test_a_new_password(changes, admin):
    """Only that it changed, without the values before and after."""
    erp = User.objects.create_user("erp", password="old-password-9")
    hashes = [erp.password]
    form = {"password1": "new-password-9", "password2": "new-password-9", "usable_password": "true"}
    assert admin.post(f"/admin/auth/user/{erp.pk}/password/", form).status_code == 302
    hashes.append(User.objects.get(pk=erp.pk).password)
    entry = line(changes, "user_changed")
    assert entry["changed"] == {"password": "changed"}
    assert (entry["subject"]["user"], entry["user"]) == ("erp", "root")
    assert not [secret for secret in (*hashes, "old-password-9", "new-password-9") if secret in changes.text]


def test_what_changes_no_rights_is_not_logged(changes, settings):
    """Signing in, a stronger hash of the same password, another name, or a save of what was there."""
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher",
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    ]
    erp = User.objects.create_user("erp", password="erp-password", is_staff=True)
    settings.PASSWORD_HASHERS = settings.PASSWORD_HASHERS[::-1]
    assert Client().post("/admin/login/", {"username": "erp", "password": "erp-password"}).status_code == 302
    renewed = User.objects.get(pk=erp.pk)
    assert renewed.password != erp.password
    renewed.first_name = "Enterprise"
    renewed.save()
    assert lines(changes, "user_changed") == []


@pytest.mark.contract("G1")
def test_a_key_that_is_made_used_and_revoked(changes, admin, alice):
    """Its name, its prefix and its user; its use is not a change."""
    changes.clear()
    form = {"name": "ERP", "user": alice.user.pk, "dimension": "all", "role": "4"}
    answer = admin.post("/admin/repositories/apikey/add/", form, follow=True)
    key = ApiKey.objects.get(name="ERP")
    entry = line(changes, "api_key_created")
    subject = entry["subject"]
    assert (subject["key"], subject["prefix"], subject["user"]) == ("ERP", key.prefix, "alice")
    assert entry["user"] == "root"
    secret = answer.content.decode().split(f"{key.prefix}.", 1)[1][:32]
    Client(headers={"X-API-Key": f"{key.prefix}.{secret}"}).get(alice.currency())
    admin.post("/admin/repositories/apikey/", {"action": "revoke", "_selected_action": [key.pk]})
    assert line(changes, "api_key_changed")["changed"] == {"revoked": [False, True]}
    assert secret not in changes.text
    assert key.hashed_key not in changes.text


@pytest.mark.contract("G1")
def test_repositories_of_a_key(changes, alice, northwind):
    """They narrow what it permits."""
    ApiKey.objects.get().repositories.set([northwind])
    assert line(changes, "api_key_changed")["changed"] == {"repositories": {"added": [str(northwind)]}}


@pytest.mark.contract("G3")
def test_the_switch_of_a_repository(changes, northwind):
    Repository.objects.create(db_id="contoso", name="Contoso")
    northwind.api_enabled = False
    northwind.save()
    northwind.name = "Another name"
    northwind.save()
    northwind.delete()
    assert line(changes, "repository_created")["subject"] == {
        "repository": "contoso",
        "api_enabled": True,
        "requires_reason": False,
        "approval": {},
    }
    assert line(changes, "repository_changed")["changed"] == {"api_enabled": [True, False]}
    assert line(changes, "repository_deleted")["subject"]["repository"] == "northwind"


def test_what_is_rolled_back_is_not_recorded(changes, northwind, admin, monkeypatch):
    """A transaction that fails has changed nothing."""

    def fail(*arguments: object, **named: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("django.contrib.admin.ModelAdmin.log_addition", fail)
    admin.raise_request_exception = False
    form = grant_form(repository=northwind.pk, user=User.objects.get().pk, role=Role.MANAGER.value)
    assert admin.post("/admin/repositories/accessgrant/add/", form).status_code == 500
    assert not AccessGrant.objects.exists()
    assert lines(changes, "grant_created") == []


@pytest.mark.contract("G1")
def test_an_application_that_gets_tokens(changes, alice):
    """As whom it acts; of its secret only that it changed."""
    described = {"user": alice.user, "client_type": "confidential", "authorization_grant_type": "client-credentials"}
    erp = Application.objects.create(name="ERP", client_id="erp", client_secret="hush-hush", **described)
    erp.client_secret = "hush-hush-hush"
    erp.save()
    assert line(changes, "application_created")["subject"]["user"] == "alice"
    assert line(changes, "application_changed")["changed"] == {"client_secret": "changed"}
    assert "hush" not in changes.text
    assert erp.client_secret not in changes.text
