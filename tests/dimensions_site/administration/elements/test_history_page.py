"""The page of an element shows who wrote each version, when, from where, and what it changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone
from django.utils.html import strip_tags

from account.models import Account
from currency.models import Currency, CurrencyVersion
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.saving import record
from tests.bulkops.save.bulk import patch, save
from tests.dimensions import MODELS
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("C18")]


def store(dimension: str, repository: Any) -> Any:
    """The element EUR in that repository."""
    if dimension == "currency":
        store_currencies(repository, currency("EUR"))
    else:
        store_accounts(repository, account("EUR"))
    return MODELS[dimension].objects.get(repository=repository)


def versions_page(element: Any) -> str:
    return page(type(element), "history", element.pk)


def shown(response: Any) -> list[tuple[Any, ...]]:
    """Kind, author, channel and differences of each version on a page; of whole ones the number of values."""
    return [
        (
            version.row.get_change_display(),
            version.row.change_set.user,
            version.row.change_set.get_channel_display(),
            [(found.path, strip_tags(found.before), strip_tags(found.after)) for found in version.differences]
            if version.is_change
            else None,
        )
        for version in response.context["versions"]
    ]


def test_every_way_of_writing_is_reported_with_what_it_changed(alice, ed, tmp_path):
    """REST, bulk, a file and the admin: the latest first, with the author's name even after deletion of the user."""
    alice.send("POST", alice.currency(), currency())
    ed.send("PATCH", ed.currency("elements/EUR"), {"preferred": True, "descriptions": {"fr": "Euro"}})
    save(ed, "currency", patch=[patch("EUR", descriptions={"de": None}, decimalNumbers=3)])
    file = tmp_path / "currencies.csv"
    file.write_text("id,decimalNumbers\nEUR,4\n")
    call_command("import_currencies", "northwind", str(file))
    element = Currency.objects.get()
    browser = browser_of(alice)
    browser.post(page(Currency, "restore", CurrencyVersion.objects.order_by("number")[1].pk))
    ed.user.delete()

    response = browser.get(versions_page(element))

    rest = "REST API"
    assert shown(response) == [
        (
            "Changed",
            "alice",
            "restored version",
            [("descriptions.de", "no text", "Euro"), ("decimalNumbers", "4", "2")],
        ),
        ("Changed", "system", "imported file", [("decimalNumbers", "3", "4")]),
        ("Changed", "ed", rest, [("descriptions.de", "Euro", "no text"), ("decimalNumbers", "2", "3")]),
        ("Changed", "ed", rest, [("descriptions.fr", "not set", "Euro"), ("preferred", "not set", "yes")]),
        ("Created", "alice", rest, None),
    ]
    text = response.content.decode()
    assert text.index("imported file") < text.index("by ed")
    assert "descriptions.fr" in text
    assert "Current version" in text
    assert ">2</ins>" in text, "what differs is marked"


def test_what_came_before_purged_versions_is_not_shown_as_a_change(alice, ed):
    """The oldest version that is kept shows what the element was like, and nobody changed all of that."""
    alice.send("POST", alice.currency(), currency())
    for number in (2, 3):
        ed.send("PATCH", ed.currency("elements/EUR"), {"decimalNumbers": number})
    ChangeSet.objects.update(committed_at=timezone.now() - timedelta(days=900))
    alice.send("PATCH", alice.currency("elements/EUR"), {"preferred": True})
    with override_settings(READ_TIMEOUT_SECONDS=0):
        call_command("clean_old_history", "--days", "365")

    response = browser_of(alice).get(versions_page(Currency.objects.get()))

    rest = "REST API"
    assert shown(response) == [
        ("Changed", "alice", rest, [("preferred", "not set", "yes")]),
        ("Changed", "ed", rest, None),
    ]
    values = {found.path: found.after for found in response.context["versions"][1].differences}
    assert (values["id"], values["decimalNumbers"]) == ("EUR", "3")
    assert response.content.decode().count("Earlier versions have been removed.") == 1


@pytest.mark.parametrize("dimension", MODELS)
def test_a_page_shows_25_versions_and_leads_to_the_others(northwind, dimension, django_assert_max_num_queries):
    """The versions of a page are one query, which also reads the one before them."""
    element = store(dimension, northwind)
    for number in range(60):
        person = Actor(f"person {number}", Channel.IMPORT)
        MODELS[dimension].objects.update(descriptions={"en": f"text {number}"})
        with transaction.atomic():
            record(MODELS[dimension].objects.filter(pk=element.pk), northwind.pk, Change.CHANGED, person)
    browser = superuser()
    for query, number, first, last in (
        ({}, 1, "person 59", "person 35"),
        ({"p": "2"}, 2, "person 34", "person 10"),
        ({"p": "3"}, 3, "person 9", "system"),
        ({"p": "99"}, 3, "person 9", "system"),
        ({"p": "x"}, 1, "person 59", "person 35"),
    ):
        with django_assert_max_num_queries(14) as queries:
            response = browser.get(versions_page(element), query)
        read = [sql["sql"] for sql in queries.captured_queries if 'JOIN "changes_changeset"' in sql["sql"]]
        assert len(read) == 1
        versions = response.context["versions"]
        assert (versions[0].row.change_set.user, versions[-1].row.change_set.user) == (first, last)
        changed_paths = [[found.path for found in version.differences] for version in versions if version.is_change]
        assert all(len(paths) == 1 for paths in changed_paths[:-1])  # also of the last one on a page
        text = response.content.decode()
        assert f'<span class="this-page" aria-current="page">{number}</span>' in text
        links = [other for other in (1, 2, 3) if f'<a href="?p={other}" aria-label="Page {other}">' in text]
        assert links == [other for other in (1, 2, 3) if other != number]
        assert "61 versions" in text


def test_the_history_goes_on_where_a_deleted_element_ended(alice):
    """To people it is the same element, although it is another row."""
    alice.send("POST", alice.account(), account())
    browser = browser_of(alice)
    browser.post(page(Account, "delete", Account.objects.get().pk), {"post": "yes"})
    alice.send("POST", alice.account(), account(type="DETAIL"))
    response = browser.get(versions_page(Account.objects.get()))
    assert [kind for kind, *_ in shown(response)] == ["Created", "Deleted", "Created"]
