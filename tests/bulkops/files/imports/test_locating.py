"""Files as people and programs have them: any format, covers and titles, several sheets, notes beside the table."""

import gzip
import io
import json

import pytest
from openpyxl import Workbook, load_workbook

from account.models import Account
from bulkops.files.workbooks.writing import WorkbookWriter
from tests.bulkops.files.formats.files import saved

HEADINGS = ["id", "descriptions.en", "nature", "type", "conversion.conversionType"]
CASH = ["1000", "Cash", "BALANCE_SHEET", "NORMAL", "FINAL"]


def book_of(**sheets):
    """A workbook with these rows on its sheets."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book)


def stored():
    return list(Account.objects.order_by("element_id").values_list("element_id", flat=True))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "before",
    [
        "\n",
        ",,,,\n",
        "Chart of accounts\n",
        "Chart of accounts,,,,\nAs of 2026-11,,,,\n\n",
        "Group,Example\nYear,2026\n",
    ],
)
def test_the_row_with_the_headings_is_found_in_csv(import_accounts, before, delimiter):
    """The command says which one it took."""
    table = before + ",".join(HEADINGS) + "\n" + ",".join(CASH) + "\n"
    outcome = import_accounts(table.replace(",", delimiter))
    assert (outcome.errors, stored()) == ([], ["1000"])
    assert outcome.output.startswith(f"The headings are those in row {before.count(chr(10)) + 1}.\n")


def test_a_sheet_with_a_cover_before_it_and_titles_above_it_is_found(import_accounts):
    title = [["Chart of accounts", None, None, None, None], ["As of 2026"], []]
    content = book_of(
        Cover=[["Group"], ["Author", "Finance"]], Chart=[*title, HEADINGS, CASH], Lists=[["FINAL"], [True]]
    )
    outcome = import_accounts(content)
    assert (outcome.errors, stored()) == ([], ["1000"])
    assert outcome.output.startswith("The headings are those in row 4 of the sheet 'Chart'.\n")


def test_merged_titles_do_not_matter(import_accounts):
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (["Chart of accounts"], [], HEADINGS, CASH):
        sheet.append(row)
    sheet.merge_cells("A1:E2")
    assert (import_accounts(saved(book)).errors, stored()) == ([], ["1000"])


def test_several_sheets_with_tables_need_a_choice(import_accounts):
    other = [HEADINGS, ["2000", *CASH[1:]]]
    content = book_of(Old=other, New=[HEADINGS, CASH])
    for options, message in (
        ([], "2 sheets have something in them: 'Old', 'New'. Choose the one that is meant."),
        (["--sheet", "Olds"], "The workbook has no visible sheet 'Olds' with anything in it. Choose one of"),
    ):
        outcome = import_accounts(content, *options)
        assert outcome.errors[0].startswith(f"line 1: {message}")
        assert str(outcome.refusal).endswith(" Name the sheet with --sheet.")
    assert import_accounts(content, "--sheet", "New").errors == []
    assert stored() == ["1000"]
    (error,) = import_accounts(content, "--sheet", "Newer").errors
    assert error == (
        "line 1: The workbook has no visible sheet 'Newer' with anything in it. Choose one of 'Old', 'New'."
    )


def test_headings_that_are_unknown_are_found_by_the_mapping_or_named(import_accounts):
    content = book_of(Chart=[["Chart", "2026"], ["Kto", "Text X", *HEADINGS[2:]], CASH], Notes=[["a", "b"]])
    assert import_accounts(content, "--map", "Kto=id", "--map", "Text X=description").errors == []
    assert stored() == ["1000"]


def test_the_row_with_the_headings_can_be_named(import_accounts):
    """A row of known names above the table would be taken otherwise."""
    table = "id,nature\n" + ",".join(HEADINGS) + "\n" + ",".join(CASH) + "\n"
    assert import_accounts(table).errors
    assert (import_accounts(table, "--heading-row", "2").errors, stored()) == ([], ["1000"])
    (error,) = import_accounts(table, "--heading-row", "9").errors
    assert error == "line 9: The line must have the headings, such as id,descriptions.en."


def test_a_first_row_with_a_known_heading_is_never_passed_over(import_accounts):
    """A typing error in another heading must not turn it into a title."""
    outcome = import_accounts("id,Descr\n1000,id\nid,nature\n")
    assert outcome.errors[0].startswith("line 1, Descr: ")


@pytest.mark.parametrize("options", [["--sheet", "A"], ["--heading-row", "2"]])
def test_elements_in_json_have_neither_sheets_nor_headings(import_accounts, options):
    (error,) = import_accounts("[]", *options).errors
    assert error.startswith("line 1: Only a ")


@pytest.mark.parametrize("row", ["0", "-1", "x", "12345678", "1.5"])
def test_the_row_is_a_number(import_accounts, row):
    assert "it must be the number of a row, such as 4" in str(import_accounts("id\n", f"--heading-row={row}").refusal)


@pytest.mark.contract("H4")
@pytest.mark.parametrize("position", [0, 1])
def test_an_own_export_comes_back_with_its_lists_shown_renamed_and_moved(import_accounts, position):
    """Other programs show hidden sheets, and people translate and move them."""
    content = io.BytesIO()
    writer = WorkbookWriter(content)
    writer.headings(HEADINGS, [None, None, ["BALANCE_SHEET", "PROFIT_AND_LOSS"], ["NORMAL"], ["FINAL", "AVERAGE"]])
    writer.row(CASH)
    writer.close()
    book = load_workbook(content)
    lists = book["Lists"]
    lists.sheet_state, lists.title = "visible", "Auswahl"
    book.move_sheet(lists, position - 1)
    assert (import_accounts(saved(book)).errors, stored()) == ([], ["1000"])


CAISSE = ["0010", "Caisse à Zürich", "BALANCE_SHEET", "NORMAL", "FINAL"]
ELEMENT = {
    "id": "0010",
    "descriptions": {"en": "Caisse à Zürich"},
    "nature": "BALANCE_SHEET",
    "type": "NORMAL",
    "conversion": {"conversionType": "FINAL"},
}


def csv(delimiter: str, encoding: str) -> bytes:
    return "\r\n".join(delimiter.join(row) for row in (HEADINGS, CAISSE)).encode(encoding)


def workbook() -> bytes:
    """A workbook in which somebody has typed the code as a number, and given it a format with zeros."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(HEADINGS)
    sheet.append([10, *CAISSE[1:]])
    sheet["A2"].number_format = "0000"
    return saved(book)


