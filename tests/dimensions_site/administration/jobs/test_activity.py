"""The activity: what was changed, by whom, through what and why, as far as the user may see it."""

import io
from typing import Any

import pytest
from django.test import Client
from openpyxl import load_workbook

from account.models import Account
from bulkops.models import DataProcessing, FileImport, Plan
from bulkops.worker.tasks import work
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.repositories.models import Repository, Role
from tests.bulkops.jobs.deletions import ASYNC, body, work_now
from tests.bulkops.plans.deciding import approved, signed_in, somebody
from tests.bulkops.plans.plans import applied, make
from tests.dimensions_site.administration.files.imports import CASH, HEADINGS, at, checked
from tests.dimensions_site.administration.plans.plan_pages import apply
from tests.dimensions_site.administration.site.pages import lasting
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import Person, account, add_person, content, currency, read
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
    assert "of Bob" not in text
    assert "contoso" not in text


def test_a_period_that_ends_before_it_begins_says_so(written: None, rita: Person) -> None:
    """Once; one that finds nothing for another reason does not."""
    browser = browser_of(rita)
    said = "The period ends before it begins, so nothing is found."
    for query, expected in (
        ("committed_at_from=2026-11-20&committed_at_to=2026-11-10", [said]),
        ("committed_at_from=2026-11-20&committed_at_to=2026-11-20", []),
        ("committed_at_from=x&committed_at_to=2026-11-10", []),
    ):
        assert messages_of(browser.get(f"{LIST}?{query}")) == expected


@pytest.mark.parametrize(
    ("language", "count"),
    [
        ("en", "3 changes"),
        ("de", "3 Änderungen"),
        ("fr", "3 modifications"),
        ("it", "3 modifiche"),
        ("es", "3 cambios"),
    ],
)
def test_the_foot_of_the_list_counts_changes(written: None, rita: Person, language: str, count: str) -> None:
    answer = browser_of(rita).get(LIST, headers={"accept-language": language})
    assert f'<div class="py-2">{count}</div>' in answer.content.decode()


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


@pytest.mark.parametrize(
    ("query", "reasons"),
    [
        ("?element=1", ["Typo", "Year-end"]),
        ("?element=eur", [None]),
        ("?element=1&by=alice&channel__exact=REST&committed_at_from=2000-01-01", ["Typo", "Year-end"]),
        ("?element=1&committed_at_to=2000-12-31", []),
        ("?element=B1", []),
        ("?element=" + "x" * 5_000, []),
    ],
)
def test_all_changes_to_one_element_are_asked_for(
    written: None, alice: Person, query: str, reasons: list[str | None]
) -> None:
    """In any case of its letters; elements of others are not found."""
    assert [reason for _, reason in listed(browser_of(alice), query)] == reasons


def test_a_row_names_the_only_element_and_its_fields(written: None, alice: Person) -> None:
    """Others say how many, and an applied plan where it came from."""
    read(alice.send("POST", alice.account("elements-bulk"), {"post": [account("8"), account("9")]}))
    make(alice, "account", bulk={"put": [account("8", descriptions={"en": "Loans"}), account("9", type="DETAIL")]})
    apply(browser_of(alice), Plan.objects.get())
    text = browser_of(alice).get(LIST).content.decode()
    assert "<strong>1</strong> Petty cash: Description (en)" in text
    assert "<strong>1</strong> Cash: Created" in text
    assert "<strong>EUR</strong>" in text
    assert "Accounts: 2 created" in text
    assert "Accounts: 2 changed" in text
    assert "applied change proposal · Changes to 2 rows" in text
    french = browser_of(alice).get(LIST, headers={"Accept-Language": "fr"}).content.decode()
    assert "Petty cash\u00a0: Description (en)" in french
    assert "Comptes\u00a0: " in french


def test_the_report_shows_what_changed_in_each_element(written: None, alice: Person) -> None:
    """With what was asked for, and who made it; only the asked element."""
    text = browser_of(alice).get(page(ChangeSet, "report") + "?element=1&by=ali").content.decode()
    assert "<dt>Account or currency</dt><dd>1</dd>" in text
    assert "by alice" in text
    assert "<ins>Petty cash</ins>" in text
    assert "· alice · REST API · northwind · Typo" in text
    assert "EUR" not in lasting(text)
    assert "B1" not in lasting(browser_of(alice).get(page(ChangeSet, "report")).content.decode())
    assert browser_of(alice).get(page(ChangeSet, "report") + "?nothing=1").status_code == 302
    assert browser_of(add_person("nobody")).get(page(ChangeSet, "report")).status_code == 403


def test_the_changes_are_exported(written: None, alice: Person, rita: Person, bob: Person) -> None:
    """A row for each value, of what the list shows and the user may see."""
    address = page(ChangeSet, "export_csv")
    lines = content(browser_of(rita).get(f"{address}?element=1")).decode("utf-8-sig").splitlines()
    assert lines[0] == (
        "When,Person,Channel,Reason,Proposed by,Approved by,Remark,Repository,Kind,Id,Action,Field,Before,After,Path"
    )
    assert lines[1].partition(",")[2] == (
        "alice,REST API,Typo,,,,northwind,account,1,Changed,Description (en),Cash,Petty cash,descriptions.en"
    )
    assert ",1,Created,Description (en),not set,Cash,descriptions.en" in "\n".join(lines)
    foreign = content(browser_of(bob).get(f"{address}?element=1")).decode("utf-8-sig").splitlines()
    assert len(foreign) == 1
    book = load_workbook(io.BytesIO(content(browser_of(rita).get(page(ChangeSet, "export_xlsx")))))
    ids = {row[9] for row in book.worksheets[0].iter_rows(min_row=2, values_only=True)}
    assert ids == {"1", "EUR"}
    assert browser_of(add_person("nobody")).get(address).status_code == 403


@pytest.mark.contract("O5")
def test_the_file_names_who_proposed_and_who_approved(alice: Person, northwind: Repository) -> None:
    pia = somebody("pia", northwind, Role.PROPOSER)
    plan = make(pia, "account", bulk={"post": [account("7")]}, reason="Asked for by audit")
    person = signed_in(alice)
    applied(person, "account", approved(person, "account", plan, "As agreed"))
    lines = content(browser_of(alice).get(page(ChangeSet, "export_csv"))).decode("utf-8-sig").splitlines()
    start = "alice,applied change proposal,Asked for by audit,pia,alice,As agreed,northwind,account,7,Created,"
    assert {line.partition(",")[2].startswith(start) for line in lines[1:]} == {True}


def test_more_than_a_file_can_have_is_not_exported(written: None, alice: Person) -> None:
    ChangeSet.objects.filter(reason="Typo").update(changed=10_001)
    answer = browser_of(alice).get(page(ChangeSet, "export_csv"), follow=True)
    (message,) = messages_of(answer)
    assert message.startswith("These are 10,003 changed accounts and currencies, and a file has at most 10,000.")


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
        assert messages_of(answer) == ["The job or proposal of this change is no longer stored, or you may not see it."]


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
