"""The activity: what was changed, by whom, through what and why, as far as the user may see it."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from account.models import Account
from bulkops.models import DataProcessing, FileImport
from bulkops.worker.tasks import work
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.jobs.deletions import ASYNC, body, work_now
from tests.dimensions_site.administration.files.imports import CASH, HEADINGS, at, checked
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import Person, account, add_person, currency, read
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I1", "I2", "G2")]

LIST = "/admin/changes/changeset/"


def at_set(one: ChangeSet, name: str = "change") -> str:
    return page(ChangeSet, name, one.pk)


@pytest.fixture
def written(alice: Person, bob: Person) -> None:
    """Three changes of Alice, for a reason or not, and one of Bob."""
    alice.send("POST", alice.account(), account("1"), Change_Reason="Year-end")
    alice.send("PATCH", alice.account("elements/1"), {"descriptions": {"en": "Petty cash"}}, Change_Reason="Typo")
    alice.send("POST", alice.currency(), currency("EUR"))
    bob.send("POST", bob.account(db_id="contoso"), account("B1"), Change_Reason="Year-end of Bob")


def listed(browser: Client, query: str = "") -> list[tuple[str, str | None]]:
    """The dimension and the reason of what the list shows."""
    answer = browser.get(f"{LIST}{query}")
    assert answer.status_code == 200
    return [(one.dimension, one.reason) for one in answer.context["cl"].result_list]


def test_the_changes_of_open_repositories_are_listed_the_latest_first(written: None, rita: Person) -> None:
    """A reader sees them, with everything that they are asked for."""
    browser = browser_of(rita)
    assert listed(browser) == [("currency", None), ("account", "Typo"), ("account", "Year-end")]
    text = browser.get(LIST).content.decode()
    for word in ("alice", "REST API", "Typo", "northwind (Northwind group)"):
        assert word in text
    assert "Bob" not in text
    assert "contoso" not in text


@pytest.mark.parametrize(
    ("query", "reasons"),
    [
        ("?q=YEAR", ["Year-end"]),
        ("?q=%25", []),
        (f"?q={'x' * 501}", []),
        ("?dimension__exact=currency", [None]),
        ("?channel__exact=IMPORT", []),
        ("?channel__exact=REST", [None, "Typo", "Year-end"]),
        ("?by=ALI", [None, "Typo", "Year-end"]),
        ("?by=bob", []),
        ("?committed_at_from=2000-01-01&committed_at_to=2000-12-31", []),
        ("?committed_at_from=2000-01-01", [None, "Typo", "Year-end"]),
    ],
)
def test_the_list_is_searched_and_filtered(written: None, alice: Person, query: str, reasons: list[str | None]) -> None:
    assert [reason for _, reason in listed(browser_of(alice), query)] == reasons


def test_it_is_filtered_by_an_open_repository_only(
    written: None, alice: Person, northwind: Repository, contoso: Repository
) -> None:
    browser = browser_of(alice)
    assert len(listed(browser, f"?repository__id__exact={northwind.pk}")) == 3
    assert listed(browser, f"?repository__id__exact={contoso.pk}") == []


def test_a_grant_for_one_dimension_shows_the_changes_of_that_one(written: None, northwind: Repository) -> None:
    person = add_person("carl", northwind, Role.READER, "currency")
    browser = browser_of(person)
    assert listed(browser) == [("currency", None)]
    hidden = ChangeSet.objects.filter(dimension="account", repository=northwind).latest("number")
    assert browser.get(at_set(hidden)).status_code == 404
    AccessGrant.objects.all().delete()
    assert browser.get(LIST).status_code == 403


def test_a_change_set_shows_its_versions_with_both_values(written: None, rita: Person) -> None:
    """Each leads to the history of its element."""
    browser = browser_of(rita)
    answer = browser.get(at_set(ChangeSet.objects.get(reason="Typo")))
    (shown,) = answer.context["found"]
    assert [(one.path, one.before, one.after) for one in shown.differences] == [
        ("descriptions.en", "Cash", "Petty cash")
    ]
    assert (shown.id, shown.description) == ("1", "Petty cash")
    history = page(Account, "history", Account.objects.get(element_id="1").pk)
    assert browser.get(shown.address, follow=True).redirect_chain == [(history, 302)]
    text = answer.content.decode()
    assert "0 created, 1 changed, 0 deleted" in text
    assert "To the import" not in text


@pytest.mark.parametrize("name", ["change", "job", "history"])
@pytest.mark.parametrize("key", [None, UUID(int=1), "1", "x%00"], ids=str)
def test_pages_of_others_and_of_nothing_are_not_found(written: None, alice: Person, name: str, key: Any) -> None:
    foreign = ChangeSet.objects.get(user="bob")
    address = at_set(foreign, name).replace(str(foreign.pk), str(key or foreign.pk))
    assert browser_of(alice).get(address).status_code in (400, 404)


@pytest.mark.parametrize("name", ["add", "delete"])
def test_nothing_can_be_changed(written: None, alice: Person, name: str) -> None:
    browser, one = browser_of(alice), ChangeSet.objects.filter(user="alice").latest("number")
    address = f"{LIST}add/" if name == "add" else at_set(one, "delete")
    assert browser.post(address, {"post": "yes"}).status_code in (403, 404)
    assert ChangeSet.objects.filter(pk=one.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_change_set_leads_to_its_job(alice: Person, northwind: Repository, rita: Person) -> None:
    """Also from the history of the element; a job that is gone, or that the user may not see, is a message."""
    store_accounts(northwind, account("1"))
    browser = browser_of(alice)
    browser.post(at(checked(browser, northwind, HEADINGS + CASH), "confirm"), {"_reason": "Chart"})
    work()
    alice.send("POST", alice.account(ASYNC), body(["1"]), Change_Reason="Not used")
    work_now()
    imported = ChangeSet.objects.get(channel=Channel.IMPORT, user="alice")
    deleted = ChangeSet.objects.get(channel=Channel.DELETION)
    deletion = page(DataProcessing, "change", DataProcessing.objects.get().pk)
    ends = {imported: at(FileImport.objects.get()), deleted: deletion}

    for one, end in ends.items():
        assert at_set(one, "job") in browser.get(at_set(one)).content.decode()
        assert browser.get(at_set(one, "job"))["Location"] == end
    history = browser.get(page(Account, "history", Account.objects.get(element_id="1000").pk)).content.decode()
    for word in ("Chart", at_set(imported), at_set(imported, "job"), "imported file"):
        assert word in history
    for person, one in ((rita, imported), (alice, deleted)):
        DataProcessing.objects.all().delete()
        answer = browser_of(person).get(at_set(one, "job"), follow=True)
        assert answer.redirect_chain == [(at_set(one), 302)]
        assert messages_of(answer) == ["The job or plan of this change is no longer stored, or you may not see it."]


@pytest.mark.contract("E1")
def test_a_large_change_set_is_shown_page_by_page(alice: Person, django_assert_max_num_queries: Any) -> None:
    """However many elements it has, and however many change sets there are, a page takes the same queries."""
    read(alice.send("POST", alice.account("elements-bulk"), {"post": [account(f"{n:02}") for n in range(60)]}))
    one = ChangeSet.objects.get()
    browser = browser_of(alice)
    for number, count in ((1, 25), (2, 25), (3, 10), (4, 10), (10**5, 10)):
        with django_assert_max_num_queries(12):
            answer = browser.get(f"{at_set(one)}?p={number}")
        assert len(answer.context["found"]) == count
        assert answer.context["has_next"] is (number < 3)
    for number in range(60):
        alice.send("PATCH", alice.account("elements/01"), {"descriptions": {"en": f"{number}"}})
    with django_assert_max_num_queries(14):
        answer = browser.get(LIST)
    assert len(answer.context["cl"].result_list) == 50


def test_a_version_whose_predecessor_is_gone_shows_what_is_left(written: None, alice: Person) -> None:
    """Retention deletes the oldest versions; all of a change set may be gone."""
    store_currencies(Repository.objects.get(db_id="northwind"), currency("USD"))
    one = ChangeSet.objects.get(reason="Typo")
    Account.version_model.objects.filter(element_id="1", change="+").delete()
    browser = browser_of(alice)
    assert "Earlier versions have been removed." in browser.get(at_set(one)).content.decode()
    Account.version_model.objects.all().delete()
    assert "The versions of this change have been removed." in browser.get(at_set(one)).content.decode()