@pytest.mark.contract("H4")
@pytest.mark.parametrize("gzipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "content",
    [
        csv(",", "utf-8"),
        csv(";", "utf-8-sig"),
        csv("\t", "utf-16"),
        csv(";", "cp1252"),
        workbook(),
        json.dumps([ELEMENT]).encode(),
        json.dumps(ELEMENT).encode(),
    ],
    ids=["CSV", "Excel's UTF-8", "Excel's Unicode", "Windows", "workbook", "JSON", "NDJSON"],
)
def test_an_element_is_the_same_from_whatever_file(import_accounts, content, gzipped):
    """The code keeps its zeros, the letters are the right ones, and nobody has to say what the file is.

    But for an encoding that the text does not show.
    """
    words = ["--encoding", "cp1252"] if content == csv(";", "cp1252") else []
    outcome = import_accounts(gzip.compress(content) if gzipped else content, *words)

    assert (outcome.errors, outcome.refusal) == ([], None)
    stored = Account.objects.get()
    assert (stored.element_id, stored.descriptions) == ("0010", {"en": "Caisse à Zürich"})
    assert stored.conversion_type == "FINAL"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cp932", "現金"),
        ("ms932", "現金"),
        ("GB18030", "现金"),
        ("cp949", "현금"),
        ("cp950", "現金"),
        ("ibm852", "Środki"),
    ],
)
def test_an_encoding_has_any_of_its_names(import_accounts, name, text):
    content = f"id,descriptions.en,nature,type,conversion.conversionType\n1,{text},BALANCE_SHEET,NORMAL,FINAL\n"
    assert import_accounts(content.encode(name), "--encoding", name).errors == []
    assert Account.objects.get().descriptions == {"en": text}
