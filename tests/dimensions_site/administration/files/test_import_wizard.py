"""An accountant imports a file in the admin, step by step, and sees the effect in advance."""

import gzip
import json
from datetime import UTC, datetime
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from account.models import Account, AccountVersion
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from bulkops.worker.tasks import work
from dimensions_site.elements.writing.differences import Difference
from tests.dimensions_site.administration.files.imports import (
    BANK,
    CASH,
    FAULTY,
    HEADINGS,
    at,
    check,
    checked,
    confirm,
    describe,
    save,
    shown,
    upload,
)
from tests.dimensions_site.administration.site.people import browser_of, messages_of
from tests.dimensions_site.administration.site.people import page as address
from tests.factories import account
from tests.factories import content as read_bytes
from tests.storing import store_accounts

# The worker shows that it is alive through a separate connection.
pytestmark = pytest.mark.django_db(transaction=True)


def ids(repository):
    return sorted(Account.objects.filter(repository=repository).values_list("element_id", flat=True))


@pytest.mark.contract("C12", "C18")
def test_a_file_goes_all_the_way(ed, northwind):
    """Upload, columns, check, import: nothing is changed before the last step, which the history records."""
    store_accounts(northwind, account("1000"))
    browser = browser_of(ed)
    page = upload(browser, northwind, HEADINGS + CASH + BANK)
    file_import = FileImport.objects.get()
    assert page.redirect_chain == [(at(file_import), 302)]
    assert [column.path for column in page.context["form"].columns.fields] == [
        "id", "descriptions.en", "nature", "type", "conversion.conversionType"
    ]  # fmt: skip

    page = describe(browser, file_import)
    assert b"The file is being checked. Nothing is changed." in page.content
    assert browser.get(at(file_import, "progress")).json()["is_running"] is True
    work()
    assert browser.get(at(file_import, "progress")).json()["is_running"] is False
    page = browser.get(at(file_import))
    counts = dict(page.context["result"]["counts"])
    assert (counts["to be created"], counts["to be changed"], counts["unchanged"], counts["with errors"]) == (
        1,
        0,
        1,
        0,
    )
    (sample,) = page.context["result"]["samples"]
    assert (sample.id, sample.label, sample.is_change) == ("1010", "to be created", False)
    assert Difference("descriptions.en", "Description (en)", "not set", "Bank") in sample.differences
    assert ids(northwind) == ["1000"]

    page = confirm(browser, file_import)
    assert b"The file is being imported." in page.content
    work()
    page = browser.get(at(file_import))
    assert page.context["result"]["lead"] == "The import is complete."
    created = Account.objects.get(repository=northwind, element_id="1010")
    assert (created.update_user, created.update_origin) == ("ed", "IMPORT")
    assert [(row.change_set.user, row.change_set.channel) for row in AccountVersion.objects.filter(id=created.pk)] == [
        ("ed", "IMPORT")
    ]
    assert f"/admin/account/account/{created.pk}/change/" in page.content.decode()
    assert ids(northwind) == ["1000", "1010"]
    assert not FileImportPiece.objects.exists()


def test_the_columns_are_chosen_where_their_headings_say_nothing(ed, northwind):
    """A heading that is not a field has to be chosen or left out; an entry of a map takes any language."""
    browser = browser_of(ed)
    table = "Kto;Caption;Nature;type;conversion.conversionType;Memo\n1;Caisse;BALANCE_SHEET;NORMAL;FINAL;x\n"
    page = upload(browser, northwind, table)
    file_import = FileImport.objects.get()
    text = page.content.decode()
    assert "Caisse" in text
    assert "Unknown field &#x27;Caption&#x27;." in text

    page = describe(browser, file_import)
    assert "Not every column has a field of its own yet." in page.content.decode()
    assert FileImport.objects.get().status == ImportStatus.DRAFT

    chosen = {"column-0": "Id", "column-1": "Beschreibung (fr)", "out-5": "yes"}
    check(browser, file_import, **chosen)
    # Going back shows the earlier choices.
    columns = browser.get(at(file_import, "columns")).context["form"].columns.fields
    assert [(column.typed, column.path) for column in columns[:2]] == [
        ("Id", "id"), ("Description (fr)", "descriptions.fr")
    ]  # fmt: skip
    assert columns[5].is_out
    save(browser, file_import)
    assert Account.objects.get().descriptions == {"fr": "Caisse"}


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"out-0": "yes"}, "The heading &#x27;id&#x27; is missing"),
        ({"column-1": "Description (in French)"}, "in French"),
        ({"column-1": "Debit account"}, "Several fields are called"),
        ({"column-1": "Custom attributes"}, "has many entries"),
        ({"column-1": "nothing"}, "nothing"),
        ({"column-1": ""}, "Choose a field, or leave the column out."),
        ({"max_delete": "many"}, "got &#x27;many&#x27;."),
        ({"mode": "wrong"}, "Select a valid choice"),
    ],
)
def test_what_is_unclear_is_reported_in_its_place(alice, northwind, chosen, message):
    """The file is not checked then."""
    browser = browser_of(alice)
    upload(browser, northwind, HEADINGS + CASH)
    page = describe(browser, FileImport.objects.get(), **chosen)
    assert message in page.content.decode()
    assert FileImport.objects.get().status == ImportStatus.DRAFT


