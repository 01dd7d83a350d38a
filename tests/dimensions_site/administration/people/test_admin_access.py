"""The admin pages with which superusers give people and programs access."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.factories import Person

pytestmark = pytest.mark.contract("G2")


def page(model, action="changelist", *arguments):
    return reverse(f"admin:repositories_{model}_{action}", args=arguments)


# The form of a repository also holds those of its grants.
NO_GRANTS = {"grants-TOTAL_FORMS": "0", "grants-INITIAL_FORMS": "0"}
# A key that neither expires nor narrows anything.
EVERYTHING = {"expiry_date_0": "", "expiry_date_1": "", "role": Role.MANAGER.value, "dimension": "all"}


def errors(response):
    """What the form refuses, field by field."""
    return {name: list(messages) for name, messages in response.context["adminform"].errors.items()}


def test_a_repository_is_created_changed_and_switched_off(root, rita):
    """Its dbID stays for good: clients store it in their addresses."""
    form = {"db_id": "acme", "name": "Acme", "default_language": "it", "api_enabled": "on", **NO_GRANTS}
    assert root.post(page("repository", "add"), form).status_code == 302
    acme = Repository.objects.get(db_id="acme")
    root.post(page("repository", "change", acme.pk), {**form, "db_id": "other", "name": "Acme group"})
    acme.refresh_from_db()
    assert (acme.db_id, acme.name, acme.api_enabled) == ("acme", "Acme group", True)
    northwind = Repository.objects.get(db_id="northwind")
    root.post(page("repository", "change", northwind.pk), {"name": "N", "default_language": "en", **NO_GRANTS})
    assert rita.get(rita.currency()).json()["code"] == "API_NOT_ENABLED"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("db_id", "a/b", "begins with a letter or a digit"),
        ("db_id", "", "required"),
        ("db_id", "northwind", "already exists"),
        ("default_language", "english!", "like `en` or `de-CH`"),
        ("name", "", "required"),
    ],
)
def test_an_invalid_repository_is_refused_with_a_message(root, northwind, field, value, words):
    """At the field that is wrong."""
    form = {"db_id": "acme", "name": "Acme", "default_language": "it", **NO_GRANTS, field: value}
    refused = errors(root.post(page("repository", "add"), form))
    assert list(refused) == [field]
    assert words in refused[field][0]


def test_the_history_of_who_has_access_is_in_the_access_changes(root, northwind):
    """All of it, and not only what was changed by form, as on Django's own page."""
    user = User.objects.create(username="Jürgen")
    AccessGrant.objects.create(user=user, repository=northwind, role=Role.READER)
    for model, row in (("auth_user", user), ("repositories_repository", northwind)):
        answer = root.get(reverse(f"admin:{model}_history", args=[row.pk]), follow=True)
        assert answer.request["PATH_INFO"] == page("accesschange")
        assert "Role reader of everything in northwind was given to Jürgen" in answer.content.decode()


@pytest.mark.contract("G1")
def test_a_new_key_is_shown_once_and_works(root, rita):
    """On the page after it was made, and never again; the list shows its prefix."""
    form = {"name": "nightly", "user": rita.user.pk, **EVERYTHING}
    shown = root.post(page("apikey", "add"), form, follow=True).content.decode()
    [key] = re.findall(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}", shown)
    assert Client(headers={"X-API-Key": key}).get(Person().currency()).status_code == 200
    stored = ApiKey.objects.get(name="nightly")
    for address in (page("apikey"), page("apikey", "change", stored.pk), page("apikey", "history", stored.pk)):
        again = root.get(address, follow=True).content.decode()
        assert "nightly" in again
        assert key.split(".")[1] not in again
