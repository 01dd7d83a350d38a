"""The pages with which superusers give people and programs access; nobody else sees them."""

from datetime import UTC, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule, Success

from bulkops.models import Worker
from dimensions_site.repositories.models import AccessChange, AccessGrant, ApiKey, Repository, Role
from dimensions_site.saved_views.models import DefaultView, KnownRepository, SavedView
from dimensions_site.text.formats import moment
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import currency
from tests.storing import store_currencies

pytestmark = pytest.mark.contract("G2")

SUPERUSERS_ONLY = (User, Group, Repository, AccessGrant, ApiKey, Worker, Schedule, Success, Failure, OrmQ)


def grants(prefix: str, *rows: dict[str, Any]) -> dict[str, Any]:
    """The fields of a form for the grants on the page of a user, a group or a repository."""
    fields = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": 0}
    return fields | {
        f"{prefix}-{number}-{name}": value for number, row in enumerate(rows) for name, value in row.items()
    }


def test_a_list_is_named_by_its_rows_and_a_row_as_it_is_written(root, rita):
    """In the title of the browser, and above the page."""
    assert "<title> Users | Accounts and currencies" in " ".join(root.get(page(User)).content.decode().split())
    shown = root.get(page(User, "change", rita.user.pk)).content.decode()
    assert ">rita</a>" in shown
    assert ">Rita</a>" not in shown


def test_what_goes_with_a_user_is_named_in_the_language_of_the_page(root, rita):
    view = SavedView.objects.create(owner=rita.user, dimension="account", name="Kasse", query="")
    DefaultView.objects.create(user=rita.user, dimension="account", view=view)
    answer = root.get(page(User, "delete", rita.user.pk), headers={"Accept-Language": "de"})
    text = answer.content.decode().lower()
    assert "gespeicherte ansicht: kasse" in text
    assert "standardansicht" in text


@pytest.mark.parametrize("model", [User, Repository])
def test_a_deletion_is_asked_without_what_nobody_looks_for_and_told_in_whole_words(root, rita, contoso, model):
    """The repository that somebody chose last goes with a person and with a repository."""
    KnownRepository.objects.create(user=rita.user, repository=contoso, is_current=True)
    address = page(model, "delete", rita.user.pk if model is User else contoso.pk)
    headers = {"Accept-Language": "es"}
    asked = root.get(address, headers=headers)
    assert "conocid" not in asked.content.decode().lower()
    named = "usuario “rita”" if model is User else "repositorio “contoso (Contoso holding)”"
    answer = root.post(address, {"post": "yes"}, headers=headers, follow=True)
    assert messages_of(answer) == [f"Eliminación correcta: {named}."]
    assert not KnownRepository.objects.exists()


def test_a_page_to_look_at_leads_to_no_history_that_it_has_not(root, rita):
    """The page of an access change has its moment as all pages do, and no event twice."""
    change = AccessChange.objects.filter(event="user_created").latest("pk")
    shown = root.get(page(AccessChange, "change", change.pk)).content.decode()
    assert page(AccessChange, "history", change.pk) not in shown
    assert f'title="{moment(change.at, UTC)}"' in shown
    assert "user_created</div>" not in shown
    assert page(User, "history", rita.user.pk) in root.get(page(User, "change", rita.user.pk)).content.decode()


@pytest.mark.parametrize("model", SUPERUSERS_ONLY, ids=lambda model: model.__name__)
def test_pages_of_superusers_are_closed_to_everybody_else(root, rita, model):
    """Also for users with Django's own permissions: whoever changes users could make themselves a superuser."""
    rita.user.user_permissions.set(Permission.objects.all())
    browser = browser_of(rita)
    assert root.get(page(model)).status_code == 200
    for name in ("changelist", "add"):
        assert browser.get(page(model, name)).status_code == 403
        assert browser.post(page(model, name), {}).status_code == 403
    assert page(model) not in browser.get(reverse("admin:index")).content.decode()


def test_a_group_and_a_repository_get_grants_on_their_pages(root, northwind, rita):
    """Each in the name of the other side."""
    row = {"repository": northwind.pk, "dimension": "all", "role": Role.READER.value}
    root.post(page(Group, "add"), {"name": "Auditors", **grants("access_grants", row)})
    assert AccessGrant.objects.get(group__name="Auditors").repository == northwind
    form = {"db_id": "acme", "name": "Acme", "default_language": "en", "api_enabled": "on"}
    row = {"user": rita.user.pk, "dimension": "all", "role": Role.READER.value}
    root.post(page(Repository, "add"), {**form, **grants("grants", row)})
    assert AccessGrant.objects.get(repository__db_id="acme").user == rita.user


def test_a_repository_with_elements_is_not_deleted(root, northwind, contoso):
    """Nor is it offered; an empty one is."""
    store_currencies(northwind, currency())
    assert root.get(page(Repository, "delete", northwind.pk)).status_code == 403
    assert root.post(page(Repository, "delete", northwind.pk), {"post": "yes"}).status_code == 403
    root.post(page(Repository, "delete", contoso.pk), {"post": "yes"})
    assert list(Repository.objects.all()) == [northwind]


@pytest.mark.contract("G1")
def test_selected_keys_are_revoked_at_once(root, rita, alice):
    """Calls with them are refused, those with others work."""
    key = ApiKey.objects.get(user=rita.user)
    form = {"action": "revoke", "_selected_action": [key.pk]}
    assert rita.get(rita.currency()).status_code == 200
    assert messages_of(root.post(page(ApiKey), form, follow=True)) == [
        "1 API key is revoked; calls with it are refused from now on."
    ]
    assert rita.get(rita.currency()).status_code == 401
    assert alice.get(alice.currency()).status_code == 200


@pytest.mark.contract("G1")
def test_the_list_of_keys_shows_when_each_was_last_used(root, rita):
    """A key that nobody uses any more can be revoked."""
    ApiKey.objects.create_key(user=rita.user, name="unused", last_used_at=None)
    ApiKey.objects.filter(name="test").update(
        last_used_at="2026-03-04T05:06:00Z", expiry_date=timezone.now() + timedelta(9)
    )
    text = root.get(page(ApiKey)).content.decode()
    assert "2026-03-04 05:06" in text
    stored = ApiKey.objects.get(name="test")
    assert "2026-03-04 05:06" in root.get(page(ApiKey, "change", stored.pk)).content.decode()


@pytest.mark.parametrize("model", [Schedule, Success, Failure, OrmQ], ids=lambda model: model.__name__)
def test_the_queue_is_to_be_looked_at_only(root, model):
    """Its own pages would call any function that somebody types."""
    form = {"name": "x", "func": "os.getpid", "schedule_type": "O", "repeats": "-1"}
    assert root.get(page(model)).status_code == 200
    assert root.post(page(model, "add"), form).status_code == 403
    assert not Schedule.objects.filter(func="os.getpid").exists()
