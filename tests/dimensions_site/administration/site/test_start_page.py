"""The start page shows what an administrator asks first, and nothing of other tenants."""

from datetime import timedelta
from time import time_ns

import pytest
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone
from psycopg.errors import QueryCanceled

from account.models import Account
from bulkops.models import FileImport
from bulkops.worker.tasks import work
from currency.models import Currency
from dimensions_site.administration.base import paging
from dimensions_site.administration.lists.quality import CHECKS
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.saved_views.models import KnownRepository, SavedView
from tests.dimensions_site.administration.files.imports import CASH, HEADINGS, checked, confirm
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("G2")


def index(browser):
    return browser.get(reverse("admin:index"))


def panel(browser, name):
    return browser.get(reverse("start_panel", args=[name]))


def holdings(response):
    """The dbID of each repository with the counts of its dimensions."""
    return {
        shown.repository.db_id: {name: count for name, _, count in shown.counts}
        for shown in response.context["repositories"]
    }


@pytest.fixture
def filled(northwind, contoso):
    store_accounts(northwind, *(account(f"N{number}") for number in range(5)))
    store_currencies(northwind, currency("EUR"))
    store_accounts(contoso, account("CCODE"))


def test_repositories_are_listed_with_the_number_of_their_elements(filled, rita, bob):
    """Those of the user; the numbers lead to the lists."""
    response = index(browser_of(rita))
    assert holdings(response) == {"northwind": {"currency": 1, "accounts": 5}}
    northwind = Repository.objects.get(db_id="northwind")
    text = response.content.decode()
    assert f'href="{page(Account)}?repository__id__exact={northwind.pk}">5 accounts</a>' in text
    assert f'href="{page(Currency)}?repository__id__exact={northwind.pk}">1 currency</a>' in text
    for words in ("contoso", "Contoso", "CCODE"):
        assert words not in text
    assert holdings(index(browser_of(bob))) == {"contoso": {"currencies": 0, "account": 1}}


def test_superusers_see_every_repository(filled):
    """And an empty one as empty."""
    Repository.objects.create(db_id="acme", name="Acme")
    assert holdings(index(superuser())) == {
        "acme": {"currencies": 0, "accounts": 0},
        "contoso": {"currencies": 0, "account": 1},
        "northwind": {"currency": 1, "accounts": 5},
    }


def test_large_numbers_are_not_counted_to_the_end(filled, rita, monkeypatch):
    """A million rows must not make the page wait."""
    monkeypatch.setattr(paging, "COUNTED_ROWS", 3)
    browser = browser_of(rita)
    text = index(browser).content.decode()
    assert "more than 3 accounts" in text
    assert "1 currency" in text
    assert text.count('<a href="?count=exact">Count exactly</a>') == 1
    text = browser.get(reverse("admin:index"), {"count": "exact"}).content.decode()
    assert "5 accounts" in text
    assert "Count exactly" not in text


@pytest.mark.django_db(transaction=True)
def test_the_latest_changes_are_one_line_for_each_person_or_job(filled, alice):
    """They come from all dimensions, the last one first, and lead to what was changed; a single element is named."""
    alice.send("PATCH", alice.account("elements/N1"), {"type": "DETAIL"})
    alice.send("POST", alice.currency(), currency("USD"))
    browser = browser_of(alice)
    browser.post(page(Account, "delete", Account.objects.get(element_id="N2").pk), {"post": "yes"})
    response = panel(browser, "activity")
    shown = [
        (one.elements, one.version and one.version.element_id, one.counts) for one in response.context["activities"]
    ]
    assert shown[:3] == [
        ("account", "N2", "1 deleted"),
        ("currency", "USD", "1 created"),
        ("account", "N1", "1 changed"),
    ]
    assert ("accounts", None, "5 created") in shown
    text = response.content.decode()
    for one in response.context["activities"]:
        assert page(ChangeSet, "change", one.newest.pk) in text
    assert "CCODE" not in text


@pytest.mark.django_db(transaction=True)
def test_the_change_sets_of_a_job_are_one_line(filled, alice, northwind):
    """A large deletion leaves many."""
    for id in ("N1", "N2"):
        alice.send("PATCH", alice.account(f"elements/{id}"), {"type": "DETAIL"})
    ChangeSet.objects.filter(changed=1).update(operation="job")
    counts = [one.counts for one in panel(browser_of(alice), "activity").context["activities"]]
    assert counts[0] == "2 changed"


