"""The admin pages with which superusers give people and programs access, and limit API keys."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.dimensions import DIMENSIONS
from tests.factories import Person, currency
from tests.storing import store_currencies

pytestmark = pytest.mark.contract("G1", "G2")


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


@pytest.mark.contract("J1", "I4")
def test_the_default_language_stays_once_there_are_elements(root, alice, northwind):
    """Past states and the feed show texts in it."""
    address, form = page("repository", "change", northwind.pk), {"name": "N", "default_language": "fr", **NO_GRANTS}
    root.post(address, form)
    northwind.refresh_from_db()
    assert northwind.default_language == "fr"
    store_currencies(northwind, currency("CASH"))
    assert "default_language" not in root.get(address).context["adminform"].form.fields
    root.post(address, {**form, "default_language": "de"})
    northwind.refresh_from_db()
    assert northwind.default_language == "fr"


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


LIST = page("apikey")


def made(root, user, **fields) -> tuple[ApiKey, Person]:
    """A key that was made on the page, and a program that calls with it."""
    shown = root.post(page("apikey", "add"), {"name": "nightly", "user": user.pk, **EVERYTHING, **fields}, follow=True)
    [key] = re.findall(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}", shown.content.decode())
    return ApiKey.objects.get(name="nightly"), Person(headers={"x-api-key": key})


def test_a_new_key_is_narrowed_on_its_page(root, alice, northwind):
    """To a role, a dimension and repositories; it works from the first moment."""
    narrow = {"role": Role.READER.value, "dimension": "account", "is_limited": "on", "repositories": [northwind.pk]}
    stored, program = made(root, alice.user, **narrow)
    assert stored.allows() == "reader of account in northwind"
    assert program.get(program.account()).status_code == 200
    assert program.get(program.currency()).json()["code"] == "CREDENTIAL_TOO_NARROW"
    assert program.send("POST", program.account(), {}).json()["code"] == "CREDENTIAL_TOO_NARROW"


def test_repositories_without_the_mark_are_refused_with_a_message(root, alice, northwind):
    """Naming some repositories does not mean all."""
    form = {"name": "nightly", "user": alice.user.pk, **EVERYTHING, "repositories": [northwind.pk]}
    refused = errors(root.post(page("apikey", "add"), form))
    assert refused == {
        "is_limited": ["Repositories are named below, but the key would open all: set this mark, or name none."]
    }
    assert not ApiKey.objects.filter(name="nightly").exists()


def test_what_a_key_allows_is_changed_later_and_it_is_noted_who_did(root, alice, northwind):
    """At once, and with the names of the fields; the user stays."""
    stored, program = made(root, alice.user)
    narrow = {"role": Role.EDITOR.value, "dimension": "currency", "is_limited": "on", "repositories": [northwind.pk]}
    assert (
        root.post(page("apikey", "change", stored.pk), {"name": "nightly", **EVERYTHING, **narrow}).status_code == 302
    )
    assert program.get(program.account()).json()["code"] == "CREDENTIAL_TOO_NARROW"
    entry = LogEntry.objects.first()
    assert entry is not None
    assert entry.user.username == "root"
    message = entry.get_change_message()
    assert all(words in message.lower() for words in ("highest role", "kind", "only certain", "repositories"))


def test_saving_a_key_whose_repositories_are_gone_does_not_widen_it(root, alice, contoso):
    """The mark stays, whatever else is changed."""
    stored, _ = made(root, alice.user, is_limited="on", repositories=[contoso.pk])
    contoso.delete()
    form = {"name": "weekly", **EVERYTHING, "is_limited": "on"}
    assert root.get(page("apikey", "change", stored.pk)).context["adminform"].form.initial["is_limited"] is True
    assert root.post(page("apikey", "change", stored.pk), form).status_code == 302
    stored.refresh_from_db()
    assert (stored.name, stored.allows()) == ("weekly", "manager of everything in no repository")


def test_the_list_shows_what_each_key_allows_in_as_many_queries_for_one_as_for_many(
    root, alice, northwind, contoso, django_assert_num_queries
):
    """The list can be filtered by it, too."""

    def fill(count: int) -> None:
        for number in range(count):
            stored, _ = ApiKey.objects.create_key(user=alice.user, name=f"key {number}")
            ApiKey.objects.filter(pk=stored.pk).update(role=Role.READER, is_limited=True)
            ApiKey.objects.get(pk=stored.pk).repositories.set([northwind, contoso])

    fill(1)
    root.get(LIST)
    with django_assert_num_queries(len(DIMENSIONS) + 6):
        text = root.get(LIST).content.decode()
    assert "reader of everything in contoso, northwind" in text
    assert "manager of everything in all repositories" in text
    fill(5)
    with django_assert_num_queries(len(DIMENSIONS) + 6):
        root.get(LIST)
    for address, count in (
        ("?role__exact=1", 6),
        ("?dimension__exact=account", 0),
        (f"?repositories__id__exact={northwind.pk}", 6),
        ("?is_limited__exact=0", 1),
    ):
        assert root.get(LIST + address).context["cl"].result_count == count, address
