"""Cells as people write them are understood, and the check shows each with what it means."""

import io

import openpyxl
import orjson
import pytest
from openpyxl.utils import get_column_letter

from account.models import Account
from bulkops.models import FileImport
from currency.models import Currency
from tests.bulkops.files.formats.files import saved
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.files.imports import check, checked, save, upload
from tests.dimensions_site.administration.files.test_export import STORE, offered, send
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import account, content, currency
from tests.random_elements import RandomElements
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

LOCAL = """\
Konto;Bezeichnung (de);Art;Typ;Umrechnungsart;Gültig ab;Bruttobetrag gleich Intercompany-Summe;Link zur Dokumentation
 8001;Kasse;Bilanz;normal;Stichtagskurs;31.01.2026;ja; x
8002;Bank;BILANZ;Normal;Stichtagskurs;1.2.2026;NEIN;
8003;Erlöse;PROFIT_AND_LOSS;NORMAL;FINAL;2026-03-01;true;y
8004;Leer;Bilanz;Normal;Stichtagskurs;  ;ja;
"""


def speaks(browser, language):
    """The browser, whose user reads that language."""
    browser.cookies["django_language"] = language
    return browser


def meanings(file_import):
    """What was understood, by column and text: value and count."""
    return {
        (found["heading"], found["text"]): (found["value"], found["count"])
        for found in file_import.report["understood"]
    }


def test_local_values_are_imported(ed, northwind):
    """Labels, yes and no, local dates, and blanks around ids; a text stays as it is."""
    browser = speaks(browser_of(ed), "de")
    file_import = checked(browser, northwind, LOCAL)
    assert file_import.report["kinds"] == []
    found = meanings(file_import)
    assert found[("Konto", " 8001")] == ("8001", 1)
    assert found[("Art", "Bilanz")] == ("Bilanz (BALANCE_SHEET)", 2)
    assert found[("Art", "BILANZ")] == ("Bilanz (BALANCE_SHEET)", 1)
    assert found[("Gültig ab", "1.2.2026")] == ("2026-02-01", 1)
    assert found[("Gültig ab", "  ")] == ("", 1)
    assert found[("Bruttobetrag gleich Intercompany-Summe", "ja")] == ("ja (true)", 2)
    assert not any(text in ("true", "FINAL", "2026-03-01", " x") for _, text in found)
    assert file_import.report["understood_count"] == sum(count for _, count in found.values())
    save(browser, file_import)
    first = Account.objects.get(element_id="8001")
    assert (first.nature, first.gross_amount_equal_ic_sum, first.documentation_link) == ("BALANCE_SHEET", True, " x")
    assert f"{first.start_date:%Y-%m-%d}" == "2026-01-31"
    assert Account.objects.get(element_id="8004").start_date is None


@pytest.mark.parametrize("id", ["\u200b1000", "1000\u200e", "\u200f1000", "10\u00ad00", "1000\u2060", "1000\ufeff"])
def test_a_new_id_with_a_mark_that_nobody_sees_is_refused(ed, northwind, id):
    """It would be another account than the one that looks the same. One that is stored so stays usable."""
    browser, headings = browser_of(ed), "Id,Description (en),Nature,Type,Conversion type\n"
    row = f"{id},Cash,Balance sheet,Normal,Closing rate\n"
    [error] = checked(browser, northwind, headings + row).report["failures"]
    mark, position = next((f"U+{ord(each):04X}", place) for place, each in enumerate(id, 1) if not each.isdigit())
    assert (error["line"], error["place"]) == (2, "Id")
    assert error["message"].startswith(f"The id contains {mark} (at position {position}), which nobody sees.")

    save(browser, checked(browser, northwind, f"{headings}[[text]]{row}"))
    assert Account.objects.get().element_id == id
    file_import = checked(browser, northwind, f"Id,Description (en)\n{id},Bank\n")
    assert (file_import.report["failures"], file_import.report["changed"]) == ([], 1)


