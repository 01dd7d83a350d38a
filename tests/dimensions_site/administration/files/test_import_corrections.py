"""Errors of an import are shown by kind, and cells with errors are corrected in the browser."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Page

from account.models import Account
from bulkops.files.imports import reports
from bulkops.models import FileImport, ImportStatus
from bulkops.worker.tasks import work
from dimensions_site.administration.files import corrections
from tests.browser import follow, signed_in
from tests.bulkops.files.formats.files import workbook
from tests.dimensions_site.administration.elements.test_element_form_browser import Dialogs
from tests.dimensions_site.administration.files.imports import BANK, CASH, FAULTY, HEADINGS, at, checked, save, shown
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import content

pytestmark = pytest.mark.django_db(transaction=True)


def many(count, nature="NOWHERE"):
    """Rows with one error each."""
    return "".join(f"{number},Loans,{nature},NORMAL,FINAL\n" for number in range(2000, 2000 + count))


def correct(browser, file_import, **typed):
    """Send the cells of the first page with what is `typed`, have the file checked again, and return the import."""
    answer = browser.post(at(file_import, "correct"), {"page": "1", **typed}, follow=True)
    work()
    file_import.refresh_from_db()
    return answer


def kinds(file_import):
    """The errors by kind: heading, count, first texts and lines."""
    return [(kind["heading"], kind["count"], kind["texts"], kind["lines"]) for kind in file_import.report["kinds"]]


def test_errors_are_grouped_by_kind(ed, northwind):
    """With labels, the number of cells and the first lines; the most frequent kind comes first."""
    rows = (
        many(8)
        + many(1, "ELSEWHERE").replace("2000", "3000")
        + "4000,Loans,BALANCE_SHEET,SPECIAL,FINAL\n"
        + CASH
        + CASH
    )
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + rows)
    assert kinds(file_import) == [
        ("nature", 9, ["NOWHERE", "ELSEWHERE"], [2, 3, 4, 5, 6]),
        ("type", 1, ["SPECIAL"], [11]),
        ("id", 1, ["1000"], [13]),
    ]
    text = shown(browser, file_import)
    assert "Nature must be one of Balance sheet, Profit and loss" in text
    assert "11 errors" in text


def test_a_description_that_is_missing_is_asked_for_in_words(ed, northwind):
    """Not in JSON."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + "2000,,BALANCE_SHEET,NORMAL,FINAL\n")
    [kind] = file_import.report["kinds"]
    assert kind["message"] == "Enter a description in at least one language."


def test_a_cell_is_corrected_without_another_upload(ed, northwind):
    """The check runs again with it, and the import saves it; the file stays as it is."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    text = shown(browser, file_import)
    assert 'name="cell-3-0" id="id_cell-3-0" value="NOWHERE"' in text
    assert '<option value="Profit and loss">' in text
    answer = correct(browser, file_import, **{"cell-3-0": "Profit and loss"})
    assert b"The file is being checked." in answer.content
    assert (file_import.status, file_import.report["rejected"], file_import.report["created"]) == (
        ImportStatus.CHECKED,
        0,
        2,
    )
    assert file_import.corrections == {"3": {"nature": "Profit and loss"}}
    assert "1 cell was corrected here" in shown(browser, file_import)
    save(browser, file_import)
    assert Account.objects.get(element_id="1020").nature == "PROFIT_AND_LOSS"


def test_what_is_still_wrong_stays_in_the_list(ed, northwind):
    """With the corrected text; the file of rejected rows has it, too, and a later correction replaces it."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    correct(browser, file_import, **{"cell-3-0": "NOWHERE ELSE"})
    assert 'value="NOWHERE ELSE"' in shown(browser, file_import)
    assert b"1020,Loans,NOWHERE ELSE,NORMAL,FINAL," in content(browser.get(at(file_import, "rejects")))
    correct(browser, file_import, **{"cell-3-0": "BALANCE_SHEET"})
    assert file_import.report["rejected"] == 0
    assert file_import.corrections == {"3": {"nature": "BALANCE_SHEET"}}