def test_elements_of_json_have_no_columns(ed, northwind):
    """Also compressed with gzip."""
    browser = browser_of(ed)
    page = upload(browser, northwind, gzip.compress(json.dumps([account("1"), account("2")]).encode()), "chart.json.gz")
    assert page.context["form"].columns.fields == []
    file_import = FileImport.objects.get()
    check(browser, file_import)
    save(browser, file_import)
    assert ids(northwind) == ["1", "2"]


def test_rows_with_errors_are_reported_and_may_be_left_out(ed, northwind):
    """With line, column and what is expected; they can be downloaded, corrected and imported again."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    page = browser.get(at(file_import))
    (failure,) = page.context["file_import"].report["failures"]
    assert (failure["line"], failure["place"]) == (3, "nature")
    assert "NOWHERE" in failure["message"]
    assert "Balance sheet" in failure["message"]
    assert b"Import the others and leave out the rows with errors" in page.content
    rejects = browser.get(at(file_import, "rejects"))
    assert rejects["Content-Disposition"] == 'attachment; filename="rejects-chart.csv"'
    corrected = read_bytes(rejects).replace(b"NOWHERE", b"BALANCE_SHEET")

    save(browser, file_import, leave_out="yes")
    assert ids(northwind) == ["1000"]
    assert dict(browser.get(at(file_import)).context["result"]["counts"])["left out"] == 1
    again = checked(browser, northwind, corrected)
    save(browser, again)
    assert ids(northwind) == ["1000", "1020"]


def test_what_has_become_invalid_since_the_check_is_not_imported(ed, northwind):
    """All or nothing: the page goes back to the check and says why."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + BANK, mode="create")
    store_accounts(northwind, account("1000"))
    save(browser, file_import)
    assert ids(northwind) == ["1000"]
    text = shown(browser, file_import)
    assert "the repository has changed since the check" in text
    assert "1000" in text
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.CHECKED


def test_nothing_is_confirmed_that_changes_nothing(ed, northwind):
    """Nor what cannot be imported at all."""
    store_accounts(northwind, account("1000"))
    browser = browser_of(ed)
    for content, lead in (
        (HEADINGS + CASH, "Nothing to import"),
        (HEADINGS + FAULTY, "all rows are either unchanged or have errors"),
    ):
        file_import = checked(browser, northwind, content)
        page = browser.get(at(file_import))
        assert lead in page.context["result"]["lead"]
        assert at(file_import, "confirm") not in page.content.decode()
        assert messages_of(confirm(browser, file_import)) == ["This cannot be imported as it is."]
        file_import.refresh_from_db()
        assert file_import.status == ImportStatus.CHECKED


