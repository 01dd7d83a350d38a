"""What is typed in the table is checked: errors at their cells, counts, and conflicts with what others saved."""

import pytest

from account.models import Account
from bulkops.models import Plan
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.administration.site.people import browser_of
from tests.dimensions_site.administration.table.grids import cells, checked, marks, opened, problems, send
from tests.factories import account
from tests.storing import store_accounts

START = "dataEntryAndReporting.validity.startDate"

pytestmark = pytest.mark.contract("C16", "K4")


@pytest.fixture
def chart(northwind):
    """Three accounts."""
    store_accounts(
        northwind,
        account("0090", descriptions={"en": "Cash", "de": "Kasse"}),
        account("1100", descriptions={"en": "Bank"}),
        account("2000", descriptions={"en": "Loans"}),
    )


def test_a_check_saves_nothing_and_counts(chart, ed):
    """Labels of values in any case, yes and no, and an id with leading zeros."""
    reference = "conversion.referenceAccountForInitialBalance"
    typed = {
        "0090": {"nature": "profit AND loss", "rules.grossAmountEqualICSum": "Yes"},
        "1100": {reference: "0090", "descriptions.de": "Bank"},
        "2000": {"nature": "Balance sheet"},
    }
    shown = checked(browser_of(ed), typed)
    assert problems(shown) == []
    plan = Plan.objects.get()
    assert (plan.changed, plan.unchanged, shown.context["unchanged"]) == (2, 1, 1)
    text = shown.content.decode()
    assert "2 rows would be changed," in text
    assert "1 stays as it is." in text
    assert Account.objects.get(element_id="0090").nature == "BALANCE_SHEET"
    assert cells(shown)["0090"]["nature"] == "profit AND loss"


def test_errors_stand_at_their_cells_in_words_of_the_page(chart, ed):
    """Nothing that was typed is lost, and no plan is made."""
    typed = {
        "0090": {"nature": "Nonsense", "descriptions.de": "Barkasse"},
        "1100": {"rules.grossAmountEqualICSum": "perhaps", "descriptions.en": ""},
        "2000": {"descriptions.en": "x" * 1001, "dataEntryAndReporting.validity.startDate": "tomorrow"},
    }
    shown = checked(browser_of(ed), typed)
    found = marks(shown)
    assert found["0090", "nature"].startswith("Nature must be one of Balance sheet, ")
    assert found["1100", "rules.grossAmountEqualICSum"].endswith('must be yes or no; got "perhaps".')
    assert found["1100", "descriptions.en"] == "Enter a description in at least one language."
    assert "the limit is 1,000" in found["2000", "descriptions.en"]
    assert "tomorrow" in found["2000", "dataEntryAndReporting.validity.startDate"]
    assert shown.context["checked"].error_count == len(found) == 5
    assert cells(shown)["0090"]["descriptions.de"] == "Barkasse"
    assert not Plan.objects.exists()
    assert "Nothing was saved: there are 5 errors." in shown.content.decode()


def test_a_day_with_two_meanings_is_an_error_at_its_cell(chart, ed):
    """Only English has both orders."""
    shown = checked(browser_of(ed), {"1100": {START: "01/02/2026"}})
    assert marks(shown) == {("1100", START): "01/02/2026 may be 2026-02-01 or 2026-01-02. Write one of these."}
    assert cells(shown)["1100"][START] == "01/02/2026"
    assert not Plan.objects.exists()


def test_values_are_read_in_the_language_of_the_page(chart, ed):
    browser = browser_of(ed)
    browser.cookies["django_language"] = "de"
    typed = {"nature": "Gewinn- und Verlustrechnung", "rules.grossAmountEqualICSum": "ja", START: "31.12.2026"}
    shown = checked(browser, {"0090": typed})
    assert problems(shown) == []
    assert Plan.objects.get().changed == 1
    wrong = checked(browser, {"0090": {"rules.grossAmountEqualICSum": "vielleicht"}})
    assert "Zulässig ist ja oder nein" in marks(wrong)["0090", "rules.grossAmountEqualICSum"]


def test_characters_that_cannot_be_stored_are_errors_of_their_cells(chart, ed):
    shown = checked(
        browser_of(ed), {"0090": {"descriptions.de": "a\0b", "conversion.referenceAccountForInitialBalance": "\0"}}
    )
    assert {id for id, _column in marks(shown)} == {"0090"}
    assert not Plan.objects.exists()


def test_nothing_typed_and_nothing_new_is_said(chart, ed):
    browser = browser_of(ed)
    assert "no cell was changed" in checked(browser, {}).content.decode()
    same = checked(browser, {"0090": {"nature": "balance sheet"}})
    assert "these values are there already" in same.content.decode()
    assert not Plan.objects.exists()