def test_a_description_that_has_lost_letters_is_refused(ed, northwind):
    """A program that read the file in another encoding has written a sign for each. A stored one stays as it is."""
    browser, headings = browser_of(ed), "Id,Description (en),Nature,Type,Conversion type\n"
    row = "1000,B\ufffdro,Balance sheet,Normal,Closing rate\n"
    [error] = checked(browser, northwind, headings + row).report["failures"]
    assert (error["line"], error["place"]) == (2, "Description (en)")
    assert error["message"].startswith("'B\ufffdro' has signs in place of letters that were lost when")

    store_accounts(northwind, account("1000", descriptions={"en": "B\ufffdro"}))
    for text in ("B\ufffdro", " B\ufffdro "):
        file_import = checked(browser, northwind, headings + row.replace("B\ufffdro", text))
        assert (file_import.report["failures"], file_import.report["unchanged"]) == ([], 1)
    file_import = checked(browser, northwind, headings + row.replace("B\ufffdro", "[[text]]caf\ufffd"))
    assert (file_import.report["failures"], file_import.report["changed"]) == ([], 1)


def test_a_file_with_the_labels_of_earlier_exports_is_imported(ed, northwind):
    """Labels were renamed, and charts that people keep have the old ones."""
    heading = "id,Description (en),Nature,Type,Conversion type,Notes check,Use account for setup\n"
    rows = (
        "8101,Staff,Other stocks,Normal,Final,Do not check,No\n"
        "8102,Space,Other balances,Normal,Previous final,Do not check,No\n"
    )
    file_import = checked(browser_of(ed), northwind, heading + rows)
    assert file_import.report["kinds"] == []
    save(browser_of(ed), file_import)
    stored = Account.objects.values_list("nature", "conversion_type", "use_account_for_setup")
    assert sorted(stored) == [("OTHER_STOCKS", "FINAL", "NO"), ("OTHER_STOCKS", "PREVIOUS_FINAL", "NO")]


NUMBERS = "id;descriptions.en;decimalNumbers;percentageDifference;referenceCurrency.coefficient\n"


@pytest.mark.parametrize("language", ["de", "fr", "it", "es"])
def test_a_number_with_two_readings_is_an_error_unless_one_of_them_is_stored(ed, northwind, language):
    """So an export for programs comes back unchanged, and 25 is never stored for 25000."""
    stored = {"id": "VND", "coefficient": "25.000"}
    STORE["currency"](northwind, currency("VND", referenceCurrency=stored), currency("ITL"))
    browser = speaks(browser_of(ed), language)
    rows = "VND;Dong;2;0.0000;25.000\nITL;Lira;2;0;1.936\nNEW;New;2;0;25,000\nOLD;Old;2;0;1.936,27\n"
    file_import = checked(browser, northwind, NUMBERS + rows, "currency")
    report = file_import.report
    assert {(kind["heading"], tuple(kind["texts"])) for kind in report["kinds"]} == {
        ("referenceCurrency.coefficient", ("1.936",)),
        ("referenceCurrency.coefficient", ("25,000",)),
    }
    assert "1936" in str(report["kinds"])
    assert "1,9360" in str(report["kinds"])
    assert (report["created"], report["changed"] + report["unchanged"], report["rejected"]) == (1, 1, 2)
    save(browser, file_import, leave_out="yes")
    coefficients = dict(Currency.objects.values_list("element_id", "reference_currency_coefficient"))
    assert coefficients == {"VND": "25.000", "ITL": coefficients["ITL"], "OLD": "1936.27"}


