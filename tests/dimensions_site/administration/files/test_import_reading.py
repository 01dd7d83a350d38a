"""How a file is read is shown, and a person changes what was found out."""

import pytest
from openpyxl import Workbook

from account.models import Account
from bulkops.models import FileImport
from tests.bulkops.files.formats.files import saved
from tests.dimensions_site.administration.files.imports import BANK, CASH, HEADINGS, at, check, confirm, save, upload
from tests.dimensions_site.administration.site.people import browser_of

pytestmark = pytest.mark.django_db(transaction=True)

RUSSIAN = HEADINGS + CASH.replace("Cash", "Основные средства")


def read(browser, file_import, **sent):
    """Send how the file is to be read; return the page that follows, and the current import."""
    answer = browser.post(at(file_import, "read"), sent, follow=True)
    file_import.refresh_from_db()
    return answer.content.decode()


def test_letters_that_are_not_certain_are_chosen_by_their_looks(ed, northwind):
    """The page says what was taken and shows each possibility; the import saves what was chosen."""
    browser = browser_of(ed)
    text = upload(browser, northwind, RUSSIAN.encode("cp1251")).content.decode()
    file_import = FileImport.objects.get()
    offered = dict(file_import.preview["encodings"])
    assert "Основные средства" in offered["windows-1251"]
    assert len(offered) > 1
    assert all(f'value="{encoding}"' in text for encoding in offered)
    assert "<details open>" in text
    for wrong in ("utf-8", "no-such", "x" * 1000):
        assert "Choose how the letters are stored." in read(browser, file_import, encoding=wrong)
    chosen = next(name for name in offered if name != file_import.preview["encoding"])
    assert f"encoding {chosen}" in read(browser, file_import, encoding=chosen)
    assert "encoding windows-1251" in read(browser, file_import, encoding="windows-1251")
    check(browser, file_import)
    save(browser, file_import)
    assert Account.objects.get().descriptions == {"en": "Основные средства"}