def test_a_value_means_the_same_in_all_rows(ed, alice, northwind, monkeypatch):
    """However many there are, with one choice; a cell with a correction of its own keeps that."""
    monkeypatch.setattr(reports, "MAX_REPORTED_ROWS", 5)
    browser = browser_of(ed)
    table = HEADINGS + many(60) + CASH + many(2, "ELSE").replace("200", "300")
    file_import = checked(browser, northwind, table)
    unknown = [(found["heading"], found["text"], found["count"]) for found in file_import.report["unknown"]]
    assert unknown == [("nature", "NOWHERE", 60), ("nature", "ELSE", 2)]
    assert '<option value="OTHER_STOCKS">Other balances</option>' in shown(browser, file_import)
    correct(browser, file_import, **{"value-0": "PROFIT_AND_LOSS", "cell-3-0": "Other balances"})
    assert file_import.options["values"] == {"nature": {"NOWHERE": "PROFIT_AND_LOSS"}}
    assert (file_import.report["rejected"], file_import.report["created"]) == (2, 61)
    text = shown(browser, file_import)
    assert "1 value was given a meaning" in text
    assert "2 of 63 rows are left out: line 63 (ELSE · 3000 · Loans), line 64 (ELSE · 3001 · Loans)" in text
    correct(browser, file_import, **{"value-0": "BALANCE_SHEET"})
    save(browser, file_import)
    natures = Counter(Account.objects.values_list("nature", flat=True))
    assert natures == {"PROFIT_AND_LOSS": 59, "OTHER_STOCKS": 1, "BALANCE_SHEET": 3}
    # The next file with these headings needs no choice, whoever imports it.
    again = checked(browser_of(alice), northwind, HEADINGS + many(2).replace("200", "500"))
    assert (again.report["rejected"], again.report["created"]) == (0, 2)
    assert {found["text"]: found["is_surprising"] for found in again.report["understood"]} == {"NOWHERE": True}


def test_rows_that_a_value_solves_are_folded(ed, northwind):
    """Unless they are few; what needs a person comes first, and the values of a column stand together."""
    rows = many(3) + many(2, "ELSE").replace("200", "300") + many(3).replace("200", "400").replace("NORMAL", "SPECIAL")
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + rows + "2000,Loans,NOWHERE,NORMAL,FINAL\n")
    asked = browser.get(at(file_import)).context["corrections"]
    assert [(value.name, value.heading, value.text) for value in asked.values] == [
        ("value-0", "nature", "NOWHERE"),
        ("value-2", "nature", "ELSE"),
        ("value-1", "type", "SPECIAL"),
    ]
    (open_rows, nothing), (solved, columns) = asked.parts
    assert ([row.line for row in open_rows], nothing) == ([10], "")
    assert ([row.line for row in solved], columns) == ([2, 3, 4, 5, 6, 7, 8, 9], "nature, type")
    assert '<details class="one-value"><summary>nature, type · 8</summary>' in shown(browser, file_import)
    correct(browser, file_import, **{"value-1": "NORMAL", "cell-2-0": "BALANCE_SHEET"})
    assert {row["line"] for row in file_import.report["rows"]} == {3, 4, 5, 6, 7, 8, 9, 10}
    few = checked(browser, northwind, HEADINGS + many(5))
    assert '<details class="one-value" open><summary>nature · 5</summary>' in shown(browser, few)


