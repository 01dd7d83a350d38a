"""Elements that are selected in the list are deleted by a worker, and a page shows how far it is."""

from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, DeletionChunk, Status, Worker
from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page, superuser
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("F2", "G2")


INITIAL = {"referenceAccountForInitialBalance": "N03"}


@pytest.fixture
def elements(northwind, contoso):
    """Twenty accounts and a currency in Northwind, three accounts in Contoso."""
    store_accounts(northwind, *(account(f"N{number:02}") for number in range(20)))
    store_currencies(northwind, currency("EUR"))
    store_accounts(contoso, *(account(f"C{number:02}") for number in range(3)))


def keys(repository: Any, *ids: str) -> list[int]:
    return list(Account.objects.filter(repository=repository, element_id__in=ids).values_list("pk", flat=True))


def act(browser: Client, selected: list[int], query: str = "", **form: Any) -> Any:
    data = {"action": "delete_elements", "_selected_action": selected, "select_across": "0", **form}
    return browser.post(f"{page(Account)}{query}", data, follow=True)


def stored(repository: Any) -> list[str]:
    return sorted(Account.objects.filter(repository=repository).values_list("element_id", flat=True))


def processing_page(found: DataProcessing, name: str = "change") -> str:
    return page(DataProcessing, name, found.pk)


@pytest.mark.django_db(transaction=True)
def test_what_is_selected_is_asked_about_and_deleted_by_a_worker(elements, northwind, alice):
    """The question shows how many and which; after the confirmation the page of the deletion follows."""
    browser = browser_of(alice)
    selected = keys(northwind, *(f"N{number:02}" for number in range(12)))
    asked = act(browser, selected)
    text = asked.content.decode()
    assert "12 will be deleted from the repository Northwind group." in text
    assert asked.context["shown"] == [(f"N{number:02}", "Cash") for number in range(10)]
    assert "and 2 more" in text
    assert not DataProcessing.objects.exists()

    confirmed = act(browser, selected, confirmed="12")
    found = DataProcessing.objects.get()
    assert confirmed.redirect_chain == [(processing_page(found), 302)]
    assert (found.repository, found.dimension, found.requester, found.requested) == (northwind, "account", "alice", 12)
    assert len(stored(northwind)) == 20

    work_now()
    assert stored(northwind) == [f"N{number:02}" for number in range(12, 20)]
    progress = browser.get(processing_page(found, "progress")).json()
    assert progress == {
        "is_running": False,
        "percentage": 100,
        "status": "Completed",
        "counts": "12 of 12 processed, 12 deleted",
        "not_found": "",
        "in_use": "",
        "error": "",
    }
    assert set(AccountVersion.objects.filter(change="-").values_list("change_set__user", flat=True)) == {"alice"}


@pytest.mark.contract("L2")
def test_the_question_shows_what_is_in_use_and_the_deletion_can_leave_it(elements, northwind, alice):
    """With the description and the field of what refers to it; the page of the deletion names what has stayed."""
    store_accounts(northwind, account("USER", conversion={"conversionType": "FINAL", **INITIAL}))
    browser = browser_of(alice)
    selected = keys(northwind, "N03", "N04")
    text = act(browser, selected).content.decode()
    address = page(Account, "change", Account.objects.get(element_id="USER").pk)
    field = "Reference account for the initial balance"
    assert f'N03 ← <a href="{address}">USER</a> Cash ({field})' in text
    assert "N04 ←" not in text
    assert "1 is in use; references to it: 1" in text
    assert 'name="keep_used"> Keep what is still referred to' in text
    act(browser, selected, confirmed="2", keep_used="on")
    work_now()
    assert {"N03", "USER"} <= set(stored(northwind))
    assert "N04" not in stored(northwind)
    progress = browser.get(processing_page(DataProcessing.objects.get(), "progress")).json()
    assert (progress["in_use"], progress["not_found"]) == ("1 is in use and stays: N03", "")


def test_all_that_the_list_finds_can_be_selected(elements, northwind, alice, django_assert_max_num_queries):
    """Across all pages, and only what the filter and the search find; only ids are read."""
    browser = browser_of(alice)
    one = keys(northwind, "N10")
    with django_assert_max_num_queries(15) as queries:
        asked = act(browser, one, "?q=N1", select_across="1")
    assert asked.context["count"] == 10
    # Beside the page that Django prepares, one column of each element is read.
    read = [
        sql["sql"] for sql in queries.captured_queries if sql["sql"].startswith('SELECT "account_account"."element_id"')
    ]
    assert len(read) == 1
    act(browser, one, "?q=N1", select_across="1", confirmed="10")
    work_now()
    assert stored(northwind) == [f"N{number:02}" for number in range(10)]