def book_of(**sheets):
    """A workbook with these rows on its sheets, and merged titles."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.merge_cells("A1:C1")
    return saved(book)


TABLE = [["Chart of accounts"], ["As of", "2026-11"], [], HEADINGS.strip().split(","), CASH.strip().split(",")]


def test_the_sheet_and_the_headings_are_found_and_shown(ed, northwind):
    """A cover before the table and titles above it do not matter; what was found is what is imported."""
    browser = browser_of(ed)
    text = upload(browser, northwind, book_of(Cover=[["Example group"]], Chart=TABLE)).content.decode()
    file_import = FileImport.objects.get()
    assert "sheet Chart" in text
    assert "headings in row 4" in text
    assert file_import.preview["sheets"] == ["Cover", "Chart"]
    assert [line for line, _cells in file_import.preview["first_rows"]] == [1, 2, 4, 5]
    check(browser, file_import)
    save(browser, file_import)
    assert Account.objects.get().descriptions == {"en": "Cash"}


def test_the_headings_below_the_first_line_of_datev_are_found(ed, northwind):
    """That line has more cells than the table, and describes it."""
    line = '"EXTF";700;20;"Kontenbeschriftungen";3;20261130140440439;;"RE";"";"";29098;55003;20260101;4;;;"";"";;0;;""'
    upload(browser_of(ed), northwind, f'{line}\r\nKonto;Kontobeschriftung;SprachId\r\n1000;"Kasse";"de-DE"\r\n')
    preview = FileImport.objects.get().preview
    assert (preview["heading_row"], preview["headings"]) == (2, ["Konto", "Kontobeschriftung", "SprachId"])


def test_a_note_beside_the_table_is_a_column_to_leave_out(ed, northwind):
    """One that is too far away to be a column of the page is an error of its row."""
    browser = browser_of(ed)
    rows = ["Chart", HEADINGS, f"{CASH.strip()},,check", f"{BANK.strip()}{',' * 301}far"]
    upload(browser, northwind, book_of(Chart=[row.strip().split(",") for row in rows]))
    file_import = FileImport.objects.get()
    assert file_import.preview["headings"][5:] == ["Column G"]
    assert "check" in browser.get(at(file_import, "columns")).content.decode()
    check(browser, file_import, **{"out-5": "yes"})
    assert [(one["line"], one["place"]) for one in file_import.report["failures"]] == [(4, "Column KT")]
    save(browser, file_import, leave_out="yes")
    assert [account.element_id for account in Account.objects.all()] == ["1000"]


@pytest.mark.parametrize("place", [3, 7])
def test_a_text_without_heading_far_down_can_be_left_out_after_the_check(ed, northwind, place):
    """The preview has not seen it."""
    browser = browser_of(ed)
    headings, row = ["Chart"], CASH.strip().split(",")
    table = [HEADINGS.strip().split(","), *([f"{number}", *row[1:]] for number in range(1_100))]
    table = [[*cells[:3], "", *cells[3:]] for cells in table]
    table[-1] += [""] * 2
    table[-1][place] = "note"
    upload(browser, northwind, book_of(Chart=[headings, *table]))
    file_import = FileImport.objects.get()
    assert len(file_import.preview["headings"]) == 5
    check(browser, file_import)
    assert file_import.report["failure_count"] == 1
    assert file_import.preview["headings"][5:] == [f"Column {'DH'[place == 7]}"]
    check(browser, file_import, **{"out-5": "yes"})
    assert (file_import.report["failure_count"], file_import.report["created"]) == (0, 1_100)


def test_one_of_several_sheets_with_tables_is_chosen(ed, northwind):
    browser = browser_of(ed)
    text = upload(browser, northwind, book_of(Old=TABLE, New=TABLE)).content.decode()
    file_import = FileImport.objects.get()
    assert "2 sheets have something in them: &#x27;Old&#x27;, &#x27;New&#x27;. Choose the one that is meant." in text
    assert "sheet New" in read(browser, file_import, sheet="New")
    assert (file_import.preview["sheet"], file_import.preview["heading_row"]) == ("New", 4)
    assert "headings in row 2" in read(browser, file_import, sheet="New", heading_row="2")


def test_the_sheet_and_the_headings_of_a_confirmed_import_are_found_again(ed, northwind):
    """Next month's file has the same headings, which only a person understood, and one more column."""
    browser = browser_of(ed)
    headings = ["Schlüssel X", "Klartext Y", "Merkmal 1", "Merkmal 2", "Merkmal 3"]
    cover = [["Example group"], ["Author", "Finance"], ["Year", "2026"]]
    table = [*TABLE[:3], headings, TABLE[4]]
    upload(browser, northwind, book_of(Cover=cover, Chart=table))
    file_import = FileImport.objects.get()
    assert file_import.preview["sheet"] == ""
    read(browser, file_import, sheet="Chart")
    assert file_import.preview["heading_row"] == 1
    read(browser, file_import, sheet="Chart", heading_row="4")
    fields = {f"column-{number}": field for number, field in enumerate(TABLE[3])}
    check(browser, file_import, **fields)
    confirm(browser, file_import)
    upload(browser, northwind, book_of(Cover=cover, Chart=[*TABLE[:3], [], [*headings, "Merkmal 4"], [*TABLE[4], "x"]]))
    found = FileImport.objects.latest("created_at").preview
    assert (found["sheet"], found["heading_row"]) == ("Chart", 5)


@pytest.mark.parametrize("row", ["0", "-1", "1.5", "x", "9999999", "²", "1_0"])
def test_a_row_that_is_none_is_refused(ed, northwind, row):
    """With what was sent; nothing changes."""
    upload(browser_of(ed), northwind, HEADINGS + CASH)
    file_import = FileImport.objects.get()
    before = file_import.preview
    assert f"&#x27;{row}&#x27; is not the number of a row." in read(browser_of(ed), file_import, other_row=row)
    assert file_import.preview == before