def test_empty_cells_of_a_field_that_needs_a_value_are_one_error_with_their_number(ed, northwind):
    """They are asked for as one value, which cannot mean nothing."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + many(7, "") + many(1, " ").replace("2000", "3000"))
    asked = browser.get(at(file_import)).context["corrections"]
    assert [(value.heading, value.text, value.count) for value in asked.values] == [("nature", "", 8)]
    assert "-" not in dict(asked.values[0].options)
    assert '<details class="one-value"><summary>nature · 8</summary>' in shown(browser, file_import)
    assert 'aria-label="nature: empty"' in shown(browser, file_import)
    correct(browser, file_import, **{"value-0": "BALANCE_SHEET"})
    assert (file_import.report["created"], file_import.report["rejected"]) == (8, 0)
    assert '<code class="cell">empty</code> → Balance sheet' in shown(browser, file_import)


def test_a_column_that_is_missing_is_one_error_with_the_number_of_rows(ed, northwind):
    """The rows are not listed one by one, as nothing can be corrected in them."""
    rows = "".join(f"{number},Loans,NORMAL,FINAL\n" for number in range(2000, 2008))
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS.replace("nature,", "") + rows + "2008,Loans,SPECIAL,FINAL\n")
    assert kinds(file_import) == [("nature", 9, [], [2, 3, 4, 5, 6]), ("type", 1, ["SPECIAL"], [10])]
    asked = browser.get(at(file_import)).context["corrections"]
    assert [(row.line, row.errors) for row in asked.rows] == [(10, [])]
    answer = browser.get(at(file_import))
    assert answer.content.decode().count("Nature is missing; it must be one of") == 1
    assert [kind["heading"] for kind in answer.context["result"]["kinds"]] == ["Nature", "type"]


def test_a_value_may_mean_nothing_and_rules_are_taken_back(ed, northwind):
    """A value that the column cannot have is not taken."""
    browser = browser_of(ed)
    headings = HEADINGS.replace("\n", ",dataEntryAndReporting.icManagement\n")
    file_import = checked(browser, northwind, headings + CASH.replace("\n", ",perhaps\n"))
    correct(browser, file_import, **{"value-0": "BALANCE_SHEET", "value-7": "true"})
    assert (file_import.options["values"], file_import.report["rejected"]) == ({}, 1)
    correct(browser, file_import, **{"value-0": "-"})
    assert file_import.report["created"] == 1
    correct(browser, file_import, take_back="yes")
    assert (file_import.options["values"], file_import.report["rejected"]) == ({}, 1)
    correct(browser, file_import, **{"value-0": "true"})
    save(browser, file_import)
    assert Account.objects.get().ic_management is True


def test_only_so_many_values_get_a_meaning(ed, northwind, monkeypatch):
    """The message says how many; a text that is too long for a value is not offered."""
    monkeypatch.setattr(corrections, "MAX_RULES", 1)
    rows = many(1, "ONE") + many(1, "TWO").replace("2000", "3000") + many(1, "X" * 201).replace("2000", "4000")
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + rows)
    assert {found["text"] for found in file_import.report["unknown"]} == {"ONE", "TWO"}
    answer = correct(browser, file_import, **{"value-0": "OTHER_STOCKS", "value-1": "OTHER_STOCKS"})
    assert "Up to 1 values can be given a meaning here, and there are 2." in answer.content.decode()
    assert answer.content.decode().count('value="OTHER_STOCKS" selected') == 2
    assert file_import.options["values"] == {}


@pytest.mark.parametrize(
    "total",
    [
        *(",Summe Aktiva,,,", "Total,,,,", " Somme : 12,,,,", "Totaal activa,x,,,", "Σ,,,,"),
        *("Gesamtergebnis,2,,,", "Ergebnis,,,,", "Sous-totaux,,,,", "Totali,,,,"),
    ],
)
def test_rows_of_totals_are_left_out_with_one_click(ed, northwind, total):
    """The check lists them; an account whose description begins like a total stays."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH.replace("Cash", "Total assets") + total + "\n")
    assert [found["line"] for found in file_import.report["totals"]] == [3]
    assert "1 row looks like a total" in shown(browser, file_import)
    correct(browser, file_import, without_totals="yes")
    assert (file_import.report["rejected"], file_import.report["created"]) == (0, 1)
    text = shown(browser, file_import)
    assert "Such rows are left out." in text
    assert "Take back all corrections" in text
    assert "0 cells" not in text, "nothing was corrected"
    save(browser, file_import)
    assert list(Account.objects.values_list("element_id", flat=True)) == ["1000"]


