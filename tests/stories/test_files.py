"""Files from other programs are imported step by step, and lists are exported as files."""

import io
import json
import re
from datetime import date
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, fits, follow
from tests.stories.pages import clicks, go, press, search

# As a ledger program of Windows writes it, in Windows-1252, with a heading of its own.
LEDGER = """\
Konto;descriptions.de;nature;type;conversion.conversionType
0099;Büromöbel über 800 €;BALANCE_SHEET;NORMAL;FINAL
A.24.120;Zahlungsmittel-Äquivalente;BALANCE_SHEET;NORMAL;FINAL
"""


def upload(page: Page, name: str, content: str) -> None:
    """The first step: from the list of accounts, with a file in Windows-1252."""
    go(page, "Accounts")
    press(page, "Import")
    assert fits(page)
    page.locator("[name=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content.encode("windows-1252")}
    )
    follow(page.get_by_role("button", name="Upload", exact=True))


def check(page: Page) -> None:
    """The second step: nothing is chosen by hand, because the headings are clear; have the file checked."""
    expect(page.get_by_text("Each column has its field.")).to_be_visible()
    expect(page.get_by_label("Konto", exact=True)).to_have_value("Id")
    assert fits(page)
    follow(page.get_by_role("button", name="Check the file"))


@pytest.mark.contract("C12")
def test_a_file_with_errors_is_reported_line_by_line_and_changes_nothing(enter, rest):
    """Every kind of error, and every line, on a phone as well; when Ed cancels the import nothing has happened."""
    ed = enter("ed")
    ed.set_viewport_size({"width": WIDTHS["phone"], "height": 800})
    count = rest("elements-count")
    upload(
        ed, "faulty.csv", LEDGER.replace("0099", "0098").replace("NORMAL", "ORDINARY").replace(";FINAL", ";DAILY", 1)
    )
    check(ed)
    expect(ed.get_by_text("all rows are either unchanged or have errors")).to_be_visible()
    expect(ed.get_by_role("heading", name="3 errors")).to_be_visible()
    assert fits(ed)
    kinds = ed.locator("table.kinds tbody tr")
    assert [row.locator("td").nth(0).inner_text() for row in kinds.all()] == ["type", "conversion.conversionType"]
    expect(kinds.first).to_contain_text("Type must be one of Normal, Detail, Variation; got …")
    expect(kinds.first).to_contain_text("2, 3")
    rows = ed.locator("table.rows tbody tr")
    assert [row.locator("td").first.inner_text() for row in rows.all()] == ["2", "3"]
    expect(rows.first).to_contain_text('Type must be one of Normal, Detail, Variation; got "ORDINARY".')
    expect(ed.get_by_role("button", name="Import", exact=True)).to_be_hidden()
    follow(ed.get_by_role("button", name="Cancel import"))
    expect(ed.get_by_text("The import was cancelled. Nothing was saved.")).to_be_visible()
    assert rest("elements-count") == count


# As an accountant writes it: labels, local dates and decimals, blanks; one value is wrong, twice.
FOREIGN = """\
 KONTO ;Bezeichnung (de);Natur;Typ;Umrechnungsart;gültig ab;Bruttobetrag gleich Intercompany-Summe
 8001;Kasse;Bilanz;Normal;Stichtagskurs;31.01.2026;ja
8002 ;Provisionen;Ergebnisrechnung;normal;Stichtagskurs;1.2.2026;nein
8003;Erlöse;Ergebnisrechnung;Normal;STICHTAGSKURS;01.03.2026;WAHR
"""


