"""What is left out of an import is not examined, and every column can be left out."""

from datetime import date

import pytest
from openpyxl import Workbook

from account.models import Account
from currency.models import Currency
from tests.bulkops.files.formats.files import SHEET, saved, with_parts

HEADINGS = ["id", "descriptions.en", "nature", "type", "conversion.conversionType"]
CASH = ["0060", "Cash", "BALANCE_SHEET", "NORMAL", "FINAL"]


def table(*rows):
    return "\n".join(",".join(row) for row in rows) + "\n"


def book_with(value, number_format="General", heading="Check"):
    """A workbook whose last column has a value that cannot be used."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append([*HEADINGS, heading])
    sheet.append([*CASH, value])
    sheet["F2"].number_format = number_format
    return saved(book)


def stored():
    return list(Account.objects.order_by("element_id").values_list("element_id", flat=True))


@pytest.mark.contract("C12", "H4")
@pytest.mark.parametrize("words", [["--map", "Check="], []], ids=["mapped", "read-only"])
@pytest.mark.parametrize(
    ("value", "number_format"),
    [("=1+1", "General"), ("#N/A", "General"), (-1, "dd.mm.yyyy"), (42, '[>=100]"A"0;"B"0'), ("a\u0000b", "General")],
)
def test_cells_of_a_column_that_is_left_out_have_no_errors(import_accounts, words, value, number_format):
    heading = "Check" if words else "updateInfo.user"
    content = book_with("NUL" if "\x00" in str(value) else value, number_format, heading)
    if "\x00" in str(value):
        content = with_parts(content, {SHEET: lambda sheet: sheet.replace(b"NUL", b"a_x0000_b")})
    outcome = import_accounts(content, *words)
    assert (outcome.errors, stored()) == ([], ["0060"])


@pytest.mark.contract("H4")
def test_the_error_of_a_cell_names_the_column_that_is_used(import_accounts):
    (error,) = import_accounts(book_with("#N/A", heading="documentationLink")).errors
    assert error.startswith("line 2, documentationLink: The cell F2 holds the error #N/A.")


@pytest.mark.parametrize("length", [1024**2 + 1])
def test_a_long_cell_of_a_column_that_is_left_out_is_not_examined(import_accounts, length):
    rows = table([*HEADINGS, "Note"], [*CASH, "x" * length])
    assert import_accounts(rows, "--map", "Note=").errors == []
    assert import_accounts(rows, "--map", "Note=documentationLink").errors[0].startswith("line 2, Note: The cell is")


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "words", [["--map", "Note="], ["--map", "Note=", "--map", "Note (2)=documentationLink"], ["--map", "Note (2)="]]
)
def test_a_repeated_heading_is_no_error_where_each_column_is_left_out_or_mapped(import_accounts, words):
    rows = table([*HEADINGS, "Note", "Note"], [*CASH, "a", "b"])
    outcome = import_accounts(rows, *words)
    named = "Note (2)=" in words
    assert outcome.errors == (["line 1, Note: Unknown field 'Note'."] if named else [])
    assert stored() == ([] if named else ["0060"])


def test_a_repeated_heading_that_is_used_is_an_error(import_accounts):
    """Which of both is meant?"""
    outcome = import_accounts(table([*HEADINGS, "id"], [*CASH, "0061"]))
    assert outcome.errors == [
        "line 1, id (2): The heading 'id' is repeated. Change one of them, or say what 'id (2)' means."
    ]
    assert "--map" in str(outcome.refusal)
    assert import_accounts(table([*HEADINGS, "id"], [*CASH, "0061"]), "--map", "id (2)=").errors == []


def test_a_column_without_a_heading_is_named_by_its_place(import_accounts):
    rows = table([*HEADINGS[:2], "", *HEADINGS[2:]], [*CASH[:2], "x", *CASH[2:]])
    (error,) = import_accounts(rows).errors
    assert error == "line 2, Column 3: It has no heading. Give it one, or say what 'Column 3' means."
    assert import_accounts(rows, "--map", "Column 3=documentationLink").errors == []
    assert Account.objects.get().documentation_link == "x"
    assert import_accounts(book_with("x", heading=None), "--map", "Column F=").errors == []


def test_a_column_with_neither_heading_nor_text_is_left_out(import_accounts, tmp_path):
    """A text in it is an error of its row, whose file can be imported once it is corrected."""
    rows = [[*HEADINGS[:2], "", *HEADINGS[2:], "", ""], [*CASH[:2], " ", *CASH[2:], "", ""]]
    assert import_accounts(table(*rows)).errors == []
    rejects = tmp_path / "rejects.csv"
    rows += [["0070", "Bank", "x", *CASH[2:], "", ""]]
    (error,) = import_accounts(table(*rows), "--rejects", str(rejects)).errors
    assert error == "line 3, Column 3: It has no heading. Give it one, or say what 'Column 3' means."
    corrected = rejects.read_text(encoding="utf-8-sig").replace(",x,", ",,").partition(',"')[0] + "\n"
    assert corrected.splitlines()[0] == "id,descriptions.en,,nature,type,conversion.conversionType,_reason"
    assert import_accounts(corrected).errors == []
    assert stored() == ["0060", "0070"]


@pytest.mark.contract("H4")
def test_a_number_is_taken_where_a_number_is_expected_whatever_it_looks_like(import_currencies):
    """A code is not: what it looks like depends on the program."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["id", "descriptions.en", "decimalNumbers", "percentageDifference"])
    sheet.append(["EUR", "Euro", 2.0000000000000004, 0.25])
    sheet["C2"].number_format, sheet["D2"].number_format = '0" digits"', '0.00" percent"'
    assert import_currencies(saved(book)).errors == []
    found = Currency.objects.get()
    assert (found.decimal_numbers, found.percentage_difference) == (2, "0.25")


