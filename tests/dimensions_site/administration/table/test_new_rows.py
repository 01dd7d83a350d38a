"""Rows that were pasted or typed beyond the last one are new elements: checked, saved and undone with the others."""

import pytest

from account.models import Account
from bulkops.models import Plan
from dimensions_site.changes.models import ChangeSet
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.dimensions_site.administration.table.grids import cells, marks, opened, problems, send
from tests.factories import account
from tests.storing import store_accounts

TEXT = "descriptions.en"
NEW = {TEXT: "Receivables", "nature": "balance sheet"}

pytestmark = pytest.mark.contract("C16", "K4")


@pytest.fixture
def chart(northwind):
    """Two accounts."""
    store_accounts(northwind, *(account(id, descriptions={"en": "Cash"}) for id in ("0090", "1100")))


@pytest.mark.django_db(transaction=True)
def test_new_rows_are_saved_with_changed_ones_in_one_change_set(chart, ed):
    browser = browser_of(ed)
    shown = send(browser, opened(browser), "check", {"0090": {TEXT: "Till"}}, new=[("1200", NEW), ("1300", NEW)])
    assert problems(shown) == []
    text = shown.content.decode()
    for words in ("2 rows would be new,", "1 row would be changed,", "1 stays as it is."):
        assert words in text
    assert not Account.objects.filter(element_id="1200").exists()
    saved = send(browser, shown, "save")
    assert (saved.status_code, saved.url) == (302, page(Account))
    found = ChangeSet.objects.get(operation=str(Plan.objects.get().pk))
    assert (found.created, found.changed) == (2, 1)
    stored = Account.objects.get(element_id="1200")
    assert (stored.descriptions, stored.nature, stored.type) == ({"en": "Receivables"}, "BALANCE_SHEET", "NORMAL")
    # As in the form of a new account.
    assert stored.conversion_type == "FINAL"


def test_only_new_rows_are_saved_too(chart, ed):
    browser = browser_of(ed)
    shown = send(browser, opened(browser), "check", new=[("1200", NEW)])
    assert send(browser, shown, "save").status_code == 302
    assert Account.objects.filter(element_id="1200").exists()


def test_errors_of_new_rows_stand_at_their_cells_and_nothing_is_lost(chart, ed):
    """A value that is not known, a missing text, a missing id, an id that is there twice, or that cannot be one."""
    browser = browser_of(ed)
    unnamed = send(browser, opened(browser), "check", new=[("", NEW), ("0090", NEW), ("1200", NEW), ("1200", NEW)])
    assert problems(unnamed) == [
        " : Enter an id.",
        "0090 : 0090 is there twice; keep one of the two.",
        "1200 : 1200 is there twice; keep one of the two.",
    ]
    wrong = [("1200", {**NEW, "nature": "Nonsense"}), ("1300", {"nature": "Balance sheet"}), ("x" * 129, NEW)]
    shown = send(browser, opened(browser), "check", new=[*wrong, ("a\0b", NEW)])
    found = marks(shown)
    assert found["1200", "nature"].startswith("Nature must be one of ")
    assert {id for id, _column in found} == {"1200", "1300", "x" * 129, "a\0b"}
    assert found["x" * 129, ""]
    assert cells(shown)["1200"]["nature"] == "Nonsense"
    assert not Plan.objects.exists()


def test_a_new_row_does_not_change_an_element_that_the_table_does_not_show(chart, ed, northwind):
    """Its id is an error, also if it comes into being between check and save."""
    browser = browser_of(ed)
    shown = send(browser, opened(browser, "?q=1100"), "check", new=[("0090", NEW)])
    assert len(problems(shown)) == 1
    assert problems(shown)[0].startswith("0090 : ")
    ready = send(browser, opened(browser), "check", new=[("1200", NEW)])
    store_accounts(northwind, account("1200"))
    refused = send(browser, ready, "save")
    assert refused.status_code == 200
    assert refused.context["checked"].problems
    assert Account.objects.get(element_id="1200").descriptions != {"en": "Receivables"}


def test_another_choice_of_columns_keeps_new_rows(chart, ed):
    browser = browser_of(ed)
    shown = send(browser, opened(browser), "columns", new=[("1200", NEW)], _column=["documentationLink"])
    assert cells(shown)["1200"] == {"documentationLink": "", **NEW}
    assert [row["is_new"] for row in shown.context["grid"]["rows"]] == [False, False, True]