def test_a_manager_makes_the_repository_equal_to_the_file(alice, northwind):
    """Elements that are not in the file go, but not more than was allowed."""
    store_accounts(northwind, *(account(f"{number}") for number in range(1000, 1004)))
    browser = browser_of(alice)
    file_import = checked(browser, northwind, HEADINGS + CASH, mode="sync")
    text = shown(browser, file_import)
    assert "3 of the 4 stored" in text
    assert "If it is, allow as many with &#x27;Delete at most&#x27;." in text
    counts = {"to be created": 0, "to be changed": 0, "unchanged": 1, "to be deleted": 3, "with errors": 0}
    context = browser.get(at(file_import)).context
    assert dict(context["result"]["counts"]) == counts
    assert context["file_import"].report["deleted_ids"] == ["1001", "1002", "1003"]
    assert messages_of(confirm(browser, file_import)) == ["This cannot be imported as it is."]
    check(browser, file_import, mode="sync", max_delete="3")
    page = browser.get(at(file_import))
    assert dict(page.context["result"]["counts"])["to be deleted"] == 3
    assert page.context["file_import"].report["deleted_ids"] == ["1001", "1002", "1003"]
    save(browser, file_import)
    assert ids(northwind) == ["1000"]


@pytest.mark.contract("E2")
def test_the_strict_check_asks_for_what_is_referred_to(ed, northwind):
    content = HEADINGS.replace("\n", ",cashFlowPlanning.other.additionalCreditAccrualAccount.id\n") + CASH.replace(
        "\n", ",none\n"
    )
    browser = browser_of(ed)
    assert checked(browser, northwind, content).report["rejected"] == 0
    assert checked(browser, northwind, content, strict="on").report["rejected"] == 1


def test_an_import_is_dropped_at_any_step(ed, northwind):
    """Nothing is saved, and the file is gone."""
    browser = browser_of(ed)
    for step in ("draft", "checking", "checked", "importing"):
        upload(browser, northwind, HEADINGS + CASH + FAULTY)
        file_import = FileImport.objects.latest("created_at")
        if step != "draft":
            describe(browser, file_import)
        if step in ("checked", "importing"):
            work()
        if step == "importing":
            confirm(browser, file_import, leave_out="yes")
        page = browser.post(at(file_import, "drop"), follow=True)
        assert messages_of(page) == ["The import was cancelled and its file removed. Nothing was saved."]
        work()
        file_import.refresh_from_db()
        assert file_import.status == ImportStatus.ABORTED
        assert not file_import.pieces.filter(file="UPLOAD").exists()
        assert messages_of(browser.post(at(file_import, "drop"), follow=True)) == []
    assert ids(northwind) == []


def test_an_import_that_is_being_saved_is_not_dropped(ed, northwind):
    """Whoever asks for it at that moment gets a message without waiting long."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH)
    confirm(browser, file_import)
    is_saving, may_end = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            FileImport.objects.update(phase="saving")
            is_saving.set()
            may_end.wait(30)
        connection.close()

    saving = Thread(target=hold)
    saving.start()
    is_saving.wait(30)
    with connection.cursor() as cursor:
        timeout = "PRAGMA busy_timeout = 100" if connection.vendor == "sqlite" else "SET lock_timeout = 100"
        cursor.execute(timeout)
    page = browser.post(at(file_import, "drop"), follow=True)
    may_end.set()
    saving.join()
    connection.close()
    assert messages_of(page) == ["The import cannot be cancelled while it is being saved. Try again in a moment."]
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.IMPORTING


def test_the_list_shows_what_each_import_does_and_until_when_it_waits(alice, northwind):
    """The page names the elements that are deleted."""
    store_accounts(northwind, account("1000"), account("1010", descriptions={"en": "Bank", "de": "Hausbank"}))
    browser = browser_of(alice)
    upload(browser, northwind, HEADINGS + CASH)
    file_import = FileImport.objects.get()
    file_import.due_at = datetime(2026, 1, 30, 10, 5, tzinfo=UTC)
    file_import.save()
    assert ">being prepared</span> until 2026-01-31 10:05" in browser.get(address(FileImport)).content.decode()
    check(browser, file_import, mode="sync", max_delete="50%")
    assert '<li>1010 <span class="sheet-quiet">Bank</span></li>' in shown(browser, file_import)
    assert "1 unchanged · 1 to be deleted" in browser.get(address(FileImport)).content.decode()
    save(browser, file_import)
    assert "1 unchanged · 1 deleted" in browser.get(address(FileImport)).content.decode()
    assert '<li>1010 <span class="sheet-quiet">Bank</span></li>' in shown(browser, file_import)