@pytest.mark.parametrize(
    ("total", "is_total"),
    [
        ("1000 Total,,,,", True),
        ('1000 Ergebnis,,"1,200.50",,', True),
        ("1000 Totale,,-3,,", True),
        ("1000 Total,Cash and bank,,,", False),
        ("1000 Total,,BALANCE_SHEET,NORMAL,FINAL", False),
        ("1000 Totals of others,,,,", False),
        ("2000 Total,,,,", False),
        ("10000 Total,,,,", False),
    ],
)
def test_a_subtotal_has_the_id_above_and_no_text_of_its_own(ed, northwind, total, is_total):
    """Excel writes it so; an account may be called like that, and has a text."""
    report = checked(browser_of(ed), northwind, HEADINGS + CASH + total + "\n").report
    assert [found["line"] for found in report["totals"]] == [3] * is_total


def test_an_id_like_that_of_a_subtotal_is_an_account_where_no_row_has_a_text(ed, northwind):
    rows = "".join(CASH.replace("1000", id) for id in ("1000", "1000 Total"))
    browser = browser_of(ed)
    save(browser, checked(browser, northwind, HEADINGS + rows))
    report = checked(browser, northwind, "id,descriptions.en\n1000,7\n1000 Total,8\n").report
    assert (report["totals"], report["changed"]) == ([], 2)


def test_a_row_whose_id_is_merged_with_another_is_no_total(ed, northwind):
    """It would be left out with the totals."""
    rows = (text.strip().split(",") for text in (HEADINGS, CASH, BANK.replace("1010", "")))
    merged = workbook(*rows, change=lambda book: book.worksheets[0].merge_cells("A2:A3"))
    report = checked(browser_of(ed), northwind, merged).report
    assert (report["totals"], report["rejected"], report["kinds"][0]["heading"]) == ([], 1, "id")


def test_leaving_the_rows_of_totals_out_keeps_what_was_corrected(ed, northwind, visit):
    """Whoever leaves the page without sending the corrections is asked first. The reason beside *Import* stays, too."""
    file_import = checked(browser_of(ed), northwind, HEADINGS + CASH + FAULTY + "Total,,,,\n")

    def look(opened: Page) -> None:
        dialogs = Dialogs(opened)
        opened.locator("[name='cell-3-0']").fill("BALANCE_SHEET")
        dialogs.ask_at(opened.get_by_role("link", name="All imports"))
        with opened.expect_download():
            opened.get_by_role("link", name="Download the rows with errors").click()
        opened.get_by_label("Reason").fill("Year-end")
        follow(opened.get_by_role("button", name="Leave these rows out and check again"))
        assert dialogs.asked == ["beforeunload"]

    visit(at(file_import), look, storage_state=signed_in(browser_of(ed)))
    work()
    file_import.refresh_from_db()
    assert (file_import.report["rejected"], file_import.report["created"]) == (0, 2)
    correct(browser_of(ed), file_import, take_back="yes")
    assert 'value="Year-end"' in shown(browser_of(ed), file_import)


@pytest.mark.parametrize(("good", "faulty", "is_main"), [(300, 3, True), (300, 4, False), (100, 2, False)])
def test_leaving_out_more_than_a_few_rows_is_not_the_main_button(ed, northwind, good, faulty, is_main):
    """More than three, or than one percent; the page says which stay out."""
    rows = many(faulty) + "".join(CASH.replace("1000", f"{number}") for number in range(9000, 9000 + good))
    text = shown(browser_of(ed), checked(browser_of(ed), northwind, HEADINGS + rows))
    [button] = re.findall(r'name="leave_out" value="yes" class="([^"]*)"', text)
    assert ("sheet-go" in button) is is_main
    assert f"{faulty} of {good + faulty} rows are left out: line 2 (NOWHERE · 2000 · Loans), line 3 (" in text