@pytest.mark.contract("C12")
def test_a_foreign_file_is_imported_in_seven_clicks(enter, rest):
    """No column is chosen by hand; a value that is not known gets its meaning in the page, for all rows."""
    ed = enter("ed")
    ed.context.add_cookies([{"name": "django_language", "value": "de", "url": ed.url}])
    ed.goto(ed.url)
    go(ed, "Konten")
    press(ed, "Importieren")
    ed.locator("[name=file]").set_input_files(
        {"name": "konten.csv", "mimeType": "text/csv", "buffer": FOREIGN.encode("windows-1252")}
    )
    follow(ed.get_by_role("button", name="Hochladen", exact=True))
    expect(ed.get_by_text("Gewählt, weil der Name ähnlich ist; bitte prüfen.")).to_have_count(1)
    expect(ed.get_by_label("Natur", exact=True)).to_have_value("Kontoart")
    follow(ed.get_by_role("button", name="Datei prüfen"))
    expect(ed.locator("table.kinds tbody tr")).to_have_count(1)
    expect(ed.locator("table.kinds tbody tr")).to_contain_text("Ergebnisrechnung")
    expect(ed.locator("table.understood")).to_contain_text("2026-01-31")
    assert fits(ed)
    ed.get_by_label("Natur: Ergebnisrechnung").select_option("Gewinn- und Verlustrechnung")
    follow(ed.get_by_role("button", name="Erneut prüfen").first)
    expect(ed.locator("dl div").filter(has_text="mit Fehlern")).to_contain_text("0")
    follow(ed.get_by_role("button", name="Importieren", exact=True))
    expect(ed.get_by_text("Der Import ist abgeschlossen.")).to_be_visible()
    assert clicks(ed) == 7
    ed.context.clear_cookies(name="django_language")
    stored = [rest(f"elements/{id}") for id in ("8001", "8002", "8003")]
    assert [one["nature"] for one in stored] == ["BALANCE_SHEET", "PROFIT_AND_LOSS", "PROFIT_AND_LOSS"]
    assert [one["rules"]["grossAmountEqualICSum"] for one in stored] == [True, False, True]
    assert stored[1]["dataEntryAndReporting"]["validity"]["startDate"].startswith("2026-02-01T")


@pytest.mark.contract("H4")
def test_she_exports_what_the_list_shows(alice, rest, tmp_path: Path):
    """As JSON it is what REST lists with the same condition; as a workbook it opens in a spreadsheet program."""
    go(alice, "Accounts")
    search(alice, "receivable")
    alice.get_by_role("button", name="Filters", exact=True).click()
    alice.get_by_label("By type").select_option("DETAIL")
    follow(alice.get_by_role("button", name="Apply Filters"))
    press(alice, "Export")
    filtered = rest("elements?filter=descriptions.en=ilike=receivable;type==DETAIL&sort=id")
    assert len(filtered) > 2
    expect(alice.get_by_text(f"{len(filtered)} to export")).to_be_visible()
    for format in ("json", "xlsx"):
        alice.get_by_label("Format").select_option(format)
        with alice.expect_download() as started:
            alice.get_by_role("button", name="Export", exact=True).click()
        assert re.fullmatch(rf"northwind-accounts-\d{{4}}-\d\d-\d\d\.{format}", started.value.suggested_filename)
        started.value.save_as(tmp_path / f"accounts.{format}")
    assert json.loads((tmp_path / "accounts.json").read_text()) == filtered
    book = openpyxl.load_workbook(tmp_path / "accounts.xlsx", read_only=True)
    headings, *rows = book.worksheets[0].iter_rows(values_only=True)
    book.close()
    assert [row[headings.index("id")] for row in rows] == [element["id"] for element in filtered]
    assert [row[headings.index("descriptions.de")] for row in rows] == [
        element["descriptions"]["de"] for element in filtered
    ]


@pytest.mark.contract("C12")
def test_a_chart_without_types_and_rates_is_imported_in_six_clicks(enter, rest):
    """The page offers for all rows what the form of an account suggests, and the check says what is filled in."""
    ed = enter("ed")
    upload(ed, "skr.csv", "Konto;Bezeichnung;Bilanz/GuV\n0027;Software;Bilanz\n4400;Erlöse;GuV\n")
    expect(ed.get_by_label("Type", exact=True)).to_have_value("NORMAL")
    follow(ed.get_by_role("button", name="Check the file"))
    expect(ed.get_by_text("Conversion type · Profit and loss: Average rate")).to_be_visible()
    follow(ed.get_by_role("button", name="Import", exact=True))
    expect(ed.get_by_text("The import is complete.")).to_be_visible()
    assert clicks(ed) + 1 == 6  # that for choosing the file is not counted
    assert [rest(f"elements/{id}")["conversion"]["conversionType"] for id in ("0027", "4400")] == ["FINAL", "AVERAGE"]