@pytest.mark.contract("H4")
def test_a_date_is_taken_where_a_date_is_expected_whatever_it_looks_like(import_accounts):
    """A code is what its cell shows, or the row is an error."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append([*HEADINGS, "dataEntryAndReporting.validity.startDate"])
    sheet.append([date(2026, 1, 31), *CASH[1:], date(2026, 1, 31)])
    sheet.append([date(2026, 1, 31), *CASH[1:], date(2026, 1, 31)])
    sheet["A2"].number_format, sheet["A3"].number_format = "yyyy", "mmm-yy"
    sheet["F2"].number_format = sheet["F3"].number_format = "dd/mm/yyyy"
    (error,) = import_accounts(saved(book)).errors
    assert error.startswith("line 3, id: The cell A3 holds 2026-01-31, but its number format 'mmm-yy' shows something")
    sheet.delete_rows(3)
    assert import_accounts(saved(book)).errors == []
    stored = Account.objects.get()
    assert (stored.element_id, f"{stored.start_date:%Y-%m-%d}") == ("2026", "2026-01-31")


def test_values_of_formulas_are_taken_and_counted(import_accounts):
    content = with_parts(
        book_with(777, heading="documentationLink"),
        {SHEET: lambda sheet: sheet.replace(b't="n"><v>777</v>', b"><f>A2*2</f><v>120</v>")},
    )
    outcome = import_accounts(content)
    assert outcome.errors == []
    assert outcome.output.startswith("Took 1 value of formulas as the program that saved the file had computed them.\n")
    assert Account.objects.get().documentation_link == "120"


def beside(*notes):
    """A workbook with notes behind its last heading, each some columns further."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(HEADINGS)
    for number, note in enumerate(notes):
        sheet.append([f"00{number}", *CASH[1:], *[None] * number, note])
    return saved(book)


@pytest.mark.contract("H4")
def test_a_text_beside_the_table_is_left_out_by_the_name_of_its_column(import_accounts, tmp_path):
    """A note beside a row is no reason to write into somebody's workbook."""
    notes = beside("check", None, "why?")
    outcome = import_accounts(notes)
    assert outcome.errors == [
        f"line {line}, Column {name}: It has no heading. Give it one, or say what 'Column {name}' means."
        for line, name in ((2, "F"), (4, "H"))
    ]
    assert "--map 'heading='" in str(outcome.refusal)
    assert import_accounts(notes, "--map", "Column H=", "--map", "Column F=").errors == []
    assert stored() == ["000", "001", "002"]
    rejects = str(tmp_path / "rejects.xlsx")
    assert import_accounts(notes, "--map", "Column H=documentationLink", "--rejects", rejects).status == 3
    assert Account.objects.get(element_id="002").documentation_link == "why?"


@pytest.mark.contract("H4")
def test_a_column_behind_the_last_heading_is_used_only_where_it_is_named(import_accounts):
    """In CSV, a cell too many means that a comma is in a text, so each of these rows is an error."""
    rows = table(HEADINGS, [*CASH, "check"], ["0070", *CASH[1:]])
    (error,) = import_accounts(rows).errors
    assert error == "line 2: The row has 6 cells, but there are 5 headings."
    (error,) = import_accounts(rows, "--map", "Column 7=").errors[:1]
    assert error == "line 2, Column 6: It has no heading. Give it one, or say what 'Column 6' means."
    assert import_accounts(rows, "--map", "Column 6=").errors == []
    assert stored() == ["0060", "0070"]
    (error,) = import_accounts(beside("x"), "--map", "Column XFE=", "--map", "Column F=").errors
    assert error.startswith("line 1, Column XFE: The file has no heading 'Column XFE' that could be mapped.")