def test_a_number_of_a_workbook_has_one_reading(ed, northwind):
    """It has no notation, whatever the language of the page is."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(NUMBERS.strip().split(";"))
    sheet.append(["ITL", "Lira", 0, 0, 1.936])
    sheet.append(["VND", "Dong", 0, 0, "25.000"])
    browser = speaks(browser_of(ed), "de")
    file_import = checked(browser, northwind, saved(book), "currency")
    assert [kind["texts"] for kind in file_import.report["kinds"]] == [["25.000"]]
    save(browser, file_import, leave_out="yes")
    assert Currency.objects.get().reference_currency_coefficient == "1.936"


@pytest.mark.contract("C19")
def test_blanks_around_descriptions_are_left_out_unless_they_are_stored(ed, northwind):
    """The check shows them; REST and commands store what is sent."""
    store_accounts(northwind, account("1000", descriptions={"en": " Cash", "de": "Kasse"}))
    headings = "id,descriptions.en,descriptions.de,nature,type,conversion.conversionType\n"
    rows = "1000, Cash,Kasse ,BALANCE_SHEET,NORMAL,FINAL\n1010,  New account ,  ,BALANCE_SHEET,NORMAL,FINAL\n"
    file_import = checked(browser_of(ed), northwind, headings + rows)
    assert (file_import.report["created"], file_import.report["rejected"]) == (1, 0)
    assert meanings(file_import)[("descriptions.en", "  New account ")] == ("New account", 1)
    save(browser_of(ed), file_import)
    stored = dict(Account.objects.values_list("element_id", "descriptions"))
    assert stored == {"1000": {"en": " Cash", "de": "Kasse"}, "1010": {"en": "New account"}}


def test_notations_are_meant_literally(ed, northwind):
    """[[null]] and [[text]] are not words."""
    store_accounts(northwind, account("1000"))
    headings = "id,rules.grossAmountEqualICSum,nature\n"
    file_import = checked(browser_of(ed), northwind, headings + "1000,[[null]],[[text]]Balance sheet\n")
    assert [kind["heading"] for kind in file_import.report["kinds"]] == ["nature"]
    assert meanings(file_import) == {}


@pytest.mark.contract("H4")
@pytest.mark.parametrize("dimension", MODELS)
@pytest.mark.parametrize("format", ["xlsx", "csv"])
def test_an_export_with_labels_is_imported_without_a_change(alice, ed, northwind, dimension, format):
    """In German, read by somebody with English pages, who chooses no column."""
    bulk = alice.elements(dimension, "elements-bulk")
    content(alice.send("POST", bulk, {"post": RandomElements(WIRES[dimension], seed=7).many(30)}))
    german = speaks(browser_of(ed), "de")
    file = content(send(german, german.get(offered(german, dimension=dimension)), format=format, labels="yes"))
    english = speaks(browser_of(ed), "en")
    answer = upload(english, northwind, file, f"chart.{format}", dimension=dimension)
    columns = answer.context["form"].columns
    assert columns.to_check == 0, [column for column in columns.fields if column.hint]
    file_import = FileImport.objects.get()
    check(english, file_import)
    report = file_import.report
    assert report["kinds"] == []
    assert (report["created"], report["changed"] + report["unchanged"], report["rejected"]) == (0, 30, 0)
    # Blanks around a reference, which no element has around its id, are all that goes; the check shows it.
    changes = [change for sample in report["samples"] for change in sample["differences"]]
    assert all((orjson.loads(change["before"]).strip() or "not set") == change["after"] for change in changes)


def test_a_workbook_has_a_filter_and_lists_of_values(ed, northwind):
    """The lists have the words of the headings, and are on a sheet that nobody sees and no import reads."""
    STORE["account"](northwind, account("1000"), account("1010", rules={"grossAmountEqualICSum": True}))
    browser = speaks(browser_of(ed), "de")
    in_words = ["Kontoart", "Bruttobetrag gleich Intercompany-Summe"], ["Bilanz", "ja"]
    as_sent = ["nature", "rules.grossAmountEqualICSum"], ["BALANCE_SHEET", True]
    for labels, (names, words) in (("", as_sent), ("yes", in_words)):
        answer = send(browser, browser.get(offered(browser)), format="xlsx", labels=labels)
        assert "northwind-accounts-2" in answer["Content-Disposition"]
        book = openpyxl.load_workbook(io.BytesIO(content(answer)))
        sheet, lists = book.worksheets
        headings = [cell.value for cell in sheet[1]]
        assert sheet.auto_filter.ref == f"A1:{get_column_letter(len(headings))}3"
        assert lists.sheet_state == "hidden"
        for heading, word in zip(names, words, strict=True):
            column = get_column_letter(headings.index(heading) + 1)
            assert word in [cell.value for cell in sheet[column]]
            [rule] = [rule for rule in sheet.data_validations.dataValidation if f"{column}2" in rule.sqref]
            first, last = rule.formula1.removeprefix("Lists!").replace("$", "").split(":")
            assert word in [row[0].value for row in lists[f"{first}:{last}"]]


def test_json_has_the_names_of_the_wire_whatever_is_chosen(ed, northwind):
    """Labels are for tables."""
    STORE["currency"](northwind, currency())
    browser = browser_of(ed)
    shown = browser.get(offered(browser, dimension="currency"))
    files = [content(send(browser, shown, format="ndjson", labels=labels)) for labels in ("", "yes")]
    assert files[0] == files[1]