@pytest.mark.django_db(transaction=True)
def test_what_the_user_has_changed_last_is_at_hand(filled, alice, ed):
    """Each element once, with a link to its form; not what others have changed."""
    for id in ("N1", "N3", "N1"):
        alice.send("PATCH", alice.account(f"elements/{id}"), {"descriptions": {"en": f"{id}-{time_ns()}"}})
    found = panel(browser_of(alice), "activity").context["accounts"]
    assert [element.element_id for element, *_ in found] == ["N1", "N3"]
    assert found[0][2] == page(Account, "change", Account.objects.get(element_id="N1").pk)
    assert panel(browser_of(ed), "activity").context["accounts"] == []


@pytest.mark.django_db(transaction=True)
def test_a_picture_shows_the_changes_of_thirty_days(filled, alice):
    """With the same numbers as a table."""
    yesterday = timezone.now() - timedelta(days=1)
    ChangeSet.objects.filter(dimension="currency").update(committed_at=yesterday)
    response = panel(browser_of(alice), "activity")
    bars = response.context["bars"]
    assert len(bars) == 30
    assert [(bar.number, bar.height) for bar in bars[-3:]] == [(0, 0), (1, 20), (5, 100)]
    assert f"{yesterday:%Y-%m-%d}</th>" in response.content.decode()


def test_quality_counts_what_exactly_the_linked_list_shows(northwind, contoso, rita):
    """Missing texts by language, references to nothing, what is not used, and what has ended and is used."""
    both, one = {"en": "Cash", "de": "Kasse"}, {"en": "Bank"}
    ended = {"validity": {"endDate": "2020-12-31"}}
    store_accounts(
        northwind,
        account("A", descriptions=both, dataEntryAndReporting=ended),
        account(
            "B", descriptions=one, conversion={"conversionType": "FINAL", "referenceAccountForInitialBalance": "A"}
        ),
        account(
            "C",
            descriptions=one,
            conversion={"conversionType": "FINAL", "referenceAccountForInitialBalance": "nowhere"},
        ),
    )
    store_accounts(contoso, account("X", descriptions=one))
    browser = browser_of(rita)
    found = dict(panel(browser, "quality").context["findings"])["accounts"]
    expected = {
        "No description in German": ["B", "C"],
        "Refers to what does not exist": ["C"],
        "Nothing refers to it": ["B", "C"],
        "No longer valid, but in use": ["A"],
    }
    assert {row.words: row.number for row in found} == {words: len(ids) for words, ids in expected.items()}
    for row in found:
        shown = browser.get(row.address).context["cl"].result_list
        assert [element.element_id for element in shown] == expected[row.words]


def test_quality_is_that_of_the_current_repository(northwind, contoso, rita):
    """The links name it."""
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    for repository in (northwind, contoso):
        store_accounts(
            repository, account("A", descriptions={"en": "x", "de": "y"}), account("B", descriptions={"en": "z"})
        )
    browser = browser_of(rita)
    assert dict(panel(browser, "quality").context["findings"])["accounts"][0].number == 2
    KnownRepository.choose(rita.user, contoso)
    first = dict(panel(browser, "quality").context["findings"])["accounts"][0]
    assert first.number == 1
    shown = browser.get(first.address).context["cl"].result_list
    assert [(row.element_id, row.repository_id) for row in shown] == [("B", contoso.pk)]


def test_a_count_that_takes_too_long_is_left_to_the_list(filled, rita, monkeypatch):
    """It is called slow, and the link stays."""

    def slow(*_):
        raise OperationalError from QueryCanceled()

    monkeypatch.setitem(CHECKS, "absent", ("words", slow))
    text = panel(browser_of(rita), "quality").content.decode()
    assert "takes too long to count" in text
    assert "quality=absent" in text


@pytest.mark.parametrize("name", ["quality", "activity"])
def test_a_panel_is_a_page_without_scripts_and_a_part_with_them(filled, rita, name):
    """The start page does not wait for it."""
    browser = browser_of(rita)
    text = index(browser).content.decode()
    address = reverse("start_panel", args=[name])
    assert f'data-load="{address}?part"' in text
    assert f'href="{address}"' in text
    assert b"<html" in browser.get(address).content
    assert b"<html" not in browser.get(address, {"part": ""}).content
    assert browser.get(reverse("start_panel", args=["other"])).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_what_waits_for_the_user_is_counted(filled, ed, rita):
    """With links to lists of exactly that; readers import nothing."""
    repository = Repository.objects.get(db_id="northwind")
    checked(browser_of(ed), repository, HEADINGS + CASH)
    text = index(browser_of(ed)).content.decode()
    assert f'href="{page(FileImport)}?status__exact=CHECKED">1 import to confirm</a>' in text
    assert "Nothing waits for you." in index(browser_of(rita)).content.decode()