def test_a_selection_that_has_changed_is_asked_about_again(elements, northwind, alice):
    """Nobody deletes elements that the question did not name."""
    browser = browser_of(alice)
    store_accounts(northwind, account("N99"))
    again = act(browser, keys(northwind, "N01"), "?q=N", select_across="1", confirmed="20")
    assert messages_of(again) == ["The selection has changed in the meantime. Please look at it again."]
    assert again.context["count"] == 21
    assert not DataProcessing.objects.exists()


def test_elements_of_two_repositories_are_not_deleted_at_once(elements, northwind, contoso):
    """After filtering by repository it works, for a superuser in each."""
    browser = superuser()
    selected = keys(northwind, "N01") + keys(contoso, "C01")
    for form in ({}, {"confirmed": "2"}):
        refused = act(browser, selected, **form)
        assert messages_of(refused) == [
            "What is selected belongs to more than one repository. Filter the list by one repository first."
        ]
    assert not DataProcessing.objects.exists()
    act(browser, keys(contoso, "C01"), confirmed="1")
    assert DataProcessing.objects.get().repository == contoso


def test_the_page_shows_what_was_not_found(elements, northwind, alice):
    """And how many; the first hundred by id."""
    start(alice, ["N01", "gone", *(f"x{number:03}" for number in range(150))])
    work_now()
    text = browser_of(alice).get(processing_page(DataProcessing.objects.get())).content.decode()
    assert "152 of 152 processed, 1 deleted" in text
    assert "151 were not found: gone, x000, " in text
    assert "x098, …" in text
    assert "x099" not in text


@pytest.mark.contract("F5")
def test_a_running_deletion_is_stopped_by_managers_and_nobody_else(elements, northwind, alice, ed):
    """What is deleted stays deleted; stopping again changes nothing, and an ended deletion says how it ended."""
    start(alice, ["N01", "N02"])
    found = DataProcessing.objects.get()
    abort = processing_page(found, "abort")
    editor = browser_of(ed)
    assert "Stop the deletion" not in editor.get(processing_page(found)).content.decode()
    assert editor.post(abort).status_code == 403
    manager = browser_of(alice)
    assert "Stop the deletion" in manager.get(processing_page(found)).content.decode()
    outdated = manager.get(abort)
    assert outdated.status_code == 405
    assert '<a class="text-primary-600 underline dark:text-primary-500" href="../">' in outdated.content.decode()
    assert manager.get(abort.removesuffix("abort/"), follow=True).redirect_chain[-1][0] == processing_page(found)
    assert messages_of(manager.post(abort, follow=True)) == ["The deletion was stopped. What is deleted stays deleted."]
    found.refresh_from_db()
    assert found.status == Status.ABORTED
    assert not DeletionChunk.objects.exists()
    page_now = manager.get(processing_page(found)).content.decode()
    assert "Stopped" in page_now
    assert "Stop the deletion" not in page_now
    found.status = Status.COMPLETED
    found.save()
    assert "has ended as COMPLETED" in messages_of(manager.post(abort, follow=True))[0]


def test_the_page_shows_why_nothing_happens_yet(elements, alice):
    """No worker, or other jobs first."""
    start(alice, ["N01"])
    found = DataProcessing.objects.get()
    browser = browser_of(alice)
    assert "no worker is running" in browser.get(processing_page(found)).content.decode()
    Worker.objects.create(name="w", beat_at=Now())
    assert browser.get(processing_page(found, "progress")).json()["status"] == "Waiting for its turn"
    DataProcessing.objects.update(claimed_by="w x")
    assert browser.get(processing_page(found, "progress")).json()["status"] == "Running"


def test_readers_do_not_delete(elements, northwind, contoso, alice):
    """They do not see the action; a manager of another repository learns why it is refused."""
    alice.user.access_grants.update(role=Role.READER)
    browser = browser_of(alice)
    assert "delete_elements" not in browser.get(page(Account)).content.decode()
    act(browser, keys(northwind, "N01"), confirmed="1")
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.MANAGER)
    refused = act(browser, keys(northwind, "N01"), confirmed="1")
    assert messages_of(refused) == ["Nothing was done: this needs the role proposer in the repository."]
    assert not DataProcessing.objects.exists()