def test_ids_that_no_element_has_are_named_and_may_be_saved(chart, ed):
    shown = checked(browser_of(ed), {"0090": {"conversion.referenceAccountForInitialBalance": "XYZ"}})
    assert [(cell.id, text) for cell, text in shown.context["unknown"]] == [("0090", "XYZ")]
    assert shown.context["plan"]


def test_a_second_check_replaces_the_plan_of_the_first(chart, ed):
    browser = browser_of(ed)
    first = checked(browser, {"0090": {"type": "Detail"}})
    send(browser, first, "check", {"1100": {"type": "Detail"}})
    assert [plan.changed for plan in Plan.objects.all()] == [2]


def save_elsewhere(person, id, **fields):
    assert person.send("PATCH", person.account(f"elements/{id}"), fields).status_code == 200


def test_what_only_others_changed_is_taken_and_named(chart, ed, alice):
    browser = browser_of(ed)
    first = opened(browser)
    save_elsewhere(alice, "0090", descriptions={"de": "Theirs"}, documentationLink="https://example.com")
    shown = send(browser, first, "check", {"0090": {"descriptions.en": "Mine"}})
    assert [(cell.id, cell.label) for cell in shown.context["checked"].taken] == [("0090", "Description (de)")]
    assert cells(shown)["0090"]["descriptions.de"] == "Theirs"
    assert shown.context["plan"]


def test_a_cell_that_both_changed_shows_both_values_until_one_is_chosen(chart, ed, alice):
    """The choice for one's own holds until others change the cell again."""
    browser = browser_of(ed)
    first = opened(browser)
    save_elsewhere(alice, "0090", descriptions={"de": "Theirs"})
    for _ in range(2):
        shown = send(browser, first, "check", {"0090": {"descriptions.de": "Mine"}})
        (conflict,) = shown.context["checked"].conflicts
        assert (conflict.base, conflict.theirs, conflict.mine) == ("Kasse", "Theirs", "Mine")
        assert not Plan.objects.exists()
    assert "Theirs" in marks(shown)["0090", "descriptions.de"]
    mine = send(browser, shown, "check", kept={"0090": {"descriptions.de": conflict.number}})
    assert (mine.context["checked"].conflicts, Plan.objects.get().changed) == ([], 1)
    save_elsewhere(alice, "0090", descriptions={"de": "Theirs again"})
    again = send(browser, mine, "check")
    assert [one.theirs for one in again.context["checked"].conflicts] == ["Theirs again"]


def test_the_same_change_by_both_is_no_conflict(chart, ed, alice):
    browser = browser_of(ed)
    first = opened(browser)
    save_elsewhere(alice, "0090", nature="PROFIT_AND_LOSS")
    shown = send(browser, first, "check", {"0090": {"nature": "profit and loss"}})
    assert shown.context["checked"].conflicts == []
    assert "these values are there already" in shown.content.decode()


def test_a_row_that_others_deleted_is_left_out_and_what_was_typed_is_shown(chart, alice, ed):
    browser = browser_of(ed)
    first = opened(browser)
    start(alice, ["0090"], "account")
    work_now()
    shown = send(browser, first, "check", {"0090": {"descriptions.de": "Barkasse"}, "1100": {"type": "Detail"}})
    text = shown.content.decode()
    assert "This no longer exists and is left out: 0090." in text
    assert "0090 · Description (de): Barkasse" in text
    assert (list(cells(shown)), Plan.objects.get().changed) == (["1100", "2000"], 1)


def test_the_description_of_a_reference_follows_the_id_that_was_typed(chart, ed, alice):
    """Unless it was typed, too; an id that no element has brings none."""
    credit = "cashFlowPlanning.variation.credit"
    stored = {"cashFlowPlanning": {"variation": {"credit": {"id": "OLD", "description": "Receivables"}}}}
    ids = ("0090", "1100", "2000")
    for id in ids:
        assert alice.send("PATCH", alice.account(f"elements/{id}"), stored).status_code == 200
    typed = {
        "0090": {f"{credit}.id": "1100"},
        "1100": {f"{credit}.id": "0090", f"{credit}.description": "My own"},
        "2000": {f"{credit}.id": "NOPE"},
    }
    browser = browser_of(ed)
    shown = checked(browser, typed)
    assert [(cell.id, text) for cell, text in shown.context["unknown"]] == [("2000", "NOPE")]
    assert send(browser, shown, "save").status_code == 302
    found = [Account.objects.get(element_id=id).cash_flow_planning["variation"]["credit"] for id in ids]
    assert [(one["id"], one["description"]) for one in found] == [("1100", "Bank"), ("0090", "My own"), ("NOPE", None)]