def test_saved_views_are_at_hand(filled, rita, bob, northwind):
    """Those that the user may open."""
    for owner, name, shared in ((rita, "Mine", False), (bob, "Theirs", False)):
        SavedView.objects.create(owner=owner.user, dimension="account", name=name, query="q=1", is_shared=shared)
    text = index(browser_of(rita)).content.decode()
    assert "Mine</a>" in text
    assert "Theirs" not in text


def test_the_first_steps_are_computed_and_can_be_hidden(filled, rita):
    """What is done is marked; in this browser they do not come back."""
    browser = browser_of(rita)
    steps = index(browser).context["steps"]
    assert [step.is_done for step in steps] == [True, True, False, False, False]
    browser.post(reverse("hide_steps"))
    assert index(browser).context["steps"] == []


def test_repositories_can_be_searched_when_there_are_many(filled, rita):
    """By dbID or name."""
    for number in range(12):
        repository = Repository.objects.create(db_id=f"r{number:02}", name="Plant")
        AccessGrant.objects.create(user=rita.user, repository=repository, role=Role.READER)
    browser = browser_of(rita)
    assert 'name="repositories"' in index(browser).content.decode()
    found = browser.get(reverse("admin:index"), {"repositories": "R03"}).context["repositories"]
    assert [one.repository.db_id for one in found] == ["r03"]


def test_running_imports_are_shown_to_who_may_import(filled, alice, ed, rita, bob):
    """With their progress, until they have ended; readers have no imports."""
    repository = Repository.objects.get(db_id="northwind")
    found = checked(browser_of(ed), repository, HEADINGS + CASH)
    confirm(browser_of(ed), found)
    response = index(browser_of(alice))
    text = response.content.decode()
    assert "Import of chart.csv into Northwind group: account" in text
    assert page(FileImport, "change", found.pk) in text
    assert "Waiting: no worker is running." in text
    for other in (rita, bob):
        assert "chart.csv" not in index(browser_of(other)).content.decode()
    work()
    assert "chart.csv" not in index(browser_of(alice)).content.decode()


def test_staff_without_a_grant_learn_whom_to_ask(filled, bob):
    """An empty page would help nobody."""
    AccessGrant.objects.all().delete()
    response = index(browser_of(bob))
    assert response.status_code == 200
    assert "No repository is open to you." in response.content.decode()


def test_the_page_costs_the_same_for_many_repositories(filled, rita, django_assert_max_num_queries):
    """Session, user, grants, and a few for each dimension."""
    browser = browser_of(rita)
    for number in range(60):
        repository = Repository.objects.create(db_id=f"r{number:02}", name="R")
        AccessGrant.objects.create(user=rita.user, repository=repository, role=Role.READER)
        store_currencies(repository, currency())
    with django_assert_max_num_queries(18):
        response = index(browser)
    assert len(response.context["repositories"]) == 50
    assert "There are more" in response.content.decode()


def sidebar(browser):
    """The links of the sidebar by group."""
    groups = index(browser).context["sidebar_navigation"]
    return {str(group["title"]): [str(item["title"]) for item in group["items"]] for group in groups}


def test_the_sidebar_has_what_the_user_may_open(filled, rita):
    """Readers have elements and jobs, superusers also access and system; a dimension without a grant is missing."""
    superusers = sidebar(superuser())
    elements = ["Currencies", "Accounts", "Imports"]
    assert superusers["Daily work"] == elements
    credentials = ["API keys", "Applications", "Issued tokens"]
    records = ["Failed sign-ins", "Access changes"]
    assert {"Repositories", "Users", "Groups", "Permissions", *credentials, *records} == set(superusers["Access"])
    assert "Workers" in superusers["System"]
    readers = sidebar(browser_of(rita))
    assert readers["Daily work"] == elements[:-1]
    assert readers["Changes"] == ["Change proposals", "Change log", "Deletions"]
    assert set(readers) == {"", "Daily work", "Changes"}
    rita.user.access_grants.update(dimension="account")
    assert sidebar(browser_of(rita))["Daily work"] == elements[1:-1]
    AccessGrant.objects.all().delete()
    assert set(sidebar(browser_of(rita))) == {""}


def test_the_page_that_is_open_is_marked_in_the_sidebar(filled, rita):
    """The list of the accounts is, too, while that of the deleted ones is open."""
    browser = browser_of(rita)
    for name, title in (("changelist", "Accounts"), ("deleted_elements", "Accounts")):
        groups = browser.get(page(Account, name)).context["sidebar_navigation"]
        assert [str(item["title"]) for group in groups for item in group["items"] if item["active"]] == [title]
