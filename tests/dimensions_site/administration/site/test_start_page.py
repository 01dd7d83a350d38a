"""The start page shows what an administrator asks first, and nothing of other tenants."""

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from account.models import Account
from bulkops.models import DataProcessing, FileImport, Worker
from bulkops.worker.tasks import work
from currency.models import Currency
from dimensions_site.administration.base import paging
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.jobs.deletions import start
from tests.dimensions_site.administration.files.imports import CASH, HEADINGS, checked, confirm
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("G2")


def index(browser):
    return browser.get(reverse("admin:index"))


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


@pytest.mark.django_db(transaction=True)
def test_a_grant_for_one_dimension_counts_that_one(filled, rita):
    """Not even the number of the other's elements is revealed."""
    rita.user.access_grants.update(dimension="currency")
    response = index(browser_of(rita))
    assert holdings(response) == {"northwind": {"currency": 1}}
    assert [change.element_id for change, *_ in response.context["changes"]] == ["EUR"]


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
def test_the_latest_changes_lead_to_the_versions(filled, alice):
    """They come from all dimensions, the last one first, and include deletions."""
    alice.send("PATCH", alice.account("elements/N1"), {"type": "DETAIL"})
    alice.send("POST", alice.currency(), currency("USD"))
    browser = browser_of(alice)
    browser.post(page(Account, "delete", Account.objects.get(element_id="N2").pk), {"post": "yes"})
    response = index(browser)
    changes = response.context["changes"]
    assert [(name, change.element_id, change.change) for change, name, _ in changes[:3]] == [
        ("account", "N2", "-"),
        ("currency", "USD", "+"),
        ("account", "N1", "~"),
    ]
    assert len(changes) == 9
    for _, _, address in changes:
        assert browser.get(address, follow=True).status_code == 200
    assert "CCODE" not in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_ten_changes_are_shown(filled, alice):
    """More are in the history of each element."""
    store_currencies(Repository.objects.get(db_id="northwind"), *(currency(f"X{number}") for number in range(20)))
    assert len(index(browser_of(alice)).context["changes"]) == 10


def test_the_state_of_the_worker_is_shown_with_a_clear_message(rita):
    """And what to do when there is none."""
    browser = browser_of(rita)
    text = index(browser).content.decode()
    assert "No worker is running" in text
    assert "manage.py qcluster" in text
    Worker.objects.create(name="w", beat_at=Now())
    assert "A worker is running." in index(browser).content.decode()


def test_running_deletions_are_shown_with_their_progress(filled, alice, bob):
    """Those in the user's repositories, until they have ended."""
    start(alice, ["N1", "N2"])
    start(bob, ["CCODE"], "account", "contoso")
    own = DataProcessing.objects.get(repository__db_id="northwind")
    DataProcessing.objects.update(processed=1, deleted=1)
    browser = browser_of(alice)
    response = index(browser)
    assert [found for found, _ in response.context["running"]] == [own]
    text = response.content.decode()
    assert "1 of 2 processed, 1 deleted" in text
    assert page(DataProcessing, "change", own.pk) in text
    DataProcessing.objects.update(status="COMPLETED")
    assert "Nothing is being deleted or imported at the moment." in index(browser).content.decode()


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
    with django_assert_max_num_queries(16):
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
    elements = ["Currencies", "Deleted currencies", "Accounts", "Deleted accounts"]
    assert superusers["Elements"] == elements
    credentials = ["API keys", "Applications", "Issued tokens"]
    records = ["Failed sign-ins", "Access changes"]
    assert {"Repositories", "Users", "Groups", "Access grants", *credentials, *records} == set(superusers["Access"])
    assert "Workers" in superusers["System"]
    readers = sidebar(browser_of(rita))
    assert readers["Elements"] == elements
    assert "Deletions" in readers["Work"]
    assert set(readers) == {"", "Elements", "Work"}
    rita.user.access_grants.update(dimension="account")
    assert sidebar(browser_of(rita))["Elements"] == elements[2:]
    AccessGrant.objects.all().delete()
    assert set(sidebar(browser_of(rita))) == {""}


def test_the_page_that_is_open_is_marked_in_the_sidebar(filled, rita):
    """The list of the deleted accounts is not the list of the accounts."""
    browser = browser_of(rita)
    for name, title in (("changelist", "Accounts"), ("deleted_elements", "Deleted accounts")):
        groups = browser.get(page(Account, name)).context["sidebar_navigation"]
        assert [str(item["title"]) for group in groups for item in group["items"] if item["active"]] == [title]
