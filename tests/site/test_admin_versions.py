"""The admin tells who wrote each version of an element, when and from where."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from account.models import Account
from currency.models import Currency
from dimensions_site.elements.history import CHANGED, record
from dimensions_site.elements.models import Origin
from tests.factories import account, currency
from tests.site.storing import store_accounts, store_currencies

MODELS: dict[str, Any] = {"currency": Currency, "account": Account}


def store(dimension, repository):
    """The element EUR in that repository."""
    if dimension == "currency":
        store_currencies(repository, currency("EUR"))
    else:
        store_accounts(repository, account("EUR"))
    return MODELS[dimension].objects.get(repository=repository)


def versions_page(element):
    return reverse(f"admin:{element._meta.app_label}_{element._meta.model_name}_history", args=[element.pk])


@pytest.fixture
def browser(db):
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    return browser


@pytest.mark.contract("C18")
def test_every_version_is_listed_the_latest_first(alice, ed, browser):
    """By name, also for a user who is gone, and in words for what happened."""
    alice.send("POST", alice.currency(), currency())
    ed.send("PATCH", ed.currency("elements/EUR"), {"preferred": True})
    ed.user.delete()

    page = browser.get(versions_page(Currency.objects.get()))

    versions = [
        (version.get_history_type_display(), version.history_actor, version.get_history_origin_display())
        for version in page.context["versions"]
    ]
    assert versions == [("Changed", "ed", "REST API or admin"), ("Created", "alice", "REST API or admin")]
    text = page.content.decode()
    assert text.index("<td>ed</td>") < text.index("<td>alice</td>")
    assert text.count("<td>REST API or admin</td>") == 2


@pytest.mark.contract("C18")
@pytest.mark.parametrize("dimension", MODELS)
def test_a_page_tells_of_a_hundred_versions_and_leads_to_the_others(
    northwind, browser, dimension, django_assert_max_num_queries
):
    """A page costs the same however many versions there are: they are not read with all their values."""
    element = store(dimension, northwind)
    for number in range(204):
        record(
            MODELS[dimension],
            [element.pk],
            CHANGED,
            user_key=None,
            actor=f"person {number}",
            origin=Origin.IMPORT,
            at=element.update_date,
        )
    address = versions_page(element)
    for query, number, first, last in (
        ({}, 1, "person 203", "person 104"),
        ({"p": "2"}, 2, "person 103", "person 4"),
        ({"p": "3"}, 3, "person 3", "system"),
        ({"p": "99"}, 3, "person 3", "system"),
        ({"p": "x"}, 1, "person 203", "person 104"),
    ):
        with django_assert_max_num_queries(9) as queries:
            page = browser.get(address, query)
        read = [told["sql"] for told in queries.captured_queries if "history_actor" in told["sql"]]
        assert len(read) == 1
        assert "descriptions" not in read[0]
        text = page.content.decode()
        actors = [version.history_actor for version in page.context["versions"]]
        assert (actors[0], actors[-1]) == (first, last)
        assert f'<span class="this-page" aria-current="page">{number}</span>' in text
        links = [other for other in (1, 2, 3) if f'<a href="?p={other}" aria-label="Page {other}">' in text]
        assert links == [other for other in (1, 2, 3) if other != number]
        assert "205 versions" in text


@pytest.mark.contract("G2")
@pytest.mark.parametrize("dimension", MODELS)
def test_the_versions_of_another_repository_are_not_found(northwind, contoso, bob, dimension):
    """The manager of one repository learns nothing of who writes what in the other one."""
    User.objects.filter(pk=bob.user.pk).update(is_staff=True)
    browser = Client()
    browser.force_login(User.objects.get(pk=bob.user.pk))
    own, others = store(dimension, contoso), store(dimension, northwind)
    assert browser.get(versions_page(own)).status_code == 200
    assert browser.get(versions_page(others)).status_code == 404
