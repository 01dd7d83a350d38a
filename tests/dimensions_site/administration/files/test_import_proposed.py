"""Imports that people propose instead of saving them (contract O4)."""

import pytest

from account.models import Account
from bulkops.models import FileImport, ImportStatus, Plan
from bulkops.worker.tasks import work
from tests.bulkops.plans.deciding import DELETIONS, EVERYTHING, require_approval
from tests.dimensions_site.administration.files.imports import (
    BANK,
    CASH,
    FAULTY,
    HEADINGS,
    at,
    checked,
    confirm,
    save,
    shown,
)
from tests.dimensions_site.administration.plans.plan_pages import at as at_plan
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import Person, account
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("O1", "O2", "O4", "C12"), pytest.mark.django_db(transaction=True)]


def proposed(person: Person, file_import: FileImport, **sent: str) -> Plan:
    """The plan to which the page of the confirmed import leads, once a worker has made it."""
    browser = browser_of(person)
    assert ">Propose" in shown(browser, file_import)
    assert "The change proposal is being made." in confirm(browser, file_import, **sent).content.decode()
    work()
    plan = Plan.objects.get()
    assert browser.get(at(file_import), follow=True).redirect_chain == [(at_plan(plan), 302)]
    return plan


@pytest.mark.parametrize("name", ["polly", "ed", "alice"])
def test_an_import_is_proposed(request, northwind, name):
    """By a proposer anywhere, by others where every change needs an approval; with its reason."""
    person: Person = request.getfixturevalue(name)
    store_accounts(northwind, account("1000", descriptions={"en": "Money"}))
    if name != "polly":
        require_approval(northwind, EVERYTHING)
    plan = proposed(person, checked(browser_of(person), northwind, HEADINGS + CASH + BANK), _reason="Merger")
    assert (plan.created, plan.changed, plan.deleted, plan.reason) == (1, 1, 0, "Merger")
    assert (plan.requester, plan.requester_key) == (name, person.user.pk)
    assert Account.objects.get().descriptions["en"] == "Money"
    row = browser_of(person).get(page(FileImport)).content.decode()
    assert "1 to be created" in row


def test_rows_with_errors_are_left_out_as_in_an_import(polly, northwind):
    file_import = checked(browser_of(polly), northwind, HEADINGS + CASH + FAULTY)
    assert "Propose the others and leave out the rows with errors" in shown(browser_of(polly), file_import)
    assert proposed(polly, file_import, leave_out="yes").created == 1


def test_an_import_that_deletes_is_proposed_where_only_deletions_need_an_approval(alice, northwind):
    require_approval(northwind, DELETIONS)
    store_accounts(northwind, account("1"), account("2"))
    file_import = checked(browser_of(alice), northwind, HEADINGS + CASH, mode="sync", max_delete="100%")
    plan = proposed(alice, file_import)
    assert (plan.created, plan.deleted) == (1, 2)
    plan.delete()
    assert "it is no longer stored" in shown(browser_of(alice), file_import)
    file_import = checked(browser_of(alice), northwind, HEADINGS + CASH)
    save(browser_of(alice), file_import)
    assert Account.objects.count() == 3


def test_nothing_is_deleted_when_a_line_names_no_element(polly, northwind):
    """With rows left out, it is unknown what must stay."""
    store_accounts(northwind, account("1"))
    nameless = ",Bank,BALANCE_SHEET,NORMAL,FINAL\n"
    file_import = checked(browser_of(polly), northwind, HEADINGS + CASH + nameless, mode="sync", max_delete="100%")
    FileImport.objects.update(report={**file_import.report, "reason": "", "created": 1})
    save(browser_of(polly), file_import, leave_out="yes")
    assert not Plan.objects.exists()
    assert "has no id, so it is unknown" in shown(browser_of(polly), file_import)


def test_a_worker_that_died_makes_one_proposal(polly, northwind):
    """Another one ends the import with the plan that is there."""
    file_import = checked(browser_of(polly), northwind, HEADINGS + CASH)
    proposed(polly, file_import)
    FileImport.objects.update(status=ImportStatus.IMPORTING, finished_at=None, claimed_by=None)
    work()
    assert Plan.objects.count() == 1
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.COMPLETED


def test_what_cannot_be_proposed_any_more_is_said(polly, northwind, settings):
    """The import waits as before, and its page says why."""
    file_import = checked(browser_of(polly), northwind, HEADINGS + CASH)
    settings.PLAN_MAX_OPEN = 0
    save(browser_of(polly), file_import)
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.CHECKED
    assert "You have 0 plans here that are not applied" in shown(browser_of(polly), file_import)
    assert not Plan.objects.exists()