def accountants_workbook() -> bytes:
    """A chart as accountants have it: a cover sheet, a merged title, headings in row 4, a lookup, dates, a total."""
    book = openpyxl.Workbook()
    cover = book.worksheets[0]
    cover.title = "Deckblatt"
    for row in (["Konzern Kontenplan"], ["Stand", date(2026, 9, 30)], ["Bearbeiter", "Controlling"]):
        cover.append(row)
    chart = book.create_sheet("Konten")
    chart.append(["Kontenplan Konzern – Germany GmbH"])
    chart.append(["Stand 30.09.2026"])
    chart.append([])
    chart.append(
        ["Konto-Nr.", "Bezeichnung", "Bilanz/GuV", "Kontotyp", "Kursart", "IC-Konto", "Gültig ab", "Gültig bis"]
    )
    chart.append([7100.0, "Maschinen", "Bilanz", "Normal", "Stichtag", "nein", date(2026, 1, 1), None])
    chart.append([980, "Rückstellungen", "Bilanz", "Normal", "Stichtag", "nein", date(2026, 1, 1), None])
    chart.append([8105.0, "Erlöse Inland", "GuV", "Normal", "Durchschnitt", "ja", date(2026, 2, 17), None])
    chart.append(["Summe", "3 Konten"])
    chart.merge_cells("A1:H1")
    chart.merge_cells("A2:H2")
    chart["A6"].number_format = "0000"
    file = io.BytesIO()
    book.save(file)
    # What openpyxl does not write: a formula with the value that Excel computed.
    lookup = r'<c r="C5"[^>]*>.*?</c>', '<c r="C5" t="str"><f>VLOOKUP(A5,Arten!A:B,2,0)</f><v>Bilanz</v></c>'
    result = io.BytesIO()
    with ZipFile(file) as before, ZipFile(result, "w") as after:
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, re.sub(*lookup, text.decode(), count=1) if name.endswith("sheet2.xml") else text)
    return result.getvalue()


@pytest.mark.contract("C12")
def test_the_workbook_of_an_accountant_is_imported_in_six_clicks(enter, rest):
    """Nothing is changed in Excel, and no column or value is chosen by hand; on a phone a month later it takes four."""
    ed = enter("ed")

    def check_the_workbook(width: str) -> None:
        go(ed, "Accounts")
        ed.set_viewport_size({"width": WIDTHS[width], "height": 900})
        ed.evaluate("sessionStorage.clicks = 1")  # for choosing the file
        press(ed, "Import")
        workbook = {"name": "Konten.xlsx", "mimeType": "application/octet-stream", "buffer": accountants_workbook()}
        ed.locator("[name=file]").set_input_files(workbook)
        follow(ed.get_by_role("button", name="Upload", exact=True))
        expect(ed.get_by_text("sheet Konten · headings in row 4")).to_be_visible()
        ed.locator(".reading details").evaluate("details => { details.open = true; }")
        assert fits(ed)
        follow(ed.get_by_role("button", name="Check the file"))
        expect(ed.get_by_text("1 cell holds a formula")).to_be_visible()
        expect(ed.get_by_role("heading", name="1 row looks like a total")).to_be_visible()
        assert fits(ed)

    check_the_workbook("desk")
    follow(ed.get_by_role("button", name="Leave these rows out and check again"))
    expect(ed.get_by_text("The file has no errors.")).to_be_visible()
    follow(ed.get_by_role("button", name="Import", exact=True))
    expect(ed.get_by_text("The import is complete.")).to_be_visible()
    assert clicks(ed) == 6
    assert rest("elements/0980")["descriptions"]["en"] == "Rückstellungen"
    machines, sales = rest("elements/7100"), rest("elements/8105")
    assert (machines["nature"], sales["nature"]) == ("BALANCE_SHEET", "PROFIT_AND_LOSS")
    assert (machines["conversion"]["conversionType"], sales["conversion"]["conversionType"]) == ("FINAL", "AVERAGE")
    assert sales["dataEntryAndReporting"]["icManagement"] is True
    assert sales["dataEntryAndReporting"]["validity"]["startDate"] == "2026-02-17T00:00:00.000+0000"

    check_the_workbook("phone")
    expect(ed.get_by_text("Such rows are left out.")).to_be_visible()
    expect(ed.get_by_text("everything in the file is stored already")).to_be_visible()
    assert clicks(ed) == 4