def test_rows_with_errors_have_pages(ed, northwind):
    """Each with 50 rows; a page that does not exist is the last one."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + many(60))
    for number, lines in (("1", (2, 51)), ("2", (52, 61)), ("9", (52, 61)), ("x", (2, 51))):
        rows = browser.get(at(file_import), {"page": number}).context["corrections"].rows
        assert (rows[0].line, rows[-1].line) == lines
    browser.post(at(file_import, "correct"), {"page": "2", "cell-52-0": "BALANCE_SHEET", "cell-2-0": "BALANCE_SHEET"})
    assert FileImport.objects.get().corrections == {"52": {"nature": "BALANCE_SHEET"}}


def test_only_so_many_cells_are_corrected(ed, northwind, monkeypatch):
    """The message says how many, and nothing that was typed is lost."""
    monkeypatch.setattr(corrections, "MAX_CORRECTIONS", 2)
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + many(3))
    answer = correct(browser, file_import, **{f"cell-{line}-0": f"typed {line}" for line in (2, 3, 4)})
    text = answer.content.decode()
    assert "Up to 2 cells can be corrected here, and there are 3." in text
    assert all(f'value="typed {line}"' in text for line in (2, 3, 4))
    assert file_import.corrections is None


@pytest.mark.parametrize(
    "sent",
    [
        {"cell-9-0": "x", "cell-3-7": "x", "cell--1-0": "x", "cell-x": "x"},
        {"page": "-3"},
        {"page": "x", "cell-3-0": "NOWHERE"},
        {},
    ],
)
def test_cells_without_errors_are_not_corrected(ed, northwind, sent):
    """Whatever is sent: only cells that the check lists."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    correct(browser, file_import, **sent)
    assert file_import.corrections == {}
    assert file_import.report["rejected"] == 1


def test_a_text_that_is_too_long_is_refused(ed, northwind):
    """With its place, and what was typed."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + FAULTY)
    answer = correct(browser, file_import, **{"cell-2-0": "x" * 1001})
    assert "The text for nature in line 2 is longer than 1,000 characters." in answer.content.decode()
    assert file_import.corrections is None


def test_a_long_cell_is_shown_and_corrected_in_the_file(ed, northwind):
    """Its rest is not lost by accident."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + FAULTY.replace("NOWHERE", "N" * 1200))
    assert 'name="cell-2-0"' not in shown(browser, file_import)
    correct(browser, file_import, **{"cell-2-0": "BALANCE_SHEET"})
    assert file_import.report["rejected"] == 1


def test_an_import_that_has_gone_on_is_not_corrected(ed, northwind):
    """A second window leads to the page of the import."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + BANK + FAULTY)
    save(browser, file_import, leave_out="yes")
    correct(browser, file_import, **{"cell-3-0": "BALANCE_SHEET"})
    assert file_import.corrections is None
    assert "Check again" not in shown(browser, file_import)


def test_elements_of_json_with_errors_have_no_cells(ed, northwind):
    """Their errors are listed by kind all the same."""
    file_import = checked(browser_of(ed), northwind, '[{"id": "1", "nature": "NOWHERE"}]')
    assert {kind["heading"] for kind in file_import.report["kinds"]} >= {"nature", "type"}
    assert "Check again" not in shown(browser_of(ed), file_import)


def test_only_who_uploaded_the_file_corrects_it(ed, alice, bob, northwind):
    """Others see the rows, as they see the import, or do not see it at all."""
    file_import = checked(browser_of(ed), northwind, HEADINGS + CASH + FAULTY)
    assert b'cell-3-0" id' not in browser_of(alice).get(at(file_import)).content
    for person, status in ((alice, 403), (bob, 404)):
        answer = browser_of(person).post(at(file_import, "correct"), {"page": "1", "cell-3-0": "BALANCE_SHEET"})
        assert answer.status_code in (status, 302)
    file_import.refresh_from_db()
    assert file_import.corrections is None
